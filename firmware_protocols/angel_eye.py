"""Angel Eye II-EX: a baccarat shoe, here a card source at a blackjack table (docs/wire.md section 2).

**Second-hand**: all of this was taken from public programs that read such a shoe. It is not from the maker's
manual, and nothing here has been tried on the device.

::

    from the shoe   +----+-----+-------------+----+-------+     05 a message; data is one letter, then bytes
                    | 05 | seq | data        | 03 | bcc:2 |     with bit 7 set (so 03 cannot occur inside)
                    +----+-----+-------------+----+-------+
                    | 02 | data              | 03 | bcc:2 |     the answer to a read
                    | 06 |                                      ACK
                    | 15 | xx                                   NAK, xx any byte
    to the shoe     | 02 | 'OP' type:2 data:2| 03 | bcc:2 |     an order; 06 an ACK

RS-232C, 4800 8N1 (9600 has been seen), often behind a serial device server. ``bcc`` is the exclusive or of
the bytes from seq (or the first data byte) through 03 as two upper-case hex digits; whether the 05 or 02
before them is part of it is a setting for each direction: the published order includes it, its text does
not. Check values: ``31 44 81 B8 03`` -> ``4F``; ``02 4F 50 4C 4B 30 32 03`` -> ``1B``. ``seq`` is one ASCII
character that changes with each message. A message is said three times unless it is acknowledged. Longest
data taken: 48.

How it goes wrong: one byte of exclusive or notices every single flipped bit and lost byte, and lets one in
some hundred double faults through. A repeat is known by seq and bytes; the same seq with other bytes is a new
message and a counted oddity. Nothing says which seq comes next, so a message all of whose copies vanish from
the wire without leaving a byte is lost unseen.
"""

from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import Final, TypeAlias

from firmware_protocols.angel_eye_sayings import AngelEyeMode, Resent, draw_told, events_of
from firmware_protocols.errors import NotEncodable
from firmware_protocols.framing import Noise, Reject, RejectReason
from firmware_protocols.unnumbered import Heard, Reading, Repetition, UnnumberedLink

STX: Final = 0x02
ETX: Final = 0x03
ENQ: Final = 0x05
ACK: Final = 0x06
NAK: Final = 0x15
MAX_DATA: Final = 48
REPEAT_S: Final = 5.0
"""The same seq and bytes within this time are the same message."""
LATE_S: Final = 60.0
"""So are copies that are still due, if the line was stuck meanwhile."""
_STARTS: Final = frozenset({STX, ENQ, ACK, NAK})
_DIGITS: Final = frozenset(b"0123456789ABCDEF")
_PRINTABLE: Final = range(0x21, 0x7F)
_LEAST_OCTETS: Final = 4
"""The shortest message has 6 bytes; two of them may be lost and the rest still tell that it was there."""


class BccRange(Enum):
    """Whether a frame's first byte is part of its checksum."""

    WITHOUT_START = "without_start"
    WITH_START = "with_start"


