"""Inputs: what the table heard, in the past tense. The only things the ruling ever sees.

An input is recorded as heard, with everything the ruling needs to rule on it again years later: the
nonce of a card's seal, what the journal already knew of a round id. It is never published.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias, get_args

from drivers import Absence, Position, Signal
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.requests import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Who may sign a supervisor's request."""

    name: str
    roles: tuple[str, ...] = ("supervisor",)


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
    | HouseRulesAdopted
    | DeviceCameOnline
    | DeviceWentOffline
    | DeviceEventsMissed
    | DeviceFaultSeen
    | DeviceFaultGone
    | CardDrawn
    | CutCardDrawn
    | ShoeSignalled
    | DeviceSpokeUnknown
    | RequestMade
)

INPUTS: Final[tuple[type[Input], ...]] = get_args(Input)
"""Every kind of input, for the journal's codec."""
