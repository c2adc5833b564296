"""What the folds share: the shoe and the round an event needs, and counted copies."""

from edge.ruling.state import Round, Shoe, TableState
from firmware_protocols import Card


def shoe_of(state: TableState) -> Shoe:
    """The shoe in play; ``decide`` rules a shoe's events only while one is.

    Raises:
        ValueError: none is: the events were not ruled by this ruling.
    """
    if state.shoe is None:
        raise ValueError("this event needs a shoe in play")
    return state.shoe


def round_of(state: TableState) -> Round:
    """The round in progress; ``decide`` rules a round's events only while one is.

    Raises:
        ValueError: none is: the events were not ruled by this ruling.
    """
    if state.round is None:
        raise ValueError("this event needs a round in progress")
    return state.round


def counted(shoe: Shoe, card: Card) -> tuple[int, ...]:
    """The copies seen of each card, with one more of this one."""
    seen = list(shoe.seen)
    seen[card.index] += 1
    return tuple(seen)
