"""The shapes of the ``state`` topic: what there is to see (docs/contract.md, State and status)."""

from dataclasses import dataclass
from typing import Literal

from edge.events import Face, How, Place, Spot, Why
from edge.inputs import DeadlineName
from edge.irregular import HouseWay, Kind, Resolution, Stage
from edge.requests import Action
from edge.ruling import Phase
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeView:
    """The shoe in play."""

    number: int
    device: str
    decks: int
    ready: bool
    first_card: Card | None
    burn_due: int | None
    burned: int
    drawn: int
    remaining: int
    rounds: int
    cut_after: int | None
    last_round: int | None
    discarded: int
    """Cards that went into the discards without having been played."""
    retracted: int
    """Cards that went back into it; their draw numbers are used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandView:
    """A player's hand."""

    seat: int
    hand: int
    cards: tuple[Card, ...]
    draws: tuple[int, ...]
    """The draw number of each of its cards."""
    total: int
    soft: bool
    doubled: bool
    how: How | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerView:
    """The dealer's cards in drawing order, null where one lies face down; total of the seen ones."""

    cards: tuple[Card | None, ...]
    draws: tuple[int, ...]
    """The draw number of each."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceView:
    """Insurance in this round."""

    open: bool
    seats: tuple[int, ...]
    even_money_seats: tuple[int, ...]
    insured: tuple[int, ...]
    even_money: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """The round in progress."""

    number: int
    round_id: str
    seats: tuple[int, ...]
    hands: tuple[HandView, ...]
    dealer: DealerView
    insurance: InsuranceView | None
    peeked: bool | None
    automatic: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The next card, if one is due."""

    draw: int
    to: Spot | Literal["dealer", "burn", "first_card"]
    face: Face


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferView:
    """The decision that is due; ``sequence`` is the offer's name."""

    sequence: int
    seat: int
    hand: int
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityView:
    """An open irregularity, as its ``irregularity.raised`` told it."""

    id: int
    kind: Kind
    stage: Stage
    draw: int | None
    device: str | None
    seat: int | None
    to: Place | None
    allowed: tuple[Resolution, ...]
    house: HouseWay
    latched: bool
    """It holds nothing in progress; nothing new begins until it is cleared."""
    since: int
    """The sequence of its event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseView:
    """A supervisor's own hold."""

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedView:
    """A card that is set aside: counted, and in no hand. Which card it is nobody is told here."""

    draw: int | None
    """Null: it left no shoe that is in play."""
    device: str
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineView:
    """What is waited for, for a while."""

    name: DeadlineName
    number: int
    after_ms: int
    """From the event that began it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostView:
    """The game server, as far as the table heard."""

    online: bool
    overdue: bool
    """It has been away for longer than the table waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearsView:
    """How many latches this name has cleared in this journal."""

    operator: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanView:
    """The scan-out of a closed shoe's rest, under way."""

    shoe: int
    scanned: int
    """Cards read so far."""
    unread: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceView:
    """A device as it was last heard."""

    device: str
    kind: str
    serial: str
    firmware: str
    online: bool
    reason: str
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicState:
    """The table as anyone may see it, as of the event ``as_of``."""

    as_of: int
    journal: str
    table: str
    house: str | None
    phase: Phase
    held: bool
    latched: bool
    """Nothing new begins until a supervisor clears what is latched."""
    pause: PauseView | None
    shoe: ShoeView | None
    round: RoundView | None
    expected: Expected | None
    offer: OfferView | None
    irregularities: tuple[IrregularityView, ...]
    parked: tuple[ParkedView, ...]
    deadlines: tuple[DeadlineView, ...]
    host: HostView
    clears: tuple[ClearsView, ...]
    scan: ScanView | None
    devices: tuple[DeviceView, ...]
