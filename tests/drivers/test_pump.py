"""The pump over a real pseudo-terminal, against a simulated shoe."""

import asyncio
import fcntl
import os
import random
import selectors
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import pytest

from drivers import (
    Absence,
    BadUrl,
    CardPassed,
    CommandAnswered,
    CommandOutcome,
    CutCardPassed,
    DamagedCardSeen,
    DeviceConnected,
    DeviceDisconnected,
    DeviceSettings,
    DeviceSignalled,
    EventsMissed,
    Position,
    Pump,
    Report,
    ShuffleBegan,
    ShuffleEnded,
    Signal,
    UnknownDriver,
    UnknownReported,
)
from drivers import CardsReturned as Returned
from drivers import ShuffleProgressed as Progressed
from firmware_protocols import (
    CardsReturned,
    Command,
    CommandCode,
    DamagedScan,
    DeviceEnd,
    DeviceKind,
    HatchMoved,
    LidMoved,
    NotReceived,
    Ping,
    ReplyResult,
    ShuffleFinished,
    ShuffleProgressed,
    ShufflerJammed,
    ShuffleStarted,
    UnknownEvent,
    encode,
)
from sim_devices import PtyPort, ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.shuffle import shuffle_events

CONTENTS: Final = ShoeContents.shuffled(decks=8, seed=3, cut_from_back=60)
PATIENCE_S: Final = 8.0
Kind = TypeVar("Kind")


class Table:
    """A consumer: commits what it gets and acknowledges it, as the journal does."""

    def __init__(self, path: Path, *, resume_from: Position | None = None, serial: str | None = None) -> None:
        self.late_s = 0.0
        """How much later it is than it was, all at once."""
        self.path = path
        self.pump = Pump(
            DeviceSettings(id="shoe", url=f"serial:{path}", serial=serial),
            resume_from=resume_from,
            monotonic=lambda: time.monotonic() + self.late_s,
            random=random.Random(1).random,
        )
        self.reports: list[Report] = []
        self.acknowledging = True
        self.taking = True
        self.offered = 0

    async def run(self) -> None:
        await self.pump.run(self.take)

    def take(self, batch: tuple[Report, ...]) -> bool:
        assert batch
        self.offered += 1
        if not self.taking:
            return False
        self.reports += batch
        if self.acknowledging:
            self.acknowledge()
        return True

    def acknowledge(self) -> None:
        positions = [at for report in self.reports if (at := position_of(report)) is not None]
        if positions:
            self.pump.acknowledge(positions[-1])

    @property
    def cards(self) -> list[str]:
        return [
            "CUT" if isinstance(report, CutCardPassed) else str(report.card and report.card.turned())
            for report in self.reports
            if isinstance(report, CardPassed | CutCardPassed)
        ]

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [report for report in self.reports if isinstance(report, kind)]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - what is waited for is in another layer
                await asyncio.sleep(0.002)


def position_of(report: Report) -> Position | None:
    return None if isinstance(report, DeviceDisconnected | CommandAnswered) else report.position


def numbers(reports: Sequence[Report]) -> list[int]:
    return [at.number for report in reports if (at := position_of(report)) is not None]


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@asynccontextmanager
async def running(table: Table) -> AsyncIterator[Table]:
    task = asyncio.create_task(table.run())
    try:
        yield table
        if task.done():
            await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def bench(
    tmp_path: Path,
    scenario: Callable[[SimulatedShoe, Table], Awaitable[None]],
    *,
    contents: ShoeContents = CONTENTS,
    resume_from: Position | None = None,
    serial: str | None = None,
) -> None:
    async def run() -> None:
        path = tmp_path / "shoe"
        table = Table(path, resume_from=resume_from, serial=serial)
        async with SimulatedShoe(ShoeSettings(port=path), contents) as shoe, running(table):
            await scenario(shoe, table)

    asyncio.run(run())


async def connected(table: Table, times: int = 1) -> None:
    await table.until(lambda: len(table.of(DeviceConnected)) >= times)


async def cards_arrived(table: Table, count: int) -> None:
    await table.until(lambda: len(table.cards) == count)


