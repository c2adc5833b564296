import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.envelope import (
    CONTENT_TYPE,
    FIRST_PREVHASH,
    Envelope,
    digest,
    parse,
    published,
    rebuilt,
    written_time,
)
from edge.events import EVENTS, CardDealt, EdgeStarted, EdgeStopped, Event, Face, RoundOpened, Spot
from firmware_protocols import Card
from tests.edge.journal.nouns import EVENT

JOURNAL = "0b6ae0a1-6a5e-4a63-9bb5-2a4b9c1e7f00"
DEALT = CardDealt(
    shoe=2,
    round=7,
    draw=31,
    to=Spot(seat=3, hand=1),
    position=2,
    face=Face.UP,
    card=Card.AS,
    total=19,
    soft=True,
)
TIMES = st.integers(-62_135_596_800_000, 253_402_300_799_999)  # years 1 to 9999


def envelope(event: Event = DEALT, **changed: Any) -> bytes:
    parts: dict[str, Any] = {
        "table": "bj-07",
        "journal": JOURNAL,
        "sequence": 41,
        "wall_ms": 1_764_475_572_345,
        "prevhash": "ab" * 32,
    }
    return published(event, **{**parts, **changed})


def test_the_bytes_are_the_contract_s() -> None:
    assert envelope().decode() == (
        '{"specversion":"1.0","id":"0b6ae0a1-6a5e-4a63-9bb5-2a4b9c1e7f00:41","source":"/tables/bj-07",'
        '"type":"table-edge.card.dealt.v1","subject":"shoe/2/round/7","time":"2025-11-30T04:06:12.345Z",'
        '"datacontenttype":"application/json","data":{"shoe":2,"round":7,"draw":31,'
        '"to":{"seat":3,"hand":1},"position":2,"face":"up","card":"As","total":19,"soft":true},'
        '"sequence":"00000000000000000041","journal":"0b6ae0a1-6a5e-4a63-9bb5-2a4b9c1e7f00",'
        f'"prevhash":"{"ab" * 32}"}}'
    )


def test_the_content_type_is_that_of_structured_cloudevents() -> None:
    assert CONTENT_TYPE == "application/cloudevents+json"


def test_an_event_without_a_shoe_has_no_subject() -> None:
    fields = json.loads(envelope(EdgeStopped(reason="signal")))
    assert "subject" not in fields
    assert fields["data"] == {"reason": "signal"}


def test_an_event_of_a_shoe_between_rounds_names_the_shoe() -> None:
    assert json.loads(envelope(EdgeStopped(shoe=4, reason="x")))["subject"] == "shoe/4"


def test_a_field_that_is_null_by_contract_stays() -> None:
    started = EdgeStarted(version="1", config_hash="c", journal="j", recovered=None)
    assert json.loads(envelope(started))["data"] == {
        "version": "1",
        "config_hash": "c",
        "journal": "j",
        "recovered": None,
    }


def test_text_is_utf_8_and_not_escaped() -> None:
    opened = RoundOpened(shoe=1, round=1, round_id="第一局 ♠", seats=(1,))
    assert "第一局 ♠".encode() in envelope(opened)


@pytest.mark.parametrize("table", ["Tisch 7", "桌/1", "50%", "a+b", "%41"])
def test_any_table_s_name_makes_a_source_that_is_a_uri_and_comes_back(table: str) -> None:
    raw = envelope(table=table)
    assert re.fullmatch(r"/tables/[A-Za-z0-9._~%-]+", json.loads(raw)["source"])
    assert parse(raw).table == table


def test_an_envelope_is_read_into_what_it_was_made_of() -> None:
    assert parse(envelope()) == Envelope(
        table="bj-07",
        journal=JOURNAL,
        sequence=41,
        prevhash="ab" * 32,
        type="card.dealt",
        subject="shoe/2/round/7",
        time_ms=1_764_475_572_345,
        event=DEALT,
    )


@given(EVENT, st.integers(1, 2**63 - 1), TIMES, st.binary(max_size=9))
def test_every_event_comes_back_and_is_built_again_byte_for_byte(
    event: Event, sequence: int, wall_ms: int, before: bytes
) -> None:
    raw = envelope(event, sequence=sequence, wall_ms=wall_ms, prevhash=digest(before))
    read = parse(raw)
    assert read.event == event
    assert (read.sequence, read.time_ms, read.prevhash) == (sequence, wall_ms, digest(before))
    assert rebuilt(read) == raw


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.type)
def test_no_type_is_left_out(kind: type[Event]) -> None:
    fields = {**json.loads(envelope()), "type": f"table-edge.{kind.type}.v1", "data": {"nothing": 1}}
    with pytest.raises(ValueError, match=re.escape(kind.type)):  # known, so its data is looked at
        parse(json.dumps({**fields, "data": []}).encode())


