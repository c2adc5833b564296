"""Inputs, notes and the state as JSON for the journal file, and back.

The body of a record::

    {"after": 41, "head": "9f..", "input": ["card.drawn", {..}], "ruled": [42, ["card.concealed", {..}], 43]}

``after`` is the last event before this record; a number among ``ruled`` is the sequence of an event,
whose bytes are stored as published; a pair is a note by its type, as the input is (a request's command
follows its type: ``["request.made", "round.void", {..}]``); ``head`` is the digest of the last
event once this record is in, so that the chain of records covers the chain of events.

Law 5: this is where a face-down card is written, for a file of mode 0600. An error raised here says
where and of what kind it is; it never quotes, and it keeps no pydantic error that would quote.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError

from edge.concealed import FOR_THE_JOURNAL
from edge.errors import JournalCorrupt
from edge.inputs import INPUTS, Input, RequestMade
from edge.notes import NOTES, Note
from edge.plain_json import PlainWriter
from edge.requests import Asked, Request
from firmware_protocols import FaceDownCard

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a record, its events by their sequences. No repr: it may hold a nonce."""

    after: int
    """The last event before this record; 0: none."""
    head: str
    """:func:`edge.envelope.digest` of the last event once this record is in."""
    input: Input
    ruled: tuple[int | Note, ...]

    def __repr__(self) -> str:
        return f"Body(after={self.after}, events={self.sequences})"

    @property
    def sequences(self) -> tuple[int, ...]:
        """The events of this record."""
        return tuple(item for item in self.ruled if isinstance(item, int))


def _narrowed(noun: type, **narrower: type) -> type:
    """A dataclass with the fields and defaults of ``noun``, these ones of a narrower type."""
    inherited = [
        (each.name, narrower.get(each.name, each.type), field(default=each.default)) for each in fields(noun)
    ]
    return make_dataclass(noun.__name__, inherited, kw_only=True)


def _written_as(request: type[Request]) -> tuple[type, type]:
    """RequestMade and Asked for one kind of request: by their fields alone, some requests are alike."""
    asked = _narrowed(Asked, request=request)
    return _narrowed(RequestMade, asked=asked), asked


_REQUESTS: Final = {kind: _written_as(kind) for kind in get_args(Request)}


def _tag(pair: object) -> str | None:
    match pair:
        case [RequestMade.type, str(command), *_] | (RequestMade.type, str(command), _):
            return f"{RequestMade.type} {command}"
        case [str(tag), *_]:
            return tag
        case _:
            return None


def _tagged(kinds: tuple[type, ...]) -> Any:  # noqa: ANN401 - a type made at run time, of two closed unions
    pairs: list[Any] = []
    for kind in kinds:
        if kind is RequestMade:
            for request, (made, _) in _REQUESTS.items():
                command = request.command
                kind_of = tuple[Literal[RequestMade.type], Literal[command], made]  # type: ignore[valid-type]  # run time
                pairs.append(Annotated[kind_of, Tag(f"{RequestMade.type} {command}")])
        else:
            tag = kind.type  # type: ignore[attr-defined]  # every input and note has one
            pairs.append(Annotated[tuple[Literal[tag], kind], Tag(tag)])  # type: ignore[valid-type]  # run time
    return Annotated[Union[tuple(pairs)], Discriminator(_tag)]  # noqa: UP007 - a union over a tuple


def _turned(card: object) -> str:
    assert isinstance(card, FaceDownCard)  # noqa: S101 - by its type it came here
    return _plain(card.turned())


_plain: Final = PlainWriter({FaceDownCard: _turned})


def _written_input(heard: Input) -> bytes:
    if not isinstance(heard, RequestMade):
        return _written_plainly(heard)
    made, asked = _REQUESTS[type(heard.asked.request)]
    inner = asked(**{each.name: getattr(heard.asked, each.name) for each in fields(Asked)})
    others = {each.name: getattr(heard, each.name) for each in fields(RequestMade)}
    return _written(heard.type, heard.asked.request.command, noun=made(**{**others, "asked": inner}))


