"""Notes: what the table keeps to itself. Ruled like events, recorded beside them, never published.

State is folded from events and notes together, so that everything the ruling knows is in the record
that taught it: which card lies face down, what a player decided early, how far a device's numbering
has been heard, what a request was answered.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias, get_args

from drivers import CommandOutcome, Position
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.events import Event, Place, Why
from edge.inputs import NO_PATIENCE, DeadlineName, Operator, Order, Patience
from edge.requests import Action, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesAdopted:
    """The house in force from the next shoe on (at once while no shoe is in)."""

    type: ClassVar[str] = "rules.adopted"

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupTaken:
    """What the configuration says of this table: who may sign, and which devices are shoes."""

    type: ClassVar[str] = "setup.taken"

    operators: tuple[Operator, ...] | None
    shoes: tuple[str, ...] | None
    patience: Patience = NO_PATIENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHeard:
    """A device's numbering has been heard up to here."""

    type: ClassVar[str] = "device.heard"

    device: str
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class CardConcealed:
    """The identity of the draw that lies face down, or is parked; the seal's other half."""

    type: ClassVar[str] = "card.concealed"

    draw: int
    card: ConcealedCard | None
    nonce: ConcealedNonce = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawUnparked:
    """A card that was set aside found its place after all; its event follows."""

    type: ClassVar[str] = "draw.unparked"

    draw: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawWaits:
    """A card that is set aside waits for something else now."""

    type: ClassVar[str] = "draw.waits"

    draw: int
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class CardEntered:
    """A person has named a card that no device read, or lets it stay unread where it lies face down."""

    type: ClassVar[str] = "card.entered"

    draw: int
    card: ConcealedCard | None
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineSet:
    """Something is waited for, for a while; the daemon says when the time is over."""

    type: ClassVar[str] = "deadline.set"

    name: DeadlineName
    number: int
    """From 1, rising with every deadline of this journal."""
    after_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineDropped:
    """It is waited for no longer: it came, passed, or does not matter any more."""

    type: ClassVar[str] = "deadline.dropped"

    name: DeadlineName


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHeard:
    """Whether the game server is there."""

    type: ClassVar[str] = "host.heard"

    online: bool
    overdue: bool = False
    """It has been away for longer than the table waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSeen:
    """What the table remembers of a draw beside its place: the shoe's clock, the physical card."""

    type: ClassVar[str] = "card.seen"

    device_ms: int | None = None
    serial: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDrawDiscarded:
    """The next card out of the shoe is not played (HTS-I3)."""

    type: ClassVar[str] = "draw.to_be_discarded"

    discarded: bool
    """False: it has been."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOut:
    """How the rest of the first deal goes on after a repair: the places that lack a card, in order."""

    type: ClassVar[str] = "deal.laid_out"

    owed: tuple[Place, ...]
    dealer_later: bool = False
    """The dealer's first card comes after the seats (HTS-I7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderGiven:
    """A shoe is to be told something, once; the daemon sends it when this is on disk."""

    type: ClassVar[str] = "order.given"

    device: str
    number: int
    """1 to 65535, then from 1 again: the id of the command on the wire."""
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSettled:
    """What became of it."""

    type: ClassVar[str] = "order.settled"

    number: int
    outcome: CommandOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLost:
    """The device was switched on anew, and knows of no order."""

    type: ClassVar[str] = "order.lost"

    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanBegun:
    """The rest of the closed shoe is being scanned out."""

    type: ClassVar[str] = "scan.begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardScanned:
    """A card of the rest; its identity is nobody's business but the journal's."""

    type: ClassVar[str] = "card.scanned"

    card: ConcealedCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTaken:
    """A dealer's key that prepares something: a seat for the next round, for insurance, for even money."""

    type: ClassVar[str] = "key.taken"

    seats: tuple[int, ...]
    even_money: tuple[int, ...]
    next_is_even_money: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeTaken:
    """The device that the next shoe is installed in; draws from any other are irregular."""

    type: ClassVar[str] = "shoe.taken"

    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeRanEmpty:
    """The shoe says that it holds no card any more."""

    type: ClassVar[str] = "shoe.ran_empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHeld:
    """An early decision waits for its hand's turn."""

    type: ClassVar[str] = "decision.held"

    seat: int
    hand: int
    action: Action
    funded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTimedOut:
    """Every decision of this seat is automatic for the rest of the round."""

    type: ClassVar[str] = "seat.timed_out"

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAnswered:
    """The answer to a request, repeated to whoever repeats it."""

    type: ClassVar[str] = "request.answered"

    id: str
    command: str
    outcome: Outcome
    code: str
    message: str


Note: TypeAlias = (
    RulesAdopted
    | SetupTaken
    | DeviceHeard
    | CardConcealed
    | DrawUnparked
    | DrawWaits
    | CardEntered
    | DeadlineSet
    | DeadlineDropped
    | HostHeard
    | CardSeen
    | NextDrawDiscarded
    | LaidOut
    | OrderGiven
    | OrderSettled
    | OrderLost
    | ScanBegun
    | CardScanned
    | KeyTaken
    | ShoeTaken
    | ShoeRanEmpty
    | DecisionHeld
    | SeatTimedOut
    | RequestAnswered
)

NOTES: Final[tuple[type[Note], ...]] = get_args(Note)
"""Every kind of note, for the journal's codec."""

Ruled: TypeAlias = Event | Note
"""What a ruling yields, in the order in which it is folded."""
