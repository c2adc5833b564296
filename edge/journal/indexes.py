"""Checking what is derived from the records: the indexes of answers and rounds, and SQLite's pages."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge.events import EVENTS, Event, RoundClosed, RoundOpened, RoundVoided
from edge.journal.faults import reported
from edge.journal.links import Finding, Tip
from edge.journal.record import Record
from edge.notes import RequestAnswered

_PAGE_FINDINGS: Final = 20


@dataclass(slots=True, kw_only=True)
class _Span:
    """A round as its events say."""

    round_id: str
    first: int
    last: int | None = None


class Indexes:
    """What the indexes should say, gathered record by record from the first to the last.

    Args:
        pruned: where the chains ended with the last record pruned. Rounds opened before it are still in the
            index, and only there.
    """

    def __init__(self, pruned: Tip | None = None) -> None:
        self._pruned = pruned
        self._answered: dict[str, int] = {}
        self._rounds: dict[tuple[int | None, int], _Span] = {}
        self._round_ids: set[str] = set()

    def add(self, record: Record) -> None:
        """Take note of a record."""
        sequences = iter(record.sequences)
        for each in record.ruled:
            if isinstance(each, RequestAnswered):
                self._answered.setdefault(each.id, record.number)
            elif isinstance(each, EVENTS):
                self._add_event(next(sequences), each)

    def _add_event(self, sequence: int, event: Event) -> None:
        if event.round is None:
            return
        key = (event.shoe, event.round)
        if isinstance(event, RoundOpened):
            if key not in self._rounds and event.round_id not in self._round_ids:
                self._rounds[key] = _Span(round_id=event.round_id, first=sequence)
                self._round_ids.add(event.round_id)
        elif key in self._rounds:
            span = self._rounds[key]
            if span.last is not None or isinstance(event, RoundClosed | RoundVoided):
                span.last = sequence

    def findings(
        self, connection: sqlite3.Connection, path: Path, number: int, sequence: int
    ) -> Iterator[Finding]:
        """Where the indexes say otherwise, up to this record and this event.

        Raises:
            JournalCorrupt: an index cannot be read.
            StorageFailed: the disk refused.
        """
        first_record = 1 if self._pruned is None else self._pruned.number + 1
        first_event = 1 if self._pruned is None else self._pruned.sequence + 1
        with reported(path):
            answers = connection.execute(
                "SELECT id, record FROM answers WHERE record BETWEEN ? AND ?", (first_record, number)
            ).fetchall()
            rounds = connection.execute(
                "SELECT shoe, round, round_id, first, last FROM rounds WHERE first BETWEEN ? AND ?",
                (first_event, sequence),
            ).fetchall()
        if dict(answers) != self._answered:
            differ = dict(answers).items() ^ self._answered.items()
            record = min(record for _, record in differ)
            yield Finding(record=record, sentence="the index of answers does not have what it answered")
        stored = {row[:2]: _Span(round_id=row[2], first=row[3], last=row[4]) for row in rounds}
        for key in sorted(stored.keys() | self._rounds.keys(), key=str):
            found, expected = stored.get(key), self._rounds.get(key)
            if found is not None and found.last is not None and found.last > sequence:
                continue  # the daemon has gone on since
            if found != expected:
                yield Finding(sentence=f"the index of rounds is wrong for round {key[1]} of shoe {key[0]}")


def page_findings(connection: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    """What SQLite's own check of its pages and indexes says.

    Raises:
        JournalCorrupt: the check itself cannot go on.
        StorageFailed: the disk refused.
    """
    with reported(path):
        rows = connection.execute(f"PRAGMA integrity_check({_PAGE_FINDINGS})").fetchall()
    for (sentence,) in rows:
        if sentence != "ok":
            yield Finding(sentence=f"SQLite finds: {sentence}")
