"""Opening a serial port of this computer.

pyserial opens and configures the line; from then on the descriptor is read and written directly. What is done
beside pyserial's own: DTR and RTS are set before the port opens (pyserial raises both, which resets some
devices); HUPCL is cleared, so closing does not drop DTR; a flock and TIOCEXCL keep others out, each of which
stops programs that the other does not; VMIN is 1, so that an empty read means "hung up" and never "nothing
yet"; the kernel is asked to hand on each byte at once.
"""

import contextlib
import fcntl
import os
import termios
from typing import Final

import serial

from drivers.address import SerialAddress
from drivers.descriptor_port import DescriptorPort
from drivers.errors import BUSY_ERRNOS, PORT_FAILURES, DeviceBusy, DeviceLost, errno_of, in_use, not_opened
from drivers.holders import takers, told_holders, who_holds
from drivers.kernel_counts import line_errors
from drivers.line import LineSettings

_WRITE_TIMEOUT_S: Final = 1.0
"""Only for pyserial's own writes, which are not used: none may ever block for ever."""
_PTY_MAJORS: Final = range(136, 144)
"""Device numbers of pseudo-terminals, whatever a container calls them (Linux, admin-guide/devices.txt)."""
_CFLAG: Final = 2
_CC: Final = 6


def open_serial(address: SerialAddress, settings: LineSettings) -> DescriptorPort:
    """Open and configure a port. May block: not for the event loop.

    Raises:
        DeviceLost: or its kin ``DeviceAbsent``, ``DeviceBusy``, ``NoPermission``.
    """
    line = serial.Serial(port=None, exclusive=True, timeout=0, write_timeout=_WRITE_TIMEOUT_S)
    try:
        set_line(line, address.line.over(settings))
        line.port = address.path
        line.open()
        _claim(line.fileno())
        _alone(address, line.fileno())
    except DeviceBusy:
        line.close()
        raise
    except PORT_FAILURES as error:
        with contextlib.suppress(*PORT_FAILURES):
            line.close()
        raise _explain(address, error) from error
    if address.line.over(settings).low_latency:
        # ValueError: the port has no such mode (a pseudo-terminal, a driver without it);
        # NotImplementedError: pyserial knows none on this system
        with contextlib.suppress(*PORT_FAILURES, NotImplementedError):
            line.set_low_latency_mode(True)
    fd = line.fileno()
    return DescriptorPort(address.url, fd, close=line.close, errors=lambda: line_errors(fd))


def set_line(line: serial.SerialBase, wanted: LineSettings) -> None:
    """Set a port that is not open yet."""
    line.baudrate = wanted.baud
    line.bytesize = wanted.bits
    line.parity = wanted.parity
    line.stopbits = wanted.stop
    line.dtr = wanted.dtr
    line.rts = wanted.rts


def _claim(fd: int) -> None:
    attributes = termios.tcgetattr(fd)
    attributes[_CFLAG] &= ~termios.HUPCL
    attributes[_CC][termios.VMIN] = 1
    termios.tcsetattr(fd, termios.TCSANOW, attributes)
    if not _is_pty(fd):
        # A pty outlives its last close, and the mark with it: after a crash nobody could ever open it again.
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _alone(address: SerialAddress, fd: int) -> None:
    """Refuse a port that somebody opened before us: whoever reads beside us takes bytes, and so cards, away.

    The far end of a pseudo-terminal is a program that holds it open, and no thief.
    """
    if _is_pty(fd):
        return
    others = tuple(holder for holder in who_holds(address.path) if holder.pid != os.getpid())
    if others:
        raise in_use(address.url, address.path, told_holders(others))


def _is_pty(fd: int) -> bool:
    return os.major(os.fstat(fd).st_rdev) in _PTY_MAJORS


def _explain(address: SerialAddress, error: BaseException) -> DeviceLost:
    if errno_of(error) in BUSY_ERRNOS:
        holders = told_holders(who_holds(address.path), suspected=takers())
        return in_use(address.url, address.path, holders)
    return not_opened(address.url, address.path, error)
