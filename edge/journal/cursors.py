"""How far each follower of the events has come, and what is no place in them.

A cursor beyond the last event would silence the table: its follower waits for an event that is far away, and
says nothing meanwhile. No daemon writes one, for a cursor is moved to an event that is on disk; a copied or
changed file may have one. It is brought back to the last event on opening, and :func:`edge.journal.verify`
names it.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge.errors import JournalCorrupt
from edge.journal.faults import reported
from edge.journal.links import Finding

FOLLOWERS: Final = ("acknowledged", "published")
"""The cursors whose value is the sequence of an event; others count something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """A cursor that stood where no event is."""

    name: str
    stood: int
    last: int
    """The last event, at which it is put."""

    def __str__(self) -> str:
        return f"The cursor {self.name!r} stood at event {self.stood}, and the last event is {self.last}."


def read_cursors(connection: sqlite3.Connection, path: Path) -> dict[str, int]:
    """Every cursor, as stored.

    Raises:
        JournalCorrupt: they cannot be read.
        StorageFailed: the disk refused.
    """
    with reported(path):
        rows = connection.execute("SELECT name, value FROM cursors").fetchall()
    cursors = {name: value for name, value in rows if isinstance(name, str) and isinstance(value, int)}
    if len(cursors) != len(rows):
        raise JournalCorrupt(f"The cursors of the journal {path} cannot be read.")
    return cursors


def strays(cursors: dict[str, int], last: int) -> tuple[Stray, ...]:
    """Those of these cursors that are at no event, up to the last."""
    return tuple(
        Stray(name=name, stood=cursors[name], last=last)
        for name in FOLLOWERS
        if name in cursors and not 0 <= cursors[name] <= last
    )


def cursor_findings(connection: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    """The cursors that are at no event; all of one moment, for the daemon may go on.

    Raises:
        JournalCorrupt: they cannot be read.
        StorageFailed: the disk refused.
    """
    connection.execute("BEGIN")
    try:
        cursors = read_cursors(connection, path)
        with reported(path):
            last = connection.execute("SELECT IFNULL(MAX(sequence), 0) FROM events").fetchone()[0]
    finally:
        connection.execute("ROLLBACK")
    for stray in strays(cursors, last):
        yield Finding(sentence=f"the cursor {stray.name!r} is at event {stray.stood}, the last is {last}")
