"""What the folds share: what of the table changes, and the shoe and the round an event needs."""

from typing import TypedDict

from edge.ruling.state import (
    Deadline,
    Device,
    Host,
    Keyed,
    OpenIrregularity,
    Ordered,
    Parked,
    Past,
    Pause,
    Round,
    Scan,
    Setup,
    Shoe,
    Shuffle,
    TableState,
)
from firmware_protocols import Card


class Changes(TypedDict, total=False):
    """The parts of the table that an event or a note changes; what is absent stays as it is."""

    setup: Setup
    past: Past
    devices: tuple[Device, ...]
    host: Host
    shoe: Shoe | None
    scan: Scan | None
    shuffle: Shuffle | None
    round: Round | None
    keyed: Keyed
    irregularities: tuple[OpenIrregularity, ...]
    pause: Pause | None
    parked: tuple[Parked, ...]
    deadlines: tuple[Deadline, ...]
    order: Ordered | None


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
