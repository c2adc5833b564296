"""A device that waits for an answer gets it once what it said is committed, and not before."""

import asyncio
import time
from contextlib import aclosing
from pathlib import Path

from drivers import CardPassed, DeviceConnected, DeviceSettings, Pump
from sim_devices import PtyPort

EIGHT_OF_SPADES = bytes.fromhex("05 31 44 81 B8 03 34 46")


def test_an_angel_eye_is_acknowledged_when_the_consumer_comes_back(tmp_path: Path) -> None:
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
        async with asyncio.timeout(20), aclosing(pump.batches()) as batches:
            (connected,) = await anext(batches)
            assert isinstance(connected, DeviceConnected)
            port.write(EIGHT_OF_SPADES)
            (card,) = await anext(batches)
            assert isinstance(card, CardPassed)
            await asyncio.sleep(0.1)
            assert answered == b""
            following = asyncio.create_task(anext(batches))
            await came.wait()
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        assert answered == b"\x06"
        port.unplug()

    asyncio.run(run())
