"""A simulated USB device: on a bus that is a folder, to be plugged in and pulled out.

A plugged device is a file in the folder, named by its port as the kernel would, ``1-1.2``; it says what the
device's descriptors would say, and where the device listens: a socket that keeps transfers apart
(SOCK_SEQPACKET, in Linux's abstract space). ``usb_backend`` is the other side of it, in this program or in
another: the machines that tests run on have no USB at all.
"""

import asyncio
import contextlib
import json
import secrets
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from sim_devices.errors import CableState

BULK_BYTES: Final = 4096
REPORT_BYTES: Final = 64
CLAIMED: Final = b"\x01"
TAKEN: Final = b"\x00"


class UsbClass(Enum):
    """What its interface is."""

    VENDOR_BULK = "vendor_bulk"
    """A vendor's, with one bulk endpoint each way."""
    HID = "hid"
    """A HID device with one interrupt endpoint, 64 bytes a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbIdentity:
    """What its descriptors say, and how the system holds it."""

    vendor: int = 0x1209
    product: int = 0x0001
    serial: str | None = "TE-0042"
    """None: its descriptor has none."""
    interface: UsbClass = UsbClass.VENDOR_BULK
    permitted: bool = True
    """False: this user may see it and not open it."""
    kernel_driver: bool = False
    """A driver of the kernel has the interface at first, as usbhid has a scanner's."""
    configured: bool = True
    """False: nobody has set a configuration yet."""


class UsbPort:
    """A device's end of its USB cable. All methods are for the event loop it was plugged in on.

    Args:
        name: the file that stands for the port, in the folder that stands for the bus.
        receive: called with every transfer that arrives.
        identity: what is plugged in.
    """

    def __init__(self, name: Path, receive: Callable[[bytes], None], identity: UsbIdentity) -> None:
        self.name = name
        self._receive = receive
        self._identity = identity
        self._size = BULK_BYTES if identity.interface is UsbClass.VENDOR_BULK else REPORT_BYTES
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listening: socket.socket | None = None
        self._host: socket.socket | None = None
        self._cut_after: int | None = None

    @property
    def plugged(self) -> bool:
        """It is on the bus."""
        return self._listening is not None

    def plug(self) -> None:
        """Appear on the bus.

        Raises:
            CableState: it is plugged already.
        """
        if self._listening is not None:
            raise CableState(f"{self.name} is plugged in already")
        self._loop = asyncio.get_running_loop()
        where = f"table-edge-usb-{secrets.token_hex(8)}"
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listening.setblocking(False)
        listening.bind("\0" + where)
        listening.listen()
        self._listening = listening
        self._loop.add_reader(listening, self._claimed)
        said = asdict(self._identity) | {"interface": self._identity.interface.value, "where": where}
        fresh = self.name.with_name(f".{self.name.name}.new")
        fresh.write_text(json.dumps(said), encoding="utf-8")
        fresh.replace(self.name)

    def unplug(self) -> None:
        """Disappear from the bus. Unplugging twice does nothing."""
        self.name.unlink(missing_ok=True)
        self._let_go()
        listening, self._listening = self._listening, None
        if listening is not None:
            self._forget(listening)
        self._cut_after = None

    def unplug_after(self, octets: int) -> None:
        """Unplug as soon as that many more bytes were written: in the middle of a frame, for one."""
        self._cut_after = octets

    def write(self, octets: bytes) -> None:
        """Send. Never blocks; while nobody has claimed it, or the host takes nothing, bytes are lost."""
        cut = self._cut_after is not None and len(octets) >= self._cut_after
        if cut:
            octets = octets[: self._cut_after]
        elif self._cut_after is not None:
            self._cut_after -= len(octets)
        if self._host is not None:
            with contextlib.suppress(OSError):
                for at in range(0, len(octets), self._size):
                    self._host.send(octets[at : at + self._size])
        if cut:
            self.unplug()

    def _claimed(self) -> None:
        if self._listening is None or self._loop is None:
            return
        host, _ = self._listening.accept()
        if self._host is not None:
            host.send(TAKEN)
            host.close()
            return
        host.setblocking(False)
        host.send(CLAIMED)
        self._host = host
        self._loop.add_reader(host, self._readable)

    def _readable(self) -> None:
        if self._host is None:
            return
        try:
            octets = self._host.recv(BULK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            octets = b""
        if octets:
            self._receive(octets)
        else:
            self._let_go()

    def _let_go(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            self._forget(host)

    def _forget(self, line: socket.socket) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(line)
        line.close()
