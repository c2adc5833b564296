"""Opening the daemon's journal: made if there is none, set aside if it cannot be trusted.

A new journal is laid out under another name and renamed into place, so that a file under the journal's
name is a whole one. One that is not is renamed to ``NAME.corrupt-<UTC time>``, with its log, and a new
one with a new id takes its place: followers see the new id, people see where the old one is.

What opening looks at does not grow with the journal: the header, the newest snapshot's record and the
records after it, with their events. The rest is :func:`edge.journal.verify`'s, at leisure. Damage elsewhere
is met in use, and then :func:`distrust` leaves a mark, by which the next opening sets the journal aside: a
daemon that was started again on the same page would only die on it again, for ever.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from edge.errors import JournalCorrupt, JournalError
from edge.journal.faults import disk_error, reported
from edge.journal.locking import Lock
from edge.journal.place import check_place
from edge.journal.reading import Tail, read_journal
from edge.journal.schema import bring_up, check_format, connect, lay_out
from edge.journal.snapshots import EVERY
from edge.journal.store import Journal
from edge.journal.wal import check_log, make_room

PRIVATE_FILE: Final = 0o600
PRIVATE_DIRECTORY: Final = 0o700
DISTRUSTED: Final = "-distrusted"
"""Beside a journal: it is to be set aside at the next opening. In it stands why."""
LONGEST_WHY: Final = 1_000
"""Bytes of a mark that are read."""
SIDE_FILES: Final = ("-wal", "-shm", "-journal", DISTRUSTED)
"""What lies beside the file and goes where it goes; SQLite's log is part of the journal."""

