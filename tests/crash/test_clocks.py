"""A wall clock that jumps: nothing is reordered or dropped, the table clock never goes backwards.

The product reads its clocks in :mod:`edge.clock` alone; there the launcher puts a wall clock of a file's.
"""

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from edge.journal import Record, read_journal
from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.crash.ailments import Ailments
from tests.crash.sickbed import DEADLINE_S, Sickbed, nurse
from tests.end_to_end.harness import Plan, assert_nothing_lost_or_doubled

pytestmark = pytest.mark.mosquitto

HOUR_MS: Final = 3_600_000
SLACK_MS: Final = 2_000
DECADES_H: Final = 50 * 365 * 24


class Wall:
    """The wall clock of the daemon, to be set."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, off_by_ms: int) -> None:
        """From now on it is off by so much."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(off_by_ms))
        fresh.replace(self.file)

    def just_booted(self) -> None:
        """As a computer without a battery believes: it is 1970."""
        self.set(5_000 - time.time_ns() // 1_000_000)


def plan(*, rounds: int) -> Plan:
    return Plan(
        contents=ShoeContents.shuffled(decks=8, seed=8, cut_from_back=60),
        programme=Programme(seed=8, rounds=rounds),
        pace=Pace(cards_per_second=100, jitter=0),
        deadline_s=DEADLINE_S,
    )


def records_of(bench: Sickbed) -> list[Record]:
    with read_journal(bench.settings.journal) as journal:
        return list(journal.records())


def assert_clocks_hold(bench: Sickbed, elapsed_ms: float) -> set[int]:
    """The table's clock ran as real time did; an event's time is what the wall said when it was heard.

    Returns by how many hours the wall was off, record by record.
    """
    records = records_of(bench)
    at = [record.at_ms for record in records]
    assert at == sorted(at)
    assert at[-1] - at[0] <= elapsed_ms + SLACK_MS
    walls = {sequence: record.wall_ms for record in records for sequence in record.sequences}
    for event in bench.events:
        said = datetime.fromisoformat(json.loads(event.raw)["time"])
        assert round(said.timestamp() * 1000) == walls[event.sequence]
    now_ms = time.time_ns() / 1e6
    return {round((record.wall_ms - now_ms) / HOUR_MS) for record in records}


def test_jumps_of_an_hour_and_back_to_1970_reorder_and_drop_nothing(tmp_path: Path) -> None:
    wall = Wall(tmp_path / "wall")
    began = time.monotonic()

    async def play(bench: Sickbed) -> None:
        bench.deal()
        turns: list[Callable[[], None]] = [
            lambda: wall.set(HOUR_MS),
            lambda: wall.set(-HOUR_MS),
            wall.just_booted,
            lambda: wall.set(0),
        ]
        for number, turn in enumerate(turns, start=1):
            await bench.until(lambda: bench.dealer.pulled >= 10 * number)  # noqa: B023
            turn()
        await bench.finish()

    bench = nurse(play, tmp_path, ailments=Ailments(wall=str(wall.file)), plan=plan(rounds=8))
    assert_nothing_lost_or_doubled(bench)
    off = assert_clocks_hold(bench, (time.monotonic() - began) * 1000)
    assert {0, 1, -1} <= off
    assert min(off) < -DECADES_H
    assert "upstream.disconnected" not in bench.daemon.said
    assert bench.of_type("device.offline") == []


def test_a_computer_that_boots_in_1970_goes_on_where_the_journal_stands(tmp_path: Path) -> None:
    wall = Wall(tmp_path / "wall")
    began = time.monotonic()

    async def play(bench: Sickbed) -> None:
        bench.deal()
        await bench.until(lambda: bench.dealer.pulled >= 15)
        await bench.daemon.kill()
        wall.just_booted()
        await bench.daemon.start()
        await bench.until(lambda: bench.dealer.pulled >= 30)
        wall.set(0)  # the time server answered
        await bench.until(lambda: bench.dealer.pulled >= 40)
        await bench.start_again()
        await bench.finish()

    bench = nurse(play, tmp_path, ailments=Ailments(wall=str(wall.file)), plan=plan(rounds=8))
    assert_nothing_lost_or_doubled(bench)
    assert_clocks_hold(bench, (time.monotonic() - began) * 1000)
    years = [json.loads(event.raw)["time"][:4] for event in bench.events]
    assert years[0] == years[-1] != "1970"
    assert "1970" in years
