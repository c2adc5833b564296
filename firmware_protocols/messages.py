"""Messages: what a shoe or a shuffler says, and what it may be told (docs/wire.md section 1).

The event bodies are shared by every protocol; a device that does not number them says each as :class:`Said`.
A card read from the wire is a :class:`FaceDownCard` from its first moment; ``None`` is a card that the
device saw and could not read. Bytes that no type here explains are kept, and their ``repr`` shows only how
many they are: they may have been a card.
"""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TypeAlias

from firmware_protocols.cards import FaceDownCard


class DeviceKind(Enum):
    """What a device is, by its byte in HELLO."""

    SHOE = 1
    SHUFFLER = 2
    CONTINUOUS_SHUFFLER = 3


class ReplyResult(Enum):
    """What became of a command."""

    DONE = 0
    REFUSED = 1
    BUSY = 2
    UNKNOWN = 3


class CommandCode(IntEnum):
    """What a device may be told."""

    LOCK = 0x01
    UNLOCK = 0x02
    LAMP = 0x03
    BEEP = 0x04
    SELF_TEST = 0x05
    START_SHUFFLE = 0x06
    CLEAR_FAULT = 0x07


# What a device numbers -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CardScan:
    """01: a card left the shoe past the reader."""

    card: FaceDownCard | None
    face_up: bool
    """The reader saw the face-up side."""
    reread: bool
    """The same physical card as the last one, read again."""
    confidence: int
    """The reader's own confidence, 0..255; percent by convention."""
    serial: str | None = field(default=None, repr=False)
    """The serial number printed on this one card (printed codes only). Not shown: it may tell the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardScan:
    """02: the cut card left the shoe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadScan:
    """03: a card left the shoe and was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPushedBack:
    """04: a card was pushed back into the shoe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOverdrawn:
    """05: the shoe itself thinks that one card too many was drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LidMoved:
    """06: the lid."""

    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeMoved:
    """07: the shoe was lifted or shifted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeEmptied:
    """08: no card is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStroke:
    """09: a key of the device's own keypad, 0..255."""

    key: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRaised:
    """0A: a fault of the device's own, 0..255."""

    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCleared:
    """0B: the fault is over, 0..255."""

    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignScan:
    """0C: a card left the shoe whose authenticity failed."""

    card: FaceDownCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleStarted:
    """20: a shuffle of 0..255 decks began."""

    decks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleProgressed:
    """21: 0..65535 cards are done."""

    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleFinished:
    """22: the shuffle is done, and what was in it."""

    cards: int
    """0..65535."""
    counts: tuple[int, ...]
    """52 counts, 0..255 each, in the order of ``Card.index``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerJammed:
    """23: a jam."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HatchMoved:
    """24: the hatch."""

    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedScan:
    """25: a card that the shuffler holds for damaged."""

    card: FaceDownCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReturned:
    """26: 0..255 cards were put back into a continuous shuffler."""

    cards: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnknownEvent:
    """An event whose code, or whose body, version 1 does not explain. Never guessed."""

    code: int
    """0..255."""
    body: bytes

    def __repr__(self) -> str:
        return f"UnknownEvent(code={self.code:#04x}, {len(self.body)} bytes)"


ShoeEvent: TypeAlias = (
    CardScan
    | CutCardScan
    | UnreadScan
    | CardPushedBack
    | CardOverdrawn
    | LidMoved
    | ShoeMoved
    | ShoeEmptied
    | KeyStroke
    | FaultRaised
    | FaultCleared
    | ForeignScan
)
ShufflerEvent: TypeAlias = (
    ShuffleStarted
    | ShuffleProgressed
    | ShuffleFinished
    | ShufflerJammed
    | HatchMoved
    | DamagedScan
    | CardsReturned
)
DeviceEvent: TypeAlias = ShoeEvent | ShufflerEvent | UnknownEvent


# From the device -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """01: who the device is, and which events it holds."""

    kind: DeviceKind | int
    """An int: a kind that version 1 does not know, 0..255."""
    boot: int
    """Random, new at each power-on: 1..2**32-1."""
    firmware: tuple[int, int, int]
    """Major, minor, patch, 0..255 each."""
    oldest: int
    """The oldest event the device still holds; newest + 1 when it holds none."""
    newest: int
    """0 before the first event."""
    serial: str
    """ASCII."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignHello:
    """01 of a version this program does not speak: nothing after the version is read."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """02: something happened at the device, under its own number and clock."""

    number: int
    """1, 2, 3 ... since boot."""
    at_ms: int
    """Milliseconds since boot, 0..2**32-1."""
    what: DeviceEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """03: the device lives."""

    newest: int
    """The newest event's number."""
    uptime_s: int
    """Seconds since boot."""
    supply_mv: int
    """Supply voltage, millivolts, 0..65535."""
    lamp_percent: int
    """Level of the read light, percent; a reader goes blind slowly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """04: what became of the command with this id."""

    id: int
    """0..65535."""
    result: ReplyResult


# From a device that numbers nothing ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something happened at a device that does not number its events.

    It was said once on this connection. What was said while nobody listened is gone, and nobody knows of it.
    """

    at_ms: int | None
    """The device's own clock, milliseconds; None: it has none."""
    what: DeviceEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The port of a device that numbers nothing is open. Such a device need not say who it is.

    Told on each connection in the place of ``Resumed``, and again when the device says that it was switched
    on or can be read again after garbage: what happened before may be lost.
    """

    kind: str
    """What it is held for, as configured: ``shoe`` or ``scanner``."""
    serial: str | None
    """None: it does not say."""
    firmware: str | None
    """None: it does not say."""


# From the host ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """81: send every event of this boot after that number."""

    boot: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack:
    """82: every event of this boot up to that number is on disk."""

    boot: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """83: do something; answered by a :class:`Reply` with the same id."""

    id: int
    """0..65535."""
    code: int
    """A :class:`CommandCode`, or a code the device may answer UNKNOWN to, 0..255."""
    args: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """84: who are you? Answered by HELLO."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnknownMessage:
    """A frame of a type that version 1 does not know. It may be a card, so only its length is shown."""

    type: int
    """0..255."""
    body: bytes

    def __repr__(self) -> str:
        return f"UnknownMessage(type={self.type:#04x}, {len(self.body)} bytes)"


DeviceMessage: TypeAlias = Hello | ForeignHello | Event | Heartbeat | Reply
HostMessage: TypeAlias = Resume | Ack | Command | Ping
Message: TypeAlias = DeviceMessage | HostMessage | UnknownMessage
