"""Upkeep beside the table: the journal's log is kept short, and a disk that refused is asked again.

The log is moved into the file before it is full. A commit would do that by itself, on the loop, once the log
has 40 MB: this comes first. It also keeps commits quick: a log that begins anew overwrites what is there,
which a disk syncs sooner than a file that grows.

Whoever met a disk that refuses may have gone: a request whose connection broke, a command at the socket.
While the status says so, the disk is asked once a second, so that the status is true when it is mended.
"""

import asyncio
import contextlib
from pathlib import Path
from typing import Final, Protocol

import structlog

from edge.aside import aside
from edge.errors import StorageFailed
from edge.journal import checkpoint
from edge.status import StatusBoard
from edge.table import STORAGE

CHECKPOINT_S: Final = 60.0
FULL: Final = 200
"""Records after which the log is moved at the next look: it has room for about as many."""
LOOK_S: Final = 1.0
ASK_S: Final = 1.0

log = structlog.get_logger("edge.upkeep")


class Kept(Protocol):
    """What is kept up: a :class:`edge.journal.Journal`."""

    path: Path

    @property
    def last_number(self) -> int:
        """The last committed record."""


class Probed(Protocol):
    """What a disk is asked with: a :class:`edge.journal.Journal`."""

    def probe(self) -> None:
        """Put something on disk; raises StorageFailed while that is refused."""


async def keep_log_short(journal: Kept, *, every_s: float = CHECKPOINT_S, look_s: float = LOOK_S) -> None:
    """Checkpoint for ever, whenever something was committed: at times, and before the log is full.

    Raises:
        JournalCorrupt: the file cannot be trusted: the next start looks at it.
    """
    moved, waited_s = 0, 0.0
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
            log.warning("journal.not_checkpointed", why=refused.sentence)
        else:
            moved = last


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
