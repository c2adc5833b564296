"""A copy too many that nobody awaited: told at once where the house ends the shoe for it, else not at all."""

import pytest

from edge.ruling import Phase, phase
from tests.edge.ruling.playing import Table, asking, ready

HOUSES = ("deluxe", "ho-tram-strip", "korean-floor")
HANDS = ("Kd", "6h", "Kh", "5s")


def _copies(table: Table) -> int:
    """Of each card that the shoe may hold."""
    return table.state.shoe.rules.decks if table.state.shoe else 0


@pytest.mark.rule("BJ-13", "DLX-32", "HTS-I4")
@pytest.mark.parametrize("house", HOUSES)
def test_it_is_a_foreign_card_though_no_card_was_due(house: str) -> None:
    table = ready(house)
    table.draw(*["5c"] * _copies(table))
    assert "foreign_card" not in " ".join(table.told())
    table.draw("5c")
    told = table.told()
    assert "foreign_card" in told[1]
    assert "closed: retired" in told[-2]


@pytest.mark.parametrize("house", HOUSES)
def test_it_is_one_in_a_round_too_whatever_the_table_waits_for(house: str) -> None:
    """While a decision is due, of cards that were seen and cards that were set aside."""
    table = ready(house)
    table.open(1)
    for code in HANDS:
        if phase(table.state) is Phase.CARD_DUE:
            table.draw(code)
    assert phase(table.state) is Phase.DECISION
    table.told()
    table.draw(*["Kd"] * (_copies(table) - 1))
    assert "foreign_card" not in " ".join(table.told())
    table.draw("Kd")
    assert "foreign_card" in table.told()[1]
    assert phase(table.state) is Phase.NO_SHOE


@pytest.mark.parametrize("house", HOUSES)
def test_one_drawn_while_the_table_is_held_is_one_too(house: str) -> None:
    table = ready(house)
    table.hold()
    table.draw(*["5c"] * _copies(table))
    assert "foreign_card" not in " ".join(table.told())
    table.draw("5c")
    assert "foreign_card" in table.told()[1]
    assert table.state.shoe is None


@pytest.mark.parametrize("house", HOUSES)
def test_a_house_that_asks_is_not_told_what_a_hidden_card_is(house: str) -> None:
    """Nobody turns a card that is discarded: that it is one too many would say which it is (law 5)."""
    surplus, plain = (ready(house, text=asking(house)) for _ in range(2))
    surplus.draw(*["5c"] * (_copies(surplus) + 1))
    plain.draw(*["5c"] * _copies(plain), "Kd")
    assert surplus.told() == plain.told()
    assert phase(surplus.state) is Phase.HELD


def test_more_cards_than_the_decks_hold_leave_none_in_the_shoe() -> None:
    table = ready("deluxe", text=asking("deluxe"))
    while table.state.shoe is not None and table.state.shoe.left > -3:
        table.draw(None)
    assert table.state.shoe is not None
    assert (table.state.shoe.left, table.state.shoe.remaining) == (-3, 0)
    table.retire()
    assert table.told()[-2].endswith("closed: retired, 419 dealt, 0 remain")
