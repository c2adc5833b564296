"""A fold that is given what this ruling never rules says so, instead of inventing a table."""

from collections.abc import Callable

import pytest

from edge.events import (
    CardDealt,
    Event,
    Face,
    HandFinished,
    How,
    InsuranceClosed,
    RoundClosed,
    ShoeInstalled,
    ShoeReady,
    Spot,
)
from edge.ruling import TableState, evolve, new_table
from edge.ruling.draws import due_card
from edge.ruling.ruling import Ruling
from edge.ruling.turns import hand_at
from tests.edge.ruling.playing import dealt, ready

SPOT = Spot(seat=1, hand=1)


def begun() -> TableState:
    return dealt("deluxe", (1,), "Tc").state


@pytest.mark.parametrize(
    ("make", "event"),
    [
        (lambda: new_table("j"), ShoeReady(burned=0, remaining=1)),
        (lambda: new_table("j"), ShoeInstalled(number=1, decks=8, cards_expected=416)),
        (lambda: ready().state, HandFinished(seat=1, hand=1, total=3, how=How.STAND)),
        (begun, HandFinished(seat=2, hand=1, total=3, how=How.STAND)),
        (lambda: ready().state, RoundClosed()),
        (begun, InsuranceClosed(insured=())),
        (begun, CardDealt(draw=4, to=SPOT, position=2, face=Face.DOWN)),
    ],
    ids=["no shoe", "no house", "no round", "no hand", "no round to end", "no insurance", "face down"],
)
def test_an_event_that_does_not_belong_here(make: Callable[[], TableState], event: Event) -> None:
    with pytest.raises(ValueError, match=r"needs|before|no hand|never offered|face up"):
        evolve(make(), event)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda ruling: Ruling(new_table("j")).shoe, "no shoe"),
        (lambda ruling: Ruling(new_table("j")).round, "no round"),
        (lambda ruling: ruling.offer, "no offer"),
        (lambda ruling: hand_at(ruling, Spot(seat=1, hand=2)), "no hand at"),
    ],
    ids=["shoe", "round", "offer", "hand"],
)
def test_a_ruling_is_not_asked_for_what_there_is_not(ask: Callable[[Ruling], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ask(Ruling(dealt("deluxe", (1,), "Tc").state))


def test_a_card_is_not_dealt_where_none_is_due() -> None:
    table = dealt("deluxe", (1,), "Tc", "7d", "8h", "Kc")
    with pytest.raises(ValueError, match="only where one is due"):
        due_card(Ruling(table.state), table.card("9h"))


def test_a_void_hand_returns_its_stake() -> None:
    """No rule of this version ends a hand so; the contract has the word, and the result keeps it."""
    table = dealt("deluxe", (1, 2), "Tc", "5h", "7d", "6c", "6h", "Kc")
    table.state = evolve(table.state, HandFinished(seat=2, hand=1, total=11, how=How.VOID))
    table.decide(1, "stand")
    assert table.outcomes == {"1/1": "lose 1", "2/1": "void 1"}
    assert table.result["seats"][1]["hands"][0]["odds"] == [0, 1]
