"""The base of a journal: where both chains were when the last record was pruned, and the state then.

What is up to the base is gone, whether or not its rows are still there: a prune writes the base first, and
takes the rows away afterwards, some at a time. The first record that is kept is chained to the base as it was
to the record before it, so both chains still prove themselves; a base that was changed does not fit it.

The state is that of a snapshot, and is read by every later version: nothing before it can be folded again.
"""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from edge.errors import JournalCorrupt
from edge.journal.codec import read_state
from edge.journal.links import Tip
from edge.journal.rows import one_row
from edge.journal.snapshots import Folded, checksum_of

S = TypeVar("S", bound=Folded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What a pruned journal begins with."""

    tip: Tip
    """Where the chains ended with the last record pruned."""
    ruling: str
    """The ruling version whose state this is."""
    raw: bytes = field(repr=False)
    """The state as stored: it may know what lies face down."""

    def state(self, kind: type[S]) -> S:
        """The state after the last record pruned.

        Raises:
            JournalCorrupt: this version cannot read it, or it is not of this place.
        """
        state = read_state(self.raw, kind)
        if state.sequence != self.tip.sequence:
            raise JournalCorrupt(f"The state after record {self.tip.number}, the last pruned, is another's.")
        return state


def read_base(connection: sqlite3.Connection, path: Path) -> Base | None:
    """The base; None: nothing was pruned.

    Raises:
        JournalCorrupt: it is not as it was written.
        StorageFailed: the disk refused.
    """
    if one_row(connection, path, "SELECT 1 FROM sqlite_master WHERE name = 'pruned'", ()) is None:
        return None
    query = "SELECT number, sequence, at_ms, hash, head, ruling, state, checksum FROM pruned"
    match one_row(connection, path, query, ()):
        case None:
            return None
        case (
            int(number),
            int(sequence),
            int(at_ms),
            bytes(hash_),
            str(head),
            str(ruling),
            bytes(raw),
            bytes(checksum),
        ) if checksum == checksum_of(hash_, ruling, raw):
            tip = Tip(number=number, sequence=sequence, at_ms=at_ms, hash=hash_, head=head)
            return Base(tip=tip, ruling=ruling, raw=raw)
        case _:
            raise JournalCorrupt(f"Where the journal {path} was pruned is not as it was written.")


def write_base(connection: sqlite3.Connection, base: Base) -> None:
    """Put it in the open transaction, in place of the one before.

    Raises:
        sqlite3.Error: the disk refused, or the file cannot be trusted.
    """
    tip = base.tip
    checksum = checksum_of(tip.hash, base.ruling, base.raw)
    connection.execute(
        "INSERT OR REPLACE INTO pruned VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
        (tip.number, tip.sequence, tip.at_ms, tip.hash, tip.head, base.ruling, base.raw, checksum),
    )
