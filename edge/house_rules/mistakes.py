"""What is wrong with a house file, in words: line, key, what is allowed there.

What is allowed is read off the model itself, so that a new key needs no words here.
"""

import difflib
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from edge.errors import HouseRulesInvalid
from edge.house_rules.lines import Path
from edge.house_rules.model import HouseRules

MISTAKES_SHOWN: Final = 5
"""How many mistakes one sentence names; the rest come after these are mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing that is wrong."""

    line: int | None
    """From 1; None: nothing of it stands in the file."""
    key: str
    """``dealer.peek_under``; empty: the file as a whole."""
    why: str
    """What is wrong and what is allowed, without a full stop."""

    def __str__(self) -> str:
        return ": ".join(
            [*([f"line {self.line}"] if self.line else []), *([self.key] * bool(self.key)), self.why]
        )


class HouseFileInvalid(HouseRulesInvalid):
    """A house file that says what no house can play."""

    def __init__(self, source: str, mistakes: tuple[Mistake, ...], *, hint: str) -> None:
        shown = "; ".join(str(mistake) for mistake in mistakes[:MISTAKES_SHOWN])
        more = len(mistakes) - MISTAKES_SHOWN
        sentence = f"{source}: {shown}{f'; and {more} more' if more > 0 else ''}"
        super().__init__(sentence if sentence.endswith("?") else f"{sentence}.", hint=hint)
        self.source = source
        self.mistakes = mistakes


def mistake(error: Mapping[str, Any], said: Mapping[str, Any], lines: Mapping[Path, int]) -> Mistake:
    """A validation error in words.

    Args:
        error: as pydantic tells it: ``type``, ``loc``, ``msg``.
        said: the whole file, read.
        lines: where its keys stand.
    """
    path = _path(error["loc"])
    if error["type"].startswith("union_tag"):
        path = (*path, "by")
    match error["type"]:
        case "extra_forbidden":
            why = f"is no key here; {_instead(path, said)}"
        case "missing" | "union_tag_not_found":
            why = f"is missing; it is {_allowed(path)}"
        case "string_pattern_mismatch":
            why = "must be lower case letters, digits and hyphens, at most 64"
        case _:
            why = f"must be {_allowed(path)}, not {_shown(_at(said, path))}"
    return Mistake(line=_line(path, lines), key=_written(path), why=why)


def _path(loc: tuple[str | int, ...]) -> Path:
    """The place in the file: pydantic puts the kind of a burn, or of a cut, into it as a step."""
    several = len(loc) > 1 and len(_models_in(HouseRules.model_fields[str(loc[0])].annotation)) > 1
    return (loc[0], *loc[2:]) if several else loc


def _line(path: Path, lines: Mapping[Path, int]) -> int | None:
    """Its own line, or that of the table it should stand in."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


def _written(path: Path) -> str:
    """As one writes it; an item of a list is counted from 1."""
    words = [f"item {step + 1}" if isinstance(step, int) else step for step in path]
    return ".".join(words).replace(".item", ", item")


def _at(said: Any, path: Path) -> Any:  # noqa: ANN401 - whatever a TOML file may hold
    for step in path:
        said = said[step]
    return said


def _shown(value: object) -> str:
    """What stands there, short."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"' if len(value) <= 40 else "a long text"  # noqa: PLR2004 - fits a line
        case int() | float():
            return str(value) if len(str(value)) <= 20 else "that number"  # noqa: PLR2004 - any u64
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"


# What is allowed -------------------------------------------------------------------------------------


def _allowed(path: Path) -> str:
    """What may stand at this path, by the model."""
    item = isinstance(path[-1], int)
    field = next(_fields(tuple(step for step in path if isinstance(step, str))), None)
    if field is None:
        return "something else"
    kind = (
        get_args(field.annotation)[0] if item and get_origin(field.annotation) is tuple else field.annotation
    )
    return _kind_told(kind, field, path)


def _fields(path: Path) -> Iterator[FieldInfo]:
    """Every field of the model that this path may mean; of a union, each member's."""
    models: list[type[BaseModel]] = [HouseRules]
    for step in path[:-1]:
        found = [model.model_fields[str(step)] for model in models if step in model.model_fields]
        models = [member for field in found for member in _models_in(field.annotation)]
    yield from (model.model_fields[str(path[-1])] for model in models if path[-1] in model.model_fields)


def _models_in(kind: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - a type annotation
    if get_origin(kind) is Annotated:
        return _models_in(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        return [model for each in get_args(kind) for model in _models_in(each)]
    return [kind] if isinstance(kind, type) and issubclass(kind, BaseModel) else []


def _kind_told(kind: Any, field: FieldInfo, path: Path) -> str:  # noqa: ANN401 - a type annotation
    if _models_in(kind):
        return "a table"
    if get_origin(kind) is Literal:
        choices = list(get_args(kind))
        if len(choices) == 1:  # the tag of a union: every member has its own
            choices = [tag for other in _fields(path) for tag in get_args(other.annotation)]
        return _either([f'"{choice}"' for choice in choices])
    if get_origin(kind) is tuple:
        return f"a list of {_kind_told(get_args(kind)[0], field, path)}"
    if kind is bool:
        return "true or false"
    if kind is int:
        low = next(limit.ge for limit in field.metadata if hasattr(limit, "ge"))
        high = next(limit.le for limit in field.metadata if hasattr(limit, "le"))
        return f"a whole number from {low} to {high}"
    return "text"


def _either(choices: list[str]) -> str:
    return " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


# What was meant --------------------------------------------------------------------------------------


def _instead(path: Path, said: Mapping[str, Any]) -> str:
    """What to write instead of a key that is not known at this place."""
    *above, wrong = path
    here = _known(tuple(above), said)
    elsewhere = {key: table for table, keys in _tables(said) if table != tuple(above) for key in keys}
    if wrong in elsewhere:
        table = elsewhere[str(wrong)]
        return f"it belongs under [{'.'.join(table)}]" if table else "it belongs above the first [table]"
    close = difflib.get_close_matches(str(wrong), here, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    close = difflib.get_close_matches(str(wrong), sorted(elsewhere), n=1)
    if close:
        table = elsewhere[close[0]]
        place = f"under [{'.'.join(table)}]" if table else "above the first [table]"
        return f'did you mean "{close[0]}", {place}?'
    return f"known here: {', '.join(here)}"


def _tables(said: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every table of a house file, and the keys it may have."""
    yield (), _known((), said)
    for name, field in HouseRules.model_fields.items():
        if _models_in(field.annotation):
            yield (name,), _known((name,), said)


def _known(table: Path, said: Mapping[str, Any]) -> list[str]:
    """The keys this table may have; where that depends on ``by``, on what ``by`` says."""
    if not table:
        return list(HouseRules.model_fields)
    models = _models_in(HouseRules.model_fields[str(table[0])].annotation)
    written = said.get(str(table[0]))
    by = written.get("by") if isinstance(written, dict) else None
    chosen = [model for model in models if by in get_args(_annotation(model, "by"))]
    return list(dict.fromkeys(key for model in chosen or models for key in model.model_fields))


def _annotation(model: type[BaseModel], key: str) -> Any:  # noqa: ANN401 - a type annotation
    field = model.model_fields.get(key)
    return None if field is None else field.annotation
