"""Cables cut at every byte and put back: a round goes on where numbers tell, else its cut is told."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from drivers import (
    Absence,
    CardPassed,
    CommandAnswered,
    DeviceConnected,
    DeviceDisconnected,
    DeviceSettings,
    EventsMissed,
    UnknownReported,
)
from firmware_protocols import (
    DeviceKind,
    Frame,
    UnknownEvent,
    encode_code,
    encode_frame,
)
from sim_devices import PtyPort, ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import ForeignFirmware, Scanner
from tests.drivers.reading import Reading
from tests.firmware_protocols.codes import PLAIN

ROUND: Final = "As Kd 9h 2c Td 3s"
"""Six cards: about 110 bytes of frames."""
OCTETS: Final = 120


async def a_round_cut_at(octets: int, shoe: SimulatedShoe, reading: Reading) -> None:
    """Deal a round whose cable is cut after so many bytes, put back, and goes on."""
    seen, drawn = len(reading.cards), []
    shoe.load(ShoeContents.written(ROUND))
    shoe.unplug_after(octets)
    for _ in range(6):
        drawn.append(shoe.draw().value)
        await asyncio.sleep(0)
    if shoe.plugged:  # more bytes than the round has: cut it by hand
        shoe.unplug()
    await reading.until(lambda: not reading.pump.connected)
    shoe.replug()
    await reading.until(lambda: len(reading.cards) == seen + 6)
    assert reading.cards[seen:] == drawn, f"cut after {octets} bytes"


def test_a_numbered_round_goes_on_wherever_its_cable_is_cut(tmp_path: Path) -> None:
    """Every third offset here, every one in ``scripts/long cables``."""
    asyncio.run(every_offset(tmp_path, range(1, OCTETS, 3)))


async def every_offset(tmp_path: Path, offsets: range) -> None:
    reading = Reading(DeviceSettings(id="shoe", url=str(tmp_path / "shoe")))
    shoe = SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written(ROUND))
    async with shoe, reading.running():
        await reading.until(lambda: reading.pump.connected)
        for octets in offsets:
            await a_round_cut_at(octets, shoe, reading)
            await reading.until(lambda: reading.pump.connected)
        assert reading.of(EventsMissed) == []
        assert reading.pump.counters.reconnects == len(offsets)


def test_an_unnumbered_rounds_cut_is_told_wherever_it_is_and_no_card_is_made_up(tmp_path: Path) -> None:
    """Before each card that may be missing stands a disconnection: the table knows where it cannot know."""
    codes = tmp_path / "codes.csv"
    codes.write_text(PLAIN, encoding="utf-8")

    def end(boot: int, now: float) -> FarEnd:
        return Scanner(boot=boot, now=now, code_of=lambda scan, _: _code(scan), encode=encode_code)

    async def run() -> None:
        settings = DeviceSettings(
            id="shoe",
            url=str(tmp_path / "shoe"),
            protocol="barcode",
            kind="scanner",
            options={"code_table": str(codes)},
        )
        reading = Reading(settings)
        shoe = SimulatedShoe(ShoeSettings(port=tmp_path / "shoe", end=end), ShoeContents.written(ROUND))
        truth = ROUND.split()
        async with shoe, reading.running():
            await reading.until(lambda: reading.pump.connected)
            for octets in range(1, 18):
                told = len(reading.reports)
                shoe.load(ShoeContents.written(ROUND))
                shoe.unplug_after(octets)
                for _ in range(6):
                    shoe.draw()
                    await asyncio.sleep(0.001)
                await reading.until(lambda: not reading.pump.connected)
                shoe.replug()
                await reading.until(lambda: reading.pump.connected)
                round_ = reading.reports[told:]
                before = [each for each in round_ if isinstance(each, CardPassed)]
                assert [str(each.card and each.card.turned()) for each in before] == truth[: len(before)]
                assert len(before) <= octets // 3
                kinds = [type(each) for each in round_ if not isinstance(each, CardPassed)]
                assert kinds == [DeviceDisconnected, DeviceConnected]

    asyncio.run(run())


def _code(scan: object) -> str:
    card = getattr(scan, "card", None)
    return "CUT" if card is None else str(card.turned())


# --- what belongs somewhere else


@pytest.mark.parametrize(
    ("settings", "wanted", "found"),
    [
        (ShoeSettings(port=Path("shoe"), kind=DeviceKind.SHUFFLER), "wanted shoe", "found shuffler"),
        (
            ShoeSettings(port=Path("shoe"), end=lambda boot, now: ForeignFirmware(boot=boot, now=now)),
            "wanted table_link version 1",
            "found version 2",
        ),
    ],
    ids=["another kind", "a version of the future"],
)
def test_what_belongs_somewhere_else_is_refused_with_both_named(
    tmp_path: Path, settings: ShoeSettings, wanted: str, found: str
) -> None:
    async def run() -> None:
        path = tmp_path / "shoe"
        reading = Reading(DeviceSettings(id="shoe", url=str(path)))
        shoe = SimulatedShoe(
            ShoeSettings(port=path, kind=settings.kind, end=settings.end), ShoeContents.written(ROUND)
        )
        async with shoe, reading.running():
            await reading.until(lambda: reading.pump.counters.opened >= 2)
            shoe.draw()
            await asyncio.sleep(0.1)
        (refused,) = reading.reports
        assert isinstance(refused, DeviceDisconnected)
        assert refused.absence is Absence.WRONG_DEVICE
        assert wanted in refused.detail
        assert found in refused.detail

    asyncio.run(run())


def test_what_comes_from_the_future_is_passed_on_and_never_guessed(tmp_path: Path) -> None:
    async def run() -> None:
        reading = Reading(DeviceSettings(id="shoe", url=str(tmp_path / "shoe")))
        shoe = SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written(ROUND))
        async with shoe, reading.running():
            await reading.until(lambda: reading.pump.connected)
            shoe.emit(UnknownEvent(code=0x55, body=b"\x31\x32"))
            await reading.until(lambda: reading.of(UnknownReported) != [])
            (unknown,) = reading.of(UnknownReported)
            assert (unknown.code, unknown.body) == (0x55, b"\x31\x32")
            shoe._cable.write(encode_frame(Frame(type=0x7F, body=b"\x31\x32")))  # noqa: SLF001 - no firmware says that yet
            shoe._cable.write(random.Random(3).randbytes(500))  # noqa: SLF001 - nor that
            shoe.draw()
            await reading.until(lambda: reading.cards == ["As"])
            assert reading.pump.counters.strangers >= 1
            assert not isinstance(reading.reports[-1], CommandAnswered)

    asyncio.run(run())


def test_a_loop_back_plug_is_no_device(tmp_path: Path) -> None:
    """What we say comes back: readable, and none of it a device's."""

    async def run() -> None:
        echo: list[Callable[[bytes], None]] = []
        port = PtyPort(tmp_path / "shoe", lambda octets: [say(octets) for say in echo].clear())
        echo.append(port.write)
        port.plug()
        async with Reading(DeviceSettings(id="shoe", url=str(port.name))).running() as reading:
            await reading.until(lambda: reading.pump.counters.strangers >= 2)
            assert not reading.pump.connected
            assert reading.of(DeviceConnected) == []
        port.unplug()

    asyncio.run(run())
