"""What is wrong with a house file, in words: line, key, what is allowed there.

What is allowed is read off the model itself (:mod:`edge.house_rules.shape`), so that a new key needs no words
here.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from edge.errors import HouseRulesInvalid
from edge.house_rules.lines import Path, line_of
from edge.house_rules.shape import TAG, WRONG_KEY, keys_at, slot_at, tables, told

PATTERNS: Final = {
    "name": "lower case letters, digits and hyphens, at most 64",
    "role": "lower case letters, digits and underscores, a letter first, at most 32",
}
"""What a pattern says, by the key it is about."""
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
    loc = error["loc"]
    slot = slot_at((*loc, TAG) if error["type"].startswith("union_tag") else loc)
    match error["type"]:
        case _ if slot.key_wrong:
            why = f"is no key here; {_instead(slot.path, said)}"
        case "extra_forbidden":
            why = f"is no key here; {_instead(slot.path, said)}"
        case "missing" | "union_tag_not_found":
            why = f"is missing; it is {told(slot)}"
        case "string_pattern_mismatch":
            why = f"must be {PATTERNS[str(slot.path[-1])]}"
        case _:
            why = f"must be {told(slot)}, not {_shown(_at(said, slot.path))}"
    return Mistake(line=line_of(slot.path, lines), key=_written(slot.path), why=why)


def below_a_wrong_key(error: Mapping[str, Any], errors: Iterable[Mapping[str, Any]]) -> bool:
    """Whether it is about what stands under a key that is wrong itself: that one is told, and enough."""
    loc = error["loc"]
    wrong = [each["loc"][:-1] for each in errors if each["loc"][-1] == WRONG_KEY]
    return loc[-1] != WRONG_KEY and any(loc[: len(key)] == key for key in wrong)


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


# What was meant --------------------------------------------------------------------------------------


def _instead(path: Path, said: Mapping[str, Any]) -> str:
    """What to write instead of a key that is not known at this place."""
    *above, wrong = (str(step) for step in path)
    here = keys_at(tuple(above), said)
    elsewhere = {key: table for table, keys in tables(said) if table != tuple(above) for key in keys}
    if wrong in elsewhere:
        table = elsewhere[wrong]
        return f"it belongs under [{'.'.join(table)}]" if table else "it belongs above the first [table]"
    close = difflib.get_close_matches(wrong, here, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    close = difflib.get_close_matches(wrong, sorted(elsewhere), n=1)
    if close:
        table = elsewhere[close[0]]
        place = f"under [{'.'.join(table)}]" if table else "above the first [table]"
        return f'did you mean "{close[0]}", {place}?'
    return f"known here: {', '.join(here)}"
