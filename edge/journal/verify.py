"""Verify: prove that a journal is as it was written, and that its records follow from the rules.

Reads only, beside the daemon if need be, up to the record that was last when it began. Checked:

* both chains, every stored byte of an event, and that nothing is missing from either, from where the journal
  was pruned;
* the indexes of answers and rounds, the cursors, and SQLite's own view of its pages;
* that events and notes, folded, give the state of each snapshot of this ruling version;
* that each input, ruled again, gives the same events and notes. Of a record that another ruling
  version ruled, a difference is reported, and is no fault.

A finding names a record or an event and what is wrong with it, never a card that lies face down.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from edge.errors import JournalCorrupt
from edge.inputs import Input
from edge.journal.base import read_base
from edge.journal.cursors import cursor_findings
from edge.journal.indexes import Indexes, page_findings
from edge.journal.links import Finding, beginning, grouped, linked
from edge.journal.reading import read_journal
from edge.journal.record import Record
from edge.journal.rows import StoredEvent, StoredRecord, ends, stored_events, stored_records
from edge.journal.schema import connect
from edge.journal.snapshots import Folded, snapshot_after, snapshot_numbers
from edge.notes import Ruled

S = TypeVar("S", bound=Folded)
S_co = TypeVar("S_co", covariant=True)

MOST: Final = 200
"""Findings kept; a journal with more is not better known by more."""

STEP: Final = 1_000
"""Records from one report of progress to the next."""


class Ruling(Protocol[S_co]):
    """What ``decide`` returns."""

    @property
    def ruled(self) -> Sequence[Ruled]:
        """Events and notes, in the order of folding."""

    @property
    def state(self) -> S_co:
        """The table after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What verifying found."""

    journal: str
    """The journal's id; empty: it could not be read."""
    pruned: int = 0
    """The last record that was pruned, and so not checked; 0: none was."""
    records: int
    """Records checked."""
    events: int
    """Events checked."""
    findings: tuple[Finding, ...]
    """What is not as it was written; at most :data:`MOST`."""
    differences: tuple[Finding, ...]
    """What this version rules otherwise than the version that ruled it; at most :data:`MOST`."""

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.findings


