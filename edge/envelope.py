"""The envelope: an event as it is published, CloudEvents 1.0 in structured JSON (docs/contract.md).

Pure. Law: **the same event under the same number is the same bytes**, at any time and on any
machine. Keys come in the contract's order, the JSON is compact UTF-8, and each envelope carries the
SHA-256 of the one before it. So :func:`parse` and :func:`published` undo each other, and whoever
stores the bytes can prove that nothing is missing and nothing was changed.

A field added to an event later must be ``Absent`` when there is nothing to say: otherwise bytes
published before it existed could not be built again from their own content.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Final, NoReturn

from pydantic import TypeAdapter, ValidationError

from edge.events import EVENTS, Event
from edge.plain_json import PlainWriter

CONTENT_TYPE: Final = "application/cloudevents+json"
"""MQTT 5 content type of an envelope (CloudEvents MQTT binding 1.0, section 3.2)."""

FIRST_PREVHASH: Final = "0" * 64
"""``prevhash`` of a journal's first event."""

MAX_SEQUENCE: Final = 2**63 - 1
"""The largest sequence: what SQLite and every server's 64-bit integer can hold."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_SECOND: Final = timedelta(seconds=1)
_KEYS: Final = (
    "specversion",
    "id",
    "source",
    "type",
    "subject",
    "time",
    "datacontenttype",
    "data",
    "sequence",
    "journal",
    "prevhash",
)
_SOURCE: Final = "/tables/"
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""What a URI carries as it is (RFC 3986, section 2.3)."""
_ESCAPE: Final = re.compile(rb"%([0-9A-F]{2})")
_TYPE: Final = re.compile(r"table-edge\.([a-z_.]+)\.v1")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_SEQUENCE: Final = re.compile(r"[0-9]{20}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_KINDS: Final[dict[str, type[Event]]] = {kind.type: kind for kind in EVENTS}
_written: Final = PlainWriter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A published event, read."""

    table: str
    journal: str
    sequence: int
    """From 1 in each journal, without a hole."""
    prevhash: str
    """SHA-256 of the previous event's bytes as published, hex."""
    type: str
    """``card.dealt``: without prefix and version."""
    subject: str | None
    """``shoe/{n}`` or ``shoe/{n}/round/{n}``; None: the event is of no shoe."""
    time_ms: int
    """Milliseconds since 1970-01-01 UTC, by the table's wall clock: for people, never for order."""
    event: Event


def digest(published_bytes: bytes) -> str:
    """SHA-256 of an event's bytes as published, hex: the ``prevhash`` of the next."""
    return sha256(published_bytes).hexdigest()


def published(  # noqa: PLR0913 - the envelope has six parts; a class for them would be named once
    event: Event, *, table: str, journal: str, sequence: int, wall_ms: int, prevhash: str
) -> bytes:
    """The bytes of this event on the wire and in the journal.

    Args:
        event: what was ruled.
        table: the table's id, unquoted.
        journal: the journal's id.
        sequence: from 1, contiguous in this journal.
        wall_ms: milliseconds since 1970-01-01 UTC.
        prevhash: :func:`digest` of the previous event's bytes, or :data:`FIRST_PREVHASH`.

    Raises:
        ValueError: a text in the event is not Unicode that UTF-8 can carry (a lone surrogate), or a
            number is out of its range.
    """
    if not 1 <= sequence <= MAX_SEQUENCE:
        raise ValueError(f"{sequence} is no sequence: they go from 1 to {MAX_SEQUENCE}")
    subject = _subject(event)
    about = "" if subject is None else f'"subject":"{subject}",'
    source, of_journal = _names(table, journal)
    head = (
        f'{{"specversion":"1.0","id":"{of_journal}:{sequence}","source":"{source}",'
        f'"type":"table-edge.{event.type}.v1",{about}"time":"{written_time(wall_ms)}",'
        '"datacontenttype":"application/json","data":'
    )
    tail = f',"sequence":"{sequence:020d}","journal":"{of_journal}","prevhash":"{prevhash}"}}'
    try:
        return f"{head}{_written(event)}{tail}".encode()
    except UnicodeEncodeError:  # which quotes the text
        pass
    raise ValueError(f"a text in this {event.type} cannot be written in UTF-8")


def parse(published_bytes: bytes) -> Envelope:
    """Read an envelope.

    Keys that this version does not know are ignored, as CloudEvents asks of a reader; whoever needs
    the bytes to be exactly what :func:`published` makes compares them with :func:`rebuilt`.

    Raises:
        ValueError: malformed, or of a type this version does not know; one sentence says what.
    """
    fields = _object(published_bytes)
    missing = [key for key in _KEYS if key not in fields and key != "subject"]
    if missing:
        raise ValueError(f"the envelope lacks {', '.join(missing)}")
    texts = {key: fields.get(key) for key in _KEYS if key != "data"}
    wrong = [key for key, value in texts.items() if not isinstance(value, str) and key in fields]
    if wrong:
        raise ValueError(f"the envelope's {', '.join(wrong)} should be text")
    text: dict[str, str] = {key: value for key, value in texts.items() if isinstance(value, str)}
    _check_constants(text)
    named = _TYPE.fullmatch(text["type"])
    kind = named[1] if named else ""
    if kind not in _KINDS:
        raise ValueError("the envelope is of a type that this version does not know")
    sequence = _sequence(text)
    event = _event(kind, fields["data"])
    if text.get("subject") != _subject(event):
        raise ValueError(f"the envelope's subject is not that of its {kind}")
    return Envelope(
        table=_unquoted(text["source"].removeprefix(_SOURCE)),
        journal=text["journal"],
        sequence=sequence,
        prevhash=text["prevhash"],
        type=kind,
        subject=text.get("subject"),
        time_ms=_time_ms(text["time"]),
        event=event,
    )


def rebuilt(envelope: Envelope) -> bytes:
    """The bytes that this envelope has when nothing in them was changed."""
    return published(
        envelope.event,
        table=envelope.table,
        journal=envelope.journal,
        sequence=envelope.sequence,
        wall_ms=envelope.time_ms,
        prevhash=envelope.prevhash,
    )


def written_time(wall_ms: int) -> str:
    """RFC 3339, UTC, milliseconds: ``2025-11-30T04:06:12.345Z``.

    Raises:
        ValueError: before the year 1 or after 9999.
    """
    second, millisecond = divmod(wall_ms, 1000)
    return f"{_written_second(second)}.{millisecond:03d}Z"


@lru_cache(maxsize=8)
def _written_second(second: int) -> str:
    """Cards come in the same second, or events in the same millisecond: reckoning with dates is slow."""
    try:
        moment = _EPOCH + second * _SECOND
    except OverflowError:
        raise ValueError(f"{second} s since 1970 is outside the calendar") from None
    return moment.replace(tzinfo=None).isoformat()


@lru_cache(maxsize=8)
def _names(table: str, journal: str) -> tuple[str, str]:
    """Source and journal as they stand between the quotes of JSON: the same in every event of a table."""
    return _SOURCE + _quoted(table), json.dumps(journal, ensure_ascii=False)[1:-1]


def _quoted(table: str) -> str:
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in table.encode())