def left(shoe: SimulatedShoe, count: int) -> list[str]:
    return ["CUT" if item.value == "cut_card" else str(item) for item in (shoe.draw() for _ in range(count))]


def test_a_whole_shoe_arrives_card_by_card_and_is_acknowledged(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        truth = []
        while shoe.remaining:
            truth += left(shoe, 1)
            await asyncio.sleep(0)
        await table.until(lambda: len(table.cards) == len(truth))
        assert table.cards == truth
        told = numbers(table.of(CardPassed))
        assert told == sorted(set(told))
        await table.until(lambda: shoe.end.oldest == shoe.end.newest + 1)
        counters = table.pump.counters
        assert (counters.repeats, counters.rejects, counters.gaps) == (0, 0, 0)
        assert counters.opened == 1

    bench(tmp_path, scenario)


def test_seven_identical_cards_in_a_row_are_seven_cards(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        left(shoe, 7)
        await table.until(lambda: len(table.cards) == 7)
        assert table.cards == ["7s"] * 7

    bench(tmp_path, scenario, contents=ShoeContents.written("7s " * 7))


def test_ten_plugs_pulled_in_mid_frame_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        truth: list[str] = []
        for octets in range(1, 11):
            await connected(table, times=octets)
            truth += left(shoe, 2)
            await cards_arrived(table, len(truth))
            shoe.unplug_after(octets * 3)
            truth += left(shoe, 5)
            await table.until(lambda: not shoe.plugged)
            truth += left(shoe, 2)
            await table.until(lambda: not table.pump.connected)
            shoe.replug()
        await table.until(lambda: len(table.cards) == len(truth))
        await asyncio.sleep(0.3)
        assert table.cards == truth
        assert table.of(EventsMissed) == []
        assert table.pump.counters.reconnects == 10

    bench(tmp_path, scenario)


def test_a_port_that_is_not_there_yet_is_reported_once_and_opened_when_it_appears(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        async with running(Table(path)) as table:
            await table.until(lambda: table.pump.counters.not_opened >= 4)
            (absent,) = table.reports
            assert isinstance(absent, DeviceDisconnected)
            assert absent.absence is Absence.ABSENT
            assert str(path) in absent.detail
            async with SimulatedShoe(ShoeSettings(port=path), CONTENTS):
                await connected(table)

    asyncio.run(scenario())


def test_a_port_that_another_holds_is_busy_and_is_opened_when_it_is_free(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS):
            thief = os.open(path, os.O_RDWR | os.O_NOCTTY)
            fcntl.flock(thief, fcntl.LOCK_EX)
            async with running(Table(path)) as table:
                await table.until(lambda: table.pump.counters.not_opened >= 3)
                (busy,) = table.reports
                assert isinstance(busy, DeviceDisconnected)
                assert busy.absence is Absence.BUSY
                assert "is in use by" in busy.detail
                os.close(thief)
                await connected(table)

    asyncio.run(scenario())


def test_a_power_cycle_is_a_gap(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        left(shoe, 3)
        await table.until(lambda: len(table.cards) == 3)
        boot = shoe.end.boot
        shoe.power_cycle(keep_memory=False)
        left(shoe, 2)
        await table.until(lambda: len(table.cards) == 5)
        (gap,) = table.of(EventsMissed)
        assert (gap.boot, gap.first, gap.last) == (boot, 4, None)
        assert gap.position == Position(boot=shoe.end.boot, number=0)
        assert numbers(table.of(CardPassed)) == [1, 2, 3, 1, 2]

    bench(tmp_path, scenario)


def test_a_battery_that_kept_the_memory_leaves_no_gap(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        left(shoe, 3)
        shoe.power_cycle(keep_memory=True)
        left(shoe, 2)
        await table.until(lambda: len(table.cards) == 5)
        assert table.of(EventsMissed) == []

    bench(tmp_path, scenario)


def test_nothing_is_acknowledged_before_the_commit(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        table.acknowledging = False
        await connected(table)
        left(shoe, 3)
        await table.until(lambda: len(table.cards) == 3)
        await asyncio.sleep(0.6)  # long enough for the device to send them again
        assert shoe.end.oldest == 1
        assert len(table.cards) == 3
        assert table.pump.counters.repeats >= 3
        table.acknowledge()
        await table.until(lambda: shoe.end.oldest == 4)

    bench(tmp_path, scenario)


def test_after_a_crash_the_device_gives_again_what_was_not_committed(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS) as shoe:
            async with running(Table(path)) as first:
                await connected(first)
                truth = left(shoe, 2)
                await first.until(lambda: len(first.cards) == 2)
                position = first.of(CardPassed)[-1].position
                first.acknowledging = False
                truth += left(shoe, 3)
                await first.until(lambda: len(first.cards) == 5)
            async with running(Table(path, resume_from=position)) as second:
                await second.until(lambda: len(second.cards) == 3)
                assert second.cards == truth[2:]
                assert second.of(EventsMissed) == []

    asyncio.run(scenario())


def test_first_contact_skips_what_the_device_held_and_says_how_much(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS) as shoe:
            left(shoe, 4)
            async with running(Table(path)) as table:
                await connected(table)
                (report,) = table.of(DeviceConnected)
                assert (report.skipped, numbers([report])) == (4, [4])
                assert (report.kind, report.serial, report.firmware) == ("shoe", "TE-0042", "1.4.2")
                truth = left(shoe, 1)
                await table.until(lambda: table.cards == truth)

    asyncio.run(scenario())


def test_another_device_is_refused_once_and_looked_at_again(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        left(shoe, 1)
        await table.until(lambda: table.pump.counters.opened >= 3)
        (wrong,) = table.reports
        assert isinstance(wrong, DeviceDisconnected)
        assert wrong.absence is Absence.WRONG_DEVICE
        assert "serial number TE-9999" in wrong.detail
        assert "TE-0042" in wrong.detail

    bench(tmp_path, scenario, serial="TE-9999")


def test_a_device_that_talks_only_garbage_is_garbage_and_shows_in_the_counters(tmp_path: Path) -> None:
    async def scenario() -> None:
        port = PtyPort(tmp_path / "shoe", lambda _: None)
        port.plug()
        async with running(Table(port.name)) as table:
            for _ in range(400):
                port.write(random.Random(1).randbytes(300))
                await asyncio.sleep(0.01)
                if table.reports:
                    break
            (silent,) = table.reports
            assert isinstance(silent, DeviceDisconnected)
            assert silent.absence is Absence.GARBAGE
            assert "not one readable frame" in silent.detail
            counters = table.pump.counters
            assert counters.frames == 0
            assert counters.rejects + counters.noise_bytes > 0
            assert counters.bytes_since_frame == counters.bytes_read > 10_000
        port.unplug()

    asyncio.run(scenario())


def test_events_of_every_kind_become_reports(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        shoe.emit(LidMoved(open=True))
        shoe.emit(UnknownEvent(code=0x7F, body=b"\x08"))
        shoe.emit(ShuffleStarted(decks=8))
        shoe.emit(ShuffleProgressed(cards=300))
        shoe.emit(ShuffleFinished(cards=416, counts=(8,) * 52))
        shoe.emit(ShufflerJammed())
        shoe.emit(HatchMoved(open=True))
        shoe.emit(HatchMoved(open=False))
        shoe.emit(DamagedScan(card=None))
        shoe.emit(CardsReturned(cards=9))
        await table.until(lambda: len(table.reports) == 11)
        told = [each.signal for each in table.of(DeviceSignalled)]
        assert told == [Signal.LID_OPENED, Signal.JAM, Signal.HATCH_OPENED, Signal.HATCH_CLOSED]
        (unknown,) = table.of(UnknownReported)
        assert (unknown.code, unknown.body) == (0x7F, b"\x08")
        assert "x08" not in repr(unknown)
        assert [each.decks for each in table.of(ShuffleBegan)] == [8]
        assert [each.cards for each in table.of(Progressed)] == [300]
        assert [(each.cards, each.counts) for each in table.of(ShuffleEnded)] == [(416, (8,) * 52)]
        assert [each.card for each in table.of(DamagedCardSeen)] == [None]
        assert [each.cards for each in table.of(Returned)] == [9]
        await table.until(lambda: table.pump.heartbeat is not None)

    bench(tmp_path, scenario)


def test_a_hundred_reconnections_leave_no_descriptor_open(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        before = open_descriptors()
        for times in range(2, 102):
            shoe.unplug()
            shoe.replug()
            await connected(table, times=times)
        assert open_descriptors() == before

    bench(tmp_path, scenario)


def test_a_consumer_that_takes_nothing_stops_the_reading_and_loses_nothing(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        table.taking = False
        truth = left(shoe, 100)
        offered = table.offered
        await table.until(lambda: table.offered > offered)
        read = table.pump.counters.bytes_read
        await asyncio.sleep(1.5)
        assert table.pump.counters.bytes_read == read
        assert shoe.end.oldest == 1
        assert table.offered > offered + 1, "what was not taken is offered again"
        table.taking = True
        await table.until(lambda: len(table.cards) == len(truth))
        assert table.cards == truth
        await table.until(lambda: shoe.end.oldest == shoe.end.newest + 1)

    bench(tmp_path, scenario)


def test_what_the_consumer_raises_ends_the_pump_and_closes_the_port(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        table = Table(path)

        def take(batch: tuple[Report, ...]) -> bool:
            if isinstance(batch[0], CardPassed):
                raise LookupError("on a card")  # noqa: TRY004 - any
            return table.take(batch)

        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS) as shoe:
            before = open_descriptors()
            pumping = asyncio.create_task(table.pump.run(take))
            await connected(table)
            left(shoe, 1)
            with pytest.raises(LookupError, match="on a card"):
                await asyncio.wait_for(pumping, PATIENCE_S)
            assert open_descriptors() == before

    asyncio.run(scenario())


def test_a_long_commit_is_not_taken_for_a_silent_device(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        table = Table(path)
        table.taking = False
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS) as shoe, running(table):
            await table.until(lambda: table.offered == 2)
            await asyncio.sleep(0.5)  # a heartbeat waits in the kernel
            table.late_s = 60.0
            table.taking = True
            await connected(table)
            left(shoe, 1)
            await asyncio.sleep(0.5)
        assert [type(each) for each in table.reports] == [DeviceConnected, CardPassed]

    asyncio.run(scenario())


class ForgetfulSelector(selectors.DefaultSelector):
    """Sees nothing for a while, as after a SIGSTOP: epoll_wait was interrupted, and its time is over."""

    blind = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.blind:
            self.blind -= 1
            return []
        return super().select(timeout)


def test_what_waits_in_the_port_is_read_before_a_device_is_called_silent(tmp_path: Path) -> None:
    selector = ForgetfulSelector()

    async def scenario() -> None:
        path = tmp_path / "shoe"
        table = Table(path)
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS) as shoe, running(table):
            await connected(table)
            left(shoe, 1)
            table.late_s = 60.0
            selector.blind = 3
            lamp = Command(id=1, code=CommandCode.LAMP, args=b"\x01")
            assert table.pump.command(lamp), "it wakes whoever waits"
            await asyncio.sleep(0.5)
        kinds = [type(each) for each in table.reports]
        assert kinds[:2] == [DeviceConnected, CardPassed]
        assert DeviceDisconnected not in kinds

    loop = asyncio.SelectorEventLoop(selector)
    try:
        loop.run_until_complete(scenario())
    finally:
        loop.close()


def test_cancelling_while_the_port_is_being_opened_leaves_nothing_open(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "shoe"
        async with SimulatedShoe(ShoeSettings(port=path), CONTENTS):
            before = open_descriptors()
            for turn in range(20):
                task = asyncio.create_task(Table(path).run())
                await asyncio.sleep(turn * 0.0002)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await asyncio.get_running_loop().shutdown_default_executor()
            assert open_descriptors() == before

    asyncio.run(scenario())


def test_a_position_that_was_never_reported_cannot_be_acknowledged(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        with pytest.raises(NotReceived):
            table.pump.acknowledge(Position(boot=shoe.end.boot, number=9))
        table.pump.acknowledge(Position(boot=shoe.end.boot ^ 1, number=9))

    bench(tmp_path, scenario)


def test_wrong_settings_are_refused_at_once() -> None:
    def pump(settings: DeviceSettings) -> Pump:
        return Pump(settings, resume_from=None, monotonic=time.monotonic, random=random.random)

    with pytest.raises(BadUrl):
        pump(DeviceSettings(id="shoe", url="ttyUSB0"))
    with pytest.raises(UnknownDriver, match="There is: table_link"):
        pump(DeviceSettings(id="shoe", url="/dev/shoe", protocol="morse"))
    with pytest.raises(UnknownDriver, match="It serves: shoe, shuffler, continuous_shuffler"):
        pump(DeviceSettings(id="shoe", url="/dev/shoe", kind="toaster"))


def test_a_command_is_answered_once(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        lock = Command(id=7, code=CommandCode.LOCK)
        assert not table.pump.command(lock)  # nobody is there yet
        await connected(table)
        assert table.pump.command(lock)
        assert not table.pump.command(lock)  # it is under way
        await table.until(lambda: table.of(CommandAnswered) != [])
        assert [(each.id, each.outcome) for each in table.of(CommandAnswered)] == [(7, CommandOutcome.DONE)]
        assert table.pump.command(lock, called=70_007)
        await table.until(lambda: len(table.of(CommandAnswered)) == 2)
        assert table.of(CommandAnswered)[1].id == 70_007
        assert shoe.commands == [lock, lock]

    bench(tmp_path, scenario)


def test_a_command_that_nobody_answers_is_questioned_and_never_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        written = table.pump.counters.bytes_written
        assert table.pump.command(Command(id=7, code=CommandCode.LOCK))
        await table.until(lambda: table.of(CommandAnswered) != [])
        (told,) = table.of(CommandAnswered)
        assert (told.id, told.outcome) == (7, CommandOutcome.UNANSWERED)
        assert table.pump.counters.unanswered == 1
        assert len(shoe.commands) == 1
        asked = len(encode(Ping())) + len(encode(Command(id=7, code=CommandCode.LOCK)))
        await table.until(lambda: table.pump.counters.bytes_written >= written + asked)
        assert table.pump.connected

    monkeypatch.setattr(DeviceEnd, "reply", lambda *_: None)
    bench(tmp_path, scenario)


def test_a_command_whose_connection_breaks_is_unanswered_and_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(shoe: SimulatedShoe, table: Table) -> None:
        await connected(table)
        assert table.pump.command(Command(id=9, code=CommandCode.UNLOCK))
        await table.until(lambda: len(shoe.commands) == 1)
        shoe.unplug()
        await table.until(lambda: table.of(CommandAnswered) != [])
        (told,) = table.of(CommandAnswered)
        assert told.outcome is CommandOutcome.UNANSWERED
        shoe.replug()
        await connected(table, times=2)
        await asyncio.sleep(0.3)
        assert len(shoe.commands) == 1

    monkeypatch.setattr(DeviceEnd, "reply", lambda *_: None)
    bench(tmp_path, scenario)


def test_a_shuffler_is_told_to_shuffle_and_tells_what_it_counted(tmp_path: Path) -> None:
    contents = ShoeContents.shuffled(decks=2, seed=3)

    async def run() -> None:
        path = tmp_path / "shuffler"
        table = Table(path)
        table.pump = Pump(
            DeviceSettings(id="shuffler", url=str(path), kind="shuffler"),
            resume_from=None,
            monotonic=time.monotonic,
            random=random.Random(1).random,
        )
        shuffler = SimulatedShoe(ShoeSettings(port=path, kind=DeviceKind.SHUFFLER), contents)

        def obey(_command: Command) -> ReplyResult:
            for event in shuffle_events(contents):
                shuffler.emit(event)
            return ReplyResult.DONE

        shuffler.obey = obey
        async with shuffler, running(table):
            await connected(table)
            assert table.pump.command(Command(id=1, code=CommandCode.START_SHUFFLE))
            await table.until(lambda: table.of(ShuffleEnded) != [] and table.of(CommandAnswered) != [])
        (greeting,) = table.of(DeviceConnected)
        assert greeting.kind == "shuffler"
        (ended,) = table.of(ShuffleEnded)
        assert (ended.cards, ended.counts) == (104, (2,) * 52)
        (answered,) = table.of(CommandAnswered)
        assert answered.outcome is CommandOutcome.DONE

    asyncio.run(run())
