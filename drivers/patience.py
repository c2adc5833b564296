"""How long to wait before a port is opened again."""

from collections.abc import Callable
from typing import Final

QUICK_S: Final = (0.05, 0.1, 0.2)
"""The first retries: a plug that was only knocked is back at once."""
FIRST_S: Final = 0.5
LONGEST_S: Final = 10.0


class Patience:
    """Delays that grow from 0.05 s to 10 s, shortened by up to half at random.

    The jitter keeps devices behind one hub from all opening in the same instant after it was reset.

    Args:
        random: uniform, 0 up to 1.
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._attempt = 0

    def reset(self) -> None:
        """The device answered: the next trouble is a new one."""
        self._attempt = 0

    def next_delay(self) -> float:
        """Seconds to wait before the next attempt, 0.025..10."""
        attempt = self._attempt
        self._attempt += 1
        if attempt < len(QUICK_S):
            longest = QUICK_S[attempt]
        else:
            longest = min(FIRST_S * 2.0 ** min(attempt - len(QUICK_S), 8), LONGEST_S)
        return longest * (1.0 - 0.5 * self._random())
