"""The journal: what is written before anything is acknowledged, published or ordered (laws 1 and 2).

Records are appended in a transaction, and are on disk when :meth:`Journal.commit` returns: SQLite in
WAL mode with ``synchronous=FULL`` has then synced the log. A failure rolls the whole transaction back,
so that the file never holds half a record, and the next append may try again.

Used from one thread, the event loop's. Reads of events and records see what is committed; the indexes
of answers and rounds also see the open transaction, so that the second of two requests in one
transaction finds the first.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeGuard, TypeVar

from edge.envelope import digest, published
from edge.errors import JournalCorrupt, JournalError, StorageFailed
from edge.events import EVENTS, Event
from edge.inputs import Input
from edge.journal.codec import Body, written_body
from edge.journal.cursors import FOLLOWERS, read_cursors, strays
from edge.journal.faults import journal_error
from edge.journal.links import Tip
from edge.journal.locking import Lock
from edge.journal.reading import JournalReader, Tail
from edge.journal.record import Moment, Record, record_hash
from edge.journal.rounds import RoundIndex
from edge.journal.rows import ends
from edge.journal.snapshots import (
    EVERY,
    Folded,
    drop_other_snapshots,
    has_other_snapshots,
    take_snapshot,
)
from edge.notes import NOTES, Note, RequestAnswered, Ruled

S = TypeVar("S", bound=Folded)

CURSORS_EVERY: Final = 16
"""Records from one writing of the followers' cursors to the next: it takes a page more of a commit."""
LATEST = 64
"""Events of the last commit that are kept in memory: whoever follows the journal wants them at once."""
FOLDED_AT_A_TIME = 20_000
"""Records folded at a start before a snapshot saves the work: a second or two."""

_NOTES = frozenset(NOTES)
_EVENTS = frozenset(EVENTS)


def _is_note(ruled: Ruled) -> TypeGuard[Note]:
    return type(ruled) in _NOTES


