import asyncio
import termios
from pathlib import Path

import pytest
import serial

from sim_devices import CableState, PtyPort


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def plugged(port: PtyPort) -> bool:
    return port.plugged


def test_what_pyserial_writes_arrives_and_the_other_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        heard = bytearray()
        port = PtyPort(tmp_path / "shoe", heard.extend)
        port.plug()
        with serial.Serial(str(port.name), exclusive=True, timeout=1) as line:
            every_octet = bytes(range(256))
            line.write(every_octet)
            await asyncio.sleep(0.05)
            assert bytes(heard) == every_octet
            port.write(every_octet)
            assert line.read(256) == every_octet
        port.unplug()

    asyncio.run(scenario())


def test_unplugging_gives_what_a_real_unplug_gives(tmp_path: Path) -> None:
    async def scenario() -> None:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        port.plug()
        with serial.Serial(str(port.name), timeout=0.1) as line:
            port.unplug()
            with pytest.raises(serial.SerialException):
                line.read(1)
            with pytest.raises(OSError, match="Input/output error"):
                _ = line.in_waiting
            with pytest.raises(termios.error):
                line.reset_input_buffer()
        assert not port.name.is_symlink()

    asyncio.run(scenario())


def test_plugged_in_again_it_has_the_same_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        heard: list[bytes] = []
        port = PtyPort(tmp_path / "shoe", heard.append)
        for _ in range(3):
            port.plug()
            with serial.Serial(str(port.name)) as line:
                line.write(b"x")
                await asyncio.sleep(0.02)
            port.unplug()
        assert heard == [b"x"] * 3

    asyncio.run(scenario())


def test_it_can_be_pulled_out_in_mid_frame(tmp_path: Path) -> None:
    async def scenario() -> None:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        port.plug()
        port.unplug_after(5)
        port.write(b"abc")
        assert plugged(port)
        port.write(b"defgh")
        assert not plugged(port)
        port.write(b"into the air")

    asyncio.run(scenario())


def test_a_cable_is_plugged_in_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        port.unplug()
        port.plug()
        with pytest.raises(CableState):
            port.plug()
        port.unplug()
        port.unplug()

    asyncio.run(scenario())


def test_a_far_end_that_never_reads_costs_no_memory_and_no_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        port.plug()
        for _ in range(1000):
            port.write(bytes(1000))
        await asyncio.sleep(0.01)
        port.unplug()

    asyncio.run(scenario())


def test_no_descriptor_is_left(tmp_path: Path) -> None:
    async def scenario() -> int:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        before = open_descriptors()
        for _ in range(20):
            port.plug()
            port.unplug()
        return open_descriptors() - before

    assert asyncio.run(scenario()) == 0
