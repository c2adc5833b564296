"""What the folds share: what of the table changes, and the shoe and the round an event needs."""

from typing import TypedDict

from edge.inputs import Operator, Patience
from edge.ruling.state import (
    Clears,
    ClosedRound,
    Deadline,
    Device,
    Host,
    Keyed,
    OpenIrregularity,
    Ordered,
    Parked,
    Pause,
    Round,
    Scan,
    Shoe,
    Shuffle,
    TableState,
)
from firmware_protocols import Card


class Changes(TypedDict, total=False):
    """The parts of the table that an event or a note changes; what is absent stays as it is."""

    house: str | None
    operators: tuple[Operator, ...] | None
    shoe_devices: tuple[str, ...] | None
    patience: Patience
    devices: tuple[Device, ...]
    host: Host
    shoes: int
    shoe: Shoe | None
    closed_shoe: Shoe | None
    scan: Scan | None
    shuffles: int
    shuffle: Shuffle | None
    round: Round | None
    closed_round: ClosedRound | None
    last_seats: tuple[int, ...]
    keyed: Keyed
    irregularities: tuple[OpenIrregularity, ...]
    irregularities_raised: int
    pause: Pause | None
    parked: tuple[Parked, ...]
    deadlines: tuple[Deadline, ...]
    deadlines_set: int
    clears: tuple[Clears, ...]
    order: Ordered | None
    orders_given: int
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


def counted(seen: tuple[int, ...], card: Card, copies: int = 1) -> tuple[int, ...]:
    """The copies seen of each card, with one more of this one, or one less."""
    new = list(seen)
    new[card.index] += copies
    return tuple(new)
