"""A device that waits for an answer gets it once what it said is committed, and not before."""

import asyncio
import time
from pathlib import Path

from drivers import CardPassed, DeviceConnected, DeviceSettings, Pump, Report
from sim_devices import PtyPort

EIGHT_OF_SPADES = bytes.fromhex("05 31 44 81 B8 03 34 46")


def test_an_angel_eye_is_acknowledged_once_the_consumer_has_taken_it(tmp_path: Path) -> None:
    async def run() -> None:
        answered, came = bytearray(), asyncio.Event()

        def heard(octets: bytes) -> None:
            answered.extend(octets)
            came.set()

        port = PtyPort(tmp_path / "shoe", heard)
        port.plug()
        settings = DeviceSettings(
            id="shoe",
            url=str(tmp_path / "shoe"),
            protocol="angel_eye",
            options={"acknowledge": True},
        )
        pump = Pump(settings, resume_from=None, monotonic=time.monotonic, random=lambda: 0.5)
        reports: list[Report] = []
        there = asyncio.Event()
        offered = 0

        def take(batch: tuple[Report, ...]) -> bool:
            nonlocal offered
            if isinstance(batch[0], CardPassed):
                offered += 1
                if offered == 1:
                    return False  # the disk refuses: it is not committed
                assert answered == b""
            reports.extend(batch)
            there.set()
            return True

        async with asyncio.timeout(20):
            pumping = asyncio.create_task(pump.run(take))
            await there.wait()
            assert isinstance(reports[0], DeviceConnected)
            port.write(EIGHT_OF_SPADES)
            await came.wait()
            pumping.cancel()
            await asyncio.gather(pumping, return_exceptions=True)
        assert offered == 2
        assert [type(each) for each in reports] == [DeviceConnected, CardPassed]
        assert answered == b"\x06"
        port.unplug()

    asyncio.run(run())
