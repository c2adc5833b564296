"""The shape of a house file: what may stand at a place of it, read off the model itself.

A validation error says where it is in pydantic's way: beside keys and items there are steps for the chosen
member of a union (``("burn", "first_card", "ace")``) and for a key that is wrong itself (``"[key]"``).
:func:`slot_at` follows such a way through the model and gives the place in the file with what the model has
there. What a house may do about a kind of irregularity is narrower than its type: what fits the kind.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from edge.house_rules.lines import Path
from edge.house_rules.model import HouseRules
from edge.house_rules.policies import ways_of
from edge.irregular import Kind

WRONG_KEY: Final = "[key]"
TAG: Final = "by"
"""The key that chooses the member of a union of tables."""
IRREGULARITIES: Final = "irregularities"

_KINDS: Final = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place in a house file."""

    path: Path
    """As one writes it: tables, keys, and the index of an item of a list."""
    type: Any
    """What the model has there, without ``None``; None: the model has nothing there."""
    key_wrong: bool = False
    """The last key of the path is none that may stand there."""


def slot_at(loc: tuple[str | int, ...]) -> Slot:
    """The place that a validation error is about."""
    path: Path = ()
    found: Any = HouseRules
    for step in loc:
        if step == WRONG_KEY:
            return Slot(path=path, type=None, key_wrong=True)
        models = models_in(found)
        if len(models) > 1 and step != TAG:  # the chosen member of a union of tables
            found = next(model for model in models if step in _tags(model))
        elif not models and _is_choice(found):  # one of several kinds of word
            continue
        else:
            path = (*path, step)
            found = _below(found, step)
    return Slot(path=path, type=found)


def keys_at(table: tuple[str, ...], said: Mapping[str, Any]) -> list[str]:
    """The keys that this table may have; of a union of tables, those of the member that ``by`` chooses."""
    found: Any = HouseRules
    written: Any = said
    for step in table:
        found = _below(found, step)
        written = written.get(step) if isinstance(written, dict) else None
    if get_origin(found) in _MAPPINGS:
        return [str(each.value) for each in get_args(found)[0]]
    models = models_in(found)
    tag = written.get(TAG) if isinstance(written, dict) else None
    chosen = [model for model in models if tag in _tags(model)]
    return list(dict.fromkeys(key for model in chosen or models for key in model.model_fields))


def tables(said: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every table of a house file whose name is fixed, and the keys that it may have."""
    yield (), keys_at((), said)
    for name, field in HouseRules.model_fields.items():
        if models_in(field.annotation) or get_origin(_plain(field.annotation)) in _MAPPINGS:
            yield (name,), keys_at((name,), said)


def told(slot: Slot) -> str:
    """What may stand there, in words."""
    return _told(slot.type, slot.path)


# The model -------------------------------------------------------------------------------------------

_MAPPINGS: Final = (dict, Mapping)
_UNIONS: Final = (Union, types.UnionType)


def models_in(kind: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - a type annotation
    """The tables that may stand here: none, one, or the members of a union."""
    kind = _plain(kind)
    if get_origin(kind) in _UNIONS:
        return [model for each in get_args(kind) for model in models_in(each)]
    return [kind] if isinstance(kind, type) and issubclass(kind, BaseModel) else []


def _plain(kind: Any) -> Any:  # noqa: ANN401 - a type annotation
    """Without what may be left out, and without what is said about a union."""
    if get_origin(kind) in _UNIONS:
        several = [each for each in get_args(kind) if each is not types.NoneType]
        return _plain(several[0]) if len(several) == 1 else kind
    if get_origin(kind) is Annotated and get_origin(get_args(kind)[0]) in _UNIONS:
        return _plain(get_args(kind)[0])
    return kind


def _is_choice(kind: Any) -> bool:  # noqa: ANN401 - a type annotation
    return get_origin(_plain(kind)) in _UNIONS


def _tags(model: type[BaseModel]) -> tuple[Any, ...]:
    field = model.model_fields.get(TAG)
    return () if field is None else get_args(field.annotation)


def _below(kind: Any, step: str | int) -> Any:  # noqa: ANN401 - a type annotation
    """What the model has under this key or index; None: nothing."""
    models = models_in(kind)
    kind = _plain(kind)
    if len(models) > 1 and step == TAG:
        return Literal[tuple(tag for model in models for tag in _tags(model))]
    for model in models:
        field = model.model_fields.get(str(step))
        if field is not None:
            return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    if get_origin(kind) in _MAPPINGS:
        return get_args(kind)[1]
    return get_args(kind)[0] if get_origin(kind) is tuple else None


# Words -----------------------------------------------------------------------------------------------


def _told(kind: Any, path: Path) -> str:  # noqa: ANN401 - a type annotation
    kind = _plain(kind)
    choices = tuple(_choices(kind, path))
    if models_in(kind) or get_origin(kind) in _MAPPINGS:
        return "a table"
    if choices:
        return _either([f'"{choice}"' for choice in choices])
    if get_origin(kind) is tuple:
        return f"a list of {_told(get_args(kind)[0], path)}"
    base, limits = (get_args(kind)[0], get_args(kind)[1:]) if get_origin(kind) is Annotated else (kind, ())
    if base is bool:
        return "true or false"
    if base is int:
        return f"a whole number from {_limit(limits, 'ge')} to {_limit(limits, 'le')}"
    return "text"


def _choices(kind: Any, path: Path) -> Iterator[str]:  # noqa: ANN401 - a type annotation
    """The words that may stand here; none: it is no matter of words."""
    if get_origin(kind) in _UNIONS:
        for each in get_args(kind):
            yield from _choices(each, path)
    elif get_origin(kind) is Literal:
        yield from get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        fitting = _fitting(path)
        yield from (each.value for each in kind if fitting is None or each.value in fitting)


def _fitting(path: Path) -> tuple[str, ...] | None:
    """What fits the kind of irregularity that this place is about; None: it is about none."""
    kind = _KINDS.get(str(path[1])) if len(path) > 1 and path[0] == IRREGULARITIES else None
    return None if kind is None else tuple(each.value for each in ways_of(kind))


def _limit(limits: tuple[Any, ...], name: str) -> Any:  # noqa: ANN401 - a number
    """A bound, as the field has it or what is said about it."""
    for each in limits:
        for bound in getattr(each, "metadata", [each]):
            if hasattr(bound, name):
                return getattr(bound, name)
    return "any"


def _either(choices: list[str]) -> str:
    return " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)
