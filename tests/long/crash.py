"""1,000 kills inside every window of the daemon, 200 of the broker, 200 power-cycles of the shoe, all mixed.

Twenty episodes, one a seed; ``scripts/long crash --seeds 8-20`` goes on from the eighth, ``--seeds 8`` takes
one. In each 50 lives of the daemon end by their fuse (tests/crash/fuses.py), the broker is killed 10 times,
and the shoe is switched off and on 10 times, every other time without memory, mostly while it has something
that nobody acknowledged. A supervisor answers for the gaps and the game goes on. Then the shoe's own log, the
journal and the game server are held against each other (tests/crash/story.py), and the journal proves itself.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.bench import Toll, torture
from tests.crash.doom import Doom
from tests.crash.fuses import WINDOWS
from tests.crash.story import Verdict

pytestmark = pytest.mark.mosquitto

SEEDS = "1-20"
KILLS = 50
BROKER_KILLS = 10
POWER_CYCLES = 10
BAR = 50


class Total:
    """All episodes of this run together."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.toll = Toll()
        self.seen: Counter[str] = Counter()
        self.seeds: list[int] = []

    def add(self, seed: int, toll: Toll, verdict: Verdict) -> None:
        self.seeds.append(seed)
        self.toll.windows += toll.windows
        self.toll.points += toll.points
        self.toll.unreached += toll.unreached
        self.toll.broker_kills += toll.broker_kills
        self.toll.power_cycles += toll.power_cycles
        self.toll.memories_lost += toll.memories_lost
        self.seen.update(cards=verdict.cards, events=verdict.events, gaps=verdict.gaps, lost=verdict.lost)

    @property
    def histogram(self) -> str:
        most = max(self.toll.windows.values(), default=1)
        lines = [f"kills by window, seeds {self.seeds}, {time.monotonic() - self.began:.0f} s:"]
        for window, points in WINDOWS.items():
            kills = self.toll.windows[window]
            lines.append(f"  {window:15}{kills:5}  {'#' * (kills * BAR // most)}")
            counted = (f"{point} {self.toll.points[f'{window}: {point}']}" for point in points)
            lines.append(f"{'':22}  {', '.join(counted)}")
        lines.append(
            f"  together {self.toll.windows.total()} kills of the daemon ({self.toll.unreached} lives whose "
            f"place never came), {self.toll.broker_kills} of the broker, {self.toll.power_cycles} "
            f"power-cycles ({self.toll.memories_lost} without memory)"
        )
        lines.append(
            f"  {self.seen['cards']} cards and {self.seen['events']} events, each once, in order; "
            f"{self.seen['lost']} things lost with the shoe's memory, in {self.seen['gaps']} reported gaps"
        )
        return "\n".join(lines)


@pytest.fixture(scope="module")
def total() -> Iterator[Total]:
    total = Total()
    yield total
    sys.stdout.write(f"\n{total.histogram}\n")


def test_nothing_is_lost_doubled_or_reordered(tmp_path: Path, total: Total, episode: int) -> None:
    began = time.monotonic()
    doom = Doom(seed=episode, kills=KILLS, broker_kills=BROKER_KILLS, power_cycles=POWER_CYCLES)
    bench, verdict = torture(tmp_path, doom)
    total.add(episode, bench.toll, verdict)
    assert bench.toll.windows.total() + bench.toll.unreached == KILLS
    assert (bench.toll.broker_kills, bench.toll.power_cycles) == (BROKER_KILLS, POWER_CYCLES)
    sys.stdout.write(
        f"\nseed {episode}: {bench.toll.windows.total()} kills, {verdict.cards} cards, "
        f"{verdict.events} events, {verdict.lost} lost in {verdict.gaps} gaps; "
        f"{time.monotonic() - began:.0f} s\n"
    )
