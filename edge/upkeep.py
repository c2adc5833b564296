"""Upkeep beside the table: the journal's log is moved into its file before it is long.

A commit would do that by itself, on the loop, once the log has 40 MB: this comes first. It also keeps commits
quick: a log that begins anew overwrites what is there, which a disk syncs sooner than a file that grows.
"""

import asyncio
from pathlib import Path
from typing import Final, Protocol

import structlog

from edge.aside import aside
from edge.errors import StorageFailed
from edge.journal import checkpoint

CHECKPOINT_S: Final = 60.0

log = structlog.get_logger("edge.upkeep")


class Kept(Protocol):
    """What is kept up: a :class:`edge.journal.Journal`."""

    path: Path

    @property
    def last_number(self) -> int:
        """The last committed record."""


async def keep_log_short(journal: Kept, *, every_s: float = CHECKPOINT_S) -> None:
    """Checkpoint for ever, whenever something was committed.

    Raises:
        JournalCorrupt: the file cannot be trusted: the next start looks at it.
    """
    moved = 0
    while True:
        await asyncio.sleep(every_s)
        last = journal.last_number
        if last == moved:
            continue
        try:
            await aside(lambda: checkpoint(journal.path), name="journal.checkpoint")
        except StorageFailed as refused:
            log.warning("journal.not_checkpointed", why=refused.sentence)
        else:
            moved = last
