"""Repairs, one by one: what a resolution changes, what it may not touch, and what follows.

At houses that ask about everything; what each house does by itself is in tests/edge/irregular_cases.
"""

from typing import Any

import pytest

from drivers import Signal
from edge.events import InsuranceOffered
from edge.requests import DisputeRound, InstallShoe, Lying, Placed, Seat, Target
from firmware_protocols import Card
from tests.edge.ruling import playing
from tests.edge.ruling.playing import Table, asking, phase_now

MOVED = "irregularity 1: shoe_moved, accept or void_round or retire_shoe"


def at(house: str, seats: tuple[int, ...], *codes: str | None) -> Table:
    table = playing.ready(house, text=asking(house))
    assert table.open(*seats) == "done"
    table.draw(*codes)
    table.told()
    return table


def resolved(table: Table, resolution: str, **details: Any) -> list[str]:
    """What a resolution told after its own line; it is accepted."""
    assert table.resolve(resolution, **details) == "done"
    return table.told()[1:]


# -- which card ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("resolution", ["enter", "discard", "retract"])
def test_an_irregularity_of_one_draw_ends_with_no_other(resolution: str) -> None:
    table = at("deluxe", (1, 2), "Tc", "5h", None)
    assert table.resolve(resolution, draw=4, card=Card("9h")) == "does_not_fit"
    assert table.told()[2:] == []
    assert phase_now(table) == "held"


def test_a_card_of_another_shoe_is_discarded_itself_and_no_other() -> None:
    table = at("deluxe", (1, 2), "Tc", "5h")
    table.draw("9h", device="shoe-b")
    assert table.resolve("discard", draw=4) == "does_not_fit"
    assert table.resolve("discard") == "done"
    assert phase_now(table) == "card_due"


def test_only_an_unread_card_is_entered() -> None:
    table = at("ho-tram-strip", (1,), "Tc", None)
    table.signal(Signal.PUSHED_BACK)
    assert table.resolve("retract", id=2, draw=2) == "done"
    table.told()
    assert table.state.irregularities == ()
    assert phase_now(table) == "card_due"


def test_a_card_that_is_gone_is_irregular_no_more() -> None:
    table = at("deluxe", (1, 2), "Tc", "5h", None)
    assert table.report("unexpected_draw", draw=5) == "done"
    table.told()
    assert resolved(table, "discard", id=2) == [
        "5: discarded",
        "irregularity 1 resolved: discard by ada",
        "released: discard",
    ]


def test_a_card_that_was_only_reported_is_dealt_after_all() -> None:
    table = at("deluxe", (1, 2), "Tc", "5h")
    table.hold()
    table.draw("7d")
    assert table.report("damaged_card", draw=5) == "done"
    table.told()
    assert resolved(table, "accept") == []
    assert table.release() == "done"
    assert table.told() == ["released: supervisor", "5: dealer 7d = 7"]


def test_the_end_of_a_pause_does_not_say_free_where_it_is_not() -> None:
    table = at("deluxe", (1,), "Tc")
    table.hold()
    table.signal(Signal.MOVED)
    assert table.told() == ["held: supervisor", MOVED]
    assert table.release() == "done"
    assert table.told() == ["released: supervisor", "held: shoe_moved"]
    assert resolved(table, "accept") == ["released: accept"]


def test_a_foreign_card_is_told_though_the_next_card_is_not_to_be_played() -> None:
    table = at("ho-tram-strip", (1,))
    assert table.report("exposed_in_shoe") == "done"
    assert table.resolve("discard") == "done"
    table.told()
    table.draw("9h", foreign=True)
    assert table.told()[1].startswith("irregularity 2: foreign_card draw 1")


# -- hands that have been acted on ----------------------------------------------------------------------


def stood() -> Table:
    """Seat 1 has stood on 20, seat 2 decides."""
    table = at("deluxe", (1, 2), "Tc", "5h", "7d", "Kh", "6h", "9c")
    assert table.decide(1, "stand") == "done"
    table.told()
    return table


def test_a_hand_that_stood_on_a_card_misread_may_be_bust() -> None:
    table = at("sa-gaming", (1, 2), "4c", "5h", "7d", "8h", "6h")
    table.decide(1, "hit")
    table.draw("9c")
    table.decide(2, "stand")
    table.told()
    table = at("sa-gaming", (1, 2), "4c", "5h", "7d", "8h", "6h")
    table.decide(1, "hit")
    table.draw("5c")
    table.decide(1, "stand")
    table.told()
    assert table.report("misread_card", draw=6, card=Card("Kc")) == "done"
    table.told()
    assert table.resolve("correct") == "hand_acted"
    assert resolved(table, "correct", override=True) == [
        "6: 1/1 5c is Kc = 22",
        "released: correct",
        "1/1 done: 22 bust",
        "2/1 may HSDR on 11",
    ]
    table.decide(2, "stand")
    table.draw("Kd")
    assert table.outcomes["1/1"] == "lose 1"


