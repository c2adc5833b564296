"""Deadlines are waited for on the monotonic clock, one after the other, as long as the table wants them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from edge.deadlines import mind_deadlines
from edge.inputs import DeadlineName, DeadlinePassed, Input
from edge.ruling import Deadline, TableState

NEVER_MS = 10_000_000
WITHIN_S = 20.0


class Clock:
    """Seconds, as the test has them; while it is asked it does not move by itself."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class WaitingTable:
    """A table that only waits, and takes what passed."""

    def __init__(self, *opened: Deadline) -> None:
        self.state = TableState(journal="j", deadlines=opened)
        self.deadlines_changed = asyncio.Event()
        self.heard: list[Input] = []
        self.refuses = 0
        self.told = asyncio.Event()

    def wait_for(self, *opened: Deadline) -> None:
        self.state = TableState(journal="j", deadlines=opened)
        self.deadlines_changed.set()

    def take(self, inputs: Sequence[Input]) -> bool:
        if self.refuses:
            self.refuses -= 1
            return False
        self.heard.extend(inputs)
        self.told.set()
        passed = {(each.name, each.number) for each in inputs if isinstance(each, DeadlinePassed)}
        left = [each for each in self.state.deadlines if (each.name, each.number) not in passed]
        self.wait_for(*left)
        return True


def _deadline(name: DeadlineName, number: int, after_ms: int) -> Deadline:
    return Deadline(name=name, number=number, after_ms=after_ms)


def _running() -> float:
    return asyncio.get_running_loop().time()


async def _nothing() -> None:
    pass


def _minded(
    table: WaitingTable,
    play: Callable[[], Awaitable[None]] = _nothing,
    clock: Callable[[], float] = _running,
    *,
    expected: int = 1,
) -> None:
    async def body() -> None:
        minding = asyncio.create_task(mind_deadlines(table, table.take, clock))
        async with asyncio.timeout(WITHIN_S):
            await play()
            while len(table.heard) < expected:
                table.told.clear()
                await table.told.wait()
        minding.cancel()
        await asyncio.gather(minding, return_exceptions=True)

    asyncio.run(body())


EARLY = DeadlineName.EARLY_DRAW
LOST = DeadlineName.DEVICE_LOST


def test_what_is_open_at_the_start_is_waited_for_and_told_once() -> None:
    table = WaitingTable(_deadline(EARLY, 3, 5))

    async def play() -> None:
        await table.told.wait()
        await asyncio.sleep(0.02)

    _minded(table, play)
    assert table.heard == [DeadlinePassed(name=EARLY, number=3)]


def test_of_two_the_earlier_is_told_first_whichever_was_opened_first() -> None:
    table = WaitingTable(_deadline(LOST, 1, 40), _deadline(EARLY, 2, 5))
    _minded(table, expected=2)
    assert table.heard == [DeadlinePassed(name=EARLY, number=2), DeadlinePassed(name=LOST, number=1)]


def test_a_deadline_that_is_dropped_is_never_told_and_a_new_one_is() -> None:
    clock = Clock()
    table = WaitingTable(_deadline(EARLY, 1, 100))

    async def play() -> None:
        await asyncio.sleep(0)
        table.wait_for(_deadline(EARLY, 2, NEVER_MS))
        await asyncio.sleep(0.01)
        clock.now += 1
        table.deadlines_changed.set()
        await asyncio.sleep(0.01)
        assert table.heard == []
        clock.now += NEVER_MS
        table.deadlines_changed.set()

    _minded(table, play, clock)
    assert table.heard == [DeadlinePassed(name=EARLY, number=2)]


def test_what_the_disk_refused_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.deadlines.TRY_AGAIN_S", 0.01)
    table = WaitingTable(_deadline(LOST, 1, 1))
    table.refuses = 1
    _minded(table)
    assert table.heard == [DeadlinePassed(name=LOST, number=1)]
