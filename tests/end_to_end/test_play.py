"""Single things that must hold from the shoe's serial line to the game server."""

import json
from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, assert_nothing_lost_or_doubled, run

pytestmark = pytest.mark.mosquitto

ONLY_CONSUME = Programme(rounds=0)
BURNED = "As 2c"
"""An ace is first: one card is burned."""


@pytest.mark.rule("BJ-13")
def test_seven_identical_cards_in_a_row_are_seven_cards(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_shoe()
        await bench.ask("round.open", round_id="r1", seats=[1, 2, 3])
        await bench.pull(8)
        for seat in (1, 2, 3):
            assert (await bench.ask("hand.decide", seat=seat, hand=1, action="stand")).accepted
        await bench.finish()

    sevens = "9h " * 7
    plan = Plan(contents=ShoeContents.written(f"{BURNED} {sevens} 8c"), programme=ONLY_CONSUME)
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    nines = [each.content["draw"] for each in bench.of_type("card.dealt") if each.content.get("card") == "9h"]
    assert nines == [3, 4, 5, 6, 7, 8, 9]
    (result,) = bench.of_type("round.result")
    assert [seat["hands"][0]["cards"] for seat in result.content["seats"]] == [["9h", "9h"]] * 3


@pytest.mark.rule("DLX-32")
def test_an_unread_card_holds_the_table_until_the_supervisor_voids_the_round(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_shoe()
        await bench.ask("round.open", round_id="r1", seats=[2])
        await bench.pull(2)
        await bench.pull(read=False)
        await bench.until(lambda: bench.screen is not None and bench.screen.held)
        assert (await bench.ask("round.open", round_id="r2", seats=[2])).code in {"held", "round_in_progress"}
        stranger = await bench.desk.ask(
            "round.void", {"operator": "nobody", "reason": "?"}, topic="supervisor"
        )
        assert stranger.code == "not_allowed"
        voided = await bench.supervise("round.void", reason="unread card")
        assert voided.accepted, voided
        await bench.until(lambda: bench.screen is not None and bench.screen.phase == "ready")
        assert (await bench.ask("round.open", round_id="r3", seats=[2])).accepted
        await bench.pull(4)
        assert (await bench.ask("hand.decide", seat=2, hand=1, action="stand")).accepted
        await bench.finish()

    plan = Plan(contents=ShoeContents.written(f"{BURNED} 5h 9c 6h Th 9d 9s 8d"), programme=ONLY_CONSUME)
    bench = run(play, tmp_path, plan)
    story = [
        event.type for event in bench.events if event.type.startswith(("irregularity.", "table.", "round."))
    ]
    assert story == [
        "round.opened",
        "irregularity.raised",
        "table.held",
        "irregularity.resolved",
        "round.voided",
        "table.released",
        "round.opened",
        "round.result",
        "round.closed",
    ]
    assert bench.of_type("irregularity.raised")[0].content["kind"] == "unread_card"
    assert bench.received == bench.journaled


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"not json", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"[]", "malformed"),
        (b'{"id": 7, "command": "round.open"}', "malformed"),
        (b'{"id": "7b0c2a55-8f0f-4c0e-9d3e-0d0a6d1f5a11", "command": "shoe.install"}', "malformed"),
    ],
)
def test_a_malformed_command_is_answered_and_nothing_else(tmp_path: Path, payload: bytes, code: str) -> None:
    async def play(bench: Bench) -> None:
        await bench.until(lambda: bench.screen is not None and bench.screen.devices_online > 0)
        before = bench.journaled
        bench.publish("commands", payload)
        await bench.until(lambda: bool(bench.payloads("replies")))
        assert bench.journaled == before
        assert bench.daemon.running

    bench = run(play, tmp_path, Plan(programme=ONLY_CONSUME))
    (reply,) = map(json.loads, bench.payloads("replies"))
    assert (reply["outcome"], reply["code"]) == ("refused", code)
    assert reply["message"]


def test_an_unknown_command_is_answered(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await bench.until(lambda: bench.up)
        assert (await bench.ask("shoe.polish")).code == "unknown_command"
        on_the_wrong_topic = await bench.ask("shoe.retire", operator="mina", reason="none")
        assert on_the_wrong_topic.code == "wrong_topic"

    run(play, tmp_path, Plan(programme=ONLY_CONSUME))
