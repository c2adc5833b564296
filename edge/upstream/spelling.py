"""How the fields of a request are spelled: a model for each command, made from its class.

Laws:

* **Strict.** ``"3"`` is not 3, ``3.0`` is not 3, and a field that nobody knows is refused, at any depth.
* **What a person may type is taken as a person types it**: a card in any case, and with ``10`` for the ten.
* A text is :data:`Words`, whether it must be given or may be.

These are rules of this door only: a journal reads whatever was once let through.
"""

import re
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    create_model,
)

from edge.requests import KnownRequest
from firmware_protocols import Card

CARD_CODE: Final = "^(?:[2-9AaTtJjQqKk]|10)[CcDdHhSs]$"
"""A card as a person writes it."""
_STRICT: Final = ConfigDict(extra="forbid", strict=True)
_CODE: Final = re.compile(CARD_CODE)
_OBJECT: Final = "<object>"
_WORD: Final = "<word>"
BRANCHES: Final = frozenset({_OBJECT, _WORD})
"""Parts of where an error is that only say how a value was understood."""


def _legible(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("it must be printable text, and not blank")
    return text


def _card(code: object) -> Card:
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        raise ValueError("it must be a card: rank then suit, such as 9h, As, or Td, which may be written 10d")
    return Card.parse(code)


Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_legible)]
"""A text, a name or a reason: 1 to 200 printable characters."""
CardCode: TypeAlias = Annotated[
    Card, BeforeValidator(_card), WithJsonSchema({"type": "string", "pattern": CARD_CODE})
]


def model_of(kind: type[KnownRequest]) -> type[BaseModel]:
    """The model of a command's ``data``."""
    return _model(kind, ConfigDict(**_STRICT, title=kind.command))


def _model(kind: type[Any], config: ConfigDict) -> type[BaseModel]:
    hints = get_type_hints(kind)
    spelled: dict[str, Any] = {
        field.name: (_spelled(hints[field.name]), ... if field.default is MISSING else field.default)
        for field in fields(kind)
    }
    model: type[BaseModel] = create_model(kind.__name__, __config__=config, __doc__=kind.__doc__, **spelled)
    return model


def _spelled(hint: Any) -> Any:  # noqa: ANN401 - types of types
    """What the door takes for a field of this type."""
    if hint is str:
        return Words
    if hint is Card:
        return CardCode
    if is_dataclass(hint):
        return _part(hint)
    origin, within = get_origin(hint), get_args(hint)
    if origin is tuple:
        return tuple[_spelled(within[0]), ...]  # type: ignore[misc] # a type that is made, not written
    if origin in (Union, UnionType):
        given = [each for each in within if each is not NoneType]
        choice = _spelled(given[0]) if len(given) == 1 else _either(given)
        return choice if len(given) == len(within) else choice | None
    return hint


def _part(kind: Any) -> Any:  # noqa: ANN401
    """An object within a request; what comes of it is the vocabulary's own class."""
    model = _model(kind, _STRICT)

    def made(read: BaseModel) -> object:
        return kind(**{field.name: getattr(read, field.name) for field in fields(kind)})

    return Annotated[model, AfterValidator(made)]


def _either(kinds: list[Any]) -> Any:  # noqa: ANN401
    """An object or one of a few words, told apart by its shape, so that an error says what is wrong in it."""
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    (part,) = (each for each in kinds if is_dataclass(each))
    shaped = reduce(or_, [Annotated[_part(part), Tag(_OBJECT)], Annotated[Literal[tuple(words)], Tag(_WORD)]])
    told = f"it must be {', '.join(repr(word) for word in words)} or an object"

    def shape(value: object) -> str | None:
        if isinstance(value, dict):
            return _OBJECT
        return _WORD if value in words else None

    return Annotated[
        shaped,
        Discriminator(
            shape, custom_error_type="neither", custom_error_message=f"{told} with {_fields(part)}"
        ),
    ]


def _fields(kind: Any) -> str:  # noqa: ANN401
    return ", ".join(field.name for field in fields(kind))
