"""What the folds share: what of the table changes, and the shoe and the round an event needs."""

from typing import TypedDict

from edge.inputs import Operator
from edge.ruling.state import Device, OpenIrregularity, Parked, Round, Shoe, TableState
from firmware_protocols import Card


class Changes(TypedDict, total=False):
    """The parts of the table that an event or a note changes; what is absent stays as it is."""

    house: str | None
    operators: tuple[Operator, ...] | None
    shoe_devices: tuple[str, ...] | None
    devices: tuple[Device, ...]
    shoes: int
    shoe: Shoe | None
    round: Round | None
    irregularities: tuple[OpenIrregularity, ...]
    irregularities_raised: int
    parked: tuple[Parked, ...]
    next_shoe_device: str | None


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
