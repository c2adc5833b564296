"""Framing of table_link: bytes to ``Frame | Noise | Reject`` (docs/wire.md section 1).

::

    +------- COBS ---------------------------+----+
    | type:1 | body:0..237 | crc:2 big-endian | 00 |
    +----------------------------------------+----+
             content: 3..240 bytes

CRC-16/CCITT-FALSE over type and body, check value 29B1.

Laws:

* Any bytes may arrive: nothing here raises, and every byte ends up in exactly one value.
* How the stream was cut into reads never matters.
* Memory is bounded: a run without a 00 is cut into pieces of ``MAX_ENCODED`` bytes.
* A 00 always ends a frame, so one corrupted byte costs at most two frames (it may fall on a 00, or
  become one).

How it goes wrong: a line opened in mid frame (the tail is a ``Reject``), a break condition (a 00 alone is
``Noise``), a wrong line speed (rejects or endless noise, never a frame).
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from cobs import cobs  # type: ignore[import-untyped]  # the package ships no types

from firmware_protocols.checksums import crc16_ccitt_false
from firmware_protocols.errors import NotEncodable

DELIMITER: Final = 0x00
MAX_CONTENT: Final = 240
"""Bytes of type, body and checksum together."""
_CHECKSUM_BYTES: Final = 2
_MIN_CONTENT: Final = 1 + _CHECKSUM_BYTES
MAX_ENCODED: Final = MAX_CONTENT + 1
"""COBS adds one byte to any content of up to 254 bytes."""


class RejectReason(Enum):
    """Why a run of bytes is no frame."""

    NOT_COBS = "not COBS"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    CHECKSUM = "checksum"
    BODY = "body does not fit its type"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Frame:
    """One frame whose checksum is right."""

    type: int
    """0..255."""
    body: bytes
    """At most 237 bytes."""

    def __repr__(self) -> str:
        return f"Frame(type={self.type:#04x}, {len(self.body)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Noise:
    """Bytes between frames. They may have been a card, so only their number is shown."""

    raw: bytes

    def __repr__(self) -> str:
        return f"Noise({len(self.raw)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reject:
    """What looked like a frame and is none. It may have been a card, so only its length is shown."""

    reason: RejectReason
    raw: bytes
    """As it came, without the 00."""

    def __repr__(self) -> str:
        return f"Reject({self.reason.value}, {len(self.raw)} bytes)"


Framed: TypeAlias = Frame | Noise | Reject


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame, its 00 included.

    Raises:
        NotEncodable: the type is no byte, or the content is longer than 240 bytes.
    """
    if frame.type not in range(256):
        raise NotEncodable(field="type", limit="0..255")
    content = bytes((frame.type,)) + frame.body
    if len(content) + _CHECKSUM_BYTES > MAX_CONTENT:
        raise NotEncodable(field="body", limit=f"at most {MAX_CONTENT - _MIN_CONTENT} bytes")
    checked = content + crc16_ccitt_false(content).to_bytes(_CHECKSUM_BYTES, "big")
    encoded: bytes = cobs.encode(checked)
    return encoded + bytes((DELIMITER,))


class Framer:
    """Cuts a stream of bytes into frames; holds at most ``MAX_ENCODED`` bytes between calls."""

    __slots__ = ("_overlong", "_run")

    def __init__(self) -> None:
        self._run = bytearray()
        self._overlong = False

    @property
    def held(self) -> int:
        """Bytes of an unfinished run, 0..``MAX_ENCODED``."""
        return len(self._run)

    def reset(self) -> None:
        """Forget an unfinished run: the connection it came on is gone."""
        self._run.clear()
        self._overlong = False

    def receive(self, octets: bytes) -> tuple[Framed, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        found: list[Framed] = []
        start = 0
        while start < len(octets):
            end = octets.find(DELIMITER, start)
            stop = len(octets) if end < 0 else end
            self._extend(octets[start:stop], found)
            if end < 0:
                break
            self._finish(found)
            start = end + 1
        return tuple(found)

    def _extend(self, piece: bytes, found: list[Framed]) -> None:
        start = 0
        while len(self._run) + len(piece) - start > MAX_ENCODED:
            room = MAX_ENCODED - len(self._run)
            self._run += piece[start : start + room]
            start += room
            raw = bytes(self._run)
            if self._overlong:
                found.append(Noise(raw=raw))
            else:
                found.append(Reject(reason=RejectReason.TOO_LONG, raw=raw))
            self._run.clear()
            self._overlong = True
        self._run += piece[start:]

    def _finish(self, found: list[Framed]) -> None:
        raw = bytes(self._run)
        self._run.clear()
        if self._overlong:
            self._overlong = False
            if raw:
                found.append(Noise(raw=raw))
        elif raw:
            found.append(_read_frame(raw))
        else:
            found.append(Noise(raw=bytes((DELIMITER,))))


def _read_frame(raw: bytes) -> Frame | Reject:
    try:
        content: bytes = cobs.decode(raw)
    except cobs.DecodeError:
        return Reject(reason=RejectReason.NOT_COBS, raw=raw)
    if len(content) < _MIN_CONTENT:
        return Reject(reason=RejectReason.TOO_SHORT, raw=raw)
    checked, checksum = content[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:]
    if crc16_ccitt_false(checked) != int.from_bytes(checksum, "big"):
        return Reject(reason=RejectReason.CHECKSUM, raw=raw)
    return Frame(type=checked[0], body=checked[1:])
