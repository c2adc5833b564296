"""When to come back after a connection ended, and when its end looks like a tug-of-war."""

from random import Random
from typing import Final

from edge.upstream.packets import TAKEN_OVER, Ended
from edge.upstream.patience import Backoff, Patience

NOTICED: Final = 4
"""Connections cut short one after another, where the broker remembered the session each time. Mosquitto
2.0.11 hangs up without a word when another client of our id takes over. A broker that is down refuses
connections in between; one that restarts has mostly forgotten the session, and seldom restarts so often. A
rival that says ``status`` is known sooner (:mod:`edge.upstream.rivals`)."""
ENOUGH: Final = 5
"""After so many we stay away. One more than it takes to notice, so that the other one, who lost the session
in turn with us, has noticed as well and tells of it while it is connected."""


class Comeback:
    """Waits that grow while connections are refused or short, and begin small after a good one.

    The wait is not reset by CONNACK: two clients of one id would then steal the session from each other
    about once a second, for ever.
    """

    def __init__(self, *, patience: Patience, random: Random) -> None:
        self._patience = patience
        self._random = random
        self._backoff = Backoff(first_s=patience.first_retry_s, last_s=patience.last_retry_s, random=random)
        self._cut_short = 0
        self._rival = False

    def rival_known(self) -> None:
        """Another client uses our id, for sure: one of the two has to stay away for a while."""
        self._rival = True

    def rival_gone(self) -> None:
        """It has not been heard of for long."""
        self._rival = False

    def after(self, ended: Ended, *, lived_s: float | None, session_present: bool) -> tuple[float, bool]:
        """Seconds to wait, and whether another client seems to have taken over.

        ``lived_s`` counts from SUBACK; None: it never came to that. A broker that had forgotten the session
        was restarted: nobody takes what is not there any more.
        """
        settled = lived_s is not None and lived_s >= self._patience.settled_s
        if settled:
            self._backoff.reset()
        short = lived_s is not None and lived_s < self._patience.short_s
        self._cut_short = self._cut_short + 1 if short and session_present else 0
        wait_s = self._backoff.wait_s()
        known = self._rival and session_present and lived_s is not None and not settled
        if ended.code == TAKEN_OVER or known or self._cut_short >= ENOUGH:
            return self._patience.takeover_s * self._random.uniform(1.0, 1.5), True
        return wait_s, self._cut_short >= NOTICED
