"""The other ways in which cards come: a shoe on USB, scanners, an Angel Eye. Daemon and broker are real."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_protocols import (
    AngelEyeOptions,
    Suffix,
    encode_code,
    encode_hid_pos,
)
from sim_devices import ShoeContents, ShoeSettings, UsbClass, UsbIdentity
from sim_devices.dealer import Pace
from sim_devices.device_commands import CodePrinter
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import AngelEyeShoe, Scanner
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, Station, Troubles, assert_nothing_lost_or_doubled, run
from tests.firmware_protocols.codes import PLAIN, SERIALS

pytestmark = pytest.mark.mosquitto


def usb_program(bus: Path) -> tuple[str, ...]:
    return (sys.executable, str(Path(__file__).with_name("usb_program.py")), str(bus))


def usb_shoe(tmp_path: Path) -> Station:
    bus = tmp_path / "bus"
    bus.mkdir()
    return Station(
        shoe=ShoeSettings(port=bus / "1-1.2", usb=UsbIdentity()),
        url="usb:1209:0001:TE-0042",
        serial="TE-0042",
        program=usb_program(bus),
    )


def scanner_end(codes: Path, encode: Callable[[str], bytes]) -> Callable[[int, float], FarEnd]:
    print_on = CodePrinter(codes)
    return lambda boot, now: Scanner(boot=boot, now=now, code_of=print_on, encode=encode)


async def deal(bench: Bench) -> None:
    bench.deal()
    await bench.finish()


def test_every_card_of_a_whole_shoe_comes_over_usb_through_pulled_plugs_and_kills(tmp_path: Path) -> None:
    async def play(bench: Bench) -> None:
        Troubles(seed=7, kills=2, unplugs=5).plan(bench)
        await deal(bench)
        assert bench.troubles == {}

    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=20, cut_from_back=60),
        programme=Programme(seed=20),
        pace=Pace(cards_per_second=150, jitter=0.2, seed=20),
        station=usb_shoe(tmp_path),
        deadline_s=120,
    )
    bench = run(play, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    assert bench.server.game.results_agreed == bench.server.game.closed > 20


def test_a_hid_pos_scanner_deals_twenty_rounds(tmp_path: Path) -> None:
    bus, codes = tmp_path / "bus", tmp_path / "codes.csv"
    bus.mkdir()
    codes.write_text(PLAIN, encoding="utf-8")
    identity = UsbIdentity(product=0x0002, serial="SC-1", interface=UsbClass.HID, kernel_driver=True)
    station = Station(
        shoe=ShoeSettings(
            port=bus / "1-1.3",
            usb=identity,
            end=scanner_end(codes, lambda text: b"".join(encode_hid_pos(text))),
        ),
        url="usb:1209:0002",
        protocol="hid_pos",
        kind="scanner",
        serial="SC-1",
        options={"code_table": str(codes)},
        program=usb_program(bus),
    )
    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=21, cut_from_back=60),
        programme=Programme(seed=21, rounds=20),
        pace=Pace(cards_per_second=120, jitter=0.2, seed=21),
        station=station,
    )
    bench = run(deal, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    assert bench.server.game.closed == 20


def test_an_angel_eye_that_says_everything_three_times_at_4800_baud_deals_each_card_once(
    tmp_path: Path,
) -> None:
    def end(boot: int, now: float) -> FarEnd:
        return AngelEyeShoe(boot=boot, now=now, options=AngelEyeOptions(), gap_s=0.03)

    station = Station(
        shoe=ShoeSettings(port=tmp_path / "shoe", end=end, baud=4800),
        protocol="angel_eye",
    )
    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=22, cut_from_back=60),
        programme=Programme(seed=22, rounds=3),
        pace=Pace(cards_per_second=8, jitter=0.1, seed=22),
        station=station,
    )
    bench = run(deal, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    assert bench.server.game.closed == 3


def test_a_deck_with_a_serial_number_on_each_card_deals_four_rounds(tmp_path: Path) -> None:
    codes = tmp_path / "codes.toml"
    codes.write_text(SERIALS, encoding="utf-8")
    station = Station(
        shoe=ShoeSettings(
            port=tmp_path / "shoe",
            end=scanner_end(codes, lambda text: encode_code(text, suffix=Suffix.CRLF)),
        ),
        protocol="barcode",
        kind="scanner",
        options={"code_table": str(codes), "suffix": "CRLF"},
    )
    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=23, cut_from_back=60),
        programme=Programme(seed=23, rounds=4),
        pace=Pace(cards_per_second=60, jitter=0.2, seed=23),
        station=station,
    )
    bench = run(deal, tmp_path, plan)
    assert_nothing_lost_or_doubled(bench)
    assert bench.server.game.closed == 4
