"""What comes up late, goes away, or comes back: the daemon goes on exactly where it stood."""

import random
from pathlib import Path
from typing import Any

import pytest

from sim_devices import ShoeContents
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, assert_nothing_lost_or_doubled, run

pytestmark = pytest.mark.mosquitto

ONLY_CONSUME = Programme(rounds=0)
KING_FIRST = "Kh 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc"
"""A king is first: ten cards are burned."""


def test_the_broker_may_be_down_at_the_start_and_at_any_time(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await bench.until(lambda: bench.journaled_types == ["edge.started", "device.online"])
        bench.broker.start()
        bench.serve()
        await bench.open_first_card()
        bench.broker.kill()
        for _ in range(10):  # nobody can see the screen, and a dealer burns all the same
            bench.shoe.draw()
        await bench.until(lambda: "shoe.ready" in bench.journaled_types)
        assert bench.daemon.running
        bench.broker.start()
        await bench.until(lambda: bench.server.game.shoe_ready)
        await bench.finish()

    plan = Plan(contents=ShoeContents.written(KING_FIRST), programme=ONLY_CONSUME, broker=False)
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)


def test_the_shoe_may_be_missing_at_the_start(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await bench.until(lambda: bench.journaled_types == ["edge.started", "device.offline"])
        bench.shoe.replug()
        bench.deal()
        await bench.finish()

    plan = Plan(programme=Programme(seed=4, rounds=2), plugged=False)
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    assert bench.of_type("device.offline")[0].content["reason"] == "absent"
    assert bench.server.game.closed == 2


def test_a_restart_resumes_exactly(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_shoe()
        await bench.ask("round.open", round_id="r1", seats=[1, 2])
        await bench.pull(2)
        early = await bench.ask("hand.decide", seat=2, hand=1, action="hit")
        assert early.code == "held"
        for card_is_on_its_way in (False, True, False, True):
            await bench.settle()
            seen.append(_as_it_stands(bench))
            await bench.restart()
            before = bench.journaled_sequence
            if card_is_on_its_way:
                bench.shoe.draw()
            await bench.until(lambda: bench.screen is not None and bench.screen.as_of > before)  # noqa: B023
            await bench.until(lambda: bench.screen is not None and bench.screen.devices_online > 0)
            await bench.settle()
            assert (await bench.confirm()).accepted
            if not card_is_on_its_way:
                await bench.settle()
                seen.append(_as_it_stands(bench))
        await bench.pull(2)
        again = await bench.desk.ask("hand.decide", {"seat": 2, "hand": 1, "action": "hit"}, id=early.id)
        assert again.code == "held", "the first answer is repeated, after restarts too"
        assert (await bench.ask("hand.decide", seat=1, hand=1, action="stand")).accepted
        await bench.pull()
        assert (await bench.ask("hand.decide", seat=2, hand=1, action="stand")).accepted
        await bench.finish()

    contents = ShoeContents.written("As 2c 5h 6h 9c 5d 6d 8s 4d")
    bench = run(play, tmp_path, Plan(contents=contents, programme=ONLY_CONSUME, pit=False))
    assert seen[0] == seen[1]
    assert seen[3] == seen[4]
    assert_nothing_lost_or_doubled(bench)
    taken = [(each.content["seat"], each.content.get("reason")) for each in bench.of_type("turn.acted")]
    assert taken == [(1, None), (2, "early"), (2, None)]


def test_after_a_restart_in_a_round_nothing_moves_until_the_pit_confirms(tmp_path: Path) -> None:
    held: list[dict[str, Any]] = []

    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_shoe()
        await bench.ask("round.open", round_id="r1", seats=[1, 2])
        await bench.pull(2)
        await bench.settle()
        await bench.restart()
        await bench.until(lambda: bench.power_lost is not None)
        bench.shoe.draw()
        bench.shoe.draw()
        await bench.until(lambda: bench.parked == 2)
        assert (await bench.ask("hand.decide", seat=1, hand=1, action="stand")).code == "held"
        held.append(_as_it_stands(bench))
        await bench.restart()  # and again: it goes on being held, and the cards go on being set aside
        await bench.until(lambda: bench.screen is not None and bench.screen.devices_online > 0)
        held.append(_as_it_stands(bench))
        assert (await bench.confirm()).accepted
        await bench.pull(2)
        for seat in (1, 2):
            assert (await bench.ask("hand.decide", seat=seat, hand=1, action="stand")).accepted
        await bench.finish()

    contents = ShoeContents.written("As 2c 5h 6h 9c Td 8d 8s")
    bench = run(play, tmp_path, Plan(contents=contents, programme=ONLY_CONSUME, pit=False))
    assert held[0] == held[1]
    assert held[0]["phase"] == "held"
    assert [hand["cards"] for hand in held[0]["round"]["hands"]] == [["5h"], ["6h"]]
    assert_nothing_lost_or_doubled(bench)
    dealt = {event.content["draw"]: event.content for event in bench.of_type("card.dealt")}
    assert list(dealt) == [3, 4, 5, 6, 7, 8], "each card once, in the order in which they left the shoe"
    parked = [event.content for event in bench.of_type("card.parked")]
    assert [(each["draw"], each["why"]) for each in parked] == [(5, "held"), (6, "held")]
    for each in parked:
        assert dealt[each["draw"]]["nonce"], "its seal can be checked now"


def test_a_daemon_killed_while_it_starts_loses_nothing(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.deal()
        await bench.until(lambda: bench.dealer.pulled > 20)
        chance = random.Random(9)
        for _ in range(5):
            await bench.kill_while_it_starts(after_s=chance.uniform(0.0, 0.6))
        await bench.finish()

    plan = Plan(programme=Programme(seed=9, rounds=4))
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)


def test_the_game_server_may_come_and_go(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.deal()
        for pulled in (15, 40, 65, 90):
            await bench.until(lambda: bench.dealer.pulled >= pulled)  # noqa: B023
            await bench.replace_server()
        await bench.finish()

    bench = run(play, tmp_path, Plan(programme=Programme(seed=6, rounds=8)))
    assert_nothing_lost_or_doubled(bench)
    assert bench.server.game.closed == 8
    opened = [event.content["round_id"] for event in bench.of_type("round.opened")]
    assert len(set(opened)) == len(opened) == 8


def _as_it_stands(bench: Bench) -> dict[str, Any]:
    assert bench.screen is not None
    return {key: value for key, value in bench.screen.said.items() if key not in {"as_of", "devices"}}
