"""Events of the hold, and of cards that are set aside, moved, corrected or taken back."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from edge.events.words import Absent, Place, TableEvent, Why
from edge.irregular import HouseWay, Kind, Resolution, Stage
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityRaised(TableEvent):
    """Something happened that the order of play does not have. It holds the table, or latches."""

    type: ClassVar[str] = "irregularity.raised"

    id: int
    """From 1 in each journal."""
    kind: Kind
    stage: Stage
    seen: str
    """One sentence; never a card that may lie face down."""
    device: Absent[str] = None
    draw: Absent[int] = None
    seal: Absent[str] = None
    seat: Absent[int] = None
    to: Absent[Place] = None
    """Where the pit says the card went."""
    card: Absent[Card] = None
    """What the pit says the card is."""
    rounds: Absent[tuple[int, ...]] = None
    """Rounds of this shoe that its cards are suspect for."""
    operator: Absent[str] = None
    """Who reported it."""
    by_hand: Absent[Literal[True]] = None
    """The house's own rule does not act by itself: whoever reported it decides (HTS-I12)."""
    latched: Absent[Literal[True]] = None
    """It holds nothing in progress; nothing new begins until it is cleared by name."""
    allowed: tuple[Resolution, ...]
    house: HouseWay
    """The house's own resolution; ``ask``: a supervisor decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityResolved(TableEvent):
    """An irregularity is over."""

    type: ClassVar[str] = "irregularity.resolved"

    id: int
    kind: Kind
    resolution: Resolution
    operator: Absent[str] = None
    """Absent: the house's own rule applied by itself, or nobody had to decide."""
    reason: Absent[str] = None
    override: bool
    """True: not the house's own where it has one (HTS-I12), or forced past a check."""
    clears: Absent[int] = None
    """How many latches this operator has cleared in this journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHeld(TableEvent):
    """Nothing moves: draws are parked, decisions refused."""

    type: ClassVar[str] = "table.held"

    why: Kind | Literal["supervisor"]
    operator: Absent[str] = None
    reason: Absent[str] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReleased(TableEvent):
    """Play goes on."""

    type: ClassVar[str] = "table.released"

    why: Resolution | Literal["supervisor"]
    operator: Absent[str] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardParked(TableEvent):
    """A card is set aside: counted, and in no hand."""

    type: ClassVar[str] = "card.parked"

    draw: Absent[int] = None
    """Absent: it left no shoe that is in play, so it has no number."""
    device: str
    seal: Absent[str] = None
    """Absent: unread, without a number, or it lay face up before."""
    why: Why
    taken_from: Absent[Place] = None
    """The place it was taken from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoved(TableEvent):
    """A card went to another place."""

    type: ClassVar[str] = "card.moved"

    draw: int
    taken_from: Place
    to: Place
    position: int
    """In the hand it came to, from 1."""
    card: Absent[Card] = None
    total: Absent[int] = None
    """Of the hand it came to, after it."""
    soft: Absent[bool] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded(TableEvent):
    """A card went into the discards without having been played. It stays counted."""

    type: ClassVar[str] = "card.discarded"

    draw: Absent[int] = None
    """Absent: it left no shoe that is in play."""
    device: Absent[str] = None
    """The shoe it left, where that is not the one in play."""
    seal: Absent[str] = None
    taken_from: Absent[Place] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRetracted(TableEvent):
    """A card went back into the shoe: uncounted, and its draw number is not used again."""

    type: ClassVar[str] = "card.retracted"

    draw: int
    taken_from: Absent[Place] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCorrected(TableEvent):
    """A card on the table is another than the one that was read."""

    type: ClassVar[str] = "card.corrected"

    draw: int
    to: Place
    """Where it lies."""
    position: int
    was: Card
    card: Card
    total: int
    soft: bool
    operator: Absent[str] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandVoided(TableEvent):
    """A hand is taken out of the round, its bet goes back. Its ``hand.finished`` follows."""

    type: ClassVar[str] = "hand.voided"

    seat: int
    hand: int
    draws: tuple[int, ...]
    """Its cards, which stay counted."""
