"""A device without numbers and without a heartbeat: quiet for hours, and well."""

import asyncio
import dataclasses
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from drivers import (
    Absence,
    BadOption,
    CardPassed,
    DeviceConnected,
    DeviceDisconnected,
    DeviceSettings,
    EventsMissed,
    NotCommandable,
    Pump,
    Report,
    check_device,
)
from firmware_protocols import Card, Command, FaceDownCard, encode_code
from sim_devices import PtyPort
from tests.firmware_protocols.codes import PLAIN, SERIALS, printed

PATIENCE_S = 8.0


@pytest.fixture(scope="module")
def code_table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("codes") / "codes.csv"
    path.write_text(PLAIN, encoding="utf-8")
    return str(path)


def settings(
    url: str, options: Mapping[str, object], *, protocol: str = "barcode", serial: str | None = None
) -> DeviceSettings:
    return DeviceSettings(
        id="scanner", url=url, protocol=protocol, kind="scanner", serial=serial, options=options
    )


class Reading:
    """A pump on a pty, and what it reports."""

    def __init__(self, path: Path, code_table: str) -> None:
        self.port = PtyPort(path, lambda _: None)
        self.pump = Pump(
            settings(str(path), {"code_table": code_table}),
            resume_from=None,
            monotonic=time.monotonic,
            random=random.Random(1).random,
        )
        self.reports: list[Report] = []

    async def run(self) -> None:
        await self.pump.run(self.take)

    def take(self, batch: tuple[Report, ...]) -> bool:
        self.reports += batch
        return True

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - what is waited for is in another layer
                await asyncio.sleep(0.002)

    @property
    def kinds(self) -> list[str]:
        return [type(each).__name__ for each in self.reports]


def _differs(of: Pump, life: object) -> bool:
    return of.life != life


def read(tmp_path: Path, code_table: str, scenario: Callable[[Reading], Awaitable[None]]) -> None:
    async def run() -> None:
        reading = Reading(tmp_path / "port", code_table)
        reading.port.plug()
        task = asyncio.create_task(reading.run())
        try:
            await reading.until(lambda: "DeviceConnected" in reading.kinds)
            await scenario(reading)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            reading.port.unplug()

    asyncio.run(run())


def test_its_reports_have_no_position_and_nothing_is_acknowledged(tmp_path: Path, code_table: str) -> None:
    async def scenario(reading: Reading) -> None:
        reading.port.write(b"7s\r7s\r")
        await reading.until(lambda: len(reading.reports) == 3)
        first, *cards = reading.reports
        assert isinstance(first, DeviceConnected)
        assert (first.numbered, first.position, first.serial) == (False, None, "")
        for card in cards:
            assert isinstance(card, CardPassed)
            assert (card.position, card.device_ms) == (None, None)

    read(tmp_path, code_table, scenario)


