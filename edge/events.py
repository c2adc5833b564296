"""Events: facts the table has ruled. The public contract (docs/contract.md, section Events).

Each class is the ``data`` of one CloudEvent of type ``table-edge.{type}.v1``. A field that is None is
absent from the JSON unless its docstring says that it is published as null. An event never carries
the identity of a card that lies face down: that is a :class:`edge.notes.CardConcealed`, which is
recorded and never published.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import Field

from edge.requests import Action
from firmware_protocols import Card

T = TypeVar("T")

Absent = Annotated[T | None, Field(exclude_if=lambda value: value is None)]
"""A field that is left out of the JSON when there is nothing to say."""

Odds: TypeAlias = tuple[int, int]
"""What a bet wins per unit staked, as numerator and denominator: ``(3, 2)``; negative when lost."""


class Face(Enum):
    """Which side of a dealt card is up."""

    UP = "up"
    DOWN = "down"


class How(Enum):
    """How a hand came to its end."""

    NATURAL = "natural"
    TWENTY_ONE = "twenty_one"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT_ACE = "split_ace"
    BUST = "bust"
    SURRENDER = "surrender"
    EVEN_MONEY = "even_money"
    VOID = "void"


class Verdict(Enum):
    """What a hand won or lost."""

    BLACKJACK = "blackjack"
    WIN = "win"
    EVEN_MONEY = "even_money"
    PUSH = "push"
    LOSE = "lose"
    SURRENDER = "surrender"
    VOID = "void"


class PairKind(Enum):
    """What the pair side bet made of two cards (DLX-23, SAG-10, HTS-5)."""

    PAIR = "pair"
    MIXED = "mixed"
    COLOURED = "coloured"
    PERFECT = "perfect"
    SUITED_TRIPLE = "suited_triple"


class Reason(Enum):
    """Why a turn was acted otherwise than asked, or by whom if not by the player in time."""

    INSUFFICIENT_FUNDS = "insufficient_funds"
    TIMEOUT = "timeout"
    EARLY = "early"
    ILLEGAL = "illegal"


class Kind(Enum):
    """What is irregular (docs/irregularities.md)."""

    UNEXPECTED_DRAW = "unexpected_draw"
    UNREAD_CARD = "unread_card"
    FOREIGN_CARD = "foreign_card"
    REPEATED_CARD = "repeated_card"
    DOUBLE_DRAW = "double_draw"
    PUSHED_BACK = "pushed_back"
    CUT_CARD_TWICE = "cut_card_twice"
    CUT_CARD_EARLY = "cut_card_early"
    SHOE_EMPTY = "shoe_empty"
    SCAN_GAP = "scan_gap"
    LID_OPENED = "lid_opened"
    SHOE_MOVED = "shoe_moved"


class Resolution(Enum):
    """How an irregularity may be resolved."""

    VOID_ROUND = "void_round"
    RETIRE_SHOE = "retire_shoe"
    REREAD = "reread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A hand's place on the layout."""

    seat: int
    """1-based; seat 1 is first base."""
    hand: int
    """1-based; 2 only after a split."""


