"""Events of a shoe's life (docs/round.md, The shoe)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from edge.events.words import Absent, TableEvent
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeInstalled(TableEvent):
    """A shuffled shoe is in."""

    type: ClassVar[str] = "shoe.installed"

    number: int
    decks: int
    cards_expected: int
    shuffle: Absent[int] = None
    """The finished shuffle it came from, if that was said."""
    cut_at: Absent[int] = None
    """Cards above the cut card, if that was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeOpened(TableEvent):
    """The first card was shown; it says how many are burned (DLX-4)."""

    type: ClassVar[str] = "shoe.opened"

    draw: int
    first_card: Card
    burn_due: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBurned(TableEvent):
    """A card went face down into the discards."""

    type: ClassVar[str] = "card.burned"

    draw: int
    seal: Absent[str] = None
    """Absent: the card could not be read, and stays down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeReady(TableEvent):
    """Rounds may be opened."""

    type: ClassVar[str] = "shoe.ready"

    burned: int
    """Without the first card."""
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardOut(TableEvent):
    """The cut card came out (DLX-3)."""

    type: ClassVar[str] = "shoe.cut_card"

    drawn: int
    """Cards out of the shoe before it."""
    during: Literal["round", "between"]
    last_round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeClosed(TableEvent):
    """The shoe is out of play."""

    type: ClassVar[str] = "shoe.closed"

    reason: str
    """cut_card or retired."""
    dealt: int
    """Every card that left the shoe."""
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeReconciled(TableEvent):
    """The rest of a closed shoe was scanned out: are all its cards there, once each."""

    type: ClassVar[str] = "shoe.reconciled"

    number: int
    """The shoe's."""
    scanned: int
    """Cards of the rest that were read."""
    unread: int
    """Cards of the shoe that nobody could read, in play or now: each may be one of the missing."""
    missing: tuple[Card, ...]
    """One by one."""
    extra: tuple[Card, ...]
