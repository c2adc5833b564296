"""table_link version 1: the codec, bytes to messages and back (docs/wire.md section 1).

::

    COBS( type:1 | body | crc:2 ) 00        integers big-endian, content at most 240 bytes

    device  01 HELLO      version:1 kind:1 boot:4 firmware:3 oldest:4 newest:4 serial: printable ASCII
            02 EVENT      number:4 at:4 (ms) event:1 body       (see event_bodies.py)
            03 HEARTBEAT  newest:4 uptime:4 (s) supply:2 (mV) lamp:1 (%)
            04 REPLY      id:2 result:1 (0 done, 1 refused, 2 busy, 3 unknown)
    host    81 RESUME     boot:4 after:4
            82 ACK        boot:4 number:4, cumulative
            83 COMMAND    id:2 code:1 args
            84 PING

crc: CRC-16/CCITT-FALSE over type and body; "123456789" gives 29B1.

How it goes wrong: a type from the future is an ``UnknownMessage``; a known type whose body does not fit is
a ``Reject``, except an EVENT with a number: that is never dropped, its content becomes an
``UnknownEvent``. A HELLO of another version is a ``ForeignHello``: nothing after its version is trusted.
A flipped bit in the content is always noticed. A byte that becomes 00 cuts a frame in two, and a flipped COBS
length byte shifts what follows: one in 65,536 of those passes the checksum. A beginning is shorter than its
type or event must be, and is refused for that; it comes again.
"""

import struct
from collections.abc import Callable
from typing import Final, TypeAlias, assert_never

from firmware_protocols.errors import NotEncodable
from firmware_protocols.event_bodies import cut_short, decode_event, encode_event, unsigned
from firmware_protocols.framing import Frame, Framer, Noise, Reject, RejectReason, encode_frame
from firmware_protocols.messages import (
    Ack,
    Command,
    DeviceKind,
    Event,
    ForeignHello,
    Heartbeat,
    Hello,
    Message,
    Ping,
    Reply,
    ReplyResult,
    Resume,
    UnknownMessage,
)

VERSION: Final = 1
_HELLO: Final = struct.Struct(">BBI3BII")
_EVENT: Final = struct.Struct(">IIB")
_HEARTBEAT: Final = struct.Struct(">IIHB")
_REPLY: Final = struct.Struct(">HB")
_MARK: Final = struct.Struct(">II")
_COMMAND: Final = struct.Struct(">HB")

Decoded: TypeAlias = Message | Noise | Reject


def encode(message: Message) -> bytes:
    """The frame of a message, its 00 included.

    Raises:
        NotEncodable: a value does not fit its field.
    """
    return encode_frame(_frame_of(message))


