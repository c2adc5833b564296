"""What the two ends of a table_link share: timing, and what the host end tells (docs/wire.md section 1).

Both ends are eager and know no clock: ``receive(octets, now)``, ``tick(now)``, ``data_to_send()``,
``deadline``. ``now`` is monotonic seconds, from any origin, the same for every call to one end.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from firmware_protocols.framing import Noise, Reject
from firmware_protocols.messages import Event, Heartbeat, Hello, Opened, Reply, Said, UnknownMessage

WINDOW: Final = 8
"""Events a device sends before it waits for an acknowledgement."""
DEVICE_MEMORY: Final = 1024
"""Unacknowledged events a device keeps."""
FIRST_RETRY_S: Final = 0.25
LONGEST_RETRY_S: Final = 2.0
"""A message without an answer goes out again after 250 ms, doubling to 2 s."""
CHECK_S: Final = 5.0
"""A device that was resumed is asked again this often whether it is still the same power-on."""
HEARTBEAT_S: Final = 1.0
SILENT_AFTER_S: Final = 3.0
LOST_AFTER_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place in a device's numbering, as the link knows it."""

    boot: int
    """1..2**32-1."""
    number: int
    """0 is before the first event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The device said who it is and was told where to go on: the next event is ``mark.number`` + 1."""

    hello: Hello
    mark: Mark
    skipped: int
    """Events the device still held and that were not asked for (first contact only)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Events that happened and can never be had."""

    boot: int
    first: int
    last: int | None
    """None: unknown how many, the device restarted."""
    mark: Mark
    """Where the link goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WentSilent:
    """Nothing readable for 3 s; the link goes on asking."""

    octets: int
    """Bytes that came meanwhile. Some, and no frame: wrong line speed, or no table_link device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """It is heard, and for 10 s no HELLO answered a PING; the link goes on asking. Told every 10 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WasLost:
    """Nothing readable for 10 s: close the port and open it again."""

    octets: int
    """As in :class:`WentSilent`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Another device than the one that belongs here. Nothing more is taken from it."""

    wanted: str
    found: str
    remedy: str = "Plug in the right device, or correct the configuration"
    """What to do, one sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbled:
    """A device that numbers nothing may have said something that nobody heard: it may have been a card.

    It is a gap, of which nothing is known but that it is there.
    """

    octets: int
    """Unreadable bytes; 0: the device says that it has been switched off and on."""


HostNews: TypeAlias = (
    Resumed
    | Opened
    | Missed
    | Garbled
    | Event
    | Said
    | Heartbeat
    | Reply
    | WentSilent
    | Unanswered
    | WasLost
    | Refused
    | UnknownMessage
    | Noise
    | Reject
)
"""What a host end tells, in the order it came. A numbered event is told once, in the order of its number; a
device without numbers is ``Opened`` in the place of ``Resumed``, and ``Said`` in the place of ``Event``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCounts:
    """What a host end counted since it was made."""

    frames: int = 0
    """Readable frames of every type."""
    noise_bytes: int = 0
    rejects: int = 0
    repeats: int = 0
    """Events that had been told before."""
    early: int = 0
    """Events that cannot be told yet: out of order, or before the link was resumed. They come again."""
    gaps: int = 0
    strangers: int = 0
    """Readable frames that a device may not send, or of a type from the future."""
    oddities: int = 0
    """Messages that do not fit what is known of their protocol, and were told all the same."""
    octets_since_frame: int = 0
    """Growing: bytes come, but no frame."""
