"""A whole shoe over a real pty and a real Mosquitto, at a dealer's fastest."""

from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, assert_nothing_lost_or_doubled, run

pytestmark = pytest.mark.mosquitto


@pytest.mark.rule("DLX-2", "DLX-3", "DLX-4", "BJ-13")
def test_every_card_of_a_whole_shoe_is_in_exactly_one_event(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.deal()
        await bench.finish()

    plan = Plan(
        # so near the end that all but a few cards leave, and still a round of seven seats fits behind it
        contents=ShoeContents.shuffled(decks=8, seed=20, cut_from_back=40),
        programme=Programme(seed=20),
        pace=Pace(cards_per_second=20, jitter=0.2, seed=20),
        deadline_s=120,
    )
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    (cut,) = bench.of_type("shoe.cut_card")
    (closed,) = bench.of_type("shoe.closed")
    assert cut.content["drawn"] == 416 - 40
    assert closed.content["reason"] == "cut_card"
    assert closed.content["dealt"] == bench.shoe.cards_drawn > 376
    assert bench.server.game.results_agreed == bench.server.game.closed > 20