class Decoder:
    """A stream of bytes to messages; what is no message comes out as ``Noise`` or ``Reject``."""

    __slots__ = ("_framer",)

    def __init__(self) -> None:
        self._framer = Framer()

    @property
    def held(self) -> int:
        """Bytes of an unfinished frame, bounded by ``MAX_ENCODED``."""
        return self._framer.held

    def reset(self) -> None:
        """Forget an unfinished frame: the connection it came on is gone."""
        self._framer.reset()

    def receive(self, octets: bytes) -> tuple[Decoded, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        found: list[Decoded] = []
        for item in self._framer.receive(octets):
            found.append(decode_frame(item) if isinstance(item, Frame) else item)  # noqa: PERF401 - a card takes a call less
        return tuple(found)


def decode_frame(frame: Frame) -> Message | Reject:
    """The message in a frame whose checksum was right. Never raises."""
    read = _DECODERS.get(frame.type)
    if read is None:
        return UnknownMessage(type=frame.type, body=frame.body)
    message = read(frame.body)
    if message is None:
        return Reject(reason=RejectReason.BODY, raw=bytes((frame.type,)) + frame.body)
    return message


def _frame_of(message: Message) -> Frame:
    match message:
        case Hello():
            return Frame(type=0x01, body=_hello_body(message))
        case ForeignHello():
            return Frame(type=0x01, body=unsigned(message.version, 1, "version"))
        case Event():
            placed = unsigned(message.number, 4, "number") + unsigned(message.at_ms, 4, "at_ms")
            return Frame(type=0x02, body=placed + encode_event(message.what))
        case Heartbeat():
            counted = unsigned(message.newest, 4, "newest") + unsigned(message.uptime_s, 4, "uptime_s")
            power = unsigned(message.supply_mv, 2, "supply_mv")
            return Frame(type=0x03, body=counted + power + unsigned(message.lamp_percent, 1, "lamp_percent"))
        case Reply():
            return Frame(type=0x04, body=unsigned(message.id, 2, "id") + bytes((message.result.value,)))
        case Resume():
            return Frame(
                type=0x81, body=unsigned(message.boot, 4, "boot") + unsigned(message.after, 4, "after")
            )
        case Ack():
            return Frame(
                type=0x82, body=unsigned(message.boot, 4, "boot") + unsigned(message.number, 4, "number")
            )
        case Command():
            named = unsigned(message.id, 2, "id") + unsigned(message.code, 1, "code")
            return Frame(type=0x83, body=named + message.args)
        case Ping():
            return Frame(type=0x84, body=b"")
        case UnknownMessage():
            return Frame(type=message.type, body=message.body)
        case _:
            assert_never(message)


def _hello_body(hello: Hello) -> bytes:
    if not (hello.serial.isascii() and hello.serial.isprintable()):
        raise NotEncodable(field="serial", limit="printable ASCII characters")
    kind = hello.kind.value if isinstance(hello.kind, DeviceKind) else hello.kind
    return b"".join(
        (
            bytes((VERSION,)),
            unsigned(kind, 1, "kind"),
            unsigned(hello.boot, 4, "boot"),
            *(unsigned(part, 1, "firmware") for part in hello.firmware),
            unsigned(hello.oldest, 4, "oldest"),
            unsigned(hello.newest, 4, "newest"),
            hello.serial.encode("ascii"),
        )
    )


def _hello(body: bytes) -> Hello | ForeignHello | None:
    if body and body[0] != VERSION:
        return ForeignHello(version=body[0])
    serial = body[_HELLO.size :].decode("ascii", errors="replace")
    if len(body) < _HELLO.size or not (serial.isascii() and serial.isprintable()):
        return None
    _, kind, boot, major, minor, patch, oldest, newest = _HELLO.unpack_from(body)
    if boot == 0 or not 1 <= oldest <= newest + 1:
        return None
    return Hello(
        kind=DeviceKind(kind) if kind in {known.value for known in DeviceKind} else kind,
        boot=boot,
        firmware=(major, minor, patch),
        oldest=oldest,
        newest=newest,
        serial=serial,
    )


def _event(body: bytes) -> Event | None:
    if len(body) < _EVENT.size:
        return None
    number, at_ms, code = _EVENT.unpack_from(body)
    if number == 0 or cut_short(code, body[_EVENT.size :]):
        return None
    return Event(number=number, at_ms=at_ms, what=decode_event(code, body[_EVENT.size :]))


def _heartbeat(body: bytes) -> Heartbeat | None:
    if len(body) != _HEARTBEAT.size:
        return None
    newest, uptime_s, supply_mv, lamp_percent = _HEARTBEAT.unpack(body)
    return Heartbeat(newest=newest, uptime_s=uptime_s, supply_mv=supply_mv, lamp_percent=lamp_percent)


def _reply(body: bytes) -> Reply | None:
    if len(body) != _REPLY.size:
        return None
    command_id, result = _REPLY.unpack(body)
    if result not in {known.value for known in ReplyResult}:
        return None
    return Reply(id=command_id, result=ReplyResult(result))


def _resume(body: bytes) -> Resume | None:
    if len(body) != _MARK.size:
        return None
    boot, after = _MARK.unpack(body)
    return Resume(boot=boot, after=after)


def _ack(body: bytes) -> Ack | None:
    if len(body) != _MARK.size:
        return None
    boot, number = _MARK.unpack(body)
    return Ack(boot=boot, number=number)


def _command(body: bytes) -> Command | None:
    if len(body) < _COMMAND.size:
        return None
    command_id, code = _COMMAND.unpack_from(body)
    return Command(id=command_id, code=code, args=body[_COMMAND.size :])


def _ping(body: bytes) -> Ping | None:
    return None if body else Ping()


_DECODERS: Final[dict[int, Callable[[bytes], Message | None]]] = {
    0x01: _hello,
    0x02: _event,
    0x03: _heartbeat,
    0x04: _reply,
    0x81: _resume,
    0x82: _ack,
    0x83: _command,
    0x84: _ping,
}
