"""The two chains: does a record, with its events, follow the one before it?

Opening, restoring and showing stop at the first fault; ``verify`` collects them all and goes on.
Both ask :func:`linked`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edge.envelope import FIRST_PREVHASH, Envelope, digest, parse, rebuilt
from edge.errors import JournalCorrupt
from edge.journal.codec import Body, read_body
from edge.journal.record import Hash, Record, first_hash, record_hash
from edge.journal.rows import StoredEvent, StoredRecord
from edge.notes import Ruled


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in the journal that is not as it was written. Never shows a card that lies face down."""

    sentence: str
    record: int | None = None
    sequence: int | None = None

    def __str__(self) -> str:
        if self.sequence is not None:
            return f"event {self.sequence}: {self.sentence}"
        return self.sentence if self.record is None else f"record {self.record}: {self.sentence}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """Where both chains end."""

    number: int = 0
    """Of the last record."""
    sequence: int = 0
    """Of the last event."""
    at_ms: int = 0
    """Of the last record, by the table's clock."""
    hash: Hash
    """Of the last record."""
    head: str = FIRST_PREVHASH
    """Digest of the last event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A stored record, compared with what went before it."""

    record: Record | None
    """None: it cannot be read."""
    findings: tuple[Finding, ...]
    tip: Tip
    """Where the chains end now, by what is stored."""


def beginning(*, journal: str, table: str) -> Tip:
    """Where the chains of an empty journal end."""
    return Tip(hash=first_hash(journal=journal, table=table))


def grouped(
    records: Iterator[StoredRecord], events: Iterator[StoredEvent]
) -> Iterator[tuple[StoredRecord | None, list[StoredEvent], list[StoredEvent]]]:
    """Each record with its own events, and with the events before them that no record owns.

    The last group has no record where events are left over.
    """
    event = next(events, None)
    for record in records:
        strays: list[StoredEvent] = []
        own: list[StoredEvent] = []
        while event is not None and event.record <= record.number:
            (own if event.record == record.number else strays).append(event)
            event = next(events, None)
        yield record, own, strays
    if event is not None:
        yield None, [], [event, *events]


def linked(
    stored: StoredRecord, events: Sequence[StoredEvent], before: Tip, *, journal: str, table: str
) -> Linked:
    """Compare a record and its events with what went before them.

    Args:
        stored: the record.
        events: the events stored as its own, in order.
        before: where the chains ended before it.
        journal: the journal's id.
        table: the journal's table.
    """
    findings = list(_record_findings(stored, before))
    head = before.head
    sequence = before.sequence
    read: dict[int, Envelope] = {}
    for event in events:
        if event.sequence != sequence + 1:
            sentence = f"it follows event {sequence}: those between are missing"
            findings.append(Finding(sequence=event.sequence, sentence=sentence))
        try:
            envelope = _envelope(event, journal, table)
        except ValueError as fault:
            findings.append(Finding(sequence=event.sequence, sentence=f"{fault}"))
        else:
            findings += _event_findings(envelope, head, stored.moment.wall_ms)
            read[event.sequence] = envelope
        head, sequence = digest(event.published), event.sequence
    try:
        body = read_body(stored.body)
    except JournalCorrupt as fault:
        findings.append(Finding(record=stored.number, sentence=fault.sentence))
        record = None
    else:
        findings += _body_findings(stored.number, body, before, tuple(e.sequence for e in events), head)
        record = _record(stored, body, read)
    tip = Tip(number=stored.number, sequence=sequence, at_ms=stored.moment.at_ms, hash=stored.hash, head=head)
    return Linked(record=record, findings=tuple(findings), tip=tip)


def _record_findings(stored: StoredRecord, before: Tip) -> Iterator[Finding]:
    number = stored.number
    if number != before.number + 1:
        yield Finding(record=number, sentence=f"it follows record {before.number}: those between are missing")
    try:
        expected = record_hash(
            before.hash,
            number=number,
            moment=stored.moment,
            ruling=stored.ruling,
            body=stored.body,
        )
    except UnicodeEncodeError:
        expected = b""
    if stored.hash != expected:
        yield Finding(
            record=number,
            sentence=f"its hash is not that of its content after record {before.number}: "
            "one of the two was changed",
        )
    if stored.moment.at_ms < before.at_ms:
        yield Finding(record=number, sentence="the table's clock ran backwards before it")


def _event_findings(envelope: Envelope, head: str, wall_ms: int) -> Iterator[Finding]:
    if envelope.prevhash != head:
        yield Finding(
            sequence=envelope.sequence,
            sentence="its prevhash is not the digest of the event before it: one of the two was changed",
        )
    if envelope.time_ms != wall_ms:
        yield Finding(sequence=envelope.sequence, sentence="its time is not that of its record")


def _envelope(event: StoredEvent, journal: str, table: str) -> Envelope:
    envelope = parse(event.published)
    if (envelope.journal, envelope.table) != (journal, table):
        raise ValueError("it is of another journal or table")
    if envelope.sequence != event.sequence:
        raise ValueError(f"it says that it is event {envelope.sequence}")
    if rebuilt(envelope) != event.published:
        raise ValueError("its bytes are not those of its content")
    return envelope


def _body_findings(
    number: int, body: Body, before: Tip, sequences: tuple[int, ...], head: str
) -> Iterator[Finding]:
    if body.after != before.sequence:
        yield Finding(
            record=number, sentence=f"it was written after event {body.after}, not {before.sequence}"
        )
    if body.sequences != sequences:
        yield Finding(
            record=number,
            sentence=f"it names the events {_listed(body.sequences)}, but has {_listed(sequences)}",
        )
    elif body.head != head:
        yield Finding(record=number, sentence="the last event up to it is not the one it was written with")


def _record(stored: StoredRecord, body: Body, read: dict[int, Envelope]) -> Record | None:
    ruled: list[Ruled] = []
    for item in body.ruled:
        if not isinstance(item, int):
            ruled.append(item)
        elif item in read:
            ruled.append(read[item].event)
        else:
            return None
    return Record(
        number=stored.number,
        at_ms=stored.moment.at_ms,
        wall_ms=stored.moment.wall_ms,
        boot=stored.moment.boot,
        ruling=stored.ruling,
        input=body.input,
        ruled=tuple(ruled),
        sequences=body.sequences,
        last_sequence=body.after + len(body.sequences),
    )


def _listed(sequences: tuple[int, ...]) -> str:
    return ", ".join(map(str, sequences[:20])) or "none"
