"""A record as a person may see it: by the CLI, on a terminal.

Law 5: no card that lies face down, and no nonce of one either: its seal is public, and with the nonce
anybody tries the 52 cards. A nonce shows once ``card.revealed`` has published it. Text from outside
is cut short and cannot steer the terminal.
"""

from typing import Any, Final

from pydantic import TypeAdapter

from edge.envelope import written_time
from edge.events import EVENTS
from edge.inputs import CardDrawn, DeviceSpokeUnknown, Input, RequestMade
from edge.journal.record import Record
from edge.notes import CardConcealed, Ruled

LONGEST: Final = 120
"""Characters of a value that are shown; a house file is longer than a line."""


_ADAPTERS: Final[dict[type, TypeAdapter[Any]]] = {}


def shown(record: Record) -> str:
    """The record in lines: number, time and input, then what was ruled, events by their sequences."""
    lines = [f"{record.number:>8}  {written_time(record.wall_ms)}  {_noun(record.input)}"]
    sequences = iter(record.sequences)
    for each in record.ruled:
        mark = f"event {next(sequences)}" if isinstance(each, EVENTS) else "note"
        lines.append(f"{mark:>20}  {_noun(each)}")
    return "\n".join(lines)


def _noun(noun: Input | Ruled) -> str:
    fields: dict[str, Any] = _adapter(type(noun)).dump_python(noun, mode="json")
    if isinstance(noun, CardDrawn | CardConcealed):
        del fields["nonce"]
        fields["card"] = "unread" if noun.card is None else "??"
    if isinstance(noun, DeviceSpokeUnknown):
        fields["body"] = f"{len(noun.body) // 2} bytes"  # nobody could read them: they may name a card
    if isinstance(noun, RequestMade):
        asked = fields.pop("asked")
        fields = {"command": noun.asked.request.command, **asked.pop("request"), **asked, **fields}
    texts = (f"{name}={_value(value)}" for name, value in fields.items() if value is not None)
    return " ".join([noun.type, *texts])


def _value(value: object) -> str:
    match value:
        case dict():
            text = "{" + " ".join(f"{name}={_value(inner)}" for name, inner in value.items()) + "}"
        case list():
            text = "[" + " ".join(map(_value, value)) + "]"
        case bool():
            text = "yes" if value else "no"
        case _:
            text = "none" if value is None else str(value)
    return _tamed(text)


def _tamed(text: str) -> str:
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}... ({len(text)} characters)"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
