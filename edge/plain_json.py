"""Nouns as compact JSON, written with little code: what is touched for a card is what a card takes.

Between two cards the processor's caches are filled by others. A general serializer is quick in a loop, and
for a single card slow: its code has to be fetched anew. This writer knows no more than the nouns of the edge
are made of: whole numbers, texts, truths, enums, tuples, and dataclasses of such.

Law: **the bytes are those that pydantic writes** for the same noun; a test compares them over every kind.
What this writer does not know it refuses: a face-down card, unless its caller says how that is written.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from json.encoder import encode_basestring
from typing import Annotated, TypeAlias, get_args, get_origin

from pydantic.fields import FieldInfo

Leaf: TypeAlias = Callable[[object], str]
"""Writes a value of one type."""


class PlainWriter:
    """Writes nouns as JSON text.

    Args:
        leaves: how values of these types are written, beside those that the writer knows.
    """

    def __init__(self, leaves: Mapping[type, Leaf] | None = None) -> None:
        self._writers: dict[type, Leaf] = {
            int: str,
            str: encode_basestring,  # type: ignore[dict-item]  # it is given what is a str
            bool: lambda value: "true" if value else "false",
            type(None): lambda _: "null",
            tuple: self._array,
            **(leaves or {}),
        }

    def __call__(self, noun: object) -> str:
        """The JSON of a noun; a lone surrogate in a text is still in it, and does not encode.

        Raises:
            TypeError: something in it is of a type that is not written.
        """
        kind = type(noun)
        writer = self._writers.get(kind)
        if writer is None:
            writer = self._writers[kind] = self._made(kind)
        return writer(noun)

    def _made(self, kind: type) -> Leaf:
        if issubclass(kind, Enum):
            return _enum(kind)
        if is_dataclass(kind):
            return self._object(kind)
        raise TypeError(f"{kind.__name__} is nothing that is written as JSON here")

    def _object(self, kind: type) -> Leaf:
        plan = tuple((each.name, f'"{each.name}":', _left_out(each.type)) for each in fields(kind))
        writers = self._writers

        def written(noun: object) -> str:
            parts = []
            for name, key, left_out in plan:
                value = getattr(noun, name)
                if value is None and left_out:
                    continue
                parts.append(key + (writers.get(type(value)) or self)(value))
            return "{" + ",".join(parts) + "}"

        return written

    def _array(self, values: object) -> str:
        assert isinstance(values, tuple)  # noqa: S101 - by its type it came here
        return "[" + ",".join([self(value) for value in values]) + "]"


def _enum(kind: type[Enum]) -> Leaf:
    texts = {member.name: encode_basestring(member.value) for member in kind}

    def written(member: object) -> str:
        return texts[member._name_]  # type: ignore[attr-defined]  # asked of the member itself, both take ten times as long

    return written


def _left_out(annotation: object) -> bool:
    """Whether a field of this type is left out where it is None."""
    return get_origin(annotation) is Annotated and any(
        isinstance(each, FieldInfo) and each.exclude_if is not None for each in get_args(annotation)[1:]
    )