def test_a_quiet_device_is_neither_silent_nor_does_its_pump_seem_dead(
    tmp_path: Path, code_table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drivers.pump.LOOK_S", 0.02)

    async def scenario(reading: Reading) -> None:
        for _ in range(5):
            life = reading.pump.life
            await reading.until(partial(_differs, reading.pump, life))
        assert reading.kinds == ["DeviceConnected"]
        assert reading.pump.connected
        assert reading.pump.counters.bytes_read == 0

    read(tmp_path, code_table, scenario)


def test_a_cable_that_is_pulled_and_put_back_is_told_each_time(tmp_path: Path, code_table: str) -> None:
    async def scenario(reading: Reading) -> None:
        for _ in range(3):
            reading.port.unplug()
            await reading.until(lambda: not reading.pump.connected)
            reading.port.plug()
            await reading.until(lambda: reading.pump.connected)
        pair = ["DeviceDisconnected", "DeviceConnected"]
        assert reading.kinds[1:] == pair * 3

    read(tmp_path, code_table, scenario)


def test_bytes_without_a_code_are_a_gap_and_then_garbage_until_one_is_readable(
    tmp_path: Path, code_table: str
) -> None:
    async def scenario(reading: Reading) -> None:
        reading.port.write(b"\xf8\x80" * 200)
        await reading.until(lambda: "DeviceDisconnected" in reading.kinds)
        *gaps, garbage = reading.reports[1:]
        gap = gaps[0]
        assert isinstance(gap, EventsMissed)
        assert (gap.boot, gap.position) == (0, None)
        assert isinstance(garbage, DeviceDisconnected)
        assert garbage.absence is Absence.GARBAGE
        assert "400 bytes and not one readable frame" in garbage.detail
        assert "line speed" in garbage.detail
        assert not reading.pump.connected
        assert reading.pump.trouble == "garbage"
        reading.port.write(b"\r7s\r")
        await reading.until(lambda: "CardPassed" in reading.kinds)
        assert reading.kinds[-2:] == ["DeviceConnected", "CardPassed"]
        assert reading.pump.trouble == "gap"
        assert reading.pump.connected

    read(tmp_path, code_table, scenario)


def test_cards_with_serial_numbers_are_known_each_by_its_own_and_unknown_codes_are_foreign(
    tmp_path: Path,
) -> None:
    """The same number twice is for the ruling to judge: the report says which card it was."""
    table = tmp_path / "codes.toml"
    table.write_text(SERIALS, encoding="utf-8")

    async def scenario(reading: Reading) -> None:
        codes = [printed(Card.AS, 1), printed(Card.AS, 2), "XXXXXX-000003", printed(Card.KD, 4)]
        for code in [*codes, printed(Card.AS, 2)]:
            reading.port.write(encode_code(code))
        await reading.until(lambda: len(reading.reports) == 6)
        told = [
            (each.serial, str(each.card)) if isinstance(each, CardPassed) else type(each).__name__
            for each in reading.reports[1:]
        ]
        hidden = str(FaceDownCard(Card.AS))
        assert told == [
            ("000001", hidden),
            ("000002", hidden),
            "ForeignCardPassed",
            ("000004", hidden),
            ("000002", hidden),
        ]
        assert "000002" not in repr(reading.reports)

    read(tmp_path, str(table), scenario)


def test_it_takes_no_commands(tmp_path: Path, code_table: str) -> None:
    async def scenario(reading: Reading) -> None:
        with pytest.raises(NotCommandable, match="Leave the lock policy off"):
            reading.pump.command(Command(id=1, code=1))

    read(tmp_path, code_table, scenario)


@pytest.mark.parametrize(
    ("protocol", "options", "says"),
    [
        ("barcode", {}, "options.code_table is missing. barcode needs it: add it."),
        ("barcode", {"code_tabel": "x"}, "Did you mean 'code_table'"),
        ("barcode", {"x": 1}, "barcode has these options: code_table, prefix, suffix"),
        ("barcode", {"suffix": "LFCR"}, 'options.suffix cannot be "LFCR". Write one of "CR", "LF", "CRLF".'),
        ("barcode", {"suffix": True}, "options.suffix cannot be true"),
        ("barcode", {"prefix": 3}, "Write a text in quotes"),
        ("barcode", {"prefix": []}, "options.prefix cannot be list"),
        ("barcode", {"prefix": "é"}, "options.prefix is not ASCII"),
        ("hid_pos", {"code_table": "/nothing/codes.csv"}, "cannot be read: No such file"),
        ("hid_pos", {"code_table": "/etc/hostname"}, "Let its name end in .toml or .csv"),
        ("table_link", {"x": 1}, "table_link has these options: none"),
    ],
)
def test_a_wrong_option_is_one_sentence_with_its_remedy(
    code_table: str, protocol: str, options: dict[str, object], says: str
) -> None:
    given = {"code_table": code_table, **options} if "suffix" in options or "prefix" in options else options
    device = settings("/dev/x", given, protocol=protocol)
    if protocol == "table_link":
        device = dataclasses.replace(device, kind="shoe")
    with pytest.raises(BadOption) as caught:
        check_device(device)
    assert says in str(caught.value)


def test_a_code_table_with_a_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("code,means\nSA,Zz\n", encoding="utf-8")
    with pytest.raises(BadOption, match=f"options.code_table: {path}, line 2"):
        check_device(settings("/dev/x", {"code_table": str(path)}))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadOption, match="is not UTF-8 text"):
        check_device(settings("/dev/x", {"code_table": str(path)}))


def test_every_option_of_an_angel_eye_may_be_said() -> None:
    options = {
        "bcc_from_shoe": "with_start",
        "bcc_to_shoe": "without_start",
        "resent": "record",
        "mode": "game",
        "acknowledge": True,
        "copies": 1,
    }
    check_device(DeviceSettings(id="shoe", url="/dev/x", protocol="angel_eye", options=options))
    for key, wrong in (("copies", True), ("copies", 4), ("acknowledge", 1), ("mode", "baccarat")):
        with pytest.raises(BadOption, match=f"options.{key} cannot be"):
            check_device(
                DeviceSettings(id="shoe", url="/dev/x", protocol="angel_eye", options={**options, key: wrong})
            )


def test_a_serial_number_that_nothing_can_tell_is_refused(code_table: str) -> None:
    options = {"code_table": code_table}
    with pytest.raises(BadOption, match="cannot tell its serial number"):
        check_device(settings("/dev/x", options, serial="TE-1"))
    check_device(settings("usb:1209:0001", options, protocol="hid_pos", serial="TE-1"))
