"""Events of a round in play (docs/round.md)."""

from dataclasses import dataclass
from typing import ClassVar

from edge.events.words import Absent, Face, How, Place, Reason, TableEvent
from edge.requests import Action
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(TableEvent):
    """A round began; these seats are dealt in."""

    type: ClassVar[str] = "round.opened"

    round_id: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDealt(TableEvent):
    """A card lies on the table."""

    type: ClassVar[str] = "card.dealt"

    draw: int
    """The card's number in its shoe, from 1."""
    to: Place
    position: int
    """In the hand, from 1."""
    face: Face
    card: Absent[Card] = None
    """Absent while face down."""
    seal: Absent[str] = None
    """SHA-256 of nonce, ':' and card code, hex; of a card face down."""
    total: Absent[int] = None
    """Of the hand after it; of the dealer's, the cards seen."""
    soft: Absent[bool] = None
    nonce: Absent[str] = None
    """Of a card that had been set aside: the seal of its ``card.parked`` can be checked now."""
    entered_by: Absent[str] = None
    """The operator who named a card that no device read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceOffered(TableEvent):
    """The dealer shows an ace. Nothing moves until ``insurance.close``."""

    type: ClassVar[str] = "insurance.offered"

    seats: tuple[int, ...]
    even_money: Absent[tuple[int, ...]] = None
    """Seats that hold a natural, in houses that have even money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceClosed(TableEvent):
    """The last call is over."""

    type: ClassVar[str] = "insurance.closed"

    insured: tuple[int, ...]
    even_money: Absent[tuple[int, ...]] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerPeeked(TableEvent):
    """The hole card was looked at: is it a natural."""

    type: ClassVar[str] = "dealer.peeked"

    natural: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOffered(TableEvent):
    """A decision is due; its sequence is the offer's name."""

    type: ClassVar[str] = "turn.offered"

    seat: int
    hand: int
    total: int
    soft: bool
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnActed(TableEvent):
    """A decision was taken."""

    type: ClassVar[str] = "turn.acted"

    seat: int
    hand: int
    action: Action
    requested: Absent[Action] = None
    """What was asked, where something else was done."""
    reason: Absent[Reason] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDropped(TableEvent):
    """An early decision was no longer legal when its turn came; the offer stands."""

    type: ClassVar[str] = "decision.dropped"

    seat: int
    hand: int
    action: Action
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitHand:
    """One of the two hands a split makes."""

    hand: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSplit(TableEvent):
    """A pair became two hands; the first card stays in hand 1."""

    type: ClassVar[str] = "hand.split"

    seat: int
    hands: tuple[SplitHand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFinished(TableEvent):
    """A hand takes no more cards or decisions."""

    type: ClassVar[str] = "hand.finished"

    seat: int
    hand: int
    total: int
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRevealed(TableEvent):
    """A face-down card was turned; its seal can now be checked."""

    type: ClassVar[str] = "card.revealed"

    draw: int
    card: Card
    nonce: str
    entered_by: Absent[str] = None
    """The operator who named a card that no device read; it never had a seal."""