def test_the_digest_of_an_envelope_is_the_prevhash_of_the_next() -> None:
    first = envelope(sequence=1, prevhash=FIRST_PREVHASH)
    assert parse(envelope(prevhash=digest(first))).prevhash == digest(first)
    assert parse(first).prevhash == "0" * 64


@pytest.mark.parametrize("sequence", [0, -1, 2**63])
def test_a_sequence_out_of_range_is_refused(sequence: int) -> None:
    with pytest.raises(ValueError, match="no sequence"):
        envelope(sequence=sequence)


def test_a_time_outside_the_calendar_is_refused() -> None:
    with pytest.raises(ValueError, match="outside the calendar"):
        envelope(wall_ms=10**18)


def test_a_lone_surrogate_is_refused_without_being_quoted() -> None:
    with pytest.raises(ValueError, match="cannot be written in UTF-8") as caught:
        envelope(EdgeStopped(reason="secret \ud800"))
    assert "secret" not in str(caught.value)


def test_a_clock_at_1970_is_a_time_like_any_other() -> None:
    assert written_time(0) == "1970-01-01T00:00:00.000Z"
    assert parse(envelope(wall_ms=-1)).time_ms == -1


def changed(**fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda good: {**good, **fields}


def without(key: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda good: {name: value for name, value in good.items() if name != key}


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without("prevhash"), "lacks prevhash"),
        (without("data"), "lacks data"),
        (without("subject"), "subject"),
        (changed(subject="shoe/2"), "subject"),
        (changed(subject=None), "should be text"),
        (changed(sequence=41), "should be text"),
        (changed(specversion="0.3"), "specversion"),
        (changed(datacontenttype="text/plain"), "datacontenttype"),
        (changed(source="/somewhere/bj-07"), "source"),
        (changed(source="/tables/%FF"), "source"),
        (changed(type="table-edge.card.dealt.v2"), "does not know"),
        (changed(type="table-edge.card.eaten.v1"), "does not know"),
        (changed(sequence="41"), "20 digits"),
        (changed(sequence="0" * 20), "from 1"),
        (changed(sequence="9" * 20), "from 1"),
        (changed(sequence="\u0660" * 20), "20 digits"),
        (changed(id="x:41"), "id should be"),
        (changed(prevhash="AB" * 32), "prevhash"),
        (changed(time="2025-11-30T04:06:12Z"), "time"),
        (changed(time="2025-13-30T04:06:12.345Z"), "time"),
        (changed(time="2025-11-30T04:06:12.345+00:00"), "time"),
        (changed(data=[]), "should be an object"),
        (changed(data={}), "wrong at"),
    ],
)
def test_what_is_malformed_is_refused_with_a_sentence(
    spoil: Callable[[dict[str, Any]], dict[str, Any]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse(json.dumps(spoil(json.loads(envelope()))).encode())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":NaN}',
        b'{"a":1,"a":2}',
        b'{"a":' + b"9" * 5_000 + b"}",
    ],
)
def test_what_is_no_envelope_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(raw)


@given(st.integers(0), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_seen(place: int, byte: int) -> None:
    good = envelope()
    place %= len(good)
    raw = good[:place] + bytes([byte]) + good[place + 1 :]
    try:
        read = parse(raw)
    except ValueError:
        return
    assert raw == good or rebuilt(read) != raw or read != parse(good)


@pytest.mark.parametrize(
    "field", [("seat", "3"), ("seat", 3.0), ("seat", True), ("hand", None)], ids=lambda field: repr(field[1])
)
def test_a_number_is_a_number(field: tuple[str, object]) -> None:
    fields = json.loads(envelope())
    fields["data"]["to"][field[0]] = field[1]
    with pytest.raises(ValueError, match="wrong at to"):
        parse(json.dumps(fields).encode())


def test_a_key_of_a_later_version_is_passed_over() -> None:
    assert parse(json.dumps({**json.loads(envelope()), "traceparent": "00-1"}).encode()) == parse(envelope())
