"""What a house may choose of a shoe's beginning and end: burns, cut cards, counts, and no end at all."""

import pytest

from edge.events import CutCardOut
from edge.house_rules import house_text
from tests.edge.ruling.playing import Table, phase_now

ROUND = ("Th", "7d", "8c", "Kc")
"""One seat of a house without a hole card: 18, the dealer 7, then 17. Four cards."""


def own(house: str, *changes: tuple[str, str]) -> Table:
    """A table whose house differs from one of ours."""
    text = house_text(house)
    for was, becomes in changes:
        assert text.count(was) == 1
        text = text.replace(was, becomes)
    table = Table(text=text)
    assert table.install(6 if house in {"korean-floor", "ho-tram-strip"} else 8) == "done"
    return table


def cut(said: str) -> tuple[str, str]:
    """sa-gaming or ho-tram-strip with a [cut] of its own."""
    return ("[dealer]", f"[cut]\n{said}\n[dealer]")


def stand_out(table: Table) -> None:
    assert table.open(1) == "done"
    table.draw(*ROUND[:3])
    assert table.decide(1, "stand") == "done"
    table.draw(ROUND[3])


def cut_lines(table: Table) -> list[str]:
    return [line for line in table.told() if line.startswith(("cut card", "shoe", "irregularity"))]


@pytest.mark.rule("DLX-4")
@pytest.mark.parametrize(("first", "burned"), [("As", 0), ("2s", 1), ("9c", 8), ("Kc", 9)])
def test_the_first_card_may_count_among_those_it_has_burned(first: str, burned: int) -> None:
    table = own("deluxe", ("ace = 1", "ace = 1\nfirst_card_counts = true"))
    table.told()
    table.draw(first)
    assert table.told()[0] == f"1: first card {first}, burn {burned}"
    table.draw(*(["2h", "3s"] * burned)[:burned])
    assert phase_now(table) == "ready"


@pytest.mark.rule("KRF-2")
def test_a_fixed_burn_of_another_number() -> None:
    table = own("korean-floor", ("cards = 2", "cards = 5"))
    table.draw(*["2h"] * 4)
    assert table.open(1) == "shoe_not_ready"
    table.draw("3h")
    assert table.told()[-1] == "ready: 5 burned, 307 remain"


@pytest.mark.rule("KRF-1", "KRF-10")
def test_of_two_indicator_cards_the_first_tells_and_the_second_changes_nothing() -> None:
    table = own("korean-floor")
    table.draw("2c", "2d")
    assert table.open(1) == "done"
    table.draw("Th", "7d", "cut", "8c", "cut", "Kc")
    table.told()
    assert table.decide(1, "stand") == "done"
    assert table.told()[-1] == "shoe 1 closed: cut_card, 6 dealt, 306 remain"
    cuts = [
        (event.drawn, event.last_round)
        for step in table.steps
        for event in step.events
        if isinstance(event, CutCardOut)
    ]
    assert cuts == [(4, 1), (5, 1)]


@pytest.mark.rule("KRF-1")
def test_a_third_indicator_card_is_one_too_many() -> None:
    table = own("korean-floor")
    table.draw("2c", "2d")
    assert table.open(1) == "done"
    table.draw("Th", "cut", "cut")
    table.told()
    table.draw("cut")
    assert table.told() == [
        "irregularity 1: cut_card_twice, accept or retract or void_round or retire_shoe",
        "held: cut_card_twice",
    ]


@pytest.mark.rule("DLX-3", "SAG-16")
@pytest.mark.parametrize("house", ["deluxe", "sa-gaming", "ho-tram-strip"])
def test_the_other_houses_have_one_cut_card(house: str) -> None:
    table = own(house)
    if house == "deluxe":
        table.draw("Ac", "2d")
    assert table.open(1) == "done"
    table.draw("Th", "cut")
    table.told()
    table.draw("cut")
    assert table.told()[0].startswith("irregularity 1: cut_card_twice")


@pytest.mark.rule("DLX-3")
def test_a_house_may_close_the_shoe_on_a_cut_card_between_rounds() -> None:
    table = own("sa-gaming", cut('by = "card"\nbetween_rounds = "closes"'))
    stand_out(table)
    table.told()
    table.draw("cut")
    assert table.told() == [
        "cut card after 4, between, last round 1",
        "shoe 1 closed: cut_card, 4 dealt, 412 remain",
    ]
    assert table.install(8) == "done"


