import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import JournalCorrupt
from edge.inputs import INPUTS, CardDrawn, RequestMade
from edge.journal.codec import Body, read_body, read_state, written_body, written_state
from edge.notes import NOTES, Note, RequestAnswered
from edge.requests import Asked, Desk, Outcome, RetireShoe, UnknownCommand, VoidRound
from edge.ruling import TableState, decide, new_table
from firmware_protocols import Card, FaceDownCard
from tests.edge.journal.nouns import INPUT, NOTE
from tests.edge.journal.play import asked

HEAD = "ab" * 32
DRAWN = CardDrawn(
    device="shoe",
    position=None,
    device_ms=None,
    card=FaceDownCard(Card.QH),
    nonce="00112233445566778899aabbccddeeff",
)


def body(*ruled: int | Note, input: object = DRAWN) -> Body:  # noqa: A002 - the field's name
    return Body(after=4, head=HEAD, input=input, ruled=ruled)  # type: ignore[arg-type]  # also wrong ones


@given(INPUT, st.lists(NOTE | st.integers(0, 2**63 - 1), max_size=5))
def test_every_input_and_note_comes_back(heard: object, ruled: list[Note | int]) -> None:
    written = body(*ruled, input=heard)
    assert read_body(written_body(written)) == written


@pytest.mark.parametrize("kind", [*INPUTS, *NOTES], ids=lambda kind: f"{kind.__module__}.{kind.type}")
def test_no_kind_is_left_out(kind: type) -> None:
    @given(st.from_type(kind))
    def comes_back(noun: Note) -> None:
        written = body(noun) if kind in NOTES else body(input=noun)
        assert read_body(written_body(written)) == written

    comes_back()


@pytest.mark.parametrize("request_", [VoidRound, RetireShoe])
def test_requests_of_the_same_fields_are_told_apart(request_: type[VoidRound | RetireShoe]) -> None:
    heard = asked(request_(operator="Ann", reason="spill"), "1", desk=Desk.SUPERVISOR)
    again = read_body(written_body(body(input=heard))).input
    assert isinstance(again, RequestMade)
    assert type(again.asked.request) is request_


def test_an_unknown_command_comes_back() -> None:
    heard = RequestMade(
        asked=Asked(id="x", desk=Desk.SERVER, request=UnknownCommand(name="shoe.install"), digest="d")
    )
    assert read_body(written_body(body(input=heard))).input == heard


def test_the_journal_s_own_dump_is_the_one_that_has_the_card() -> None:
    raw = written_body(body(2))
    assert json.loads(raw)["input"][1]["card"] == "Qh"


def test_a_body_s_repr_shows_neither_card_nor_nonce() -> None:
    shown = repr(body(5))
    assert "Qh" not in shown
    assert DRAWN.nonce not in shown


@given(st.integers(0), st.integers(0, 255))
def test_a_spoiled_body_is_corrupt_and_its_error_quotes_nothing(place: int, byte: int) -> None:
    good = written_body(
        body(5, RequestAnswered(id="i", command="c", outcome=Outcome.REFUSED, code="d", message="m"))
    )
    place %= len(good)
    raw = good[:place] + bytes([byte]) + good[place + 1 :]
    fault = fault_of(raw)
    assert "Qh" not in str(fault)
    assert DRAWN.nonce not in str(fault)
    assert fault is None or (fault.__cause__ is None and fault.__context__ is None)


def fault_of(raw: bytes) -> JournalCorrupt | None:
    try:
        read_body(raw)
    except JournalCorrupt as fault:
        return fault
    return None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"after":4,"head":"ab","input":["card.drawn",{}],"ruled":[]}',
        written_body(body()).replace(b"card.drawn", b"card.eaten"),
        written_body(body()).replace(b'"Qh"', b'"Qx"'),
        written_body(body()).replace(b'"Qh"', b"17"),
        written_body(body()).replace(b'"after":4', b'"after":"4"'),
        written_body(body()).replace(b'"after":4', b'"after":-4'),
        written_body(body(5)).replace(b"[5]", b'[["card.concealed",{"draw":1,"card":"Qx","nonce":"n"}]]'),
    ],
)
def test_what_is_no_body_is_corrupt(raw: bytes) -> None:
    with pytest.raises(JournalCorrupt, match="wrong at") as caught:
        read_body(raw)
    assert "Q" not in str(caught.value)


def test_a_lone_surrogate_cannot_be_written_and_is_not_quoted() -> None:
    with pytest.raises(ValueError, match="cannot be written") as caught:
        written_body(body(input=asked(UnknownCommand(name="secret \udcff"), "1")))
    assert "secret" not in str(caught.value)


def test_a_state_comes_back_with_what_lies_face_down() -> None:
    state = decide(new_table("j"), DRAWN).state
    assert read_state(written_state(state), TableState) == state


def test_what_is_no_state_is_corrupt_and_not_quoted() -> None:
    with pytest.raises(JournalCorrupt, match="wrong at") as caught:
        read_state(b'{"journal":"Qh","sequence":"Qh"}', TableState)
    assert "Qh" not in str(caught.value)