def _written_plainly(noun: Input | Note) -> bytes:
    return f'["{noun.type}",{_plain(noun)}]'.encode()


def _written(*tags: str, noun: object) -> bytes:
    """The array of the tags and the noun. One writer a kind is quicker than one for all that must choose."""
    kind: type = type(noun)
    return b'["%b",%b]' % ('","'.join(tags).encode(), _writer(kind)(noun, context=FOR_THE_JOURNAL))


@cache
def _writer(kind: type) -> Callable[..., bytes]:
    return TypeAdapter(kind).serializer.to_json


def _read_input(stored: tuple[Any, ...]) -> Input:
    heard: Any = stored[-1]
    if stored[0] != RequestMade.type:
        return heard  # type: ignore[no-any-return]  # validated to be an input
    asked = Asked(**{each.name: getattr(heard.asked, each.name) for each in fields(Asked)})
    others = {each.name: getattr(heard, each.name) for each in fields(RequestMade)}
    return RequestMade(**{**others, "asked": asked})


_SEQUENCE: Final = Annotated[int, Field(ge=0)]
_STORED: Final = make_dataclass(
    "_STORED",
    [
        ("after", _SEQUENCE),
        ("head", Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]),
        ("input", _tagged(INPUTS)),
        ("ruled", tuple[Union[_SEQUENCE, _tagged(NOTES)], ...]),  # type: ignore[misc]  # noqa: UP007 - a type made at run time
    ],
)
_BODIES: Final[TypeAdapter[Any]] = TypeAdapter(_STORED)


def written_body(body: Body) -> bytes:
    """The body of a record as stored.

    Raises:
        ValueError: a text in it is not Unicode that UTF-8 can carry (a lone surrogate).
    """
    try:
        ruled = b",".join(
            [b"%d" % item if isinstance(item, int) else _written_plainly(item) for item in body.ruled]
        )
        heard = _written_input(body.input)
        return b'{"after":%d,"head":"%b","input":%b,"ruled":[%b]}' % (
            body.after,
            body.head.encode(),
            heard,
            ruled,
        )
    except ValueError:  # of pydantic, which quotes the text
        pass
    raise ValueError(f"a text in this {body.input.type} cannot be written in UTF-8")


def read_body(raw: bytes) -> Body:
    """A stored body, read.

    Raises:
        JournalCorrupt: it is none; says where and of what kind the fault is, never what stands there.
    """
    try:
        stored = _BODIES.validate_json(raw, strict=True)
    except ValidationError as error:
        fault = fault_of(error)
    else:
        ruled = tuple(item if isinstance(item, int) else item[1] for item in stored.ruled)
        return Body(after=stored.after, head=stored.head, input=_read_input(stored.input), ruled=ruled)
    raise JournalCorrupt(f"The body of a record is wrong at {fault}.")


def written_state(state: object) -> bytes:
    """The state as a snapshot holds it: face-down cards included."""
    return _adapter(type(state)).dump_json(state, context=FOR_THE_JOURNAL)


def read_state(raw: bytes, kind: type[S]) -> S:
    """The state of a snapshot.

    Raises:
        JournalCorrupt: it is no state of this kind; says where, never what stands there.
    """
    try:
        state: S = _adapter(kind).validate_json(raw)
    except ValidationError as error:
        fault = fault_of(error)
    else:
        return state
    raise JournalCorrupt(f"A snapshot is wrong at {fault}.")


def fault_of(error: ValidationError) -> str:
    """Where and of what kind the first fault is; not what stood there, and not pydantic's sentence."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'its root'} ({first['type']})"


_STATES: Final[dict[type, TypeAdapter[Any]]] = {}


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _STATES:
        _STATES[kind] = TypeAdapter(kind)
    return _STATES[kind]