Place: TypeAlias = Spot | Literal["dealer"]
"""Where a card goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """What every event's data has."""

    shoe: Absent[int] = None
    """The shoe's number, from 1 in each journal."""
    round: Absent[int] = None
    """The round's number, from 1 in each shoe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """What was in progress when the daemon came up."""

    shoe: int
    round: int | None
    phase: str
    """The phase of the table (docs/round.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStarted(_Event):
    """The daemon came up on this journal."""

    type: ClassVar[str] = "edge.started"

    version: str
    config_hash: str
    house: Absent[str] = None
    house_rules_hash: Absent[str] = None
    """SHA-256 of the house file in force, hex."""
    journal: str
    recovered: Interrupted | None
    """What was in progress; null: nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStopped(_Event):
    """The daemon goes down in good order."""

    type: ClassVar[str] = "edge.stopped"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOnline(_Event):
    """A device answers."""

    type: ClassVar[str] = "device.online"

    device: str
    role: str
    kind: str
    serial: str
    firmware: str
    skipped: Absent[int] = None
    """Events from before the first contact that were not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOffline(_Event):
    """A device is not there, or no longer."""

    type: ClassVar[str] = "device.offline"

    device: str
    reason: str
    """absent, busy, no_permission, lost, silent, garbage or wrong_device."""
    detail: str
    """One sentence: what was seen and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFault(_Event):
    """A device raised a fault of its own."""

    type: ClassVar[str] = "device.fault"

    device: str
    code: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFaultCleared(_Event):
    """A device cleared a fault of its own."""

    type: ClassVar[str] = "device.fault_cleared"

    device: str
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeInstalled(_Event):
    """A shuffled shoe is in."""

    type: ClassVar[str] = "shoe.installed"

    number: int
    decks: int
    cards_expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeOpened(_Event):
    """The first card was shown; it says how many are burned (DLX-4)."""

    type: ClassVar[str] = "shoe.opened"

    draw: int
    first_card: Card
    burn_due: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBurned(_Event):
    """A card went face down into the discards."""

    type: ClassVar[str] = "card.burned"

    draw: int
    seal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeReady(_Event):
    """Rounds may be opened."""

    type: ClassVar[str] = "shoe.ready"

    burned: int
    """Without the first card."""
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardOut(_Event):
    """The cut card came out (DLX-3)."""

    type: ClassVar[str] = "shoe.cut_card"

    drawn: int
    """Cards out of the shoe before it."""
    during: Literal["round", "between"]
    last_round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeClosed(_Event):
    """The shoe is out of play."""

    type: ClassVar[str] = "shoe.closed"

    reason: str
    """cut_card or retired."""
    dealt: int
    """Every card that left the shoe."""
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(_Event):
    """A round began; these seats are dealt in."""

    type: ClassVar[str] = "round.opened"

    round_id: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDealt(_Event):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceOffered(_Event):
    """The dealer shows an ace. Nothing moves until ``insurance.close``."""

    type: ClassVar[str] = "insurance.offered"

    seats: tuple[int, ...]
    even_money: Absent[tuple[int, ...]] = None
    """Seats that hold a natural, in houses that have even money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceClosed(_Event):
    """The last call is over."""

    type: ClassVar[str] = "insurance.closed"

    insured: tuple[int, ...]
    even_money: Absent[tuple[int, ...]] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerPeeked(_Event):
    """The hole card was looked at: is it a natural."""

    type: ClassVar[str] = "dealer.peeked"

    natural: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOffered(_Event):
    """A decision is due; its sequence is the offer's name."""

    type: ClassVar[str] = "turn.offered"

    seat: int
    hand: int
    total: int
    soft: bool
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnActed(_Event):
    """A decision was taken."""

    type: ClassVar[str] = "turn.acted"

    seat: int
    hand: int
    action: Action
    requested: Absent[Action] = None
    """What was asked, where something else was done."""
    reason: Absent[Reason] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDropped(_Event):
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
class HandSplit(_Event):
    """A pair became two hands; the first card stays in hand 1."""

    type: ClassVar[str] = "hand.split"

    seat: int
    hands: tuple[SplitHand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFinished(_Event):
    """A hand takes no more cards or decisions."""

    type: ClassVar[str] = "hand.finished"

    seat: int
    hand: int
    total: int
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRevealed(_Event):
    """A face-down card was turned; its seal can now be checked."""

    type: ClassVar[str] = "card.revealed"

    draw: int
    card: Card
    nonce: str


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
class DealerFinished(_Event):
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
class RoundResult(_Event):
    """Who won what, in the house's payment order. Final."""

    type: ClassVar[str] = "round.result"

    dealer: DealerHand
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed(_Event):
    """The round is over and has a result."""

    type: ClassVar[str] = "round.closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundVoided(_Event):
    """The round is over and has none: every bet is returned (DLX-32). Its cards stay counted."""

    type: ClassVar[str] = "round.voided"

    reason: str
    operator: Absent[str] = None
    parked: Absent[tuple[int, ...]] = None
    """Draws made while the table was held: counted, never dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityRaised(_Event):
    """Something happened that the order of play does not have. It holds the table."""

    type: ClassVar[str] = "irregularity.raised"

    id: int
    """From 1 in each journal."""
    kind: Kind
    seen: str
    """One sentence; never a card that may lie face down."""
    device: Absent[str] = None
    draw: Absent[int] = None
    seal: Absent[str] = None
    allowed: tuple[Resolution, ...]
    house: Literal["ask"]
    """The house's own resolution; ``ask``: a supervisor decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityResolved(_Event):
    """An irregularity is over."""

    type: ClassVar[str] = "irregularity.resolved"

    id: int
    kind: Kind
    resolution: Resolution
    operator: Absent[str] = None
    """Absent: nobody had to decide (the device read the card again)."""
    reason: Absent[str] = None
    override: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHeld(_Event):
    """Nothing moves: draws are parked, decisions refused."""

    type: ClassVar[str] = "table.held"

    why: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReleased(_Event):
    """Play goes on."""

    type: ClassVar[str] = "table.released"

    why: Resolution


Event: TypeAlias = (
    EdgeStarted
    | EdgeStopped
    | DeviceOnline
    | DeviceOffline
    | DeviceFault
    | DeviceFaultCleared
    | ShoeInstalled
    | ShoeOpened
    | CardBurned
    | ShoeReady
    | CutCardOut
    | ShoeClosed
    | RoundOpened
    | CardDealt
    | InsuranceOffered
    | InsuranceClosed
    | DealerPeeked
    | TurnOffered
    | TurnActed
    | DecisionDropped
    | HandSplit
    | HandFinished
    | CardRevealed
    | DealerFinished
    | RoundResult
    | RoundClosed
    | RoundVoided
    | IrregularityRaised
    | IrregularityResolved
    | TableHeld
    | TableReleased
)

EVENTS: Final[tuple[type[Event], ...]] = get_args(Event)
"""Every event type, in the contract's order."""
