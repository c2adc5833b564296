"""Decisions, early and late: what is taken, held, dropped and refused in every state of a hand."""

import pytest

from edge.events import TurnOffered
from edge.requests import Outcome
from tests.edge.ruling.playing import Table, dealt, phase_now, ready

TWO_SEATS = ("Tc", "5h", "7d", "6c", "6h", "Kc")
"""Seats 1 and 2: 16 and 11 against 7, 17 with the hole card."""


def two_seats() -> Table:
    table = dealt("deluxe", (1, 2), *TWO_SEATS)
    table.told()
    return table


def open_offer(table: Table) -> int:
    offer = table.state.round.offer if table.state.round else None
    assert offer is not None
    return offer.sequence


# -- early --------------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-7")
def test_an_early_decision_is_held_and_taken_when_its_turn_comes() -> None:
    table = two_seats()
    answer = table.answer_to(2, "hit")
    assert (answer.outcome, answer.code) == (Outcome.ACCEPTED, "held")
    assert table.told() == []
    assert table.decide(1, "stand") == "done"
    assert table.told() == [
        "1/1 stand",
        "1/1 done: 16 stand",
        "2/1 may HSDR on 11",
        "2/1 hit, early",
    ]
    table.draw("2s")
    assert table.told() == ["9: 2/1 2s = 13", "2/1 may HS on 13"]


@pytest.mark.rule("DLX-7")
def test_a_newer_early_decision_replaces_it_silently() -> None:
    table = two_seats()
    for action in ("hit", "surrender", "double"):
        assert table.decide(2, action) == "held"
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSDR on 11", "2/1 double, early"]


@pytest.mark.rule("DLX-7")
@pytest.mark.parametrize("cards", range(6))
def test_an_early_decision_may_come_from_the_opening_of_the_round_on(cards: int) -> None:
    """At each point of the first deal, for each hand but the one that the next card goes to."""
    table = ready()
    table.open(1, 2)
    table.draw(*TWO_SEATS[:cards])
    next_to = {0: 1, 1: 2, 3: 1, 4: 2}.get(cards)
    for seat in (1, 2):
        assert table.decide(seat, "stand") == ("card_due" if seat == next_to else "held")
    table.draw(*TWO_SEATS[cards:])
    lines = table.told()
    if next_to != 1:
        assert "1/1 stand, early" in lines
        assert ("2/1 stand, early" in lines) is (next_to != 2)
    else:
        assert lines[-1] == "1/1 may HSDR on 16"


@pytest.mark.rule("DLX-7")
@pytest.mark.parametrize("action", ["split", "surrender"])
def test_an_early_decision_that_is_not_legal_when_its_turn_comes_is_dropped_and_the_offer_stands(
    action: str,
) -> None:
    table = dealt("deluxe", (1, 2), "Tc", "5h", "Td", "6c", "6h", "7c")
    table.told()
    assert table.decide(2, action) == "held"
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSD on 11", f"2/1 {action} dropped, illegal"]
    assert phase_now(table) == "decision"
    assert table.decide(2, "stand") == "done"


@pytest.mark.rule("DLX-7")
def test_an_early_decision_is_used_once() -> None:
    table = two_seats()
    table.decide(2, "hit")
    table.decide(1, "stand")
    table.draw("2s")
    assert table.told()[-1] == "2/1 may HS on 13"
    assert phase_now(table) == "decision"


@pytest.mark.rule("DLX-7", "DLX-13")
def test_early_and_without_the_money_the_reason_is_the_money() -> None:
    table = two_seats()
    assert table.decide(2, "double", funded=False) == "held"
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSDR on 11", "2/1 hit for double, insufficient_funds"]


@pytest.mark.rule("DLX-7", "DLX-17")
def test_an_early_split_without_the_money() -> None:
    table = dealt("deluxe", (1, 2), "Tc", "6h", "7d", "6c", "6s", "Kc")
    table.decide(2, "split", funded=False)
    table.told()
    table.decide(1, "stand")
    assert table.told()[2:5] == [
        "2/1 may HSDPR on 12",
        "2/1 stand for split, insufficient_funds",
        "2/1 done: 12 stand",
    ]


