"""Rows as stored, with their types checked; read in portions, so that no read lasts long.

A read that stays open would keep the WAL from being emptied, and would be aborted by a rollback.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from edge.errors import JournalCorrupt
from edge.journal.faults import reported
from edge.journal.record import Hash, Moment

PORTION: Final = 500
"""Rows to a read: a few hundred kilobytes."""

Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A row of ``records``."""

    number: int
    moment: Moment
    ruling: str
    body: bytes = field(repr=False)
    hash: Hash


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """A row of ``events``."""

    sequence: int
    record: int
    published: bytes


def stored_records(
    connection: sqlite3.Connection, path: Path, first: int, last: int
) -> Iterator[StoredRecord]:
    """The records from ``first`` to ``last`` that are there, in order.

    Raises:
        JournalCorrupt: a row cannot be read.
        StorageFailed: the disk refused.
    """
    query = (
        "SELECT number, at_ms, wall_ms, boot, ruling, body, hash FROM records "
        "WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
    )
    for row in _portions(connection, path, query, first, last):
        match row:
            case (
                int(number),
                int(at_ms),
                int(wall_ms),
                str(boot),
                str(ruling),
                bytes(body),
                bytes(hash_),
            ):
                moment = Moment(at_ms=at_ms, wall_ms=wall_ms, boot=boot)
                yield StoredRecord(number=number, moment=moment, ruling=ruling, body=body, hash=hash_)
            case _:
                raise JournalCorrupt(f"Record {row[0]} of the journal {path} has a wrong type in it.")


def stored_events(connection: sqlite3.Connection, path: Path, first: int, last: int) -> Iterator[StoredEvent]:
    """The events from ``first`` to ``last`` that are there, in order.

    Raises:
        JournalCorrupt: a row cannot be read.
        StorageFailed: the disk refused.
    """
    query = (
        "SELECT sequence, record, published FROM events "
        "WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?"
    )
    for row in _portions(connection, path, query, first, last):
        match row:
            case (int(sequence), int(record), bytes(published)):
                yield StoredEvent(sequence=sequence, record=record, published=published)
            case _:
                raise JournalCorrupt(f"Event {row[0]} of the journal {path} has a wrong type in it.")


def ends(connection: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """The last record and the last event, of one moment; 0: none.

    Raises:
        JournalCorrupt: they cannot be read.
        StorageFailed: the disk refused.
    """
    query = (
        "SELECT IFNULL((SELECT MAX(number) FROM records), 0), IFNULL((SELECT MAX(sequence) FROM events), 0)"
    )
    match one_row(connection, path, query, ()):
        case (int(number), int(sequence)):
            return number, sequence
        case _:
            raise JournalCorrupt(f"The journal {path} cannot be trusted: a key is no number.")


def one_row(connection: sqlite3.Connection, path: Path, query: str, parameters: Row) -> Row | None:
    """The first row of a query, or None.

    Raises:
        JournalCorrupt: it cannot be read.
        StorageFailed: the disk refused.
    """
    with reported(path):
        row: Row | None = connection.execute(query, parameters).fetchone()
    return row


def _portions(connection: sqlite3.Connection, path: Path, query: str, first: int, last: int) -> Iterator[Row]:
    while first <= last:
        with reported(path):
            rows: list[Row] = connection.execute(query, (first, last, PORTION)).fetchall()
        yield from rows
        key = rows[-1][0] if rows else last
        if not isinstance(key, int) or key < first:
            raise JournalCorrupt(f"The journal {path} cannot be trusted: its keys are out of order.")
        first = key + 1 if len(rows) == PORTION else last + 1