def test_a_hand_that_stood_and_lost_a_card_gets_another_and_its_turn() -> None:
    table = stood()
    table.report("unexpected_draw", draw=6)
    table.told()
    assert table.resolve("discard") == "hand_acted"
    assert resolved(table, "discard", override=True) == ["6: discarded from 1/1", "released: discard"]
    table.draw("5c")
    assert table.told() == ["9: 1/1 5c = 15", "1/1 may HSD on 15"]


def test_a_double_that_lost_two_cards_ends_with_the_last_of_the_three() -> None:
    table = at("deluxe", (1, 2), "2c", "5h", "7d", "8h", "6h", "9c")
    table.decide(1, "double")
    table.draw("5c")
    for draw in (3, 6):
        table.report("unexpected_draw", draw=draw)
        assert table.resolve("discard", override=True) == "done"
    table.told()
    table.draw("4d")
    assert table.told() == ["10: 1/1 4d = 9"]
    table.draw("Td")
    assert table.told()[:2] == ["11: 1/1 Td = 19", "1/1 done: 19 double"]


def test_even_money_is_paid_and_its_cards_are_final() -> None:
    table = at("ho-tram-strip", (1, 2), "As", "5h", "Ad", "Kc", "9h")
    assert table.insure(even_money=(1,)) == "done"
    for kind in ("misread_card", "unexpected_draw", "wrong_place"):
        assert table.report(kind, draw=1, card=Card("2c"), to=Seat(seat=2)) == "does_not_fit"
    assert table.report("foreign_card", draw=1) == "done"
    assert table.report("pushed_back") == "done"
    assert table.resolve("retract", id=2, draw=1, override=True) == "does_not_fit"


# -- the deal laid out anew -----------------------------------------------------------------------------


def test_the_last_call_begins_anew_where_a_card_was_taken_back() -> None:
    table = at("deluxe", (1, 2), "Tc", "5h", "Ad", "Kh", "6h", "9c")
    table.signal(Signal.PUSHED_BACK)
    table.told()
    assert resolved(table, "retract", draw=7) == ["7: retracted from 2/1", "released: retract"]
    assert phase_now(table) == "card_due"
    assert table.insure() == "no_insurance"
    table.draw("8s")
    assert table.told() == ["9: 2/1 8s = 13", "insurance? 1,2"]
    assert sum(isinstance(event, InsuranceOffered) for event in table.events) == 2


def test_a_void_box_gets_no_card_of_a_deal_laid_out_again() -> None:
    table = at("deluxe", (1, 4))
    table.report("box_skipped", seat=4)
    assert table.resolve("void_hand") == "done"
    table.report("dealer_skipped")
    assert table.resolve("deal_missing") == "done"
    table.told()
    table.draw("2h", "3h", "4h", "5h")
    assert [line for line in table.told() if "dealer" in line or "4/1" in line] == [
        "4: dealer 3h = 3",
        "6: dealer down",
    ]


def test_a_void_box_is_not_left_out_again() -> None:
    table = at("deluxe", (1, 4))
    table.report("box_skipped", seat=4)
    assert table.resolve("void_hand") == "done"
    assert table.report("box_one_card", seat=4) == "done"
    opened = table.state.irregularities[0]
    assert {each.value for each in opened.allowed} == {"accept", "void_round", "retire_shoe"}


@pytest.mark.rule("DLX-6")
def test_the_up_card_is_dealt_again_and_not_a_second_hole_card() -> None:
    table = stood()
    table.report("unexpected_draw", draw=5)
    assert table.resolve("discard", override=True) == "done"
    table.told()
    table.draw("Ad")
    assert table.told()[0] == "9: dealer Ad = soft 11"


def test_what_cannot_have_been_left_out_is_not_offered() -> None:
    table = stood()
    assert table.report("dealer_skipped") == "done"
    assert {each.value for each in table.state.irregularities[0].allowed} == {"void_round", "retire_shoe"}


def test_a_shuffler_counts_its_cards_back_without_those_it_never_lost() -> None:
    text = asking("ho-tram-strip").replace(
        "even_money = true", "even_money = true\ncontinuous_shuffler = true"
    )
    table = playing.ready("ho-tram-strip", text=text + '[cut]\nby = "none"\n')
    table.open(1)
    table.draw("Tc")
    table.signal(Signal.PUSHED_BACK)
    assert table.resolve("retract", draw=1) == "done"
    table.draw("Th", "7d", "8c")
    table.decide(1, "stand")
    table.draw("Kc")
    assert table.state.round is None
    assert table.state.shoe is not None
    assert table.state.shoe.remaining == 312


# -- moving ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "code"),
    [
        (((3, Seat(seat=2)), (3, "dealer")), "does_not_fit"),
        (((9, Seat(seat=2)),), "does_not_fit"),
        (((3, Seat(seat=5)),), "does_not_fit"),
        (((3, "dealer"),), "does_not_fit"),
        (((3, Seat(seat=2)),), "does_not_fit"),
        (((3, Seat(seat=2)), (4, Seat(seat=1))), "done"),
    ],
)
def test_cards_are_laid_only_where_they_can_lie(places: tuple[tuple[int, Target], ...], code: str) -> None:
    table = at("deluxe", (1, 2), "Tc", "5h", "7d", "Kh", "6h")
    assert table.report("wrong_place", draw=3, to=Seat(seat=2)) == "done"
    table.told()
    laid = tuple(Placed(draw=draw, to=to) for draw, to in places)
    assert table.resolve("rebuild", places=laid) == code


