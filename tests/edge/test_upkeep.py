import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog

from edge import upkeep
from edge.aside import aside
from edge.errors import JournalCorrupt, StorageFailed
from edge.journal import Pruned
from edge.status import StatusBoard
from edge.table import STORAGE
from edge.upkeep import DAY_MS, FULL, ask_the_disk, keep_log_short, keep_retention

STEP_S = 0.01
PATIENCE_S = 5.0


class Kept:
    def __init__(self) -> None:
        self.path = Path("journal.db")
        self.last_number = 1


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not reached():  # noqa: ASYNC110 - what it waits for is no event
            await asyncio.sleep(STEP_S)


def run(play: Callable[[Kept], Awaitable[None]], journal: Kept) -> None:
    async def body() -> None:
        keeping = asyncio.create_task(keep_log_short(journal, every_s=STEP_S))
        try:
            await play(journal)
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    asyncio.run(body())


def test_the_log_is_moved_when_something_was_committed_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[Path] = []
    monkeypatch.setattr(upkeep, "checkpoint", moved.append)

    async def play(journal: Kept) -> None:
        await until(lambda: len(moved) == 1)
        await asyncio.sleep(5 * STEP_S)
        assert len(moved) == 1
        journal.last_number += 1
        await until(lambda: len(moved) == 2)

    run(play, Kept())
    assert set(moved) == {Path("journal.db")}


def test_a_disk_that_refuses_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def refuse(_path: Path) -> None:
        nonlocal asked
        asked += 1
        raise StorageFailed("The disk is full.", hint="Free some space.")

    monkeypatch.setattr(upkeep, "checkpoint", refuse)

    async def play(_journal: Kept) -> None:
        await until(lambda: asked == 3)

    with structlog.testing.capture_logs() as told:
        run(play, Kept())
    assert [each["event"] for each in told] == ["journal.not_checkpointed"], (
        "it is said once, not every second"
    )


def test_a_file_that_cannot_be_trusted_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_out(_path: Path) -> None:
        raise JournalCorrupt("The journal cannot be trusted.")

    monkeypatch.setattr(upkeep, "checkpoint", find_out)
    with pytest.raises(JournalCorrupt):
        asyncio.run(keep_log_short(Kept(), every_s=0))


def test_what_is_done_when_nobody_waits_any_more_is_cleaned_up() -> None:
    cleaned: list[str] = []

    async def body() -> None:
        begun, over = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def work() -> None:
            loop.call_soon_threadsafe(begun.set)
            asyncio.run_coroutine_threadsafe(over.wait(), loop).result()

        waiting = asyncio.create_task(aside(work, name="test", abandoned=lambda: cleaned.append("up")))
        await begun.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        over.set()
        await until(lambda: bool(cleaned))

    asyncio.run(body())
    assert cleaned == ["up"]


class Disk:
    """Refuses so many times."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.asked = 0

    def probe(self) -> None:
        self.asked += 1
        if self.asked <= self.refusals:
            raise StorageFailed("The disk is full.")


def test_a_disk_is_asked_only_while_it_is_said_to_refuse_and_then_until_it_takes() -> None:
    async def body() -> None:
        board, disk = StatusBoard(wall_ms=lambda: 0), Disk(2)
        asking = asyncio.create_task(ask_the_disk(disk, board, every_s=0))
        for _ in range(10):
            await asyncio.sleep(0)
        assert disk.asked == 0
        board.degrade(STORAGE, "The disk is full.")
        while board.degraded:  # noqa: ASYNC110 - it is to be looked at, not waited for
            await asyncio.sleep(0)
        assert disk.asked == 3
        asking.cancel()

    asyncio.run(body())


def test_a_log_that_is_full_is_moved_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[int] = []
    journal = Kept()
    monkeypatch.setattr(upkeep, "checkpoint", lambda _path: moved.append(journal.last_number))

    async def body() -> None:
        keeping = asyncio.create_task(keep_log_short(journal, every_s=3600, look_s=STEP_S))
        journal.last_number = FULL - 1
        await asyncio.sleep(5 * STEP_S)
        assert moved == []
        journal.last_number = FULL
        await until(lambda: moved == [FULL])
        await asyncio.sleep(5 * STEP_S)
        assert moved == [FULL]
        keeping.cancel()

    asyncio.run(body())


class Aging:
    def __init__(self, *, days: float, cursor: int) -> None:
        self.path = Path("journal.db")
        self.last_at_ms = int(days * DAY_MS)
        self.at = cursor
        self.flushed = 0

    def cursor(self, name: str) -> int:
        assert name == "acknowledged"
        return self.at

    def flush_cursors(self) -> None:
        self.flushed += 1


def retain(journal: Aging, play: Callable[[], Awaitable[None]]) -> None:
    async def body() -> None:
        work = keep_retention(journal, days=30, delivered="acknowledged", first_s=0, every_s=STEP_S)
        keeping = asyncio.create_task(work)
        try:
            await play()
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    asyncio.run(body())


def test_what_is_older_than_the_retention_and_delivered_is_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def prune(_path: Path, *, before_ms: int, through: int) -> Pruned:
        asked.append((before_ms, through))
        return Pruned(records=0, number=0, sequence=0)

    monkeypatch.setattr(upkeep, "prune", prune)
    journal = Aging(days=31.5, cursor=40)
    retain(journal, lambda: until(lambda: len(asked) == 2))
    assert asked[0] == (DAY_MS * 3 // 2, 40)
    assert journal.flushed >= 2


@pytest.mark.parametrize(
    "journal", [Aging(days=29, cursor=40), Aging(days=99, cursor=0)], ids=["young", "kept"]
)
def test_nothing_is_pruned_before_its_time(journal: Aging, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(upkeep, "prune", lambda *_, **__: asked.append(1))
    retain(journal, lambda: asyncio.sleep(5 * STEP_S))
    assert asked == []


@pytest.mark.parametrize("fault", [StorageFailed, JournalCorrupt])
def test_a_prune_that_fails_ends_nothing_and_is_tried_again(
    fault: type[StorageFailed | JournalCorrupt], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def prune(_path: Path, *, before_ms: int, through: int) -> Pruned:
        nonlocal asked
        del before_ms, through
        asked += 1
        raise fault("It cannot be read.", hint="Look at it.")

    monkeypatch.setattr(upkeep, "prune", prune)
    retain(Aging(days=99, cursor=40), lambda: until(lambda: asked == 3))
