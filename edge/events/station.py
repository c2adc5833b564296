"""Events beside the table: the edge itself, its devices, its shufflers."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from edge.events.words import Absent, TableEvent
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """What was in progress when the daemon came up."""

    shoe: int
    round: int | None
    phase: str
    """The phase of the table (docs/round.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStarted(TableEvent):
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
class EdgeStopped(TableEvent):
    """The daemon goes down in good order."""

    type: ClassVar[str] = "edge.stopped"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOnline(TableEvent):
    """A device answers."""

    type: ClassVar[str] = "device.online"

    device: str
    role: str
    kind: str
    serial: str
    firmware: str
    skipped: Absent[int] = None
    """Events from before the first contact that were not asked for."""
    numbered: Absent[Literal[False]] = None
    """False: it numbers nothing; what happened while it was away nobody can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOffline(TableEvent):
    """A device is not there, or no longer."""

    type: ClassVar[str] = "device.offline"

    device: str
    reason: str
    """absent, busy, no_permission, lost, silent, no_answer, garbage or wrong_device."""
    detail: str
    """One sentence: what was seen and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFault(TableEvent):
    """A device raised a fault of its own."""

    type: ClassVar[str] = "device.fault"

    device: str
    code: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFaultCleared(TableEvent):
    """A device cleared a fault of its own."""

    type: ClassVar[str] = "device.fault_cleared"

    device: str
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleStarted(TableEvent):
    """A shuffler began."""

    type: ClassVar[str] = "shuffle.started"

    device: str
    decks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleFinished(TableEvent):
    """A shuffler is done, and has counted what was in it."""

    type: ClassVar[str] = "shuffle.finished"

    device: str
    shuffle: int
    """Its number, from 1 in each journal: what ``shoe.install`` names."""
    cards: int
    missing: tuple[Card, ...]
    """One by one."""
    extra: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleFailed(TableEvent):
    """A shuffle did not end in good order."""

    type: ClassVar[str] = "shuffle.failed"

    device: str
    why: str
    """jam, hatch_opened, damaged_card, unfinished or offline."""
