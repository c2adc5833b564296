"""Inputs: what the table heard, in the past tense. The only things the ruling ever sees.

An input is recorded as heard, with everything the ruling needs to rule on it again years later: the
nonce of a card's seal, what the journal already knew of a round id. It is never published.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from drivers import Absence, CommandOutcome, Position, Signal
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.requests import Asked


class DeadlineName(Enum):
    """What the table waits for, for a while."""

    EARLY_DRAW = "early_draw"
    """The command that an early card needs."""
    DEVICE_LOST = "device_lost"
    """The shoe, in a round."""
    HOST_LOST = "host_lost"
    """The game server."""


class Order(Enum):
    """What a shoe is told."""

    LOCK = "lock"
    UNLOCK = "unlock"


class DealerKey(Enum):
    """What a key of the dealer's says, where a table has no player's app."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    INSTALL = "install"
    """A shuffled shoe is in."""
    OPEN = "open"
    """Bets are closed: a round for the seats that were keyed, else for those of the last round."""
    CLOSE = "close"
    """The last call for insurance is over."""
    EVEN_MONEY = "even_money"
    """The next seat keyed takes even money."""
    SEAT_1 = "seat_1"
    SEAT_2 = "seat_2"
    SEAT_3 = "seat_3"
    SEAT_4 = "seat_4"
    SEAT_5 = "seat_5"
    SEAT_6 = "seat_6"
    SEAT_7 = "seat_7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Who may sign a supervisor's request."""

    name: str
    roles: tuple[str, ...] = ("supervisor",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long the table waits for what is late, in milliseconds; 0: not at all."""

    early_draw_ms: int = 0
    """For the command that an early card needs (docs/round.md, Early draws)."""
    device_lost_ms: int = 0
    """For a numbered shoe to come back in a round."""
    host_lost_ms: int = 0
    """For the game server, or the broker, to come back."""
    min_draw_ms: int = 0
    """Two draws closer than this by the shoe's own clock are one too many; 0: not judged."""


NO_PATIENCE: Final = Patience()
"""A session script's, unless it says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStarted:
    """The daemon came up on this journal."""

    type: ClassVar[str] = "edge.started"

    version: str
    config_hash: str
    operators: tuple[Operator, ...] | None
    """None: anyone may sign (session scripts only)."""
    shoes: tuple[str, ...] | None
    """Ids of the devices that are shoes; None: any (session scripts only)."""
    patience: Patience = NO_PATIENCE
    """How long the table waits for what is late, where the house does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatienceSet:
    """How long the table waits from here on (session scripts)."""

    type: ClassVar[str] = "patience.set"

    patience: Patience


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStopped:
    """The daemon is about to go down in good order."""

    type: ClassVar[str] = "edge.stopped"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRulesAdopted:
    """The configured house, in full; in force from the next shoe on."""

    type: ClassVar[str] = "house_rules.adopted"

    text: str
    """The TOML text of the house file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCameOnline:
    """A device answered and its link resumed at ``position``."""

    type: ClassVar[str] = "device.online"

    device: str
    kind: str
    serial: str
    firmware: str
    position: Position | None
    skipped: int
    numbered: bool = True
    """It numbers its events. False: nobody can say what happened at it while its link was down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceWentOffline:
    """A device is absent, or no longer answers."""

    type: ClassVar[str] = "device.offline"

    device: str
    absence: Absence
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceEventsMissed:
    """A gap in a device's numbering: what happened there nobody can say."""

    type: ClassVar[str] = "device.events_missed"

    device: str
    boot: int
    first: int
    last: int | None
    position: Position | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFaultSeen:
    """A device raised a fault of its own."""

    type: ClassVar[str] = "device.fault"

    device: str
    position: Position | None
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFaultGone:
    """A device cleared a fault of its own."""

    type: ClassVar[str] = "device.fault_cleared"

    device: str
    position: Position | None
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn:
    """A card left a shoe."""

    type: ClassVar[str] = "card.drawn"

    device: str
    position: Position | None
    """None: a session script, which has no link."""
    device_ms: int | None
    card: ConcealedCard | None
    """None: nobody could read it."""
    reread: bool = False
    foreign: bool = False
    """True: its authenticity failed."""
    exposed: bool = False
    """True: its face was up as it passed the reader."""
    serial: str | None = field(default=None, repr=False)
    """The serial number printed on this very card, where its deck has them."""
    nonce: ConcealedNonce = field(repr=False)
    """16 random bytes, hex: seals the card should it lie face down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardDrawn:
    """The cut card left a shoe. It is no card."""

    type: ClassVar[str] = "cut_card.drawn"

    device: str
    position: Position | None
    device_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSignalled:
    """A shoe noticed something beside a card."""

    type: ClassVar[str] = "shoe.signalled"

    device: str
    position: Position | None
    signal: Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPressed:
    """A dealer's key (docs/operations.md, Dealer's keys)."""

    type: ClassVar[str] = "key.pressed"

    device: str
    position: Position | None
    key: DealerKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleBegan:
    """A shuffler began."""

    type: ClassVar[str] = "shuffle.began"

    device: str
    position: Position | None
    decks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleProgressed:
    """A shuffler has done so many cards."""

    type: ClassVar[str] = "shuffle.progressed"

    device: str
    position: Position | None
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleEnded:
    """A shuffler is done, and has counted."""

    type: ClassVar[str] = "shuffle.ended"

    device: str
    position: Position | None
    cards: int
    counts: tuple[int, ...] = field(repr=False)
    """52 counts in the order of ``Card.index``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedCardSeen:
    """A shuffler holds a card for damaged."""

    type: ClassVar[str] = "damaged_card.seen"

    device: str
    position: Position | None
    card: ConcealedCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReturned:
    """Cards were put back into a continuous shuffler."""

    type: ClassVar[str] = "cards.returned"

    device: str
    position: Position | None
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLeft:
    """The game server is gone, or the broker it would be heard through."""

    type: ClassVar[str] = "host.left"

    why: Literal["server_offline", "no_broker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReturned:
    """The game server is heard again."""

    type: ClassVar[str] = "host.returned"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderAnswered:
    """What became of an order to a device."""

    type: ClassVar[str] = "order.answered"

    device: str
    number: int
    """As the order was given."""
    outcome: CommandOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlinePassed:
    """What the table waited for did not come in time."""

    type: ClassVar[str] = "deadline.passed"

    name: DeadlineName
    number: int
    """Which of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpokeUnknown:
    """A key nobody configured, or an event code of the future: recorded, acknowledged, not ruled on."""

    type: ClassVar[str] = "device.spoke_unknown"

    device: str
    position: Position | None
    code: int
    body: str = field(repr=False)
    """The bytes, hex; they could be a card's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMade:
    """Somebody asked for something."""

    type: ClassVar[str] = "request.made"

    asked: Asked
    round_id_used: bool = False
    """What the journal knew when it was heard: this round id has been opened before."""


Input: TypeAlias = (
    EdgeStarted
    | EdgeStopped
    | PatienceSet
    | HouseRulesAdopted
    | DeviceCameOnline
    | DeviceWentOffline
    | DeviceEventsMissed
    | DeviceFaultSeen
    | DeviceFaultGone
    | CardDrawn
    | CutCardDrawn
    | ShoeSignalled
    | KeyPressed
    | ShuffleBegan
    | ShuffleProgressed
    | ShuffleEnded
    | DamagedCardSeen
    | CardsReturned
    | HostLeft
    | HostReturned
    | OrderAnswered
    | DeadlinePassed
    | DeviceSpokeUnknown
    | RequestMade
)

INPUTS: Final[tuple[type[Input], ...]] = get_args(Input)
"""Every kind of input, for the journal's codec."""
