"""Reports: what a device did, in the past tense, whatever protocol said so.

One card climbs as ``CardScan`` (message), :class:`CardPassed` (report), ``CardDrawn`` (input),
``card.dealt`` (event). A report names its device by the id in the configuration and, where the link
numbers its events, the :class:`Position` to acknowledge once the journal has it on disk (law 1). A device
without numbers has ``position`` None throughout, and ``device_ms`` None where it has no clock.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from firmware_protocols import FaceDownCard


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place in a device's own numbering: the events since one power-on (docs/wire.md section 1)."""

    boot: int
    """Random, non-zero, new at each power-on: 1..2**32-1."""
    number: int
    """Events since that boot, from 1; 0 is before the first."""


class Absence(Enum):
    """Why a device is not there."""

    ABSENT = "absent"
    BUSY = "busy"
    NO_PERMISSION = "no_permission"
    LOST = "lost"
    SILENT = "silent"
    NO_ANSWER = "no_answer"
    """It is heard, and does not answer: the line towards it is broken."""
    GARBAGE = "garbage"
    """Bytes come, and nothing readable among them."""
    WRONG_DEVICE = "wrong_device"


class Signal(Enum):
    """What a shoe or a shuffler notices beside cards."""

    PUSHED_BACK = "pushed_back"
    OVERDRAW = "overdraw"
    LID_OPENED = "lid_opened"
    LID_CLOSED = "lid_closed"
    MOVED = "moved"
    EMPTY = "empty"
    JAM = "jam"
    HATCH_OPENED = "hatch_opened"
    HATCH_CLOSED = "hatch_closed"


class CommandOutcome(Enum):
    """What became of a command."""

    DONE = "done"
    REFUSED = "refused"
    BUSY = "busy"
    UNKNOWN = "unknown"
    """The device does not know such a command."""
    UNANSWERED = "unanswered"
    """Nobody knows whether it was carried out. It is not repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceConnected:
    """The link is up: of a device with numbers, what comes next follows ``position`` without a hole.

    Of a device without numbers nobody can say what happened while the link was down.
    """

    device: str
    kind: str
    """``shoe``, ``shuffler`` or ``continuous_shuffler``."""
    serial: str
    """Empty: it tells none."""
    firmware: str
    """Empty: it tells none."""
    position: Position | None
    """Where the link resumed: the next event is number + 1. None: it has no numbers."""
    skipped: int
    """Events the device still held and that were not asked for (first contact only)."""
    numbered: bool = True
    """The device numbers its events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDisconnected:
    """The device is not there, or no longer; the pump goes on trying for ever."""

    device: str
    absence: Absence
    detail: str
    """One sentence: what was seen, where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsMissed:
    """Events that happened and can never be had: a gap, reported as a gap."""

    device: str
    boot: int
    """The boot whose events are missing. 0: it has no numbers, and what came could not be read."""
    first: int
    """0: it has no numbers."""
    last: int | None
    """None: how many is unknown (the device restarted)."""
    position: Position | None
    """Where the link goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPassed:
    """A card left the shoe."""

    device: str
    position: Position | None
    device_ms: int | None
    """The device's own clock, milliseconds since its boot."""
    card: FaceDownCard | None
    """None: the device could not read it."""
    reread: bool
    """True: the same physical card as the last one, read again."""
    exposed: bool = False
    """True: its face was up as it passed the reader."""
    serial: str | None = field(default=None, repr=False)
    """Printed on this very card, where its deck has serial numbers. Not shown: it may tell the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardPassed:
    """The cut card left the shoe. It is no card: it has no draw number."""

    device: str
    position: Position | None
    device_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCardPassed:
    """A card left the shoe whose authenticity failed."""

    device: str
    position: Position | None
    device_ms: int | None
    card: FaceDownCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSignalled:
    """The device noticed something beside a card."""

    device: str
    position: Position | None
    device_ms: int | None
    signal: Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPressed:
    """A key of the shoe's own keypad."""

    device: str
    position: Position | None
    device_ms: int | None
    key: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultSeen:
    """The device raised one of its own faults."""

    device: str
    position: Position | None
    device_ms: int | None
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultGone:
    """The device cleared one of its own faults."""

    device: str
    position: Position | None
    device_ms: int | None
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownReported:
    """An event code this version does not know: passed on with its bytes, never guessed."""

    device: str
    position: Position | None
    device_ms: int | None
    code: int
    body: bytes = field(repr=False)
    """Not shown: a body that nobody could read may name a card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleBegan:
    """A shuffler began to shuffle."""

    device: str
    position: Position | None
    device_ms: int | None
    decks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleProgressed:
    """A shuffler has done so many cards."""

    device: str
    position: Position | None
    device_ms: int | None
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleEnded:
    """A shuffler is done."""

    device: str
    position: Position | None
    device_ms: int | None
    cards: int
    counts: tuple[int, ...]
    """52 counts, in the order of ``Card.index``: what is in the stack, not where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedCardSeen:
    """A shuffler holds a card for damaged."""

    device: str
    position: Position | None
    device_ms: int | None
    card: FaceDownCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReturned:
    """Cards were put back into a continuous shuffler."""

    device: str
    position: Position | None
    device_ms: int | None
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswered:
    """A command was answered, or was not."""

    device: str
    id: int
    """As ``Pump.command`` was told to call it."""
    outcome: CommandOutcome


Happening: TypeAlias = (
    CardPassed
    | CutCardPassed
    | ForeignCardPassed
    | DeviceSignalled
    | KeyPressed
    | FaultSeen
    | FaultGone
    | UnknownReported
    | ShuffleBegan
    | ShuffleProgressed
    | ShuffleEnded
    | DamagedCardSeen
    | CardsReturned
)
"""What happened at a device. One with a position is acknowledged by it after the commit."""

Report: TypeAlias = DeviceConnected | DeviceDisconnected | EventsMissed | CommandAnswered | Happening