@dataclass(frozen=True, slots=True, kw_only=True)
class AngelEyeOptions:
    """What has to be known of the shoe beside its line."""

    bcc_from_shoe: BccRange = BccRange.WITHOUT_START
    bcc_to_shoe: BccRange = BccRange.WITH_START
    resent: Resent = Resent.REPEAT
    """How ``R`` is read."""
    mode: AngelEyeMode = AngelEyeMode.OUTSIDE
    """Where the shoe is held to stand; draws are taken in either."""
    acknowledge: bool = False
    """False: nothing is ever written to it."""
    copies: int = 3
    """How often it says each message; 1 makes every unreadable one a gap."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AngelEyeMessage:
    """05: something happened at the shoe. It may be a card, so only its length is shown."""

    seq: int
    """One ASCII character."""
    octets: bytes
    """Data: a letter and what follows it, 1..48 bytes."""

    def __repr__(self) -> str:
        return f"AngelEyeMessage({len(self.octets)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AngelEyeAnswer:
    """02: the answer to a read, or an order."""

    octets: bytes

    def __repr__(self) -> str:
        return f"AngelEyeAnswer({len(self.octets)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AngelEyeSignal:
    """06 ACK or 15 NAK: nothing in it is checked, so it proves nothing."""

    code: int
    detail: int | None = None
    """The byte after a NAK."""


AngelEyeFrame: TypeAlias = AngelEyeMessage | AngelEyeAnswer | AngelEyeSignal | Noise | Reject


def angel_eye_bcc(octets: bytes) -> bytes:
    """Exclusive or of all bytes, as two upper-case hex digits."""
    return b"%02X" % reduce(lambda left, right: left ^ right, octets, 0)


def encode_angel_eye(
    frame: AngelEyeMessage | AngelEyeAnswer | AngelEyeSignal, *, bcc: BccRange = BccRange.WITHOUT_START
) -> bytes:
    """The bytes of a frame.

    Raises:
        NotEncodable: the data is empty, too long or holds a control character, or seq is no ASCII character.
    """
    match frame:
        case AngelEyeSignal():
            return bytes((frame.code,) if frame.detail is None else (frame.code, frame.detail))
        case AngelEyeMessage():
            if frame.seq not in _PRINTABLE:
                raise NotEncodable(field="seq", limit="one printable ASCII character")
            start, body = ENQ, bytes((frame.seq,)) + frame.octets
        case AngelEyeAnswer():
            start, body = STX, frame.octets
    if not 1 <= len(frame.octets) <= MAX_DATA or not all(_payload(octet) for octet in frame.octets):
        raise NotEncodable(field="data", limit=f"1..{MAX_DATA} printable or 8-bit characters")
    return bytes((start,)) + body + bytes((ETX,)) + _bcc(start, body, bcc)


class AngelEyeFramer:
    """Cuts a stream of bytes into frames; holds less than one frame between calls."""

    def __init__(self, bcc: BccRange) -> None:
        self._bcc = bcc
        self._run = bytearray()

    @property
    def held(self) -> int:
        """Bytes of an unfinished frame."""
        return len(self._run)

    def reset(self) -> None:
        """Forget an unfinished frame: the connection it came on is gone."""
        self._run.clear()

    def receive(self, octets: bytes) -> tuple[AngelEyeFrame, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        self._run += octets
        found: list[AngelEyeFrame] = []
        while self._run:
            length, frame = self._first()
            if frame is None:
                break
            del self._run[:length]
            found.append(frame)
        return tuple(found)

    def give_up(self) -> tuple[AngelEyeFrame, ...]:
        """The unfinished frame will not go on."""
        raw = bytes(self._run)
        self._run.clear()
        return (Reject(reason=RejectReason.BROKEN_OFF, raw=raw),) if raw else ()

    def _first(self) -> tuple[int, AngelEyeFrame | None]:
        """The frame that the run begins with, and its length; None: it is not complete."""
        run = self._run
        match run[0]:
            case code if code not in _STARTS:
                length = next((at for at, octet in enumerate(run) if octet in _STARTS), len(run))
                return length, Noise(raw=bytes(run[:length]))
            case code if code == ACK:
                return 1, AngelEyeSignal(code=ACK)
            case code if code == NAK:
                return 2, AngelEyeSignal(code=NAK, detail=run[1]) if len(run) > 1 else None
            case _:
                return self._checked()

    def _checked(self) -> tuple[int, AngelEyeFrame | None]:
        run = self._run
        first = 2 if run[0] == ENQ else 1
        if first == 2 and len(run) > 1 and run[1] not in _PRINTABLE:  # noqa: PLR2004 - 05 and seq
            return 1, Noise(raw=bytes(run[:1]))
        end = next((at for at in range(first, len(run)) if not _payload(run[at])), None)
        stop = len(run) if end is None else end
        if stop - first > MAX_DATA:
            return first + MAX_DATA, Reject(reason=RejectReason.TOO_LONG, raw=bytes(run[: first + MAX_DATA]))
        if end is None:
            return 0, None
        if run[end] != ETX:
            return end, Reject(reason=RejectReason.BROKEN_OFF, raw=bytes(run[:end]))
        for at in (end + 1, end + 2):
            if at >= len(run):
                return 0, None
            if run[at] not in _DIGITS:
                return at, Reject(reason=RejectReason.BROKEN_OFF, raw=bytes(run[:at]))
        return end + 3, self._read(bytes(run[: end + 3]), first, end)

    def _read(self, raw: bytes, first: int, end: int) -> AngelEyeFrame:
        if _bcc(raw[0], raw[1:end], self._bcc) != raw[end + 1 :]:
            return Reject(reason=RejectReason.CHECKSUM, raw=raw)
        if end == first:
            return Reject(reason=RejectReason.TOO_SHORT, raw=raw)
        if raw[0] == STX:
            return AngelEyeAnswer(octets=raw[first:end])
        return AngelEyeMessage(seq=raw[1], octets=raw[first:end])


class AngelEyeReader:
    """Bytes of an Angel Eye to what was heard: repeats told from messages, draws from their repeats."""

    def __init__(self, options: AngelEyeOptions) -> None:
        self._options = options
        self._framer = AngelEyeFramer(options.bcc_from_shoe)
        self._last: AngelEyeMessage | None = None
        self._last_at = 0.0
        #: How often it was said so far.
        self._seen = 0
        self._drawn: bytes | None = None

    @property
    def held(self) -> int:
        """Bytes of an unfinished message."""
        return self._framer.held

    def reset(self) -> None:
        """The connection is gone. What was heard last is kept: a copy of it may come on the next one."""
        self._framer.reset()

    def receive(self, octets: bytes, now: float) -> tuple[Reading, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        return tuple(self._reading(frame, now) for frame in self._framer.receive(octets))

    def give_up(self) -> tuple[Reading, ...]:
        """The unfinished message will not go on."""
        return tuple(self._reading(frame, 0.0) for frame in self._framer.give_up())

    def _reading(self, frame: AngelEyeFrame, now: float) -> Reading:
        match frame:
            case Noise() | Reject():
                return frame
            case AngelEyeSignal():
                return Noise(raw=encode_angel_eye(frame))  # nothing was asked, so nothing is answered
            case AngelEyeAnswer():
                return Heard(odd=True)
            case AngelEyeMessage():
                return self._message(frame, now)

    def _message(self, message: AngelEyeMessage, now: float) -> Heard:
        last, since = self._last, now - self._last_at
        due = self._seen < self._options.copies
        same = message == last and since <= (LATE_S if due else REPEAT_S)
        self._seen = self._seen + 1 if same else 1
        self._last, self._last_at = message, now
        answer = bytes((ACK,)) if self._options.acknowledge else b""
        if same:
            return Heard(repeat=True, answer=answer)
        stuck = last is not None and message.seq == last.seq
        told = events_of(
            message.octets, mode=self._options.mode, resent=self._options.resent, drawn=self._drawn
        )
        self._drawn = draw_told(message.octets, before=self._drawn)
        return Heard(
            events=told.events,
            repeat=told.repeat,
            odd=told.odd or stuck,
            restarted=message.octets == b"S",
            answer=answer,
        )


def angel_eye_link(options: AngelEyeOptions) -> UnnumberedLink:
    """The host's end of a link to an Angel Eye."""
    return UnnumberedLink(
        kind="shoe",
        reader=AngelEyeReader(options),
        repetition=Repetition(copies=options.copies, least=_LEAST_OCTETS),
    )


def _payload(octet: int) -> bool:
    return octet in _PRINTABLE or octet >= 0x80  # noqa: PLR2004 - bit 7


def _bcc(start: int, body: bytes, bcc: BccRange) -> bytes:
    checked = body + bytes((ETX,))
    return angel_eye_bcc(bytes((start,)) + checked if bcc is BccRange.WITH_START else checked)
