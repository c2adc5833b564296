"""SIGTERM under load: the journal is complete, the table says offline and why, the next start goes on.

What a stop at rest does, and a stop without a broker or with a frozen one: tests/systemd/test_stopping.py.
"""

import signal
from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.crash.ailments import Ailments
from tests.crash.sickbed import DEADLINE_S, KING_FIRST, ONLY_CONSUME, Sickbed, nurse
from tests.end_to_end.harness import Plan, assert_nothing_lost_or_doubled

pytestmark = pytest.mark.mosquitto


def stops(bench: Sickbed) -> list[str]:
    return [event.content["reason"] for event in bench.of_type("edge.stopped")]


@pytest.mark.parametrize("committed", [0, 4])
def test_in_the_middle_of_a_burst_of_cards(tmp_path: Path, committed: int) -> None:
    """Ten cards are burned in one breath; the stop comes when so many of them are in the journal."""

    async def play(bench: Sickbed) -> None:
        bench.serve()
        await bench.open_first_card()
        before = bench.journaled_sequence
        for _ in range(10):
            bench.shoe.draw()
        await bench.until(lambda: bench.journaled_sequence >= before + committed)
        bench.daemon.send(signal.SIGTERM)
        assert await bench.daemon.dead() == 0
        await bench.until(lambda: bench.status["status"] == "offline")
        assert bench.status["reason"] == "SIGTERM"
        assert bench.journaled_types[-1] == "edge.stopped"
        await bench.until(lambda: bench.server.game.sequence == bench.journaled_sequence)
        burned = bench.journaled_types.count("card.burned")
        assert burned + bench.unacknowledged >= 10, "the shoe holds what the journal lacks"
        await bench.start_again()
        await bench.until(lambda: bench.server.game.shoe_ready)
        await bench.until(lambda: bench.unacknowledged == 0)
        await bench.finish()

    plan = Plan(contents=ShoeContents.written(KING_FIRST), programme=ONLY_CONSUME, deadline_s=DEADLINE_S)
    bench = nurse(play, tmp_path, plan=plan)
    assert_nothing_lost_or_doubled(bench)
    assert stops(bench) == ["SIGTERM", "SIGTERM"]


def test_at_seeded_moments_of_play_and_the_next_start_resumes(tmp_path: Path) -> None:
    async def play(bench: Sickbed) -> None:
        bench.deal()
        for pulled in (7, 19, 33):
            await bench.until(lambda: bench.dealer.pulled >= pulled)  # noqa: B023
            bench.daemon.send(signal.SIGTERM)
            assert await bench.daemon.dead() == 0
            await bench.start_again()
        await bench.finish()

    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=6, cut_from_back=60),
        programme=Programme(seed=6, rounds=6),
        pace=Pace(cards_per_second=200, jitter=0),
        deadline_s=DEADLINE_S,
    )
    bench = nurse(play, tmp_path, plan=plan)
    assert_nothing_lost_or_doubled(bench)
    assert stops(bench) == ["SIGTERM"] * 4


def test_with_a_backlog_that_just_began_to_drain(tmp_path: Path) -> None:
    async def play(bench: Sickbed) -> None:
        bench.serve()
        await bench.open_first_card()
        bench.broker.kill()
        for _ in range(10):
            bench.shoe.draw()
        await bench.until(lambda: "shoe.ready" in bench.journaled_types)
        connected = bench.daemon.said.count('"upstream.connected"')
        bench.broker.start()
        await bench.until(lambda: bench.daemon.said.count('"upstream.connected"') > connected)
        bench.daemon.send(signal.SIGTERM)
        assert await bench.daemon.dead() == 0
        assert bench.journaled_types[-1] == "edge.stopped"
        await bench.until(lambda: bench.status.get("status") == "offline")
        await bench.start_again()
        await bench.finish()

    plan = Plan(contents=ShoeContents.written(KING_FIRST), programme=ONLY_CONSUME, deadline_s=DEADLINE_S)
    bench = nurse(play, tmp_path, ailments=Ailments(quick_retries=True), plan=plan)
    assert_nothing_lost_or_doubled(bench)
    assert stops(bench) == ["SIGTERM", "SIGTERM"]
