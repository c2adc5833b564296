"""The dealer's part: insurance, the peek, the hole card and the dealer's draws."""

import pytest

from edge.requests import CloseInsurance
from tests.edge.ruling.playing import Table, dealt, phase_now

END = ["result", "round.closed"]


def standing(up: str, hole: str) -> Table:
    """Seat 1 stands on 18 against these two."""
    table = dealt("deluxe", (1,), "Th", up, "8c", hole)
    table.insure()
    table.told()
    table.decide(1, "stand")
    return table


@pytest.mark.rule("BJ-7", "DLX-21")
@pytest.mark.parametrize(
    ("up", "hole", "cards", "end"),
    [
        ("6d", "Kc", ("Ah",), "dealer has 17: 6d Kc Ah"),
        ("6d", "Ac", (), "dealer has 17: 6d Ac"),
        ("7d", "Kc", (), "dealer has 17: 7d Kc"),
        ("2d", "Ac", ("3h", "Ah"), "dealer has 17: 2d Ac 3h Ah"),
        ("5d", "Ac", ("Kh", "Ah"), "dealer has 17: 5d Ac Kh Ah"),
        ("6d", "Kc", ("Th",), "dealer has 26: 6d Kc Th bust"),
        ("2d", "2c", ("2h", "2s", "2d", "2c", "2h", "2s", "Ah"), "dealer has 17: 2d 2c 2h 2s 2d 2c 2h 2s Ah"),
        ("9d", "7c", ("5h",), "dealer has 21: 9d 7c 5h"),
        ("8d", "Kc", (), "dealer has 18: 8d Kc"),
    ],
)
def test_the_dealer_draws_to_17_and_stands_on_soft_17(
    up: str, hole: str, cards: tuple[str, ...], end: str
) -> None:
    table = standing(up, hole)
    lines = table.told()
    assert lines[:3] == ["1/1 stand", "1/1 done: 18 stand", f"6: turned {hole}"]
    for card in cards:
        assert phase_now(table) == "card_due"
        table.draw(card)
    assert (lines + table.told())[-3:] == [end, *END]


@pytest.mark.rule("BJ-12", "DLX-21")
@pytest.mark.parametrize(
    ("action", "card", "how"), [("surrender", None, "16 surrender"), ("hit", "Kh", "26 bust")]
)
def test_with_nothing_left_to_play_for_the_hole_card_is_turned_and_nothing_drawn(
    action: str, card: str | None, how: str
) -> None:
    table = dealt("deluxe", (1,), "Th", "6d", "6c", "5c")
    table.decide(1, action)
    if card is not None:
        table.draw(card)
    assert table.told()[-5:] == [f"1/1 done: {how}", "6: turned 5c", "dealer has 11: 6d 5c", *END]


@pytest.mark.rule("BJ-12")
def test_one_hand_left_makes_the_dealer_draw() -> None:
    table = dealt("deluxe", (1, 2), "Th", "Tc", "6d", "6c", "7c", "5c")
    table.decide(1, "surrender")
    table.decide(2, "stand")
    assert table.told()[-1] == "8: turned 5c"
    assert phase_now(table) == "card_due"
    table.draw("Ks")
    assert table.told() == ["9: dealer Ks = 21", "dealer has 21: 6d 5c Ks", *END]


# -- the peek -----------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-8")
@pytest.mark.parametrize("up", ["Td", "Jd", "Qd", "Kd"])
def test_a_natural_under_a_ten_valued_card_ends_the_round_right_after_the_deal(up: str) -> None:
    table = dealt("deluxe", (1,), "Th", up, "8c", "Ac")
    assert table.told() == [
        "6: dealer down",
        "peek: natural",
        "6: turned Ac",
        f"dealer has 21: {up} Ac natural",
        *END,
    ]
    assert table.outcomes == {"1/1": "lose 1"}
    assert table.result["seats"][0]["hands"][0]["how"] is None


@pytest.mark.rule("DLX-8", "DLX-19")
@pytest.mark.parametrize("hole", ["Tc", "Jc", "Qc", "Kc"])
def test_under_an_ace_the_peek_comes_after_insurance_has_closed(hole: str) -> None:
    table = dealt("deluxe", (1,), "Th", "Ad", "8c", hole)
    assert table.told() == ["6: dealer down", "insurance? 1"]
    assert table.insure() == "done"
    assert table.told() == [
        "insured -",
        "peek: natural",
        f"6: turned {hole}",
        f"dealer has 21: Ad {hole} natural",
        *END,
    ]


@pytest.mark.rule("DLX-8")
@pytest.mark.parametrize(("up", "hole"), [("Td", "Tc"), ("Kd", "9c"), ("Ad", "9c"), ("Ad", "Ac")])
def test_a_peek_that_finds_nothing_lets_play_go_on(up: str, hole: str) -> None:
    table = dealt("deluxe", (1,), "Th", up, "8c", hole)
    table.insure()
    assert table.told()[-2:] == ["peek: no natural", "1/1 may HSD on 18"]