def _is_event(ruled: Ruled) -> TypeGuard[Event]:
    return type(ruled) in _EVENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A record and its events as they will be stored."""

    moment: Moment
    ruling: str
    body: bytes = field(repr=False)
    events: tuple[tuple[int, Event, bytes], ...]
    tip: Tip


class Journal(JournalReader):
    """A table's journal, held by one daemon. Made by :func:`edge.journal.open_journal`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, lock: Lock, tail: Tail) -> None:
        super().__init__(connection, path)
        self._lock = lock
        self._tail = tail
        self._tip = self._tip_before(ends(connection, path)[0] + 1)
        self._on_disk = self._tip
        self._cursors = read_cursors(connection, path)
        self.strays: Final = strays(self._cursors, self._tip.sequence)
        """Cursors that were found where no event is, and brought back to the last one."""
        self._cursors |= {stray.name: stray.last for stray in self.strays}
        self._moved = {stray.name for stray in self.strays}
        self._fresh: list[tuple[int, bytes]] = []
        self._latest: tuple[tuple[int, bytes], ...] = ()
        self._rounds = RoundIndex(connection)
        self._execute: Final = connection.cursor().execute
        """For what every card writes: one cursor for all of it."""

    @property
    def last_sequence(self) -> int:
        """The last committed event; 0: none. Written out: every card asks for it."""
        return self._on_disk.sequence

    @property
    def last_at_ms(self) -> int:
        """The table's clock at the last committed record: where the clock goes on from; 0: none."""
        return self._on_disk.at_ms

    def append(
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
        state: Folded,
    ) -> None:
        """Add a record to the open transaction, which it begins if there is none.

        Args:
            input: what was heard.
            ruled: what was ruled on it, in the order of folding.
            moment: when it was heard.
            ruling: the version of the ruling.
            state: the table after ``ruled``; kept as a snapshot every so many records.

        Raises:
            ValueError: it cannot be written (a lone surrogate in a text), or ``state`` has not counted
                its events; the open transaction is as before.
            StorageFailed: the disk refused; the open transaction is rolled back, all of it.
            JournalCorrupt: the file cannot be trusted; likewise.
        """
        draft = self._draft(input, tuple(ruled), moment=moment, ruling=ruling)
        if state.sequence != draft.tip.sequence:
            raise ValueError(f"the state counts {state.sequence} events, the journal {draft.tip.sequence}")
        try:  # written out: of what each card passes through, every call counts
            if not self._connection.in_transaction:
                self._execute("BEGIN IMMEDIATE")
            self._write(draft, ruled)
            if draft.tip.number % EVERY == 0:
                take_snapshot(self._connection, self.path, state, tip=draft.tip, ruling=ruling)
        except BaseException as error:
            self._undo(error)
            raise
        self._tip = draft.tip

    def rehearse(
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
    ) -> None:
        """Draw up a record as :meth:`append` does, and drop it.

        Raises:
            ValueError: as of :meth:`append`.
        """
        self._draft(input, tuple(ruled), moment=moment, ruling=ruling)

    def commit(self) -> None:
        """Put the open transaction on disk; when this returns, it is there whatever plug is pulled.

        Raises:
            StorageFailed: the disk refused; the open transaction is rolled back, all of it.
            JournalCorrupt: the file cannot be trusted; likewise.
        """
        if self._connection.in_transaction:
            due = self._tip.number // CURSORS_EVERY > self._on_disk.number // CURSORS_EVERY
            self._commit(cursors=due or not self._moved.issubset(FOLLOWERS))

    def _commit(self, *, cursors: bool) -> None:
        try:
            if cursors:
                self._write_cursors()
            self._execute("COMMIT")
        except BaseException as error:
            self._undo(error)
            raise
        self._on_disk = self._tip
        if cursors:
            self._moved.clear()
        if self._fresh:
            self._latest = tuple(self._fresh[-LATEST:])
            self._fresh.clear()

    def rollback(self) -> None:
        """Forget the open transaction."""
        with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back already, or will on closing
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._tip = self._on_disk
        self._fresh.clear()
        self._rounds.forget()

    def events_after(self, sequence: int, limit: int) -> list[tuple[int, bytes]]:  # noqa: D102 - as it is read
        latest = self._latest
        if latest and latest[0][0] == sequence + 1 and len(latest) <= limit:
            return list(latest)
        return super().events_after(sequence, limit)

    def events_between(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:  # noqa: D102 - as it is read
        kept_from = self._latest[0][0] if self._latest else self._on_disk.sequence + 1
        if not kept_from <= first <= last <= self._on_disk.sequence:
            return super().events_between(first, last)
        return iter(self._latest[first - kept_from : last - kept_from + 1])

    def restore(self, new_table: Callable[[str], S], evolve: Callable[[S, Ruled], S], ruling: str) -> S:
        """The state after the last record: the newest snapshot of this version, and what follows it.

        Raises:
            JournalCorrupt: a record is not as it was written: set the journal aside.
            StorageFailed: the disk refused.
        """
        number, state = self._nearest(new_table(self.id), ruling)
        folded = 0
        tip = self._tip_before(number + 1)
        for record, tip in self._records_after(tip):  # noqa: B020 - the tip moves on
            for each in record.ruled:
                state = evolve(state, each)
            folded += 1
            if folded % FOLDED_AT_A_TIME == 0:
                self._save(state, tip, ruling)
        if state.sequence != tip.sequence:
            raise JournalCorrupt(f"The journal {self.path} does not fold to its own {tip.sequence} events.")
        if folded >= EVERY or has_other_snapshots(self._connection, self.path, ruling):
            self._save(state, tip, ruling)
        return state

    def _records_after(self, tip: Tip) -> Iterable[tuple[Record, Tip]]:
        """The records after ``tip``: those that opening has checked, if they are all, else read now."""
        tail, self._tail = self._tail, ()
        begins = bool(tail) and tail[0][0].number == tip.number + 1
        whole = begins and tail[-1][1] == self._on_disk
        return tail if whole else self._linked(tip)

    def cursor(self, name: str) -> int:
        """How far this follower has come; 0: not begun."""
        return self._cursors.get(name, 0)

    def move_cursor(self, name: str, value: int) -> None:
        """Move a follower on; never back. On disk with one of the next commits or :meth:`flush_cursors`.

        One that is lost with the power means repeats, which are byte-identical; of a follower of events,
        those of :data:`CURSORS_EVERY` records more than were under way.
        """
        if value > self.cursor(name):
            self._cursors[name] = value
            self._moved.add(name)

    def flush_cursors(self) -> None:
        """Put moved cursors on disk, where no commit is expected soon.

        Raises:
            StorageFailed: the disk refused; they are kept for the next time.
        """
        if self._moved and not self._connection.in_transaction:
            with self._undone_on_failure():
                self._connection.execute("BEGIN IMMEDIATE")
            self._commit(cursors=True)

    def probe(self) -> None:
        """Put something on disk that nobody reads; nothing, where a transaction is open.

        Raises:
            StorageFailed: the disk refuses.
            JournalCorrupt: the file cannot be trusted.
        """
        if not self._connection.in_transaction:
            with self._undone_on_failure():
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.execute(
                    "INSERT INTO cursors VALUES ('probe', 1) "
                    "ON CONFLICT (name) DO UPDATE SET value = value + 1"
                )
                self._connection.execute("COMMIT")

    def close(self) -> None:
        """Roll back what is open, flush the cursors, let go of the file and its lock."""
        self.rollback()
        with contextlib.suppress(JournalError, sqlite3.ProgrammingError):  # a lost cursor only means repeats
            self.flush_cursors()
        super().close()
        self._lock.release()

    def _committed(self) -> tuple[int, int]:
        return self._on_disk.number, self._on_disk.sequence

    def _newest_sequence(self) -> int:
        return self._tip.sequence

    def _draft(self, heard: Input, ruled: tuple[Ruled, ...], *, moment: Moment, ruling: str) -> _Draft:
        tip = self._tip
        sequence, head = tip.sequence, tip.head
        events: list[tuple[int, Event, bytes]] = []
        outcomes: list[int | Note] = []
        for each in ruled:
            if _is_note(each):
                outcomes.append(each)
                continue
            if not _is_event(each):
                raise ValueError(f"{type(each).__name__} is neither event nor note")
            sequence += 1
            raw = published(
                each,
                table=self.table,
                journal=self.id,
                sequence=sequence,
                wall_ms=moment.wall_ms,
                prevhash=head,
            )
            head = digest(raw)
            events.append((sequence, each, raw))
            outcomes.append(sequence)
        body = written_body(Body(after=tip.sequence, head=head, input=heard, ruled=tuple(outcomes)))
        number = tip.number + 1
        hash_ = record_hash(tip.hash, number=number, moment=moment, ruling=ruling, body=body)
        after = Tip(number=number, sequence=sequence, at_ms=moment.at_ms, hash=hash_, head=head)
        return _Draft(moment=moment, ruling=ruling, body=body, events=tuple(events), tip=after)

    def _write(self, draft: _Draft, ruled: Sequence[Ruled]) -> None:
        execute = self._execute
        number, moment = draft.tip.number, draft.moment
        execute(
            "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                moment.at_ms,
                moment.wall_ms,
                moment.boot,
                draft.ruling,
                draft.body,
                draft.tip.hash,
            ),
        )
        for sequence, event, raw in draft.events:
            execute("INSERT INTO events VALUES (?, ?, ?)", (sequence, number, raw))
            self._fresh.append((sequence, raw))
            self._rounds.add(sequence, event)
        for each in ruled:
            if isinstance(each, RequestAnswered):  # the first answer stands
                execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (each.id, number))

    def _save(self, state: S, tip: Tip, ruling: str) -> None:
        """Keep what was folded, and drop the snapshots of other versions; a full disk may refuse."""
        with contextlib.suppress(StorageFailed), self._undone_on_failure():
            self._connection.execute("BEGIN IMMEDIATE")
            drop_other_snapshots(self._connection, self.path, ruling)
            take_snapshot(self._connection, self.path, state, tip=tip, ruling=ruling)
            self._connection.execute("COMMIT")

    def _write_cursors(self) -> None:
        self._connection.executemany(
            "INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [(name, self._cursors[name]) for name in sorted(self._moved)],
        )

    @contextlib.contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._undo(error)
            raise

    def _undo(self, error: BaseException) -> None:
        """Roll back after this.

        Raises:
            StorageFailed: in place of what SQLite said.
            JournalCorrupt: likewise.
        """
        self.rollback()
        if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.ProgrammingError):
            raise journal_error(error, self.path) from error
