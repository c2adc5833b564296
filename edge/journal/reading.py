"""Reading a journal: beside the daemon that writes it, or within it."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, TypeVar

from edge.errors import JournalCorrupt, JournalError
from edge.inputs import RequestMade
from edge.journal.base import read_base
from edge.journal.codec import Body, read_body
from edge.journal.links import Tip, beginning, grouped, linked
from edge.journal.place import check_kind
from edge.journal.record import Answer, Record
from edge.journal.rows import ends, one_row, stored_events, stored_records
from edge.journal.schema import connect, read_meta
from edge.journal.snapshots import Folded, newest_number, newest_snapshot
from edge.notes import RequestAnswered, Ruled
from edge.requests import Reply

S = TypeVar("S", bound=Folded)
Tail: TypeAlias = tuple[tuple[Record, Tip], ...]
"""Records, each with where the chains end after it."""


class JournalReader:
    """A journal, to be read. Made by :func:`read_journal`, and the reading half of the writing one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self.id, self.table = read_meta(connection, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @property
    def last_number(self) -> int:
        """The last committed record; 0: none."""
        return self._committed()[0]

    @property
    def last_sequence(self) -> int:
        """The last committed event; 0: none."""
        return self._committed()[1]

    @property
    def at_ms(self) -> int:
        """The table's clock at the last committed record; 0: none.

        Raises:
            JournalCorrupt: the record cannot be read.
            StorageFailed: the disk refused.
        """
        return self._tip_before(self.last_number + 1).at_ms

    @property
    def pruned(self) -> Tip | None:
        """Where the chains ended with the last record that was pruned; None: nothing was.

        Raises:
            JournalCorrupt: it cannot be read.
            StorageFailed: the disk refused.
        """
        base = read_base(self._connection, self.path)
        return None if base is None else base.tip

    def records(self, first: int = 1) -> Iterator[Record]:
        """The committed records from number ``first``, each checked against the one before it.

        Those that have been pruned are left out.

        Raises:
            JournalCorrupt: a record or one of its events is not as it was written.
            StorageFailed: the disk refused.
        """
        tip = self._tip_before(first)
        try:
            for record, after in self._linked(tip):
                yield record
                tip = after
        except JournalCorrupt:
            pruned = self.pruned
            if pruned is None or pruned.number <= tip.number:
                raise
            yield from self.records(pruned.number + 1)  # pruned under our hands

    def events_after(self, sequence: int, limit: int) -> list[tuple[int, bytes]]:
        """At most ``limit`` committed events after this one, as published.

        Raises:
            JournalCorrupt: they are not there, or cannot be read.
            StorageFailed: the disk refused.
        """
        return list(self.events_between(sequence + 1, min(sequence + limit, self.last_sequence)))

    def events_between(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """The committed events from ``first`` to ``last``, both included, as published.

        Those that have been pruned are left out: the first may then be a later one.

        Raises:
            JournalCorrupt: one is missing, or cannot be read.
            StorageFailed: the disk refused.
        """
        first, last = max(first, self._first_kept()), min(last, self.last_sequence)
        expected = first
        for event in stored_events(self._connection, self.path, first, last):
            if event.sequence != expected:
                break
            yield event.sequence, event.published
            expected += 1
        if expected <= last:
            if expected >= self._first_kept():
                raise JournalCorrupt(f"Event {expected} is missing from the journal {self.path}.")
            yield from self.events_between(expected, last)  # pruned under our hands

    def answer(self, id: str) -> Answer | None:  # noqa: A002 - the contract's word
        """What the request of this id was answered, if it was.

        Raises:
            JournalCorrupt: the answer's record cannot be read.
            StorageFailed: the disk refused.
        """
        row = self._row("SELECT body FROM answers LEFT JOIN records ON number = record WHERE id = ?", id)
        if row is None:
            return None
        body = self._body(row)
        for note in body.ruled:
            if isinstance(note, RequestAnswered) and note.id == id and isinstance(body.input, RequestMade):
                reply = Reply(
                    id=note.id,
                    command=note.command,
                    outcome=note.outcome,
                    code=note.code,
                    message=note.message,
                    sequence=body.after + len(body.sequences),
                )
                return Answer(digest=body.input.asked.digest, reply=reply)
        raise JournalCorrupt(f"The index of answers of the journal {self.path} points astray.")

    def round_id_used(self, round_id: str) -> bool:
        """Whether a round of this id has been opened in this journal.

        Raises:
            JournalCorrupt: the index cannot be read.
            StorageFailed: the disk refused.
        """
        return self._row("SELECT first FROM rounds WHERE round_id = ?", round_id) is not None

    def round_span(self, round_id: str) -> tuple[int, int] | None:
        """First and last event of the round of this id; of a round in progress, the last event so far.

        Raises:
            JournalCorrupt: the index cannot be read.
            StorageFailed: the disk refused.
        """
        match self._row("SELECT first, last FROM rounds WHERE round_id = ?", round_id):
            case None:
                return None
            case (int(first), None):
                return first, self._newest_sequence()
            case (int(first), int(last)):
                return first, last
            case _:
                raise JournalCorrupt(f"The index of rounds of the journal {self.path} cannot be read.")

    def folded(self, new_table: Callable[[str], S], evolve: Callable[[S, Ruled], S], ruling: str) -> S:
        """The state after the last record, as a start would restore it; nothing is written.

        Raises:
            JournalCorrupt: a record is not as it was written.
            StorageFailed: the disk refused.
        """
        number, state = self._nearest(new_table(self.id), ruling)
        for record in self.records(number + 1):
            for each in record.ruled:
                state = evolve(state, each)
        return state

    def _nearest(self, new: S, ruling: str) -> tuple[int, S]:
        """The record after which a state is known, and the state: the newest snapshot, else the base."""
        below = self.last_number + 1
        newest = newest_snapshot(self._connection, self.path, type(new), ruling=ruling, below=below)
        if newest is not None:
            return newest.number, newest.state
        base = read_base(self._connection, self.path)
        return (0, new) if base is None else (base.tip.number, base.state(type(new)))

    def _first_kept(self) -> int:
        """The sequence of the first event that was not pruned."""
        pruned = self.pruned
        return 1 if pruned is None else pruned.sequence + 1

    def stored_cursor(self, name: str) -> int:
        """How far this follower had come when it was last on disk; 0: not begun.

        Raises:
            JournalCorrupt: the cursors cannot be read.
            StorageFailed: the disk refused.
        """
        match self._row("SELECT value FROM cursors WHERE name = ?", name):
            case (int(value),):
                return value
            case _:
                return 0

    def checked_tail(self, at_most: int) -> Tail:
        """The last records, checked, from the newest snapshot on, but not more than so many.

        Raises:
            JournalCorrupt: one is not as it was written.
            StorageFailed: the disk refused.
        """
        last = self.last_number
        begin = max(newest_number(self._connection, self.path), last - at_most)
        first = max(min(begin, last - 1), 0) + 1  # the last one in any case
        return tuple(self._linked(self._tip_before(first)))

    def _newest_sequence(self) -> int:
        return self.last_sequence

    def _row(self, query: str, name: str) -> tuple[object, ...] | None:
        try:
            name.encode()
        except UnicodeEncodeError:  # a lone surrogate: nothing of that name was ever written
            return None
        return one_row(self._connection, self.path, query, (name,))

    def _body(self, row: tuple[object, ...] | None) -> Body:
        match row:
            case (bytes(raw),):
                return read_body(raw)
            case _:
                raise JournalCorrupt(f"A record is missing from the journal {self.path}.")

    def _tip_before(self, number: int) -> Tip:
        """Where the chains ended before this record, by what is stored; or with the last record pruned."""
        pruned = self.pruned
        if pruned is not None and number <= pruned.number + 1:
            return pruned
        if number <= 1:
            return beginning(journal=self.id, table=self.table)
        query = "SELECT number, at_ms, hash, body FROM records WHERE number = ?"
        match one_row(self._connection, self.path, query, (number - 1,)):
            case (int(), int(at_ms), bytes(hash_), bytes(raw)):
                body = read_body(raw)
            case _:
                raise JournalCorrupt(f"Record {number - 1} is missing from the journal {self.path}.")
        return Tip(
            number=number - 1,
            sequence=body.after + len(body.sequences),
            at_ms=at_ms,
            hash=hash_,
            head=body.head,
        )

    def _linked(self, tip: Tip) -> Iterator[tuple[Record, Tip]]:
        """The committed records after ``tip``, and where the chains end after each."""
        number, sequence = self._committed()
        records = stored_records(self._connection, self.path, tip.number + 1, number)
        events = stored_events(self._connection, self.path, tip.sequence + 1, sequence)
        for stored, own, strays in grouped(records, events):
            if strays or stored is None:
                raise JournalCorrupt(f"Event {strays[0].sequence} of the journal {self.path} has no record.")
            link = linked(stored, own, tip, journal=self.id, table=self.table)
            if link.findings or link.record is None:
                raise JournalCorrupt(f"The journal {self.path} was changed: {link.findings[0]}.")
            tip = link.tip
            yield link.record, tip
        if (tip.number, tip.sequence) != (number, sequence):
            raise JournalCorrupt(f"The journal {self.path} ends before its last record.")

    def _committed(self) -> tuple[int, int]:
        """The last committed record and the last committed event, of one moment."""
        return ends(self._connection, self.path)


def read_journal(path: Path) -> JournalReader:
    """Open a journal for reading only, beside the daemon that may be writing it.

    Raises:
        JournalError: there is none at this path.
        JournalMisplaced: what is there is no file.
        JournalNewer: a newer version wrote it.
        JournalCorrupt: it is no journal.
        StorageFailed: the disk refused.
    """
    path = Path(os.path.realpath(path))
    check_kind(path)
    if not path.exists():
        raise JournalError(f"There is no journal at {path}.", hint="Check the path in the configuration.")
    connection = connect(path, mode="ro")
    try:
        return JournalReader(connection, path)
    except BaseException:
        connection.close()
        raise