@pytest.mark.rule("DLX-8")
@pytest.mark.parametrize("up", ["2d", "5d", "9d"])
def test_no_peek_under_two_to_nine(up: str) -> None:
    assert dealt("deluxe", (1,), "Th", up, "8c", "Ac").told() == ["6: dealer down", "1/1 may HSDR on 18"]


@pytest.mark.rule("DLX-9", "BJ-12", "BJ-5")
@pytest.mark.parametrize(
    ("up", "hole", "before"),
    [("7d", "8c", []), ("Kd", "6c", ["peek: no natural"]), ("5d", "Ac", [])],
)
def test_every_seat_a_natural_ends_the_round_without_a_card(up: str, hole: str, before: list[str]) -> None:
    table = dealt("deluxe", (2, 4), "Ah", "Ks", up, "Qh", "As", hole)
    seen = table.told()
    assert seen[:-3] == [
        "8: dealer down",
        *before,
        "2/1 done: 21 natural",
        "4/1 done: 21 natural",
        f"8: turned {hole}",
    ]
    assert seen[-2:] == END
    assert table.outcomes == {"2/1": "blackjack 1", "4/1": "blackjack 1"}


@pytest.mark.rule("BJ-5", "DLX-9", "DLX-19")
def test_natural_against_natural_pushes() -> None:
    table = dealt("deluxe", (1, 2), "Ah", "Th", "Ad", "Kh", "8c", "Qc")
    table.insure(1)
    assert table.outcomes == {"1/1": "push 1", "2/1": "lose 1"}


# -- insurance ----------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-19", "BJ-8")
def test_insurance_is_offered_to_every_seat_a_natural_included_and_wins_on_a_dealer_natural() -> None:
    table = dealt("deluxe", (1, 3, 6), "Ah", "Th", "9h", "Ad", "Kh", "8c", "9s", "Qc")
    assert table.told() == ["10: dealer down", "insurance? 1,3,6"]
    assert table.insure(6, 1) == "done"
    assert table.told()[0] == "insured 1,6"
    insured = {seat["seat"]: seat["insurance"] for seat in table.result["seats"]}
    assert insured == {1: "won", 3: None, 6: "won"}
    assert table.outcomes == {"1/1": "push 1", "3/1": "lose 1", "6/1": "lose 1"}


@pytest.mark.rule("DLX-19", "BJ-5")
def test_insurance_is_lost_without_one_whatever_the_round_brings() -> None:
    table = dealt("deluxe", (1, 2), "Ah", "Th", "Ad", "Kh", "8c", "9c")
    table.insure(1, 2)
    assert table.told()[2:] == [
        "insured 1,2",
        "peek: no natural",
        "1/1 done: 21 natural",
        "2/1 may HSD on 18",
    ]
    table.decide(2, "stand")
    assert {seat["seat"]: seat["insurance"] for seat in table.result["seats"]} == {1: "lost", 2: "lost"}
    assert table.outcomes == {"1/1": "blackjack 1", "2/1": "lose 1"}


@pytest.mark.rule("DLX-19")
@pytest.mark.parametrize("up", ["2d", "9d", "Td", "Kd"])
def test_no_insurance_but_under_an_ace(up: str) -> None:
    table = dealt("deluxe", (1,), "Th", up, "8c", "7c")
    assert not any(line.startswith("insurance") for line in table.told())
    assert table.insure() == "no_insurance"


@pytest.mark.rule("DLX-19")
def test_insurance_that_names_a_seat_not_offered_is_refused_whole_and_stays_open() -> None:
    table = dealt("deluxe", (1, 3), "Th", "9h", "Ad", "8c", "9s", "7c")
    table.told()
    for seats in ((2,), (1, 2), (3, 8), (0,), (1, 1)):
        assert table.insure(*seats) == "bad_seats"
    assert table.insure(1, even_money=(1,)) == "bad_seats"
    assert table.told() == []
    assert phase_now(table) == "insurance"
    assert table.insure(1) == "done"
    assert table.insure(1) == "no_insurance"


@pytest.mark.rule("DLX-19")
def test_nothing_moves_while_insurance_is_open() -> None:
    table = dealt("deluxe", (1,), "Th", "Ad", "8c", "9c")
    assert table.decide(1, "stand") == "held"
    assert table.open(2) == "round_in_progress"
    assert phase_now(table) == "insurance"
    table.told()
    table.insure()
    assert table.told()[:4] == ["insured -", "peek: no natural", "1/1 may HSD on 18", "1/1 stand, early"]


@pytest.mark.rule("DLX-19")
def test_insurance_cannot_be_closed_before_it_is_offered() -> None:
    table = dealt("deluxe", (1,), "Th", "Ad")
    assert table.insure() == "no_insurance"


def test_who_was_offered_what_is_said() -> None:
    table = dealt("deluxe", (1, 3), "Th", "9h", "Ad", "8c", "9s", "7c")
    told = table.ask(CloseInsurance(insured=(5, 2, 1)))
    assert told.message == "No insurance was offered to seat 2, 5; it was to 1, 3."
    told = table.ask(CloseInsurance(even_money=(1,)))
    assert told.message == "No even money was offered to seat 1; it was to none."
