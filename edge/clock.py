"""Time: the only reader of clocks in the edge.

The *table clock* (milliseconds) goes on from where the journal's last record left it and never goes
backwards, whatever happens to the wall clock; deadlines are in it. It stands still while the daemon
is down. The wall clock dates records and events, and orders nothing.
"""

import time
from pathlib import Path
from typing import Final, final

from edge.journal import Moment

BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
"""The kernel's name for the time since power-on (random(4))."""


def monotonic() -> float:
    """Seconds since some moment; never backwards."""
    return time.monotonic()


def wall_ms() -> int:
    """Milliseconds since 1970-01-01 UTC, as this computer believes."""
    return time.time_ns() // 1_000_000


def boot_id() -> str:
    """The kernel's boot id, or ``unknown`` where the kernel does not say."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


@final
class TableClock:
    """The clock of one daemon's life.

    Args:
        goes_on_from_ms: the table clock of the journal's last record; 0 for a new journal.
    """

    __slots__ = ("_base_ms", "_boot", "_started")

    def __init__(self, *, goes_on_from_ms: int) -> None:
        self._base_ms = goes_on_from_ms
        self._started = monotonic()
        self._boot = boot_id()

    def now(self) -> Moment:
        """This moment, on both clocks."""
        at_ms = self._base_ms + int((monotonic() - self._started) * 1000)
        return Moment(at_ms=at_ms, wall_ms=wall_ms(), boot=self._boot)
