"""When to come back after a connection ended, and when its end looks like a tug-of-war."""

from random import Random
from typing import Final

from edge.upstream.packets import TAKEN_OVER, Ended
from edge.upstream.patience import Backoff, Patience

SUSPICIOUS: Final = 3
"""Connections cut short one after another. Mosquitto 2.0.11 hangs up without a word when another client
of our id takes over. A broker that is down refuses connections in between; one that restarts has mostly
forgotten the session."""


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

    def after(self, ended: Ended, *, lived_s: float | None, session_present: bool) -> tuple[float, bool]:
        """Seconds to wait, and whether another client seems to have taken over.

        ``lived_s`` counts from SUBACK; None: it never came to that. A broker that had forgotten the session
        was restarted: nobody takes what is not there any more.
        """
        settled = lived_s is not None and lived_s >= self._patience.settled_s
        if settled:
            self._backoff.reset()
        suspicious = session_present and lived_s is not None and not settled
        self._cut_short = self._cut_short + 1 if suspicious else 0
        wait_s = self._backoff.wait_s()
        taken_over = ended.code == TAKEN_OVER or self._cut_short >= SUSPICIOUS
        if taken_over:
            wait_s = self._patience.takeover_s * self._random.uniform(1.0, 1.5)
        return wait_s, taken_over