def test_the_same_house_plays_on_where_it_comes_out_in_a_round() -> None:
    table = own("sa-gaming", cut('by = "card"\nbetween_rounds = "closes"'))
    assert table.open(1) == "done"
    table.draw("Th", "cut", *ROUND[1:3])
    assert table.decide(1, "stand") == "done"
    table.told()
    table.draw("Kc")
    assert table.told()[-1] == "shoe 1 closed: cut_card, 4 dealt, 412 remain"


def test_a_cut_card_before_its_depth_is_irregular() -> None:
    table = own("sa-gaming", cut('by = "card"\nnot_before = 4'))
    assert table.open(1) == "done"
    table.draw(*ROUND[:3])
    table.told()
    table.draw("cut")
    assert table.told()[0].startswith("irregularity 1: cut_card_early")


def test_a_cut_card_at_its_depth_is_regular() -> None:
    table = own("sa-gaming", cut('by = "card"\nnot_before = 4'))
    stand_out(table)
    table.told()
    table.draw("cut")
    assert table.told() == ["cut card after 4, between, last round 2"]


def test_a_count_ends_the_shoe_where_no_card_is_cut_in() -> None:
    table = own("sa-gaming", cut('by = "count"\nafter = 6'))
    stand_out(table)
    table.told()
    assert table.open(1) == "done"
    table.draw("Th")
    assert cut_lines(table) == []
    table.draw("7d")
    assert table.told() == ["6: dealer 7d = 7", "cut card after 6, round, last round 2"]
    table.draw("8c")
    assert table.decide(1, "stand") == "done"
    table.told()
    table.draw("Kc")
    assert table.told()[-1] == "shoe 1 closed: cut_card, 8 dealt, 408 remain"


def test_the_card_that_completes_the_count_may_end_its_hand_and_the_round() -> None:
    table = own("sa-gaming", cut('by = "count"\nafter = 4'))
    assert table.open(1) == "done"
    table.draw(*ROUND[:3])
    assert table.decide(1, "hit") == "done"
    table.told()
    table.draw("Kc")
    told = table.told()
    assert told[:2] == ["4: 1/1 Kc = 28", "cut card after 4, round, last round 1"]
    assert told[-1] == "shoe 1 closed: cut_card, 4 dealt, 412 remain"


@pytest.mark.parametrize("said", ['by = "count"\nafter = 300', 'by = "none"'])
def test_a_cut_card_in_a_house_that_cuts_none_in_is_irregular(said: str) -> None:
    table = own("sa-gaming", cut(said))
    stand_out(table)
    table.told()
    table.draw("cut")
    assert table.told()[0] == "irregularity 1: unexpected_draw, accept or retire_shoe"


CONTINUOUS = (("even_money = true", "even_money = true\ncontinuous_shuffler = true"), cut('by = "none"'))


def test_a_continuous_shuffler_deals_for_ever_and_has_all_its_cards_between_rounds() -> None:
    table = own("ho-tram-strip", *CONTINUOUS)
    for _ in range(100):
        stand_out(table)
    shoe = table.state.shoe
    assert shoe is not None
    assert (shoe.drawn, shoe.remaining, shoe.last_round) == (400, 312, None)
    assert table.open(1) == "done"
    table.draw("Th")
    assert table.state.shoe is not None
    assert table.state.shoe.remaining == 311


def test_a_continuous_shuffler_counts_copies_of_the_cards_that_are_out() -> None:
    table = own("ho-tram-strip", *CONTINUOUS)
    for _ in range(7):
        stand_out(table)
        assert phase_now(table) == "ready"
    assert table.open(1, 2, 3, 4, 5, 6, 7) == "done"
    table.draw(*["Th"] * 6)
    table.told()
    table.draw("Th")
    assert table.told()[1].startswith("irregularity 1: foreign_card draw 35")


def test_a_voided_round_goes_back_into_a_continuous_shuffler_too() -> None:
    table = own("ho-tram-strip", *CONTINUOUS)
    assert table.open(1) == "done"
    table.draw("Th", None)
    assert table.void() == "done"
    assert table.state.shoe is not None
    assert (table.state.shoe.drawn, table.state.shoe.remaining) == (2, 312)
    stand_out(table)
    assert phase_now(table) == "ready"
