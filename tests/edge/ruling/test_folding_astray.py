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
from edge.ruling.ruling import Ruling
from tests.edge.ruling.playing import dealt, ready

SPOT = Spot(seat=1, hand=1)


@pytest.mark.parametrize(
    ("state", "event"),
    [
        (new_table("j"), ShoeReady(burned=0, remaining=1)),
        (new_table("j"), ShoeInstalled(number=1, decks=8, cards_expected=416)),
        (ready().state, HandFinished(seat=1, hand=1, total=3, how=How.STAND)),
        (dealt("deluxe", (1,), "Tc").state, HandFinished(seat=2, hand=1, total=3, how=How.STAND)),
        (dealt("deluxe", (1,), "Tc").state, InsuranceClosed(insured=())),
        (
            dealt("deluxe", (1,), "Tc", "7d").state,
            CardDealt(draw=5, to=SPOT, position=2, face=Face.DOWN),
        ),
    ],
    ids=["no shoe", "no house", "no round", "no hand", "no insurance", "face down"],
)
def test_an_event_that_does_not_belong_here(state: TableState, event: Event) -> None:
    with pytest.raises(ValueError, match=r"."):
        evolve(state, event)


def test_the_end_of_a_round_needs_no_round() -> None:
    state = ready().state
    assert evolve(state, RoundClosed()).round is None


@pytest.mark.parametrize(
    "ask", [lambda ruling: ruling.shoe, lambda ruling: ruling.round], ids=["shoe", "round"]
)
def test_a_ruling_without_a_shoe_or_a_round_has_none(ask: Callable[[Ruling], object]) -> None:
    with pytest.raises(ValueError, match="no "):
        ask(Ruling(new_table("j")))
