"""Serial device servers: a serial port at the far end of a network cable.

``socket://`` is raw TCP. It is opened by Python's own socket: pyserial's class throws away what has already
come when it opens, sleeps 0.3 s on closing, and keeps the descriptor when a shutdown fails. ``rfc2217://`` is
pyserial's, which speaks the telnet options that set the line; it has no descriptor to wait for, so a thread
reads it.

A network cable that is pulled says nothing. So TCP itself asks: after 10 s without traffic every 5 s, and
what is not acknowledged within 15 s ends the connection. A scanner that is quiet for hours is not disturbed.
"""

import contextlib
import queue
import socket
import threading
from typing import Final

from serial import rfc2217

from drivers.address import Rfc2217Address, SocketAddress
from drivers.descriptor_port import DescriptorPort
from drivers.errors import PORT_FAILURES, no_server
from drivers.line import LineSettings
from drivers.serial_line import set_line
from drivers.threaded_port import ThreadedPort

CONNECT_S: Final = 5.0
NEGOTIATION_S: Final = 3.0
"""How long a server may take over the telnet options."""
DRAIN_S: Final = 0.02
MAX_WAITING: Final = 64 * 1024
"""Bytes between pyserial's thread and ours."""
READ_S: Final = 0.25
KEEPALIVE_IDLE_S: Final = 10
KEEPALIVE_EVERY_S: Final = 5
KEEPALIVE_PROBES: Final = 3
UNACKNOWLEDGED_MS: Final = 15_000


def open_socket(address: SocketAddress) -> DescriptorPort:
    """Connect. May block for seconds: not for the event loop.

    Raises:
        DeviceAbsent: the server cannot be reached.
    """
    try:
        line = socket.create_connection((address.host, address.port), timeout=CONNECT_S)
    except OSError as error:
        raise no_server(address.url, address.place, error) from error
    _stay_in_touch(line)
    line.setblocking(False)
    return DescriptorPort(address.url, line.fileno(), close=line.close)


def _stay_in_touch(line: socket.socket) -> None:
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_EVERY_S)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_PROBES)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)


class _Line(rfc2217.Serial):
    """pyserial's, kept alive by TCP, closed even where a shutdown fails, and not to be talked to death.

    Its thread ends by an exception when a server says telnet nonsense, and its queue has no bound: here that
    thread's end is the connection's, and a full queue makes the server wait.
    """

    _socket: socket.socket | None
    _thread: threading.Thread | None
    _read_buffer: "queue.Queue[bytes | None] | None"

    def open(self) -> None:
        super().open()
        if self._socket is not None:
            _stay_in_touch(self._socket)

    def close(self) -> None:
        self.is_open = False
        line, reading, waiting = self._socket, self._thread, self._read_buffer
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        while reading is not None and reading.is_alive() and waiting is not None:
            with contextlib.suppress(queue.Empty):  # it may wait for room
                while True:
                    waiting.get_nowait()
            reading.join(DRAIN_S)
        super().close()
        if line is not None:
            line.close()

    def _telnet_read_loop(self) -> None:
        waiting: queue.Queue[bytes | None] = queue.Queue(maxsize=MAX_WAITING)
        self._read_buffer = waiting
        # whatever a server can cause; the channel's next read finds the thread gone, and says so
        with contextlib.suppress(Exception):
            super()._telnet_read_loop()  # type: ignore[misc]  # not in the stubs
        with contextlib.suppress(queue.Full):
            waiting.put_nowait(None)


class _Rfc2217Channel:
    """An RFC 2217 port, for a reader and a writer thread."""

    serial: str | None = None

    def __init__(self, line: _Line) -> None:
        self._line = line

    def read(self) -> bytes:
        first = self._line.read(1)
        return first + self._line.read(self._line.in_waiting) if first else b""

    def write(self, octets: bytes) -> None:
        self._line.write(octets)

    def close(self) -> None:
        self._line.close()


def open_rfc2217(address: Rfc2217Address, settings: LineSettings) -> ThreadedPort:
    """Connect and set the line. May block for seconds: not for the event loop.

    Raises:
        DeviceAbsent: the server cannot be reached, or does not speak RFC 2217.
    """
    line = _Line(timeout=READ_S)
    try:
        set_line(line, address.line.over(settings))
        host = f"[{address.host}]" if ":" in address.host else address.host
        line.port = f"rfc2217://{host}:{address.port}?timeout={NEGOTIATION_S}"
        line.open()
    except (*PORT_FAILURES, NotImplementedError) as error:  # the last: a setting RFC 2217 has no word for
        with contextlib.suppress(*PORT_FAILURES):
            line.close()
        raise no_server(address.url, address.place, error) from error
    return ThreadedPort(address.url, _Rfc2217Channel(line))
