"""Notes: what the table keeps to itself. Ruled like events, recorded beside them, never published.

State is folded from events and notes together, so that everything the ruling knows is in the record
that taught it: which card lies face down, what a player decided early, how far a device's numbering
has been heard, what a request was answered.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias, get_args

from drivers import Position
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.events import Event
from edge.inputs import Operator
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
class DrawParked:
    """A draw made while the table was held, or the one that held it: counted, not placed."""

    type: ClassVar[str] = "draw.parked"

    draw: int | None
    """None: it left no shoe that is in play, so it has no number."""
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawUnparked:
    """A parked draw found its place after all."""

    type: ClassVar[str] = "draw.unparked"

    draw: int


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
    | DrawParked
    | DrawUnparked
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