def test_a_seen_card_never_becomes_the_hole_card() -> None:
    table = at("deluxe", (1,), "Tc", "7d", "8h")
    table.report("wrong_place", draw=5, to="dealer")
    assert table.resolve("move") == "does_not_fit"


def test_a_card_taken_for_the_hole_card_is_turned_where_it_lies_at_a_seat() -> None:
    table = at("deluxe", (1,), "Tc", "7d", "8h", "Kc")
    table.report("wrong_place", draw=6, to=Seat(seat=1))
    table.told()
    assert resolved(table, "move", override=True) == [
        "6: turned Kc",
        "6: moved from dealer to 1/1 Kc = 28",
        "released: move",
    ]


@pytest.mark.parametrize(
    ("card", "code"), [(None, "done"), (Card("7d"), "does_not_fit"), (Card("9c"), "done")]
)
def test_a_misread_card_is_said_to_be_another(card: Card | None, code: str) -> None:
    table = at("deluxe", (1,), "Tc", "7d")
    assert table.report("misread_card", draw=4, card=card) == code
    if code == "done" and card is None:
        assert table.resolve("correct") == "does_not_fit"
        assert table.resolve("correct", card=Card("7d")) == "does_not_fit"


def test_no_card_is_corrected_to_one_whose_copies_are_all_out() -> None:
    table = at("deluxe", (1, 2, 3, 4, 5, 6, 7), *["9h"] * 7, "7d", "9h")
    table.report("misread_card", draw=10)
    assert table.resolve("correct", card=Card("9h")) == "does_not_fit"
    table.resolve("accept")
    table.draw(None)
    assert table.resolve("enter", card=Card("9h")) == "does_not_fit"


# -- the cards on the table are confirmed ---------------------------------------------------------------


def known(*more: Lying) -> tuple[Lying, ...]:
    return (Lying(to=Seat(seat=1), cards=(Card("Tc"),)), *more)


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        (known(*known()), "does_not_fit"),
        (known(Lying(to=Seat(seat=2), cards=(Card("9c"),))), "does_not_fit"),
        (known(Lying(to="dealer", cards=(None,))), "does_not_fit"),
        ((Lying(to="dealer", cards=(Card("9c"),)),), "does_not_fit"),
        ((Lying(to=Seat(seat=1), cards=(Card("9c"),)),), "does_not_fit"),
        ((Lying(to=Seat(seat=1), cards=(Card("Tc"), Card("9c"))),), "does_not_fit"),
        (known(), "done"),
        (known(Lying(to="dealer", cards=(Card("9c"),))), "done"),
    ],
)
def test_confirmed_are_the_cards_that_can_lie_there(cards: tuple[Lying, ...], code: str) -> None:
    table = at("deluxe", (1,), "Tc")
    table.miss()
    table.told()
    assert table.resolve("confirm", cards=cards) == code


def test_no_more_cards_are_confirmed_than_the_decks_hold() -> None:
    table = at("deluxe", (1, 2, 3, 4, 5, 6, 7), *["9h"] * 7, "9h")
    table.miss()
    hands = [Lying(to=Seat(seat=seat), cards=(Card("9h"),)) for seat in range(2, 8)]
    first = Lying(to=Seat(seat=1), cards=(Card("9h"), Card("9h")))
    cards = (first, *hands, Lying(to="dealer", cards=(Card("9h"),)))
    assert table.resolve("confirm", cards=cards) == "does_not_fit"


def test_between_rounds_no_cards_are_confirmed() -> None:
    table = playing.ready(text=asking("deluxe"))
    table.miss()
    assert table.resolve("confirm", cards=known()) == "does_not_fit"
    assert table.resolve("confirm") == "done"


# -- beside the cards -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (InstallShoe(decks=8, shuffle=1), "no_such_shuffle"),
        (InstallShoe(decks=8, cut_at=0), "bad_cut"),
        (InstallShoe(decks=8, cut_at=416), "bad_cut"),
        (InstallShoe(decks=8, cut_at=300), "done"),
    ],
)
def test_a_shoe_comes_from_a_shuffle_that_was(asked: InstallShoe, code: str) -> None:
    assert Table().ask(asked).code == code


@pytest.mark.parametrize(("shoe", "number"), [(0, 1), (2, 1), (1, 9), (1, -1)])
def test_no_round_is_disputed_that_was_not(shoe: int, number: int) -> None:
    table = at("sa-gaming", (1,), "Th", "7d", "8c")
    table.decide(1, "stand")
    table.draw("Kc")
    asked = DisputeRound(operator="ada", reason="r", shoe=shoe or None, round=number)
    assert table.ask(asked).code == ("done" if shoe == 0 else "no_round")