@pytest.mark.rule("DLX-7", "DLX-13")
def test_an_early_and_illegal_decision_is_dropped_whether_or_not_the_money_is_there() -> None:
    table = two_seats()
    table.decide(2, "split", funded=False)
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSDR on 11", "2/1 split dropped, illegal"]


@pytest.mark.rule("DLX-7", "DLX-18")
def test_hand_2_may_decide_early_once_it_is_split() -> None:
    table = dealt("deluxe", (1,), "8c", "7d", "8h", "Kc")
    assert table.decide(1, "stand", hand=2) == "no_such_hand"
    table.decide(1, "split")
    assert table.decide(1, "stand", hand=2) == "held"
    table.draw("3d", "2d")
    table.told()
    table.decide(1, "stand")
    assert table.told()[2:5] == ["1/2 may HSD on 10", "1/2 stand, early", "1/2 done: 10 stand"]


@pytest.mark.rule("DLX-7", "DLX-8")
def test_an_early_decision_ends_with_the_round_if_its_hand_gets_no_turn() -> None:
    table = ready()
    table.open(1)
    table.draw("Tc", "Td")
    assert table.decide(1, "hit") == "card_due"
    table.draw("8c")
    assert table.decide(1, "hit") == "held"
    table.told()
    table.draw("Ac")
    assert table.told() == [
        "6: dealer down",
        "peek: natural",
        "6: turned Ac",
        "dealer has 21: Td Ac natural",
        "result",
        "round.closed",
    ]
    table.open(1)
    table.draw("Tc", "7d", "8c", "Kc")
    assert table.told()[-1] == "1/1 may HSDR on 18"


@pytest.mark.rule("DLX-7", "DLX-10")
def test_an_early_decision_for_a_natural_is_held_until_its_end_then_void() -> None:
    table = dealt("deluxe", (1, 2), "Ac", "5h", "Ad", "Kc", "6h", "7c")
    assert table.decide(1, "hit") == "held"
    assert table.decide(2, "hit") == "held"
    table.told()
    table.insure()
    assert table.told() == [
        "insured -",
        "peek: no natural",
        "1/1 done: 21 natural",
        "2/1 may HSD on 11",
        "2/1 hit, early",
    ]
    assert table.decide(1, "hit") == "hand_finished"


# -- refused ------------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-7")
def test_a_hand_that_waits_for_its_card_takes_no_decision() -> None:
    table = two_seats()
    table.decide(1, "hit")
    answer = table.answer_to(1, "stand")
    assert (answer.outcome, answer.code) == (Outcome.REFUSED, "card_due")
    assert answer.message == "Hand 1 of seat 1 waits for a card: decide after it."
    table.draw("2s")
    assert table.decide(1, "double") == "illegal"
    assert table.decide(1, "stand") == "done"
    table.decide(2, "double")
    assert table.decide(2, "stand") == "card_due"


def test_a_seat_or_hand_not_in_the_round() -> None:
    table = two_seats()
    for seat, hand in ((3, 1), (0, 1), (-1, 1), (8, 1), (1, 2), (1, 0), (2, 3)):
        assert table.decide(seat, "hit", hand=hand) == "no_such_hand"
    assert table.answer_to(3, "hit").message == "Seat 3 has no hand 1 in this round; dealt in: 1, 2."


def test_no_round_no_decision() -> None:
    table = ready()
    assert table.decide(1, "hit") == "no_round"
    assert table.time_out(1) == "no_round"
    assert Table().decide(1, "hit") == "no_round"
    assert table.insure() == "no_insurance"


