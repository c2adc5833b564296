"""Upkeep beside the table: a short log, a journal without what is long delivered, a disk asked again.

The log is moved into the file before it is full. A commit would do that by itself, on the loop, once the log
has 40 MB: this comes first. It also keeps commits quick: a log that begins anew overwrites what is there,
which a disk syncs sooner than a file that grows.

What was delivered and is older than the retention is pruned once an hour, a little at a time. It is nothing
that a table needs: where it cannot be done, that is told and tried again.

Whoever met a disk that refuses may have gone: a request whose connection broke, a command at the socket.
While the status says so, the disk is asked once a second, so that the status is true when it is mended.
"""

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import structlog

from edge.aside import aside
from edge.errors import JournalError, StorageFailed
from edge.journal import Pruned, checkpoint, prune
from edge.status import StatusBoard
from edge.table import STORAGE

CHECKPOINT_S: Final = 60.0
FULL: Final = 200
"""Records after which the log is moved at the next look: it has room for about as many."""
LOOK_S: Final = 1.0
ASK_S: Final = 1.0
FIRST_PRUNE_S: Final = 60.0
"""After the start, which has more urgent things to do."""
PRUNE_S: Final = 3600.0
DAY_MS: Final = 86_400_000

log = structlog.get_logger("edge.upkeep")


class Kept(Protocol):
    """What is kept up: a :class:`edge.journal.Journal`."""

    path: Path

    @property
    def last_number(self) -> int:
        """The last committed record."""


class Aging(Protocol):
    """What is pruned: a :class:`edge.journal.Journal`."""

    path: Path

    @property
    def last_at_ms(self) -> int:
        """The table's clock at the last committed record."""

    def cursor(self, name: str) -> int:
        """How far this follower has come; 0: not begun."""

    def flush_cursors(self) -> None:
        """Put moved cursors on disk; raises StorageFailed if that is refused."""


class Probed(Protocol):
    """What a disk is asked with: a :class:`edge.journal.Journal`."""

    def probe(self) -> None:
        """Put something on disk; raises StorageFailed while that is refused."""


async def keep_log_short(journal: Kept, *, every_s: float = CHECKPOINT_S, look_s: float = LOOK_S) -> None:
    """Checkpoint for ever, whenever something was committed: at times, and before the log is full.

    Raises:
        JournalCorrupt: the file cannot be trusted: the next start looks at it.
    """
    moved, waited_s, told = 0, 0.0, ""
    while True:
        await asyncio.sleep(min(look_s, every_s))
        waited_s += min(look_s, every_s)
        last = journal.last_number
        if last == moved or (waited_s < every_s and last - moved < FULL):
            continue
        waited_s = 0.0
        try:
            await aside(lambda: checkpoint(journal.path), name="journal.checkpoint")
        except StorageFailed as refused:
            if refused.sentence != told:
                told = refused.sentence
                log.warning("journal.not_checkpointed", why=told)
        else:
            moved, told = last, ""


async def keep_retention(
    journal: Aging, *, days: int, delivered: str, first_s: float = FIRST_PRUNE_S, every_s: float = PRUNE_S
) -> None:
    """Prune for ever what was delivered and is older than so many days.

    Args:
        journal: of the table.
        days: of the table's clock, which stands still while the daemon does not run.
        delivered: the cursor over the events that count as delivered.
        first_s: seconds until the first time.
        every_s: seconds from one time to the next.
    """
    await asyncio.sleep(first_s)
    while True:
        before_ms, through = journal.last_at_ms - days * DAY_MS, journal.cursor(delivered)
        if before_ms > 0 and through > 0:
            await _prune(journal, before_ms=before_ms, through=through)
        await asyncio.sleep(every_s)


async def _prune(journal: Aging, *, before_ms: int, through: int) -> None:
    done: list[Pruned] = []
    try:
        journal.flush_cursors()  # what is pruned must be behind them, whatever happens next
        work = partial(prune, journal.path, before_ms=before_ms, through=through)
        await aside(lambda: done.append(work()), name="journal.prune")
    except JournalError as refused:
        log.warning("journal.not_pruned", why=refused.sentence)
    for each in done:
        if each.records:
            log.info("journal.pruned", records=each.records, up_to=each.number, events_up_to=each.sequence)


async def ask_the_disk(journal: Probed, board: StatusBoard, *, every_s: float = ASK_S) -> None:
    """For ever: while the board says that the disk refuses, try it, and say when it does not.

    Raises:
        JournalCorrupt: the file cannot be trusted: the next start looks at it.
    """
    while True:
        await asyncio.sleep(every_s)
        if any(each.reason == STORAGE for each in board.reasons):
            with contextlib.suppress(StorageFailed):
                journal.probe()
                board.restore(STORAGE)
