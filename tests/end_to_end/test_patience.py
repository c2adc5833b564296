"""What is late is waited for: a command behind its card, a shoe that was unplugged, a game server."""

from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, assert_nothing_lost_or_doubled, house_with, run

pytestmark = pytest.mark.mosquitto

ONLY_CONSUME = Programme(rounds=0)
CARDS = "As 2c 5h 6h 9c Td 8d 8s 2d 3d 4d"
SOON_MS = 200


def plan(house: str = "deluxe") -> Plan:
    return Plan(contents=ShoeContents.written(CARDS), programme=ONLY_CONSUME, house=house)


def story(bench: Bench) -> list[tuple[str, object]]:
    """What was irregular, and what became of it."""
    told = []
    for event in bench.events:
        said = event.content
        if event.type == "irregularity.raised":
            told.append((said["kind"], said.get("draw")))
        elif event.type == "irregularity.resolved":
            told.append((said["kind"], said["resolution"]))
    return told


def dealt(bench: Bench) -> list[int]:
    return [event.content["draw"] for event in bench.of_type("card.dealt")]


async def a_round(bench: Bench, cards: int = 0) -> None:
    bench.serve()
    await bench.open_shoe()
    assert (await bench.ask("round.open", round_id="r1", seats=[1, 2])).accepted
    await bench.pull(cards)
    await bench.settle()


async def stand(bench: Bench, *seats: int) -> None:
    for seat in seats:
        assert (await bench.ask("hand.decide", seat=seat, hand=1, action="stand")).accepted


def test_a_dealer_who_is_faster_than_the_network_is_dealt_in_order(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_shoe()
        for _ in range(2):  # bets are closed, and the server's word of it is not here yet
            bench.shoe.draw()
        await bench.until(lambda: bench.parked == 2)
        assert (await bench.ask("round.open", round_id="r1", seats=[1, 2])).accepted
        await bench.pull(4)
        bench.shoe.draw()  # seat 1 has waved for a card; what the app says of it comes now
        await bench.until(lambda: bench.parked == 1)
        assert (await bench.ask("hand.decide", seat=1, hand=1, action="hit")).accepted
        await stand(bench, 1, 2)
        await bench.finish()

    bench = run(play, tmp_path, plan())
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == []
    assert dealt(bench)[:7] == [3, 4, 5, 6, 7, 8, 9]
    opened = [event for event in bench.of_type("card.dealt") if "nonce" in event.content]
    assert [event.content["draw"] for event in opened] == [3, 4, 9], "set aside with a seal that is open now"
    assert {event.content["why"] for event in bench.of_type("card.parked")} == {"early"}


def test_a_card_whose_command_never_comes_is_irregular(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=6)
        bench.shoe.draw()
        await bench.until(lambda: bench.screen is not None and bench.screen.held)
        assert (await bench.supervise("round.void", reason="nobody asked for it")).accepted
        await bench.finish()

    bench = run(play, tmp_path, plan(house_with(tmp_path, "deluxe", early_draw_ms=SOON_MS)))
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == [("unexpected_draw", 9), ("unexpected_draw", "void_round")]


def test_a_deadline_that_was_open_when_the_daemon_died_is_waited_for_again(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=6)
        await stand(bench, 1, 2)
        await bench.until(lambda: "round.closed" in bench.journaled_types)
        bench.shoe.draw()  # for a round that is never opened
        await bench.until(lambda: bench.parked == 1)
        await bench.restart()
        await bench.until(lambda: bench.screen is not None and bench.screen.held)
        assert (await bench.supervise("shoe.retire", reason="nobody asked for it")).accepted
        await bench.finish()

    bench = run(play, tmp_path, plan(house_with(tmp_path, "deluxe", early_draw_ms=1500)))
    assert_nothing_lost_or_doubled(bench)
    assert story(bench)[0][0] == "unexpected_draw"
    starts = [event.sequence for event in bench.of_type("edge.started")]
    assert bench.of_type("irregularity.raised")[0].sequence > starts[1]


def test_a_shoe_that_was_unplugged_for_a_moment_hands_over_what_it_saw(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=2)
        bench.shoe.unplug()
        await bench.until(lambda: "device.offline" in bench.journaled_types)
        for _ in range(3):
            bench.shoe.draw()
        bench.shoe.replug()
        await bench.pull()
        await stand(bench, 1, 2)
        await bench.finish()

    bench = run(play, tmp_path, plan())
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == []
    assert dealt(bench) == [3, 4, 5, 6, 7, 8]


def test_a_shoe_that_stays_away_in_a_round_holds_the_table_until_it_is_back(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=2)
        bench.shoe.unplug()
        await bench.until(lambda: bench.screen is not None and bench.screen.held)
        assert (await bench.ask("hand.decide", seat=1, hand=1, action="stand")).code == "held"
        for _ in range(3):
            bench.shoe.draw()
        bench.shoe.replug()
        await bench.until(lambda: bench.screen is not None and not bench.screen.held)
        await bench.pull()
        await stand(bench, 1, 2)
        await bench.finish()

    bench = run(play, tmp_path, plan(house_with(tmp_path, "deluxe", device_lost_ms=SOON_MS)))
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == [("device_lost", None), ("device_lost", "resumed")]
    assert dealt(bench) == [3, 4, 5, 6, 7, 8]


def test_without_a_server_play_goes_on_until_a_decision_is_due(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=2)
        bench.publish("server", b'{"status": "offline"}')
        await bench.pull(4)
        await bench.until(lambda: bench.screen is not None and bench.screen.held)
        bench.publish("server", b'{"status": "online"}')
        await bench.until(lambda: bench.screen is not None and not bench.screen.held)
        await stand(bench, 1, 2)
        await bench.finish()

    bench = run(play, tmp_path, plan(house_with(tmp_path, "deluxe", host_lost_ms=SOON_MS)))
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == [("host_lost", None), ("host_lost", "resumed")]
    raised = bench.of_type("irregularity.raised")[0].sequence
    assert len([event for event in bench.of_type("card.dealt") if event.sequence < raised]) == 6


def test_without_a_broker_the_table_is_held_once_a_decision_is_due(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        await a_round(bench, cards=5)
        bench.broker.kill()
        bench.shoe.draw()
        await bench.until(lambda: "table.held" in bench.journaled_types)
        bench.broker.start()
        await bench.until(lambda: "table.released" in bench.journaled_types)
        await stand(bench, 1, 2)
        await bench.finish()

    bench = run(play, tmp_path, plan(house_with(tmp_path, "deluxe", host_lost_ms=SOON_MS)))
    assert_nothing_lost_or_doubled(bench)
    assert story(bench) == [("host_lost", None), ("host_lost", "resumed")]
