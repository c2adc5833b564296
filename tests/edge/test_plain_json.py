import pytest
from hypothesis import given
from pydantic import TypeAdapter

from edge.concealed import FOR_THE_JOURNAL
from edge.events import EdgeStopped, Event
from edge.inputs import Input, RequestMade
from edge.notes import CardConcealed, Note
from edge.plain_json import PlainWriter
from firmware_protocols import Card, FaceDownCard
from tests.edge.journal.nouns import EVENT, INPUT, NOTE

written = PlainWriter()
for_the_journal = PlainWriter({FaceDownCard: lambda card: f'"{card.turned()}"'})  # type: ignore[attr-defined]  # it is one


adapters: dict[type, TypeAdapter[object]] = {}


def dumped(noun: object, context: object = None) -> bytes:
    kind = type(noun)
    if kind not in adapters:
        adapters[kind] = TypeAdapter(kind)
    return adapters[kind].dump_json(noun, context=context)


@given(EVENT)
def test_an_event_is_written_as_pydantic_writes_it(event: Event) -> None:
    assert written(event).encode() == dumped(event)


@given(INPUT | NOTE)
def test_what_is_recorded_is_written_as_pydantic_writes_it(noun: Input | Note) -> None:
    if not isinstance(noun, RequestMade):  # whose command is told by its type
        expected = dumped(noun, FOR_THE_JOURNAL)
        assert for_the_journal(noun).encode() == expected


def test_every_text_is_written_as_pydantic_writes_it() -> None:
    for point in [*range(0x300), 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0x1F0A1]:
        event = EdgeStopped(reason=f"a{chr(point)}b")
        assert written(event).encode() == dumped(event)


def test_a_face_down_card_is_not_written_where_nobody_says_how() -> None:
    note = CardConcealed(draw=3, card=FaceDownCard(Card.QH), nonce="00")
    with pytest.raises(TypeError, match="FaceDownCard") as raised:
        written(note)
    assert "Qh" not in str(raised.value)


def test_what_is_no_noun_is_refused() -> None:
    with pytest.raises(TypeError, match="float"):
        written(EdgeStopped(reason=1.5))  # type: ignore[arg-type]  # what is refused
