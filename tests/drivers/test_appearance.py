"""A device that is plugged in is noticed: by udev's word, and by looking where there is no udev."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from drivers import parse_url, use_backend
from drivers.appearance import Appearance, udev_monitor
from sim_devices import SimulatedBus, UsbIdentity, UsbPort


class Udev:
    """Says that something was plugged in."""

    def __init__(self) -> None:
        self._fd = os.eventfd(0, os.EFD_NONBLOCK)

    def plugged(self) -> None:
        os.eventfd_write(self._fd, 1)

    def fileno(self) -> int:
        return self._fd

    def poll(self, timeout: float) -> object:
        try:
            return os.eventfd_read(self._fd)
        except BlockingIOError:
            return None

    def close(self) -> None:
        os.close(self._fd)


def test_udevs_word_is_heard_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.appearance.PATH_S", 60.0)  # looking alone would take too long
    udev, path = Udev(), tmp_path / "shoe"

    async def run() -> None:
        appearance = Appearance(parse_url(str(path)), monitor=lambda: udev)
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, udev.plugged)  # something else was plugged in
        loop.call_later(0.10, path.touch)
        loop.call_later(0.11, udev.plugged)
        async with asyncio.timeout(5):
            assert await appearance.wait(30)

    asyncio.run(run())
    udev.close()


def test_where_there_is_no_udev_it_is_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "shoe"

    async def run() -> None:
        appearance = Appearance(parse_url(str(path)), monitor=lambda: None)
        asyncio.get_running_loop().call_later(0.05, path.touch)
        async with asyncio.timeout(5):
            assert await appearance.wait(30)
        assert not await appearance.wait(0.01)  # it is there already: nothing appears

    asyncio.run(run())


def test_a_usb_device_is_looked_for_on_its_bus(tmp_path: Path) -> None:
    use_backend(SimulatedBus(tmp_path))

    async def run() -> None:
        device = UsbPort(tmp_path / "1-1.2", lambda _: None, UsbIdentity())
        udev = Udev()
        appearance = Appearance(parse_url("usb:1209:0001"), monitor=lambda: udev)
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, device.plug)
        loop.call_later(0.06, udev.plugged)
        async with asyncio.timeout(5):
            assert await appearance.wait(30)
        device.unplug()
        udev.close()

    try:
        asyncio.run(run())
    finally:
        use_backend(None)


def test_a_device_server_is_only_waited_for() -> None:
    async def run() -> None:
        began = time.monotonic()
        assert not await Appearance(parse_url("socket://10.0.0.1:4001"), monitor=lambda: None).wait(0.05)
        assert time.monotonic() - began >= 0.04

    asyncio.run(run())


def test_the_real_udev_can_be_listened_to_or_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = udev_monitor()
    if monitor is not None:
        assert monitor.poll(0) is None
    monkeypatch.setattr("pyudev.Context", _no_libudev)
    assert udev_monitor() is None


def _no_libudev() -> None:
    raise ImportError("No library named udev")
