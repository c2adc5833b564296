"""Pruning: the oldest records leave the journal with their events, and their room is used again.

Laws:

1. Nothing leaves that was not delivered: an event stays until the server has acknowledged it, or, where the
   server acknowledges nothing, until the broker has it; and for the retention after that.
2. Age is the table's own clock, which no wrong wall clock can move: a date in the year 2099 prunes nothing.
3. Killed at any moment, the journal is whole. The base is committed first; from then on the rows up to it
   count as gone, and whoever prunes next takes away what is left of them.
4. A card never waits for it: few rows to a transaction, a pause after each, and off the event loop.

The index of rounds stays as it is: a round id is never used twice. An answer leaves with its record. SQLite
puts the pages on its free list and fills them again, so the file stops growing; it does not shrink.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge.errors import JournalCorrupt
from edge.journal.base import Base, read_base, write_base
from edge.journal.codec import read_body
from edge.journal.faults import reported
from edge.journal.links import Tip
from edge.journal.rows import ends, one_row
from edge.journal.schema import bring_up, connect
from edge.journal.snapshots import checksum_of
from edge.notes import RequestAnswered

BATCH: Final = 20
"""Records to a transaction: it lasts about as long as the commit of a card."""
PAUSE_S: Final = 0.05
"""Between two transactions."""
CHECKPOINT_AFTER: Final = 50
"""Transactions after which the log is moved into the file: what is pruned must not make it long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What a prune took away."""

    records: int
    number: int
    """The last record that is gone; 0: none ever went."""
    sequence: int
    """The last event that is gone."""


def prune(path: Path, *, before_ms: int, through: int, pause_s: float = PAUSE_S) -> Pruned:
    """Take away the records that are old and delivered, as far as a snapshot reaches.

    Blocks for as long as it takes: call it from a thread. The daemon may write meanwhile.

    Args:
        path: of the journal.
        before_ms: on the table's clock: a record that was heard later stays.
        through: the last event that may go, because it was delivered.
        pause_s: seconds after each transaction.

    Raises:
        StorageFailed: the disk refused; what is gone by then is gone, the rest is for the next time.
        JournalCorrupt: what should go cannot be read.
    """
    path = Path(os.path.realpath(path))
    with contextlib.closing(connect(path, mode="rw")) as connection:
        bring_up(connection, path)
        base = read_base(connection, path)
        further = _further(connection, path, base, before_ms=before_ms, through=through)
        if further is not None:
            with _transaction(connection, path):
                write_base(connection, further)
            base = further
        if base is None:
            return Pruned(records=0, number=0, sequence=0)
        records = _sweep(connection, path, base.tip, pause_s=pause_s)
    return Pruned(records=records, number=base.tip.number, sequence=base.tip.sequence)


def _further(
    connection: sqlite3.Connection, path: Path, base: Base | None, *, before_ms: int, through: int
) -> Base | None:
    """The newest snapshot whose record may go, as a base; never the last record, nor the last event."""
    query = (
        "SELECT number, at_ms, hash, body, snapshots.ruling, state, checksum "
        "FROM snapshots JOIN records USING (number) "
        "WHERE number > ? AND number < ? AND sequence <= ? AND at_ms < ? ORDER BY number DESC LIMIT 1"
    )
    last_number, last_sequence = ends(connection, path)
    begin = 0 if base is None else base.tip.number
    below = last_number
    while True:
        row = one_row(connection, path, query, (begin, below, min(through, last_sequence - 1), before_ms))
        match row:
            case None:
                return None
            case (
                int(number),
                int(at_ms),
                bytes(hash_),
                bytes(raw_body),
                str(ruling),
                bytes(state),
                bytes(checksum),
            ):
                if checksum == checksum_of(hash_, ruling, state):
                    body = read_body(raw_body)
                    sequence = body.after + len(body.sequences)
                    tip = Tip(number=number, sequence=sequence, at_ms=at_ms, hash=hash_, head=body.head)
                    return Base(tip=tip, ruling=ruling, raw=state)
                below = number
            case _:
                raise JournalCorrupt(f"A snapshot of the journal {path} cannot be read.")


def _sweep(connection: sqlite3.Connection, path: Path, tip: Tip, *, pause_s: float) -> int:
    """Take away the rows up to the base, some at a time; how many records went."""
    gone = batches = 0
    while True:
        with reported(path):
            rows = connection.execute(
                "SELECT number, body FROM records WHERE number <= ? ORDER BY number LIMIT ?",
                (tip.number, BATCH),
            ).fetchall()
        if not rows:
            break
        _take_away(connection, path, rows)
        gone += len(rows)
        batches += 1
        if batches % CHECKPOINT_AFTER == 0:
            _checkpoint(connection, path)
        time.sleep(pause_s)
    if gone:
        _checkpoint(connection, path)
    return gone


def _take_away(connection: sqlite3.Connection, path: Path, rows: list[tuple[int, bytes]]) -> None:
    number = rows[-1][0]
    bodies = [read_body(raw) for _, raw in rows]
    sequence = bodies[-1].after + len(bodies[-1].sequences)
    answered = [
        (note.id, row[0])
        for row, body in zip(rows, bodies, strict=True)
        for note in body.ruled
        if isinstance(note, RequestAnswered)
    ]
    with _transaction(connection, path):
        connection.execute("DELETE FROM snapshots WHERE number <= ?", (number,))
        connection.executemany("DELETE FROM answers WHERE id = ? AND record = ?", answered)
        connection.execute("DELETE FROM events WHERE sequence <= ?", (sequence,))
        connection.execute("DELETE FROM records WHERE number <= ?", (number,))


def _checkpoint(connection: sqlite3.Connection, path: Path) -> None:
    with reported(path):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    with reported(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