def _unquoted(source: str) -> str:
    try:
        return _ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), source.encode()).decode()
    except UnicodeDecodeError:
        raise ValueError("the envelope's source is not UTF-8") from None


def _subject(event: Event) -> str | None:
    if event.shoe is None:
        return None
    return f"shoe/{event.shoe}" if event.round is None else f"shoe/{event.shoe}/round/{event.round}"


def _object(published_bytes: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(
            published_bytes.decode(), object_pairs_hook=_once_each, parse_constant=_no_constant
        )
    except UnicodeDecodeError:
        raise ValueError("the envelope is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the envelope is not JSON at character {error.pos}: {error.msg}") from None
    except RecursionError:
        raise ValueError("the envelope is nested too deeply") from None
    if not isinstance(fields, dict):
        raise ValueError("the envelope is JSON but no object")  # noqa: TRY004 - the contract is ValueError
    return fields


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("the envelope has a key twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"the envelope has {name}, which is no JSON")


def _check_constants(text: dict[str, str]) -> None:
    if text["specversion"] != "1.0":
        raise ValueError("the envelope's specversion should be 1.0")
    if text["datacontenttype"] != "application/json":
        raise ValueError("the envelope's datacontenttype should be application/json")
    if not text["source"].startswith(_SOURCE):
        raise ValueError(f"the envelope's source should be {_SOURCE} and the table")
    if not _DIGEST.fullmatch(text["prevhash"]):
        raise ValueError("the envelope's prevhash should be 64 lower-case hex digits")


def _sequence(text: dict[str, str]) -> int:
    if not _SEQUENCE.fullmatch(text["sequence"]):
        raise ValueError("the envelope's sequence should be 20 digits")
    sequence = int(text["sequence"])
    if not 1 <= sequence <= MAX_SEQUENCE:
        raise ValueError(f"the envelope's sequence should be from 1 to {MAX_SEQUENCE}")
    if text["id"] != f"{text['journal']}:{sequence}":
        raise ValueError("the envelope's id should be its journal, a colon and its sequence")
    return sequence


def _time_ms(text: str) -> int:
    try:
        if _TIME.fullmatch(text):
            return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except ValueError:
        pass
    raise ValueError("the envelope's time should be UTC with milliseconds and Z")


@cache
def _adapter(kind: str) -> TypeAdapter[Event]:
    """Made when the first is read: all of them would be a part of every start."""
    return TypeAdapter(_KINDS[kind])


def _event(kind: str, value: object) -> Event:
    if not isinstance(value, dict):
        raise ValueError(f"the data of this {kind} should be an object")  # noqa: TRY004 - as above
    try:
        # Through JSON again: only from JSON may a strict reader take "up" for Face.UP, and 1 not for "1".
        return _adapter(kind).validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        sentence = f"the data of this {kind} is wrong at {where or 'its root'} ({first['type']})"
    raise ValueError(sentence)
