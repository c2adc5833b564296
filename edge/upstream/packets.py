"""What goes over a link, as values."""

from dataclasses import dataclass
from typing import Final

TAKEN_OVER: Final = 0x8E
UNSPECIFIED: Final = 0x80
FAILURE: Final = 0x80
"""Reason codes from here on are failures (MQTT 5, 2.4)."""
NO_LIMIT: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message the broker handed us on this connection."""

    mid: int
    qos: int
    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None
    correlation: bytes | None
    expires_at: float | None
    """On the monotonic clock; None: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Puback:
    """What the broker says of a publish."""

    mid: int
    code: int
    name: str

    @property
    def denied(self) -> bool:
        """True if the broker did not take it."""
        return self.code >= FAILURE


@dataclass(frozen=True, slots=True, kw_only=True)
class Connack:
    """What the broker says of the connection."""

    code: int
    name: str
    session_present: bool
    receive_maximum: int
    maximum_packet: int | None
    retain_available: bool
    maximum_qos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Suback:
    """What the broker says of a subscription: one reason code per filter, in order."""

    mid: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Why there is no connection."""

    sentence: str
    code: int | None = None
    """The reason code, if the broker gave one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False
    content_type: str | None = None
    correlation: bytes | None = None
