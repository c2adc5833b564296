"""Ports: opened by URL, read and written without blocking, closed at once on loss.

What a port is: a descriptor that becomes readable when there is something to read, whatever is behind it. A
serial port or a TCP connection is one itself; a USB device or an RFC 2217 server is read by a thread.
"""

from typing import Protocol, assert_never

from drivers.address import PortAddress, Rfc2217Address, SerialAddress, SocketAddress, UsbAddress
from drivers.device_server import open_rfc2217, open_socket
from drivers.kernel_counts import LineErrors
from drivers.line import LineSettings
from drivers.serial_line import open_serial
from drivers.usb_port import open_usb


class Port(Protocol):
    """An open port. One owner, on the event loop."""

    @property
    def fd(self) -> int:
        """Readable when there is something to ``read``."""

    @property
    def pending(self) -> int:
        """Bytes that wait until ``fd`` is writable."""

    @property
    def serial(self) -> str | None:
        """The serial number of what is plugged in, where the port knows it."""

    def read(self) -> bytes:
        """What has arrived; empty when nothing has. Raises ``DeviceLost``."""

    def write(self, octets: bytes) -> int:
        """Send what the port takes now, keep the rest; ``b""`` sends what was kept. Raises ``DeviceLost``."""

    def line_errors(self) -> LineErrors | None:
        """What the kernel counted on this line; None where it counts nothing."""

    def close(self) -> None:
        """Close, without waiting. Never raises."""

    def wait_closed(self, timeout_s: float) -> bool:
        """Block until it is. False: it was not within this time."""


def open_port(address: PortAddress, settings: LineSettings) -> Port:
    """Open and configure a port. May block: not for the event loop.

    Raises:
        DeviceLost: or its kin ``DeviceAbsent``, ``DeviceBusy``, ``NoPermission``, ``WrongDevice``.
    """
    match address:
        case SerialAddress():
            return open_serial(address, settings)
        case SocketAddress():
            return open_socket(address)
        case Rfc2217Address():
            return open_rfc2217(address, settings)
        case UsbAddress():
            return open_usb(address)
        case _:
            assert_never(address)
