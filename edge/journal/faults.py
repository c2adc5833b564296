"""What SQLite says went wrong, in the journal's terms."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from edge.errors import JournalCorrupt, JournalError, StorageFailed

_HINTS: Final[dict[int, str]] = {
    sqlite3.SQLITE_FULL: "Free some space; nothing that was acknowledged is lost.",
    sqlite3.SQLITE_READONLY: "Give the service's user write access to the file and its directory.",
    sqlite3.SQLITE_IOERR: "Check the disk (dmesg, smartctl) and its free space.",
    sqlite3.SQLITE_CANTOPEN: "Check that its directory exists and belongs to the service's user.",
    sqlite3.SQLITE_PERM: "Give the service's user access to the file and its directory.",
    sqlite3.SQLITE_AUTH: "Give the service's user access to the file and its directory.",
    sqlite3.SQLITE_BUSY: "Another program is writing to it: end that program.",
    sqlite3.SQLITE_LOCKED: "Another program is writing to it: end that program.",
    sqlite3.SQLITE_PROTOCOL: "Another program holds its locks: end that program.",
    sqlite3.SQLITE_NOMEM: "The machine is out of memory.",
    sqlite3.SQLITE_NOLFS: "Put it on a file system that takes large files.",
}
"""Primary result codes that blame the storage, not the bytes (https://sqlite.org/rescode.html)."""

_SHORT_READ: Final = sqlite3.SQLITE_IOERR_SHORT_READ
"""The one I/O error that means a file cut short: its bytes are to blame."""


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Raise what SQLite reports as the journal's own error.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the bytes cannot be trusted.
    """
    try:
        yield
    except sqlite3.ProgrammingError:  # ours: a closed connection, a wrong number of parameters
        raise
    except sqlite3.Error as error:
        raise journal_error(error, path) from error


def journal_error(error: sqlite3.Error, path: Path) -> JournalError:
    """The journal's error for this one of SQLite's, whose text names tables but shows no values."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # none: text that is not UTF-8
    hint = _HINTS.get(code & 0xFF)
    if hint is None or code == _SHORT_READ:
        return JournalCorrupt(f"The journal {path} cannot be trusted: {error}.")
    return StorageFailed(f"The disk refused the journal {path}: {error}.", hint=hint)


def disk_error(error: OSError, path: Path) -> StorageFailed:
    """The journal's error for what the operating system refused."""
    why = error.strerror or type(error).__name__
    return StorageFailed(
        f"The disk refused the journal {path}: {why}.",
        hint="Check that its directory exists, belongs to the service's user and has space.",
    )