TAIL: Final = 8 * EVERY
"""Records looked at where no snapshot says where the tail begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedJournal:
    """A journal, and what had to be done to have one."""

    journal: Journal
    quarantined: Path | None
    """Where the one before it was set aside, because its bytes could not be trusted."""
    why: str = ""
    """What was wrong with that one, in a sentence that names no card; empty: nothing was set aside."""


def open_journal(path: Path, *, table: str) -> OpenedJournal:
    """Open the table's journal for writing, or make it; its directory too, private.

    Args:
        path: of the file; its log and its lock are kept beside it.
        table: the table's id, which a journal keeps for life.

    Raises:
        JournalMisplaced: what is at this path is no journal; it is untouched.
        JournalTaken: another daemon holds it.
        JournalNewer: a newer version wrote it; it is untouched.
        JournalError: it is another table's; it is untouched.
        StorageFailed: the disk refused.
    """
    path = Path(os.path.realpath(path))
    check_place(path)
    with _disk(path):
        path.parent.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    lock = Lock.take(path)
    try:
        return _opened(path, lock, table)
    except BaseException:
        lock.release()
        raise


def replace_corrupt(journal: Journal, why: str) -> OpenedJournal:
    """Set an open journal aside that turned out to be corrupt, and open a new one in its place.

    For what opening did not look at: :meth:`Journal.restore`, or a read, raised JournalCorrupt.

    Args:
        journal: is closed.
        why: what JournalCorrupt said.

    Raises:
        StorageFailed: the disk refused.
        JournalTaken: another daemon was quicker.
    """
    path, table = journal.path, journal.table
    journal.close()
    lock = Lock.take(path)
    try:
        return _replaced(path, lock, table, why)
    except BaseException:
        lock.release()
        raise


def distrust(path: Path, why: str) -> None:
    """Mark the journal at this path as one that cannot be trusted; a disk that refuses leaves it unmarked.

    Args:
        path: of the journal; it is not touched.
        why: for whoever looks at what was set aside; names no card.
    """
    mark = _beside(path, DISTRUSTED)
    with contextlib.suppress(OSError):
        descriptor = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
        try:
            os.write(descriptor, f"{why}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _sync_directory(path.parent)


def checkpoint(path: Path) -> None:
    """Move what is committed from the log into the file, beside the daemon's own connection.

    Blocks for as long as the disk takes: call it from a thread, about once a minute. It neither waits
    for writers and readers nor makes them wait; what they still need is left for the next time.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the file cannot be trusted.
    """
    connection = connect(Path(os.path.realpath(path)), mode="rw")
    with contextlib.closing(connection), reported(path):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def _opened(path: Path, lock: Lock, table: str) -> OpenedJournal:
    if not path.exists():
        if any(_beside(path, side).exists() for side in SIDE_FILES):  # a log without its file
            why = _read_mark(path) or f"The journal {path} is gone, and what lay beside it is still there."
            return _replaced(path, lock, table, why)
        _make(path, table)
    _keep_private(path)
    if _beside(path, DISTRUSTED).exists():
        why = _read_mark(path) or f"The journal {path} was marked as one that cannot be trusted."
        return _replaced(path, lock, table, why)
    try:
        journal = _held(path, lock, _look_at(path, table))
    except JournalCorrupt as fault:
        return _replaced(path, lock, table, fault.sentence)
    return OpenedJournal(journal=journal, quarantined=None)


def _replaced(path: Path, lock: Lock, table: str, why: str) -> OpenedJournal:
    aside = _set_aside(path)
    _make(path, table)
    return OpenedJournal(journal=_held(path, lock), quarantined=aside, why=why)


def _read_mark(path: Path) -> str:
    """Why the journal here is distrusted; empty: there is no mark, or it does not say."""
    with contextlib.suppress(OSError), _beside(path, DISTRUSTED).open("rb") as mark:
        text = mark.read(LONGEST_WHY).decode(errors="replace").partition("\n")[0].strip()
        return text if text.isprintable() else ""
    return ""


def _held(path: Path, lock: Lock, tail: Tail = ()) -> Journal:
    connection = connect(path, mode="rw")
    try:
        bring_up(connection, path)
        journal = Journal(connection, path, lock, tail)
        make_room(path)
    except BaseException:
        connection.close()
        raise
    return journal


def _look_at(path: Path, table: str) -> Tail:
    """Look at the journal without writing to it: whose it is, and whether its tail, given back, is whole.

    Raises:
        JournalNewer: a newer version wrote it.
        JournalError: it is another table's.
        JournalCorrupt: its bytes cannot be trusted.
        StorageFailed: the disk refused.
    """
    with read_journal(path) as reader:
        check_format(path)
        if reader.table != table:
            raise JournalError(
                f"The journal {path} is that of table {reader.table}, not of {table}.",
                hint="Give each table its own journal.",
            )
        tail = reader.checked_tail(TAIL)
        check_log(path)
    return tail


def _make(path: Path, table: str) -> None:
    draft = path.with_name(path.name + ".new")
    with _disk(path):
        for name in (draft, *(_beside(draft, side) for side in SIDE_FILES)):  # of a start cut short
            name.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            os.fchmod(descriptor, PRIVATE_FILE)  # whatever the umask took away
        finally:
            os.close(descriptor)
    with reported(path), contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        lay_out(connection, journal=str(uuid4()), table=table)
    with _disk(path):
        draft.rename(path)
        _sync_directory(path.parent)


def _set_aside(path: Path) -> Path:
    """Rename the journal and its log; the file first, so that no new one can meet the old log."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    again = 1
    while any(os.path.lexists(_beside(aside, side)) for side in ("", *SIDE_FILES)):
        again += 1
        aside = path.with_name(f"{path.name}.corrupt-{stamp}-{again}")
    with _disk(path):
        for side in ("", *SIDE_FILES):
            if _beside(path, side).exists():
                _beside(path, side).chmod(PRIVATE_FILE)
                _beside(path, side).rename(_beside(aside, side))
        _sync_directory(path.parent)
    return aside


def _keep_private(path: Path) -> None:
    for side in ("", *SIDE_FILES):
        name = _beside(path, side)
        with _disk(path):
            if name.is_file() and name.stat().st_mode & 0o777 != PRIVATE_FILE:
                name.chmod(PRIVATE_FILE)


def _beside(path: Path, side: str) -> Path:
    return path.with_name(path.name + side)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error
