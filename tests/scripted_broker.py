"""A broker that misbehaves on command: real sockets, MQTT 5 on the wire, and a script instead of manners.

It answers as a broker would unless a :class:`Script` says otherwise: what CONNACK says and when, which
publishes get which PUBACK or none, what a SUBACK grants. It writes down what it received, in order.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

CONNECT: Final = 0x10
CONNACK: Final = 0x20
PUBLISH: Final = 0x30
PUBACK: Final = 0x40
SUBSCRIBE: Final = 0x80
SUBACK: Final = 0x90
PINGREQ: Final = 0xC0
PINGRESP: Final = 0xD0
DISCONNECT: Final = 0xE0

QOS_1: Final = 0x02
RETAIN: Final = 0x01
SUCCESS: Final = 0x00


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A PUBLISH the broker received."""

    connection: int
    topic: str
    payload: bytes
    mid: int
    retained: bool


@dataclass(slots=True, kw_only=True)
class Script:
    """How to misbehave. ``connection`` counts from 1."""

    connack: Callable[[int], int | None] = lambda _connection: SUCCESS
    """The reason code of CONNACK; None: none is sent."""
    connack_delay_s: float = 0.0
    puback: Callable[[Published], int | None] = lambda _published: SUCCESS
    """The reason code of PUBACK; None: none is sent."""
    suback: Callable[[str], int] = lambda _topic: 0x01
    receive_maximum: int | None = None
    session_present: bool = False


@dataclass(slots=True)
class ScriptedBroker:
    """``with ScriptedBroker(Script(...)) as broker:`` listens on ``broker.port``."""

    script: Script = field(default_factory=Script)
    published: list[Published] = field(default_factory=list)
    acknowledged: list[tuple[int, int]] = field(default_factory=list)
    """(connection, packet id) of each PUBACK received, in order."""
    subscribed: list[tuple[int, str]] = field(default_factory=list)
    connects: list[bytes] = field(default_factory=list)
    """Each CONNECT's body."""
    connections: int = 0
    goodbyes: int = 0
    """DISCONNECTs received."""
    _server: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _clients: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _closing: bool = False

    @property
    def port(self) -> int:
        port: int = self._server.getsockname()[1]
        return port

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        # wakes accept()
        socket.create_connection(("127.0.0.1", self.port)).close()
        self.hang_up()
        for thread in self._threads:
            thread.join(timeout=5)
        self._server.close()

    def on(self, topic: str) -> list[Published]:
        return [published for published in list(self.published) if published.topic == topic]

    def hang_up(self) -> None:
        """Cut every connection."""
        for client in list(self._clients):
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def disconnect(self, code: int) -> None:
        """Say DISCONNECT with a reason on every connection, and cut it."""
        self.send(bytes([DISCONNECT, 2, code, 0]))
        self.hang_up()

    def deliver(self, topic: str, payload: bytes, *, mid: int, properties: bytes = b"") -> None:
        """PUBLISH, QoS 1, on every connection."""
        body = _text(topic) + struct.pack("!H", mid) + _length(len(properties)) + properties + payload
        self.send(bytes([PUBLISH | QOS_1]) + _length(len(body)) + body)

    def send(self, packet: bytes) -> None:
        """Any bytes, on every connection."""
        for client in list(self._clients):
            try:
                client.sendall(packet)
            except OSError:
                continue

    def _spawn(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            client, _ = self._server.accept()
            if self._closing:
                client.close()
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            self._spawn(self._serve, client, self.connections)

    def _serve(self, client: socket.socket, connection: int) -> None:
        stream = client.makefile("rb")
        try:
            while packet := _read_packet(stream.read):
                self._take(client, connection, *packet)
        except OSError:
            pass
        finally:
            if client in self._clients:
                self._clients.remove(client)
            stream.close()
            client.close()

    def _take(self, client: socket.socket, connection: int, head: int, body: bytes) -> None:
        match head & 0xF0:
            case 0x10:
                self._connect(client, connection, body)
            case 0x30:
                self._publish(client, connection, head, body)
            case 0x40:
                self.acknowledged.append((connection, struct.unpack("!H", body[:2])[0]))
            case 0x80:
                self._subscribe(client, connection, body)
            case 0xC0:
                client.sendall(bytes([PINGRESP, 0]))
            case 0xE0:
                self.goodbyes += 1
                client.shutdown(socket.SHUT_RDWR)
            case _:
                pass

    def _connect(self, client: socket.socket, connection: int, body: bytes) -> None:
        self.connects.append(body)
        code = self.script.connack(connection)
        if self.script.connack_delay_s:
            time.sleep(self.script.connack_delay_s)
        if code is None:
            return
        maximum = self.script.receive_maximum
        properties = b"" if maximum is None else b"\x21" + struct.pack("!H", maximum)
        said = bytes([int(self.script.session_present and not code), code, len(properties)]) + properties
        self._clients.append(client)
        client.sendall(bytes([CONNACK, len(said)]) + said)
        if code:
            client.shutdown(socket.SHUT_RDWR)

    def _publish(self, client: socket.socket, connection: int, head: int, body: bytes) -> None:
        topic, rest = _read_text(body)
        mid = 0
        if head & QOS_1:
            mid, rest = struct.unpack("!H", rest[:2])[0], rest[2:]
        length, rest = _read_length(rest)
        published = Published(
            connection=connection,
            topic=topic,
            payload=rest[length:],
            mid=mid,
            retained=bool(head & RETAIN),
        )
        self.published.append(published)
        code = self.script.puback(published) if mid else None
        if code is not None:
            client.sendall(bytes([PUBACK, 4]) + struct.pack("!HBB", mid, code, 0))

    def _subscribe(self, client: socket.socket, connection: int, body: bytes) -> None:
        mid, rest = body[:2], body[2:]
        length, rest = _read_length(rest)
        rest = rest[length:]
        codes = bytearray()
        while rest:
            topic, rest = _read_text(rest)
            rest = rest[1:]
            self.subscribed.append((connection, topic))
            codes.append(self.script.suback(topic))
        said = mid + b"\0" + bytes(codes)
        client.sendall(bytes([SUBACK, len(said)]) + said)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("!H", len(encoded)) + encoded


def _read_text(body: bytes) -> tuple[str, bytes]:
    (length,) = struct.unpack("!H", body[:2])
    return body[2 : 2 + length].decode(), body[2 + length :]


def _length(number: int) -> bytes:
    encoded = bytearray()
    while True:
        number, digit = divmod(number, 128)
        encoded.append(digit | (0x80 if number else 0))
        if not number:
            return bytes(encoded)


def _read_length(body: bytes) -> tuple[int, bytes]:
    number = 0
    for index, digit in enumerate(body):
        number |= (digit & 0x7F) << (7 * index)
        if not digit & 0x80:
            return number, body[index + 1 :]
    return number, b""


def _read_packet(read: Callable[[int], bytes]) -> tuple[int, bytes] | None:
    head = read(1)
    if not head:
        return None
    number, shift = 0, 0
    while True:
        digit = read(1)
        if not digit:
            return None
        number |= (digit[0] & 0x7F) << shift
        shift += 7
        if not digit[0] & 0x80:
            return head[0], read(number)