def test_a_finished_hand_takes_no_decision() -> None:
    table = two_seats()
    table.decide(1, "stand")
    answer = table.answer_to(1, "hit")
    assert (answer.code, answer.message) == ("hand_finished", "Hand 1 of seat 1 is finished (stand).")


def test_an_illegal_decision_is_told_what_is_legal() -> None:
    table = two_seats()
    answer = table.answer_to(1, "split")
    assert (answer.code, answer.message) == (
        "illegal",
        "Hand 1 of seat 1 may not split now; legal: hit, stand, double, surrender.",
    )
    assert table.told() == []


def test_a_decision_with_its_offer_answers_that_offer_only() -> None:
    table = two_seats()
    first = open_offer(table)
    assert table.decide(1, "stand", offer=first - 1) == "stale_offer"
    assert table.decide(1, "stand", offer=first + 1) == "stale_offer"
    assert table.decide(2, "stand", offer=first) == "stale_offer"
    assert table.decide(1, "hit", offer=first) == "done"
    assert table.decide(1, "hit", offer=first) == "stale_offer"
    table.draw("2s")
    second = open_offer(table)
    assert second > first
    assert table.decide(1, "hit", offer=first) == "stale_offer"
    assert table.decide(1, "stand", offer=second) == "done"
    assert table.decide(1, "stand", offer=second) == "stale_offer"
    assert table.decide(1, "stand") == "hand_finished"
    assert table.decide(2, "stand", offer=second) == "stale_offer"


def test_an_offer_is_named_by_the_sequence_of_its_event() -> None:
    table = two_seats()
    events = table.events
    assert isinstance(events[open_offer(table) - 1], TurnOffered)
    assert table.state.sequence == len(events)


# -- timed out ----------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-20")
def test_a_timeout_on_an_open_offer_acts_on_it() -> None:
    table = two_seats()
    assert table.time_out(1) == "done"
    assert table.told() == ["1/1 stand, timeout", "1/1 done: 16 stand", "2/1 may HSDR on 11"]


@pytest.mark.rule("DLX-20")
def test_a_timeout_before_the_turn_is_remembered() -> None:
    table = two_seats()
    assert table.time_out(2) == "done"
    assert table.told() == []
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSDR on 11", "2/1 hit, timeout"]
    table.draw("Ad")
    assert table.told() == [
        "9: 2/1 Ad = 12",
        "2/1 may HS on 12",
        "2/1 stand, timeout",
        "2/1 done: 12 stand",
        "8: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
    ]


@pytest.mark.rule("DLX-20")
@pytest.mark.parametrize(
    ("first", "second", "cards", "end"),
    [
        ("5c", "6h", ("Ah",), "12 stand"),
        ("Ac", "2h", (), "13 stand"),
        ("Ac", "Ah", (), "12 stand"),
        ("2c", "2h", ("2s", "2h", "3h"), "11 then"),
        ("2c", "4h", ("5s", "Kh"), "21 twenty_one"),
        ("5c", "6h", ("Th",), "21 twenty_one"),
        ("Tc", "2h", (), "12 stand"),
    ],
)
def test_automatic_play_hits_to_11_and_stands_above_an_ace_counting_11(
    first: str, second: str, cards: tuple[str, ...], end: str
) -> None:
    table = dealt("deluxe", (1,), first, "7d", second, "Kc")
    table.time_out(1)
    table.draw(*cards)
    if end == "11 then":
        assert phase_now(table) == "card_due"
        table.draw("Th")
        end = "21 twenty_one"
    assert f"1/1 done: {end}" in table.told()


@pytest.mark.rule("DLX-20")
def test_a_timed_out_seat_takes_no_more_decisions() -> None:
    table = dealt("deluxe", (1, 2), "2c", "5h", "7d", "3c", "6h", "Kc")
    table.time_out(1)
    assert table.decide(1, "hit") == "automatic"
    table.draw("2s")
    assert table.decide(1, "stand") == "automatic"
    answer = table.answer_to(1, "stand")
    assert answer.message == "Seat 1 is played automatically to the end of the round."
    table.draw("Ks")
    assert table.told()[-1] == "2/1 may HSDR on 11"
    assert table.decide(1, "stand") == "automatic"
    assert table.decide(2, "stand") == "done"


