"""How long the upstream waits for what, and how the waits grow."""

from dataclasses import dataclass
from random import Random
from typing import Final

AFTERWARDS_S: Final = 0.001
"""After an event was sent, what is less urgent waits so long: done at once, it would take from the broker and
its subscribers the processor that they need to hand the event on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds, all of them."""

    connack_s: float = 10.0
    """From the TCP connection to CONNACK, and from SUBSCRIBE to SUBACK."""
    puback_s: float = 10.0
    """A PUBACK later than this is not coming: paho never repeats it (removed in its 1.6.0)."""
    first_retry_s: float = 0.5
    last_retry_s: float = 10.0
    """The longest wait: a broker that is back is found within it, a table is not left in the dark longer."""
    settled_s: float = 3.0
    """A connection that lived this long was a good one: the next wait begins small again."""
    short_s: float = 15.0
    """A connection that lived less was cut short: longer than two clients of one id leave each other alone
    while their waits grow."""
    takeover_s: float = 60.0
    """After another client of our id took the session; at once would be a tug-of-war for ever."""
    denied_s: float = 1.0
    """The first wait after a denied publish or subscription; doubles up to ``last_retry_s``."""
    tick_s: float = 1.0
    """How often deadlines and keepalive are looked at."""
    farewell_s: float = 2.0
    """For the PUBACK of the last ``offline``."""


class Backoff:
    """A wait that doubles up to a cap, jittered so that tables do not come back in step."""

    def __init__(self, *, first_s: float, last_s: float, random: Random) -> None:
        self._first_s = first_s
        self._last_s = last_s
        self._random = random
        self._next_s = first_s

    def wait_s(self) -> float:
        """The next wait: between half of it and all of it."""
        wait, self._next_s = self._next_s, min(self._next_s * 2, self._last_s)
        return wait * self._random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """It went well: begin small again."""
        self._next_s = self._first_s
