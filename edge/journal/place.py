"""What lies in the journal's place, looked at without touching it: only a journal may be moved from there.

A directory, a pipe, a device, or a sound database that another program made there is a slip in a
configuration, and no damage: it is refused as it is. Nothing is made, locked, waited for or renamed. What
cannot be read as a database at all may have been a journal, and is :mod:`edge.journal.opening`'s to keep.
"""

import contextlib
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from edge.errors import JournalMisplaced
from edge.journal.faults import disk_error
from edge.journal.schema import APPLICATION_ID, TABLES

_KINDS: Final[tuple[tuple[Callable[[int], bool], str], ...]] = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_kind(path: Path) -> None:
    """A file may be at this path: it is one, or nothing is there yet.

    Raises:
        JournalMisplaced: something else is there.
        StorageFailed: the disk does not let us look.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except NotADirectoryError:
        above = next(each for each in path.parents if each.exists())
        raise JournalMisplaced(
            f"The journal {path} cannot be made, because {above} is no directory: name a file in one."
        ) from None
    except OSError as error:
        raise disk_error(error, path) from error
    if stat.S_ISDIR(mode):
        raise JournalMisplaced(
            f"The journal {path} is a directory: name a file in it, such as {path / 'journal.db'}."
        )
    for is_one, kind in _KINDS:
        if is_one(mode):
            raise JournalMisplaced(f"The journal {path} is {kind}: name a file.")


def check_place(path: Path) -> None:
    """A journal may be at this path: what is there is a file, and no other program's database.

    Raises:
        JournalMisplaced: something else is there.
        StorageFailed: the disk does not let us look.
    """
    check_kind(path)
    if _of_another_program(path):
        raise JournalMisplaced(
            f"The file {path} is a sound database of another program and no table's journal, so it is left "
            "as it is: name another file."
        )


def _of_another_program(path: Path) -> bool:
    """It can be read as a database that has neither a journal's mark nor its tables.

    Ours has its mark from before it had its name; one whose mark was damaged still has its tables.
    """
    if not path.exists() or not path.stat().st_size:
        return False
    # immutable: SQLite makes no log, takes no lock and rolls nothing back
    uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        return mark != APPLICATION_ID and len(names & TABLES) <= len(TABLES) // 2
    return False
