"""Ailments of a daemon under test: a slow or read-only disk, a wall clock that jumps, frequent snapshots.

Injected from the outside by the launcher, in the daemon's own program; the product has no line for them.
What may change while the daemon lives is read from a small file at every use, so a test makes a clock jump
or a disk mend by writing that file.
"""

import sqlite3
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import edge.clock
import edge.daemon
import edge.journal.store
import edge.upkeep
import edge.upstream.upstream
from edge.journal.store import Journal
from edge.upstream.patience import Patience
from tests.crash.fuses import wrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Ailments:
    """What ails one life of the daemon."""

    snapshot_every: int | None = None
    """Records from one snapshot to the next; None: as in the product."""
    checkpoint_every_s: float | None = None
    """None: as in the product."""
    retention_ms: int | None = None
    """What was delivered is pruned when it is so old, and all the time; None: as in the product."""
    quick_retries: bool = False
    """The broker is tried again after tens of milliseconds, so that a torture gets on."""
    slow_commit: str | None = None
    """A file with the seconds that a commit takes longer; of several, all but the last are for one each."""
    read_only: str | None = None
    """While this file exists, SQLite finds the journal read-only."""
    wall: str | None = None
    """A file with what the wall clock is off, in milliseconds."""


class _Clocks:
    """Stands for the module ``time`` in :mod:`edge.clock`."""

    def __init__(self, wall: Path) -> None:
        self._wall = wall
        self.monotonic = time.monotonic

    def time_ns(self) -> int:
        return time.time_ns() + int(self._wall.read_text() or "0") * 1_000_000


def fall_ill(ailments: Ailments) -> None:
    """Inject them into this program."""
    if ailments.snapshot_every is not None:
        _put(edge.journal.store, "EVERY", ailments.snapshot_every)
    if ailments.checkpoint_every_s is not None:
        _checkpoint_often(ailments.checkpoint_every_s)
    if ailments.retention_ms is not None:
        _prune_often(ailments.retention_ms)
    if ailments.quick_retries:
        _be_quick()
    if ailments.wall is not None:
        _put(edge.clock, "time", _Clocks(Path(ailments.wall)))
    if ailments.slow_commit is not None:
        _slow_down(Path(ailments.slow_commit))
    if ailments.read_only is not None:
        _refuse_writes(Path(ailments.read_only))


def _put(module: Any, name: str, value: object) -> None:
    assert hasattr(module, name), f"{module} has no {name} any more"
    setattr(module, name, value)


def _checkpoint_often(every_s: float) -> None:
    keep = edge.upkeep.keep_log_short
    _put(edge.daemon, "keep_log_short", lambda journal: keep(journal, every_s=every_s))


def _prune_often(retention_ms: int) -> None:
    keep = edge.upkeep.keep_retention
    _put(edge.upkeep, "DAY_MS", retention_ms)

    def often(journal: Journal, *, days: int, delivered: str) -> Awaitable[None]:
        del days
        return keep(journal, days=1, delivered=delivered, first_s=0.02, every_s=0.05)

    _put(edge.daemon, "keep_retention", often)


def _be_quick() -> None:
    def quick() -> Patience:
        return Patience(first_retry_s=0.02, last_retry_s=0.2, takeover_s=0.2)

    _put(edge.upstream.upstream, "Patience", quick)


def _slow_down(seconds: Path) -> None:
    def before(_journal: Journal) -> None:
        first, *others = seconds.read_text().split()
        if others:
            seconds.write_text(" ".join(others))
        time.sleep(float(first))

    wrap(Journal, "commit", before=before)


def _refuse_writes(sign: Path) -> None:
    def before(journal: Journal, *_: Any, **__: Any) -> None:
        connection: sqlite3.Connection = journal._connection  # noqa: SLF001 - as a remount of the disk would
        if not connection.in_transaction:
            connection.execute(f"PRAGMA query_only = {int(sign.exists())}")

    wrap(Journal, "append", before=before)
