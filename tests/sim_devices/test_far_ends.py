"""Devices that number nothing, and shufflers, behind a real pty: what leaves them is what a table reads."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import serial

from firmware_protocols import (
    AngelEyeMode,
    AngelEyeOptions,
    BarcodeOptions,
    Card,
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    Command,
    CommandCode,
    CutCardScan,
    Decoder,
    DeviceEvent,
    DeviceKind,
    FaceDownCard,
    FaultCleared,
    FaultRaised,
    ForeignHello,
    ForeignScan,
    Hello,
    HostEnd,
    KeyStroke,
    LidMoved,
    Missed,
    ReplyResult,
    Resumed,
    Said,
    ShuffleFinished,
    ShuffleProgressed,
    ShuffleStarted,
    UnknownEvent,
    UnnumberedLink,
    UnreadScan,
    angel_eye_link,
    barcode_link,
    encode_code,
)
from sim_devices import CableState, ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.errors import NotSayable
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import AngelEyeShoe, ForeignFirmware, Scanner
from sim_devices.faults import SecondReader
from sim_devices.shuffle import shuffle_events
from tests.firmware_protocols.codes import printed, serials_table

SEQUENCE = ShoeContents.written("As 7s CUT 7s")
OPTIONS = AngelEyeOptions()


def scan(card: Card, serial_number: str | None = None, *, reread: bool = False) -> CardScan:
    return CardScan(
        card=FaceDownCard(card), face_up=False, reread=reread, confidence=100, serial=serial_number
    )


def angel(boot: int, now: float) -> FarEnd:
    return AngelEyeShoe(boot=boot, now=now, options=OPTIONS, gap_s=0.01)


def scanner(boot: int, now: float) -> FarEnd:
    def code_of(passed: CardScan | None, nth: int) -> str:
        return "CUTCUT" if passed is None or passed.card is None else printed(passed.card.turned(), nth)

    return Scanner(boot=boot, now=now, code_of=code_of, encode=encode_code)


def heard(
    tmp_path: Path,
    link: UnnumberedLink,
    end: Callable[[int, float], FarEnd],
    scenario: Callable[[SimulatedShoe], Awaitable[None] | None],
) -> list[DeviceEvent]:
    """What a table hears of a scenario."""

    async def run() -> list[DeviceEvent]:
        settings = ShoeSettings(port=tmp_path / "shoe", end=end)
        async with SimulatedShoe(settings, SEQUENCE) as shoe:
            with serial.Serial(str(settings.port), timeout=0) as line:
                link.opened(0.0)
                waits = scenario(shoe)
                if waits is not None:
                    await waits
                for _ in range(1000):  # it says everything three times
                    await asyncio.sleep(0.01)
                    if shoe.end.deadline is None:
                        break
                news = link.receive(line.read(4096), 0.0)
        return [each.what for each in news if isinstance(each, Said)]

    return asyncio.run(run())


def everything(shoe: SimulatedShoe) -> None:
    shoe.draw()
    shoe.draw(read=False)
    shoe.draw()
    shoe.draw()


def test_an_angel_eye_deals_through_a_pty(tmp_path: Path) -> None:
    def scenario(shoe: SimulatedShoe) -> None:
        everything(shoe)
        shoe.emit(CardOverdrawn())
        shoe.emit(CardPushedBack())
        shoe.emit(KeyStroke(key=1))
        shoe.emit(FaultCleared(code=2))
        shoe.emit(UnknownEvent(code=ord("G"), body=b"\x81"))
        shoe.emit(CardScan(card=FaceDownCard(Card.D2), face_up=False, reread=True, confidence=9))
        with pytest.raises(NotSayable):
            shoe.emit(LidMoved(open=True))

    link = angel_eye_link(OPTIONS)
    unread = CardScan(card=None, face_up=False, reread=False, confidence=100)
    assert heard(tmp_path, link, angel, scenario) == [
        scan(Card.AS),
        unread,
        CutCardScan(),
        scan(Card.S7),
        CardOverdrawn(),
        FaultRaised(code=2),
        CardPushedBack(),
        FaultRaised(code=4),
        FaultRaised(code=3),
        FaultCleared(code=2),
        UnknownEvent(code=ord("G"), body=b"\x81"),
        scan(Card.D2, reread=True),
    ]
    assert link.counts.repeats == 20


def test_an_angel_eye_that_is_switched_off_and_on_says_so(tmp_path: Path) -> None:
    link = angel_eye_link(OPTIONS)
    told = heard(tmp_path, link, angel, lambda shoe: shoe.power_cycle(keep_memory=False))
    assert told == [UnknownEvent(code=ord("S"), body=b"")]


def test_a_scanner_deals_through_a_pty_and_misses_what_it_cannot_read(tmp_path: Path) -> None:
    def scenario(shoe: SimulatedShoe) -> None:
        everything(shoe)
        shoe.emit(UnreadScan())
        shoe.say_code("nobody knows")
        with pytest.raises(NotSayable):
            shoe.emit(LidMoved(open=True))

    assert heard(tmp_path, barcode_link(BarcodeOptions(table=serials_table())), scanner, scenario) == [
        scan(Card.AS, "000000"),
        CutCardScan(),
        scan(Card.S7, "000003"),
        ForeignScan(card=None),
    ]


def test_what_is_said_while_the_cable_is_out_is_gone(tmp_path: Path) -> None:
    def scenario(shoe: SimulatedShoe) -> None:
        shoe.end.closed()
        shoe.draw()
        shoe.end.opened(0.0)

    assert heard(tmp_path, angel_eye_link(OPTIONS), angel, scenario) == []


def test_in_game_mode_draws_are_of_the_game() -> None:
    end = AngelEyeShoe(boot=1, now=0.0, options=AngelEyeOptions(mode=AngelEyeMode.GAME), gap_s=0.1)
    end.opened(0.0)
    end.emit(scan(Card.S8), 0.0)
    assert end.data_to_send()[2:3] == b"D"


def test_only_a_scanner_says_codes(tmp_path: Path) -> None:
    def scenario(shoe: SimulatedShoe) -> None:
        with pytest.raises(NotSayable):
            shoe.say_code("As")

    heard(tmp_path, angel_eye_link(OPTIONS), angel, scenario)


@pytest.mark.parametrize("kind", [DeviceKind.SHUFFLER, DeviceKind.CONTINUOUS_SHUFFLER])
def test_a_shuffler_shuffles_when_it_is_told(tmp_path: Path, kind: DeviceKind) -> None:
    contents = ShoeContents.shuffled(decks=2, seed=3)

    async def run() -> list[DeviceEvent]:
        shuffler = SimulatedShoe(ShoeSettings(port=tmp_path / "shuffler", kind=kind), contents)
        shuffler.obey = lambda command: _shuffle(shuffler, command)
        host = HostEnd(kind=kind, serial=None, resume_from=None)
        told: list[DeviceEvent] = []
        async with shuffler:
            with serial.Serial(str(tmp_path / "shuffler"), timeout=0) as line:
                host.opened(0.0)
                for step in range(30):
                    line.write(host.data_to_send())
                    await asyncio.sleep(0.01)
                    for news in host.receive(line.read(4096), 0.0):
                        told += [news.what] if hasattr(news, "what") else []
                    if step == 10:
                        assert host.send(Command(id=1, code=CommandCode.START_SHUFFLE))
        return told

    assert asyncio.run(run()) == [
        ShuffleStarted(decks=2),
        ShuffleProgressed(cards=52),
        ShuffleFinished(cards=104, counts=(2,) * 52),
    ]


def _shuffle(shuffler: SimulatedShoe, command: Command) -> ReplyResult:
    for event in shuffle_events(shuffler.contents):
        shuffler.emit(event)
    return ReplyResult.DONE


def test_a_wrong_firmware_is_refused_with_its_version(tmp_path: Path) -> None:
    async def run() -> None:
        def end(boot: int, now: float) -> FarEnd:
            return ForeignFirmware(boot=boot, now=now)

        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe", end=end), SEQUENCE) as shoe:
            shoe.draw()
            with serial.Serial(str(tmp_path / "shoe"), timeout=0) as line:
                line.write(b"\x00")
                await asyncio.sleep(0.02)
                said = Decoder().receive(line.read(4096))
        assert said == (ForeignHello(version=2),)

    asyncio.run(run())


def test_a_port_comes_back_as_another(tmp_path: Path) -> None:
    async def run() -> None:
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "ttyUSB0"), SEQUENCE) as shoe:
            with pytest.raises(CableState):
                shoe.replug(tmp_path / "ttyUSB1")
            shoe.unplug()
            shoe.replug(tmp_path / "ttyUSB1")
            assert not (tmp_path / "ttyUSB0").exists()
            with serial.Serial(str(tmp_path / "ttyUSB1"), timeout=0) as line:
                line.write(b"\x04\x84\x30\xfc\x00")
                await asyncio.sleep(0.02)
                assert any(isinstance(each, Hello) for each in Decoder().receive(line.read(4096)))

    asyncio.run(run())


def test_a_second_reader_takes_bytes_and_the_table_still_gets_every_event(tmp_path: Path) -> None:
    async def run() -> None:
        host = HostEnd(kind=DeviceKind.SHOE, serial=None, resume_from=None)
        told: list[object] = []
        loop = asyncio.get_running_loop()
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), SEQUENCE) as shoe:
            with serial.Serial(str(tmp_path / "shoe"), timeout=0) as line:
                host.opened(loop.time())

                async def carry(rounds: int) -> None:
                    for _ in range(rounds):
                        line.write(host.data_to_send())
                        await asyncio.sleep(0.01)
                        told.extend(host.receive(line.read(4096), loop.time()))
                        told.extend(host.tick(loop.time()))

                await carry(20)
                with SecondReader(tmp_path / "shoe") as thief:
                    everything(shoe)
                    await carry(20)
                    assert thief.stolen > 0
                await carry(100)
        assert len([each for each in told if hasattr(each, "number")]) == 4
        assert not any(isinstance(each, Missed) for each in told)
        assert sum(isinstance(each, Resumed) for each in told) == 1

    asyncio.run(run())