def verify(  # noqa: PLR0913 - the ruling comes in three functions and a version
    path: Path,
    *,
    new_table: Callable[[str], S],
    decide: Callable[[S, Input], Ruling[S]],
    evolve: Callable[[S, Ruled], S],
    ruling: str,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Check a journal from its first record to its last.

    Args:
        path: of the journal.
        new_table: the table before the first record of the journal of this id.
        decide: rules on an input.
        evolve: folds an event or a note.
        ruling: the version of these three.
        progress: told now and then how many records of how many have been checked.

    Raises:
        JournalError: there is none at this path.
        JournalNewer: a newer version wrote it.
        StorageFailed: the disk refused.
    """
    try:
        reader = read_journal(path)
    except JournalCorrupt as fault:
        found = (Finding(sentence=fault.sentence),)
        return Verdict(journal="", records=0, events=0, findings=found, differences=())
    journal, table, path = reader.id, reader.table, reader.path
    reader.close()
    rules = _Rules(decide=decide, evolve=evolve, ruling=ruling)
    with contextlib.closing(connect(path, mode="ro")) as connection:
        while True:
            check = _Check(connection, path, rules, new_table(journal), journal=journal, table=table)
            check.run(progress or (lambda _done, _total: None))
            if not check.pruned_meanwhile():
                return check.verdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules(Generic[S]):
    decide: Callable[[S, Input], Ruling[S]]
    evolve: Callable[[S, Ruled], S]
    ruling: str


class _Check(Generic[S]):
    """A verification under way."""

    def __init__(  # noqa: PLR0913 - of a private class
        self,
        connection: sqlite3.Connection,
        path: Path,
        rules: _Rules[S],
        state: S,
        *,
        journal: str,
        table: str,
    ) -> None:
        self._connection, self._path = connection, path
        self._journal, self._table = journal, table
        self._rules = rules
        self._state: S | None = state
        """None: a record before could not be read, so nothing can be said of the state."""
        self._kind = type(state)
        self._tip = beginning(journal=journal, table=table)
        self._findings: list[Finding] = []
        self._differences: list[Finding] = []
        self._records = self._events = self._pruned = 0
        self._indexes: Indexes | None = Indexes()
        """None: a record could not be read, so nothing can be said of the indexes."""
        self._snapshots: frozenset[int] = frozenset()

    def verdict(self) -> Verdict:
        return Verdict(
            journal=self._journal,
            pruned=self._pruned,
            records=self._records,
            events=self._events,
            findings=tuple(self._findings[:MOST]),
            differences=tuple(self._differences[:MOST]),
        )

    def run(self, progress: Callable[[int, int], None]) -> None:
        """Check everything, or as much as can be read."""
        number = sequence = 0
        try:
            self._begin()
            number, sequence = ends(self._connection, self._path)
            self._findings += page_findings(self._connection, self._path)
            self._snapshots = snapshot_numbers(self._connection, self._path, self._rules.ruling)
            records = stored_records(self._connection, self._path, self._tip.number + 1, number)
            events = stored_events(self._connection, self._path, self._tip.sequence + 1, sequence)
            for stored, own, strays in grouped(records, events):
                self._strays(strays)
                if stored is not None:
                    self._record(stored, own)
                    if stored.number % STEP == 0:
                        progress(stored.number, number)
            if self._indexes is not None:
                self._findings += self._indexes.findings(self._connection, self._path, number, sequence)
            self._findings += cursor_findings(self._connection, self._path)
        except JournalCorrupt as fault:
            sentence = f"{fault.sentence} What follows record {self._tip.number} could not be checked."
            self._findings.append(Finding(sentence=sentence))
        progress(number, number)

    def _begin(self) -> None:
        """Begin where the journal was pruned, if it was."""
        base = read_base(self._connection, self._path)
        if base is None:
            return
        self._pruned, self._tip = base.tip.number, base.tip
        self._indexes = Indexes(pruned=base.tip)
        try:
            self._state = base.state(self._kind)
        except JournalCorrupt as fault:
            self._state = None
            self._findings.append(Finding(record=base.tip.number, sentence=fault.sentence))

    def pruned_meanwhile(self) -> bool:
        """Whether more was pruned since this check began: what it missed may be that."""
        try:
            base = read_base(self._connection, self._path)
        except JournalCorrupt:
            return False
        return base is not None and base.tip.number != self._pruned

    def _strays(self, strays: Sequence[StoredEvent]) -> None:
        for event in strays:
            self._findings.append(
                Finding(sequence=event.sequence, sentence=f"there is no record {event.record} to cause it")
            )

    def _record(self, stored: StoredRecord, own: Sequence[StoredEvent]) -> None:
        if stored.number != self._tip.number + 1:
            self._state = self._indexes = None
        link = linked(stored, own, self._tip, journal=self._journal, table=self._table)
        self._tip = link.tip
        self._findings += link.findings
        self._records += 1
        self._events += len(own)
        if link.record is None:
            self._state = self._indexes = None
            return
        if self._indexes is not None:
            self._indexes.add(link.record)
        if self._state is not None:
            self._state = self._ruled_again(self._state, link.record)
        if stored.number in self._snapshots:
            self._snapshot(stored.number)

    def _ruled_again(self, state: S, record: Record) -> S | None:
        """Compare the record with what these rules make of its input; the state after what is stored."""
        own = record.ruling == self._rules.ruling
        into = self._findings if own else self._differences
        try:
            again = self._rules.decide(state, record.input)
        except Exception as error:  # noqa: BLE001 - whatever a ruling raises on this input is what was found
            again = None
            sentence = f"ruling it again raised {type(error).__name__}"
            into.append(Finding(record=record.number, sentence=sentence))
        try:
            for each in record.ruled:
                state = self._rules.evolve(state, each)
        except Exception as error:  # noqa: BLE001 - likewise
            sentence = f"folding it raised {type(error).__name__}: no state can be checked from here on"
            self._findings.append(Finding(record=record.number, sentence=sentence))
            return None
        if again is not None:
            sentence = _difference(record, tuple(again.ruled))
            if not sentence and again.state != state:
                sentence = "ruling it again gives another state than folding it"
            if sentence:
                into.append(Finding(record=record.number, sentence=sentence))
        return state

    def _snapshot(self, number: int) -> None:
        try:
            state = snapshot_after(self._connection, self._path, self._kind, number=number).state
        except JournalCorrupt as fault:
            self._findings.append(Finding(record=number, sentence=fault.sentence))
            return
        if self._state is None:  # what went before cannot be read; from here on the state is known again
            self._state = state
        elif state != self._state:
            self._findings.append(
                Finding(record=number, sentence="its snapshot is not what is folded up to it")
            )


def _difference(record: Record, again: tuple[Ruled, ...]) -> str:
    """What ruling again gives otherwise, by type only: a note may know what lies face down."""
    for place, (stored, ruled) in enumerate(zip(record.ruled, again, strict=False), start=1):
        if type(stored) is not type(ruled):
            return f"outcome {place} is {stored.type}, ruling it again gives {ruled.type}"
        if stored != ruled:
            return f"outcome {place}, {stored.type}, differs when it is ruled again"
    if len(record.ruled) != len(again):
        return f"it has {len(record.ruled)} outcomes, ruling it again gives {len(again)}"
    return ""
