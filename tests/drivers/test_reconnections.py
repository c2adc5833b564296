"""Connections by the hundred leave nothing behind: no descriptor, no thread, no memory.

A seeded share of ``scripts/long cables``, which does a thousand of each.
"""

import asyncio
import gc
import random
import threading
import tracemalloc
from pathlib import Path
from typing import Final

import pytest

from drivers import DeviceSettings, EventsMissed, use_backend
from sim_devices import ShoeContents, ShoeSettings, SimulatedBus, SimulatedShoe, UsbIdentity
from tests.drivers.reading import Reading, open_descriptors

GROWTH: Final = 200_000
"""Bytes that Python's own memory may grow: caches, and the reports that the test itself keeps."""


def settings_of(folder: Path, transport: str) -> tuple[DeviceSettings, ShoeSettings]:
    if transport == "usb":
        bus = folder / "bus"
        bus.mkdir()
        use_backend(SimulatedBus(bus))
        shoe = ShoeSettings(port=bus / "1-1.2", usb=UsbIdentity())
        return DeviceSettings(id="shoe", url="usb:1209:0001"), shoe
    return DeviceSettings(id="shoe", url=str(folder / "shoe")), ShoeSettings(port=folder / "shoe")


async def reconnect(folder: Path, transport: str, times: int, seed: int) -> None:
    device, settings = settings_of(folder, transport)
    chance = random.Random(seed)
    reading = Reading(device)
    shoe = SimulatedShoe(settings, ShoeContents.written("7s " * 1000))
    before: tuple[int, int, int] | None = None
    async with shoe, reading.running():
        for turn in range(times):
            await reading.until(lambda: reading.pump.connected)
            if turn == min(20, times // 3):  # pools and caches have their size by now
                before = _held()
            drawn = turn % 5 == 0 and shoe.remaining > 0
            if drawn:
                shoe.draw()
            shoe.unplug_after(chance.randint(1, 30)) if chance.random() < 0.5 else shoe.unplug()
            shoe.unplug()
            await reading.until(lambda: not reading.pump.connected)
            shoe.replug()
        await reading.until(lambda: reading.pump.connected and len(reading.cards) == shoe.drawn)
        assert reading.of(EventsMissed) == []
        reading.reports.clear()
        after = _held()
        assert before is not None
        assert after[0] <= before[0] + 1, "descriptors"
        assert after[1] <= before[1] + 1, "threads"
        assert after[2] <= before[2] + GROWTH, "memory"


def _held() -> tuple[int, int, int]:
    gc.collect()
    memory, _peak = tracemalloc.get_traced_memory()
    return open_descriptors(), threading.active_count(), memory


@pytest.mark.parametrize("transport", ["serial", "usb"])
def test_reconnections_leave_nothing_behind(tmp_path: Path, transport: str) -> None:
    run(tmp_path, transport, times=60, seed=1)


def run(folder: Path, transport: str, *, times: int, seed: int) -> None:
    tracemalloc.start()
    try:
        asyncio.run(reconnect(folder, transport, times, seed))
    finally:
        tracemalloc.stop()
        use_backend(None)
