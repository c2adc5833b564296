"""Plugs pulled at seeded moments of a shoe that goes on: nothing is lost, nothing is doubled."""

from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, Troubles, assert_nothing_lost_or_doubled, run

pytestmark = pytest.mark.mosquitto


def test_a_shoe_survives_twenty_kills_and_ten_of_everything_else(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        Troubles(seed=5, kills=20, broker_kills=10, unplugs=10).plan(bench)
        bench.deal()
        await bench.finish()
        assert bench.troubles == {}

    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=31, cut_from_back=60),
        programme=Programme(seed=31),
        pace=Pace(cards_per_second=80, jitter=0.3, seed=31),
        deadline_s=180,
    )
    bench = run(play, tmp_path, plan)
    assert bench.daemon.lives == 21
    assert_nothing_lost_or_doubled(bench)
    assert len(bench.of_type("edge.started")) == 21
    assert bench.server.game.results_agreed == bench.server.game.closed
