"""Events that end a round: the dealer's hand, the result, the end (docs/round.md, section 6)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from edge.events.words import Absent, How, Odds, PairKind, TableEvent, Verdict
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerHand:
    """The dealer's hand as far as it was seen."""

    cards: tuple[Card, ...]
    total: int
    natural: bool
    bust: bool
    unseen: int
    """Dealer's cards never turned: 0 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerFinished(TableEvent):
    """The dealer's hand is final."""

    type: ClassVar[str] = "dealer.finished"

    cards: tuple[Card, ...]
    total: int
    natural: bool
    bust: bool
    unseen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What the pair side bet pays, whether or not anybody bet on it."""

    kind: PairKind
    odds: Odds


@dataclass(frozen=True, slots=True, kw_only=True)
class HandResult:
    """One hand's result; every field is always published."""

    hand: int
    cards: tuple[Card, ...]
    total: int
    soft: bool
    how: How | None
    """Null: no ``hand.finished`` closed it (a peeked dealer natural)."""
    outcome: Verdict
    odds: Odds
    units: int
    """Stakes riding on it: 2 after a double."""
    pair: Pair | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """One seat's result; every field is always published."""

    seat: int
    pair: Pair | None
    insurance: Literal["won", "lost"] | None
    """Null: this seat is not among the insured."""
    hands: tuple[HandResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult(TableEvent):
    """Who won what, in the house's payment order. Final."""

    type: ClassVar[str] = "round.result"

    dealer: DealerHand
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed(TableEvent):
    """The round is over and has a result."""

    type: ClassVar[str] = "round.closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundVoided(TableEvent):
    """The round is over and has none: every bet is returned (DLX-32). Its cards stay counted."""

    type: ClassVar[str] = "round.voided"

    reason: str
    operator: Absent[str] = None
    parked: Absent[tuple[int, ...]] = None
    """Draws made while the table was held: counted, never dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDisputed(TableEvent):
    """A claim after ``round.result``, which is final: the game server settles it."""

    type: ClassVar[str] = "round.disputed"

    disputed_shoe: int
    disputed_round: int
    reason: str
    operator: str
