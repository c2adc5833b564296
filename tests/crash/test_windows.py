"""A seeded share of the torture: killed inside every window, broker and shoe as well, and nothing is lost.

The full figures: ``scripts/long crash``.
"""

from pathlib import Path

import pytest

from tests.crash.bench import torture
from tests.crash.doom import Doom
from tests.crash.fuses import WINDOWS

pytestmark = pytest.mark.mosquitto


def test_whatever_dies_nothing_is_lost_doubled_or_reordered(tmp_path: Path) -> None:
    doom = Doom(seed=11, kills=3 * len(WINDOWS), broker_kills=4, power_cycles=6)
    bench, verdict = torture(tmp_path, doom)
    assert set(bench.toll.windows) == set(WINDOWS)
    assert bench.toll.windows.total() + bench.toll.unreached == doom.kills
    assert (bench.toll.broker_kills, bench.toll.power_cycles) == (4, 6)
    assert verdict.gaps > 0
    assert bench.toll.confirmed > 0


def test_a_shoe_that_forgets_leaves_a_gap_and_play_goes_on(tmp_path: Path) -> None:
    bench, verdict = torture(tmp_path, Doom(seed=3, kills=4, power_cycles=16))
    assert verdict.gaps > 0
    gaps = [event for event in bench.of_type("irregularity.raised") if event.content["kind"] == "scan_gap"]
    assert len(gaps) > 0
    assert bench.server.game.voided + bench.server.game.shoes_closed > 0
