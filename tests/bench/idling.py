"""What the daemon uses of a machine: when nothing has happened for a while, and at a steady pace of cards.

The device beats as a real one does, broker and subscriber are connected. Processor time is the kernel's
count.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edge.rehearsing import QUIET_S
from tests.bench.rig import Rig


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """At one pace."""

    cards_per_s: float
    cards: int
    seconds: float
    cpu_percent: float
    """Of one core."""
    rss_mb: float


def measure(folder: Path, *, paces: Sequence[float], seconds: float) -> list[Load]:
    """So many seconds at each pace, in cards a second; 0 is idle."""
    with Rig(folder) as rig:
        rig.next_card()
        rig.idle(min(QUIET_S + 1, seconds))
        return [_at(rig, pace, seconds) for pace in paces]


def _at(rig: Rig, pace: float, seconds: float) -> Load:
    before, began, cards = rig.daemon.usage, time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        if not pace:
            rig.idle(seconds - passed)
            continue
        rig.next_card()
        due = began + cards / pace
        rig.idle(due - time.monotonic())
        rig.draw()
        cards += 1
    passed, after = time.monotonic() - began, rig.daemon.usage
    return Load(
        cards_per_s=pace,
        cards=cards,
        seconds=passed,
        cpu_percent=100 * (after.cpu_s - before.cpu_s) / passed,
        rss_mb=after.rss_mb,
    )
