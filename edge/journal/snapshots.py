"""Snapshots: the state after a record, so that a start need not fold a million of them.

A snapshot is only ever a shortcut. One that another ruling version made, or that a flipped bit
changed, is passed over, and what it said is folded again from the records.
"""

import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from edge.errors import JournalCorrupt
from edge.journal.codec import read_state, written_state
from edge.journal.faults import reported
from edge.journal.links import Tip
from edge.journal.record import Hash
from edge.journal.rows import one_row

EVERY: Final = 250
"""Records from one snapshot to the next: what a start has to prove and fold at most."""


class Folded(Protocol):
    """What the journal must know of a state that is folded from its records."""

    @property
    def sequence(self) -> int:
        """Events folded into it."""


S = TypeVar("S", bound=Folded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Generic[S]):
    """A snapshot that can be trusted."""

    number: int
    """Of the record after which the state was this."""
    state: S


def take_snapshot(
    connection: sqlite3.Connection, path: Path, state: Folded, *, tip: Tip, ruling: str
) -> None:
    """Write a snapshot in the open transaction.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be trusted.
    """
    raw = written_state(state)
    row = (tip.number, ruling, tip.sequence, raw, checksum_of(tip.hash, ruling, raw))
    with reported(path):
        connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row)


def has_other_snapshots(connection: sqlite3.Connection, path: Path, ruling: str) -> bool:
    """Whether there are snapshots of other ruling versions.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be trusted.
    """
    query = "SELECT 1 FROM snapshots WHERE ruling <> ? LIMIT 1"
    return one_row(connection, path, query, (ruling,)) is not None


def drop_other_snapshots(connection: sqlite3.Connection, path: Path, ruling: str) -> None:
    """Drop the snapshots of other ruling versions.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be trusted.
    """
    with reported(path):
        connection.execute("DELETE FROM snapshots WHERE ruling <> ?", (ruling,))


def newest_number(connection: sqlite3.Connection, path: Path) -> int:
    """The record of the newest snapshot, of whatever version; 0: there is none.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be trusted.
    """
    match one_row(connection, path, "SELECT IFNULL(MAX(number), 0) FROM snapshots", ()):
        case (int(number),):
            return number
        case _:
            raise JournalCorrupt(f"The snapshots of the journal {path} cannot be read.")


def snapshot_numbers(connection: sqlite3.Connection, path: Path, ruling: str) -> frozenset[int]:
    """The records that have a snapshot of this ruling version.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be trusted.
    """
    with reported(path):
        rows = connection.execute("SELECT number FROM snapshots WHERE ruling = ?", (ruling,)).fetchall()
    return frozenset(number for (number,) in rows)


def newest_snapshot(
    connection: sqlite3.Connection, path: Path, kind: type[S], *, ruling: str, below: int
) -> Snapshot[S] | None:
    """The newest snapshot of this ruling version that can be trusted, of a record before ``below``.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the table cannot be read.
    """
    query = "SELECT MAX(number) FROM snapshots WHERE ruling = ? AND number < ?"
    while True:
        row = one_row(connection, path, query, (ruling, below))
        number = row[0] if row else None
        if not isinstance(number, int):
            return None
        try:
            return snapshot_after(connection, path, kind, number=number)
        except JournalCorrupt:
            below = number


def snapshot_after(connection: sqlite3.Connection, path: Path, kind: type[S], *, number: int) -> Snapshot[S]:
    """The snapshot after this record.

    Raises:
        JournalCorrupt: it is not there, or not as it was written.
        StorageFailed: the disk refused.
    """
    query = (
        "SELECT snapshots.ruling, sequence, state, checksum, hash "
        "FROM snapshots JOIN records USING (number) WHERE number = ?"
    )
    match one_row(connection, path, query, (number,)):
        case (str(ruling), int(sequence), bytes(raw), bytes(checksum), bytes(hash_)) if (
            checksum == checksum_of(hash_, ruling, raw)
        ):
            state = read_state(raw, kind)
            if state.sequence == sequence:
                return Snapshot(number=number, state=state)
    raise JournalCorrupt(f"The snapshot after record {number} is not as it was written.")


def checksum_of(record: Hash, ruling: str, raw: bytes) -> bytes:
    """What proves that this is the state after the record of this hash, by this ruling version."""
    return sha256(record + sha256(ruling.encode()).digest() + raw).digest()
