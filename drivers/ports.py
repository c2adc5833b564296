"""Ports: opened by URL, read and written without blocking, closed at once on loss.

::

    serial:/dev/table-shoe               the driver's own line settings
    serial:/dev/table-shoe?baud=57600    another speed
    /dev/table-shoe                      the same as serial:

pyserial opens and configures the line. From then on the file descriptor is read and written directly, on
the event loop: one ``read`` per readiness and nothing between it and the link.

What opening does beside pyserial's own: DTR and RTS are set before the port opens (pyserial raises both,
which resets some devices); HUPCL is cleared, so closing does not drop DTR; a flock and TIOCEXCL keep
others out, each of which stops programs that the other does not; VMIN is 1, so that an empty read means
"hung up" and never "nothing yet".
"""

import contextlib
import fcntl
import os
import termios
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

import serial

from drivers.errors import BUSY_ERRNOS, PORT_FAILURES, BadUrl, DeviceLost, errno_of, lost, not_opened
from drivers.holders import who_holds

READ_BYTES: Final = 4096
"""One read takes at most this much; a serial line never has more waiting (its kernel buffer is 4096)."""
MAX_PENDING: Final = 16 * 1024
"""Bytes that wait to be written; a device that takes less than we say for that long is lost."""
_WRITE_TIMEOUT_S: Final = 1.0
"""Only for pyserial's own writes, which this module does not use: none may ever block for ever."""
_MAX_BAUD: Final = 4_000_000
_SCHEME: Final = "serial:"
_PTY: Final = "/dev/pts/"
_CFLAG: Final = 2
_CC: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSettings:
    """How a serial line is set. 8 data bits, no parity, 1 stop bit and no flow control throughout."""

    baud: int
    dtr: bool = True
    """Many USB CDC devices send nothing while DTR is low."""
    rts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PortAddress:
    """A parsed device address."""

    url: str
    """As it was written."""
    path: str
    baud: int | None
    """None: the driver's own."""


def parse_url(url: str) -> PortAddress:
    """The address in a device URL.

    Raises:
        BadUrl: with one sentence that says what is wrong and what would be right.
    """
    hint = "Write serial:/dev/NAME or serial:/dev/NAME?baud=115200"
    if url.startswith("/"):
        return PortAddress(url=url, path=url, baud=None)
    if not url.startswith(_SCHEME):
        scheme = url.partition(":")[0] if ":" in url else ""
        what = f"{scheme}: is no kind of port this version opens" if scheme else f"{url!r} is no device URL"
        raise BadUrl(url=url, sentence=what, hint=hint)
    path, _, query = url.removeprefix(_SCHEME).partition("?")
    path = "/" + path.lstrip("/") if path.startswith("//") else path
    if not path.startswith("/") or path == "/":
        raise BadUrl(url=url, sentence=f"{url!r} names no port", hint=hint)
    baud = None
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key != "baud":
            raise BadUrl(url=url, sentence=f"{url!r} has an unknown setting {key!r}", hint=hint)
        if not (value.isascii() and value.isdigit() and 0 < int(value) <= _MAX_BAUD):
            raise BadUrl(url=url, sentence=f"{value!r} in {url!r} is no line speed", hint=hint)
        baud = int(value)
    return PortAddress(url=url, path=path, baud=baud)


class Port:
    """An open port. One owner; not for threads.

    Args:
        address: where it is.
        line: the open pyserial port.
    """

    def __init__(self, address: PortAddress, line: serial.Serial) -> None:
        self.address = address
        self._line = line
        self._fd: int = line.fileno()
        self._pending = bytearray()

    @property
    def fd(self) -> int:
        """The file descriptor, for the event loop."""
        return self._fd

    @property
    def pending(self) -> int:
        """Bytes that wait until the port takes more."""
        return len(self._pending)

    def read(self) -> bytes:
        """What has arrived; empty when nothing has.

        Raises:
            DeviceLost: the port is gone.
        """
        try:
            octets = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except PORT_FAILURES as error:
            raise lost(self.address.url, "reading from", error) from error
        if not octets:
            raise lost(self.address.url, "reading from", None)
        return octets

    def write(self, octets: bytes) -> int:
        """Send what the port takes now and keep the rest; ``b""`` sends what was kept.

        Returns:
            Bytes the port took.

        Raises:
            DeviceLost: the port is gone, or has taken nothing for too long.
        """
        self._pending += octets
        if not self._pending:
            return 0
        try:
            taken = os.write(self._fd, self._pending)
        except BlockingIOError:
            taken = 0
        except PORT_FAILURES as error:
            raise lost(self.address.url, "writing to", error) from error
        del self._pending[:taken]
        if len(self._pending) > MAX_PENDING:
            raise lost(self.address.url, "writing to", TimeoutError("the device takes nothing"))
        return taken

    def close(self) -> None:
        """Close at once: a descriptor held open makes the device come back under another name."""
        with contextlib.suppress(*PORT_FAILURES):
            self._line.close()


def open_port(address: PortAddress, settings: LineSettings) -> Port:
    """Open and configure a port. May block: not for the event loop.

    Raises:
        DeviceLost: or its kin ``DeviceAbsent``, ``DeviceBusy``, ``NoPermission``.
    """
    line = serial.Serial(port=None, exclusive=True, timeout=0, write_timeout=_WRITE_TIMEOUT_S)
    try:
        line.baudrate = address.baud or settings.baud
        line.dtr = settings.dtr
        line.rts = settings.rts
        line.port = address.path
        line.open()
        _claim(line.fileno())
    except PORT_FAILURES as error:
        with contextlib.suppress(*PORT_FAILURES):
            line.close()
        raise _explain(address, error) from error
    return Port(address, line)


def _claim(fd: int) -> None:
    attributes = termios.tcgetattr(fd)
    attributes[_CFLAG] &= ~termios.HUPCL
    attributes[_CC][termios.VMIN] = 1
    termios.tcsetattr(fd, termios.TCSANOW, attributes)
    if not os.ttyname(fd).startswith(_PTY):
        # A pty outlives its last close, and the mark with it: after a crash nobody could ever open it again.
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _explain(address: PortAddress, error: BaseException) -> DeviceLost:
    taken = errno_of(error) in BUSY_ERRNOS
    holders = ", ".join(str(holder) for holder in who_holds(address.path)) if taken else ""
    return not_opened(address.url, address.path, holders, error)
