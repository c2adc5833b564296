"""Waiting for a device to be plugged in: udev wakes us where there is udev, and we look for ourselves anyway.

Both, because neither is enough: a message of udev's can be lost, and there is none in a container, of a
pseudo-terminal, or on a system without udev. Looking at a path costs microseconds and is done four times a
second; looking at the USB bus costs milliseconds, is done in a thread, and once a second.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from drivers.address import PortAddress, SerialAddress, UsbAddress
from drivers.usb_port import is_plugged

PATH_S: Final = 0.25
BUS_S: Final = 1.0


class PlugMonitor(Protocol):
    """What is used of ``pyudev.Monitor``."""

    def fileno(self) -> int:
        """Readable when something was plugged in or pulled out."""

    def poll(self, timeout: float) -> object:
        """The next event, None when there is none."""


def udev_monitor() -> PlugMonitor | None:
    """Hears what udev has made of plugs, after its rules named them; None where there is no udev."""
    try:
        import pyudev  # noqa: PLC0415 - it loads libudev, which not every system has

        heard = pyudev.Monitor.from_netlink(pyudev.Context(), source="udev")
        heard.filter_by("tty")
        heard.filter_by("usb")
        heard.start()
    except (ImportError, OSError):
        return None
    monitor: PlugMonitor = heard
    return monitor


class Appearance:
    """Waits for one device. For the event loop.

    Args:
        address: which.
        monitor: makes what tells of plugs; called once, at the first wait.
    """

    def __init__(
        self, address: PortAddress, *, monitor: Callable[[], PlugMonitor | None] = udev_monitor
    ) -> None:
        self._address = address
        self._make = monitor
        self._monitor: PlugMonitor | None = None
        self._made = False

    async def wait(self, seconds: float) -> bool:
        """Wait so long, or until the device appears, if it is not there now. True: it did."""
        if await self._there():
            await asyncio.sleep(seconds)
            return False
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        with self._plugs() as plugged:
            while (left := until - loop.time()) > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(left, self._look_s)):
                        await plugged.wait()
                plugged.clear()
                if await self._there():
                    return True
        return False

    def close(self) -> None:
        """Hear no more of plugs; a wait after this begins to hear anew."""
        self._monitor, self._made = None, False

    @property
    def _look_s(self) -> float:
        return BUS_S if isinstance(self._address, UsbAddress) else PATH_S

    async def _there(self) -> bool:
        match self._address:
            case SerialAddress():
                return os.path.exists(self._address.path)  # noqa: ASYNC240, PTH110 - a look, not a read
            case UsbAddress():
                return await asyncio.to_thread(is_plugged, self._address)
            case _:
                return False  # whether a server is there is found out by connecting to it

    @contextlib.contextmanager
    def _plugs(self) -> Iterator[asyncio.Event]:
        """An event that is set whenever something was plugged in."""
        plugged = asyncio.Event()
        if not self._made:
            self._made = True
            self._monitor = self._make()
        monitor = self._monitor
        if monitor is None:
            yield plugged
            return

        def heard() -> None:
            while monitor.poll(0) is not None:
                plugged.set()

        loop = asyncio.get_running_loop()
        loop.add_reader(monitor.fileno(), heard)
        try:
            yield plugged
        finally:
            loop.remove_reader(monitor.fileno())
