"""Journals of any size, kept from run to run: days of play, ruled and chained by the product itself.

The one shortcut: a commit comes after many records and not after each, so the disk is not waited for.
Snapshots are taken as ever, and the file is what the daemon would have written: ``table-edge journal verify``
finds it sound.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from edge.errors import EdgeError
from edge.journal import Journal, Moment, checkpoint, open_journal, read_journal
from edge.journal.schema import connect
from edge.journal.snapshots import EVERY, newest_snapshot
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.bench.play import Day

TABLE: Final = "t1"
HOUSE: Final = "deluxe"
PORTION: Final = 10_000
"""Records to a commit: about 10 MB of log."""
RECORD_MS: Final = 1_500
BOOT: Final = "00000000-0000-4000-8000-000000000000"
BEGAN_MS: Final = 1_700_000_000_000


def shelf() -> Path:
    """Where journals are kept: outside the checkout, and safe to delete."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "table-edge-bench"


def journals(sizes: Sequence[int], *, kept: Path, told: Callable[[str], None] = lambda _: None) -> list[Path]:
    """Closed journals of so many records each, ascending; made if they are not kept or not this version's."""
    paths = [kept / f"{size}.db" for size in sizes]
    if not all(_is_current(path, size) for path, size in zip(paths, sizes, strict=True)):
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(mode=0o700, parents=True)
        _make(sizes, paths, kept / "growing.db", told)
    return paths


def lengthen(path: Path, records: int) -> None:
    """Add so many records to a closed journal; play begins with a new shoe."""
    journal = open_journal(path, table=TABLE).journal
    try:
        state = journal.restore(new_table, evolve, RULING_VERSION)
        day = Day(HOUSE, seed=journal.last_number)
        _play(journal, state, day, records)
    finally:
        journal.close()


def _is_current(path: Path, size: int) -> bool:
    """Whether it is there and this version of the product can go on from its snapshot."""
    with contextlib.suppress(EdgeError, sqlite3.Error), read_journal(path) as journal:
        last = journal.last_number
        with contextlib.closing(connect(path, mode="ro")) as connection:
            found = newest_snapshot(connection, path, TableState, ruling=RULING_VERSION, below=last + 1)
        return last == size and (last < EVERY or (found is not None and found.number > last - EVERY))
    return False


def _make(sizes: Sequence[int], paths: Sequence[Path], growing: Path, told: Callable[[str], None]) -> None:
    day = Day(HOUSE, seed=1)
    state: TableState | None = None
    for size, path in zip(sizes, paths, strict=True):
        journal = open_journal(growing, table=TABLE).journal
        try:
            state = state or new_table(journal.id)
            while journal.last_number < size:
                state = _play(journal, state, day, min(PORTION, size - journal.last_number))
                told(f"{journal.last_number} of {sizes[-1]} records")
        finally:
            journal.close()
        checkpoint(growing)
        if size == sizes[-1]:
            growing.rename(path)
        else:
            shutil.copyfile(growing, path)
            path.chmod(0o600)


def _play(journal: Journal, state: TableState, day: Day, count: int) -> TableState:
    before = journal.last_number
    for number in range(before + 1, before + count + 1):
        heard = day.next(state)
        ruling = decide(state, heard)
        state = ruling.state
        moment = Moment(at_ms=number * RECORD_MS, wall_ms=BEGAN_MS + number * RECORD_MS, boot=BOOT)
        journal.append(heard, ruling.ruled, moment=moment, ruling=RULING_VERSION, state=state)
    journal.commit()
    return state
