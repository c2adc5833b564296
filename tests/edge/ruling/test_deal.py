"""Opening a round and dealing its first cards."""

import pytest

from edge.events import CardDealt, Face
from edge.requests import OpenRound
from tests.edge.ruling.playing import Table, as_published, dealt, nonce_of, phase_now, ready, sealed, shown


@pytest.mark.rule("DLX-1")
@pytest.mark.parametrize(
    "seats",
    [(), (0,), (8,), (-1,), (1, 1), (1, 2, 1), (1, 8), (0, 1), (7, 7)],
    ids=lambda seats: ",".join(map(str, seats)) or "none",
)
def test_seats_that_are_none_twice_or_beyond_the_house_are_refused(seats: tuple[int, ...]) -> None:
    table = ready()
    assert table.open(*seats) == "bad_seats"
    assert table.told() == []
    assert phase_now(table) == "ready"


@pytest.mark.rule("DLX-1")
def test_all_seven_seats_may_play_and_are_ascending_whatever_was_asked() -> None:
    table = ready()
    assert table.open(7, 3, 1, 6, 2, 5, 4) == "done"
    assert table.told() == ["round 1: 1,2,3,4,5,6,7"]


@pytest.mark.rule("DLX-1", "DLX-5", "DLX-6", "BJ-13")
def test_only_the_seats_named_are_dealt_in_each_pass_ascending_then_the_dealer() -> None:
    table = ready()
    table.open(6, 2, 4)
    table.draw("2h", "3h", "4h", "5s", "6h", "7h", "8h", "9s")
    assert table.told() == [
        "round 1: 2,4,6",
        "3: 2/1 2h = 2",
        "4: 4/1 3h = 3",
        "5: 6/1 4h = 4",
        "6: dealer 5s = 5",
        "7: 2/1 6h = 8",
        "8: 4/1 7h = 10",
        "9: 6/1 8h = 12",
        "10: dealer down",
        "2/1 may HSDR on 8",
    ]


@pytest.mark.rule("DLX-6")
def test_the_hole_card_shows_its_seal_and_nothing_else() -> None:
    table = dealt("deluxe", (1,), "Th", "7d", "8c", "Kc")
    hole = [event for event in table.events if isinstance(event, CardDealt)][-1]
    kept = table.state.shoe.concealed[-1] if table.state.shoe else None
    assert kept is not None
    number = int(kept.nonce, 16)
    assert hole == CardDealt(
        shoe=1, round=1, draw=6, to="dealer", position=2, face=Face.DOWN, seal=sealed(number, "Kc")
    )
    assert set(as_published(hole)) == {"shoe", "round", "draw", "to", "position", "face", "seal"}
    assert "Kc" not in shown(table)
    assert nonce_of(number) not in repr(table.state)
    table.decide(1, "stand")
    turned = [as_published(event) for event in table.events if event.type == "card.revealed"]
    assert turned == [{"shoe": 1, "round": 1, "draw": 6, "card": "Kc", "nonce": nonce_of(number)}]


@pytest.mark.rule("SAG-2", "HTS-1")
@pytest.mark.parametrize("house", ["sa-gaming", "ho-tram-strip"])
def test_without_a_hole_card_the_dealer_gets_one_card(house: str) -> None:
    table = ready(house)
    table.open(3, 1)
    table.draw("2h", "3h", "5s", "6h", "7h")
    assert table.told()[:6] == [
        "round 1: 1,3",
        "1: 1/1 2h = 2",
        "2: 3/1 3h = 3",
        "3: dealer 5s = 5",
        "4: 1/1 6h = 8",
        "5: 3/1 7h = 10",
    ]


@pytest.mark.rule("KRF-3")
def test_korean_floor_deals_the_dealers_second_card_down() -> None:
    table = ready("korean-floor")
    table.open(1)
    table.draw("2h", "5s", "6h", "9s")
    assert table.told()[1:5] == ["3: 1/1 2h = 2", "4: dealer 5s = 5", "5: 1/1 6h = 8", "6: dealer down"]


def test_a_round_id_is_used_once() -> None:
    table = ready()
    assert table.open(1, round_id="r1", used=True) == "round_exists"
    assert table.open(1, 1, round_id="r1", used=True) == "bad_seats"
    assert table.open(1, round_id="r1") == "done"
    assert table.open(1, round_id="r1", used=True) == "round_exists"


def test_one_round_at_a_time() -> None:
    table = ready()
    table.open(1)
    assert table.open(2) == "round_in_progress"
    assert table.open() == "bad_seats"


def test_what_is_wrong_with_a_round_is_said_in_the_contracts_order() -> None:
    table = Table()
    assert table.open(9, used=True) == "bad_seats"
    assert table.open(1, used=True) == "round_exists"
    assert table.open(1) == "shoe_not_ready"
    table.draw("9h")
    assert phase_now(table) == "held"
    assert table.open(1) == "shoe_not_ready"
    table.retire()
    table.install(8)
    table.draw("Ac", "2d", "9h")
    assert phase_now(table) == "held"
    assert table.open(1) == "held"


def test_the_refusal_of_seats_says_which_there_are() -> None:
    answer = ready().ask(OpenRound(round_id="r", seats=(8,)))
    assert answer.message == "Name each seat once, from 1 to 7, at least one."
    assert answer.command == "round.open"


@pytest.mark.rule("BJ-2")
def test_every_dealt_card_tells_the_total_after_it() -> None:
    table = dealt("deluxe", (1,), "Ah", "7d", "9c", "Kc")
    table.decide(1, "hit")
    table.draw("5h")
    lines = table.told()
    assert "1/1 may HSDR on soft 20" in lines
    before = table.steps[-3].after.round
    assert before is not None
    assert [(hand.total, hand.soft) for hand in before.hands] == [(20, True)]
    assert "7: 1/1 5h = 15" in lines


@pytest.mark.rule("BJ-13")
def test_a_card_when_none_is_due_is_parked_and_holds_the_table() -> None:
    fits = "use_as_next or discard or retract or void_round or retire_shoe"
    nobody_waits = {
        "no shoe": (Table(), None, "discard"),
        "decision": (dealt("deluxe", (1,), "Th", "7d", "8c", "Kc"), 7, fits),
        "insurance": (dealt("deluxe", (1,), "Th", "Ad", "8c", "9c"), 7, fits),
    }
    for table, draw, allowed in nobody_waits.values():
        table.told()
        table.draw("3h")
        numbered = "" if draw is None else f" draw {draw}"
        assert table.told() == [
            f"{draw or 'no number'}: parked, irregular",
            f"irregularity 1: unexpected_draw{numbered}, {allowed}",
            "held: unexpected_draw",
        ]