@pytest.mark.rule("DLX-20", "DLX-7")
def test_a_timeout_overrides_an_early_decision_silently() -> None:
    table = two_seats()
    table.decide(2, "double")
    table.time_out(2)
    table.decide(1, "stand")
    assert table.told()[2:] == ["2/1 may HSDR on 11", "2/1 hit, timeout"]


@pytest.mark.rule("DLX-20", "DLX-18")
def test_a_timeout_in_the_middle_of_a_split_plays_both_hands() -> None:
    table = dealt("deluxe", (1,), "8c", "7d", "8h", "Kc")
    table.decide(1, "split")
    table.time_out(1)
    table.told()
    table.draw("2d")
    assert table.told() == ["7: 1/1 2d = 10"]
    table.draw("5d")
    assert table.told() == ["8: 1/2 5d = 13", "1/1 may HSD on 10", "1/1 hit, timeout"]
    table.draw("2s")
    assert table.told()[:7] == [
        "9: 1/1 2s = 12",
        "1/1 may HS on 12",
        "1/1 stand, timeout",
        "1/1 done: 12 stand",
        "1/2 may HSD on 13",
        "1/2 stand, timeout",
        "1/2 done: 13 stand",
    ]


@pytest.mark.rule("DLX-20")
def test_a_timeout_while_the_hands_card_is_due_waits_for_it() -> None:
    table = two_seats()
    table.decide(1, "hit")
    assert table.time_out(1) == "done"
    table.told()
    table.draw("2s")
    assert table.told()[:4] == [
        "9: 1/1 2s = 18",
        "1/1 may HS on 18",
        "1/1 stand, timeout",
        "1/1 done: 18 stand",
    ]


@pytest.mark.rule("DLX-20", "DLX-31")
def test_a_timeout_may_come_at_any_time_in_the_round_and_counts_to_its_end_only() -> None:
    table = ready()
    table.open(1)
    table.time_out(1)
    table.draw("Tc", "Ad", "8c", "9c")
    assert table.time_out(1) == "done"
    table.insure()
    assert table.told()[-6:] == [
        "1/1 stand, timeout",
        "1/1 done: 18 stand",
        "6: turned 9c",
        "dealer has 20: Ad 9c",
        "result",
        "round.closed",
    ]
    table.open(1)
    table.draw("Tc", "7d", "8c", "Kc")
    assert table.told()[-1] == "1/1 may HSDR on 18"


@pytest.mark.rule("DLX-20")
def test_a_timeout_for_a_finished_or_automatic_seat_is_accepted_and_changes_nothing() -> None:
    table = two_seats()
    table.decide(1, "stand")
    table.time_out(2)
    table.told()
    before = table.state
    for seat in (1, 2):
        assert table.time_out(seat) == "done"
        assert table.told() == []
        assert table.state == before
    assert table.decide(1, "hit") == "hand_finished"


@pytest.mark.rule("DLX-20")
def test_a_timeout_for_a_seat_not_in_the_round_is_refused() -> None:
    table = two_seats()
    for seat in (3, 0, 8):
        assert table.time_out(seat) == "no_such_hand"


@pytest.mark.rule("SAG-9", "HTS-1", "KRF-3")
@pytest.mark.parametrize("house", ["sa-gaming", "ho-tram-strip", "korean-floor"])
def test_the_other_houses_play_automatically_alike(house: str) -> None:
    hole = ("Kc",) if house == "korean-floor" else ()
    table = dealt(house, (1,), "5c", "7d", "6h", *hole)
    table.time_out(1)
    assert table.told()[-1] == "1/1 hit, timeout"
    table.draw("Ah")
    assert "1/1 done: 12 stand" in table.told()
