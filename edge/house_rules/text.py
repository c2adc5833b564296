"""A house file's text to its rules, purely: a record holds the text, so any shift can be ruled again.

Two readers. :func:`check_house` is at every door by which a file comes in (``run``, ``replay``, ``rules``):
it refuses a house that cannot be played, too. :func:`parse_house` only reads: it is for texts that are in
force or on record. A contradiction that a later version learns to see must not make a shift unreadable.
"""

import json
import tomllib
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from pydantic import ValidationError

from edge.errors import HouseRulesInvalid
from edge.house_rules.contradictions import contradictions
from edge.house_rules.lines import key_lines, line_of
from edge.house_rules.mistakes import HouseFileInvalid, Mistake, below_a_wrong_key, mistake
from edge.house_rules.model import HouseRules

_HINT: Final = "docs/rules.md lists every key."


@lru_cache(maxsize=32)
def parse_house(text: str, source: str = "the house file") -> HouseRules:
    """The rules this TOML text says.

    Args:
        text: the whole house file.
        source: what to call the file in an error.

    Raises:
        HouseRulesInvalid: with line, key and what is allowed, of every wrong value, unknown or missing key.
    """
    said, as_json = _read(text, source)
    try:
        return HouseRules.model_validate_json(as_json)
    except ValidationError as error:
        lines = key_lines(text)
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        told = [mistake(each, said, lines) for each in errors if not below_a_wrong_key(each, errors)]
        mistakes = tuple(dict.fromkeys(sorted(told, key=lambda each: each.line or 0)))
    raise HouseFileInvalid(source, mistakes, hint=_HINT)


def check_house(text: str, source: str = "the house file") -> HouseRules:
    """The rules this TOML text says, where they can be played.

    Raises:
        HouseRulesInvalid: as :func:`parse_house`, or with line and key of choices that contradict each other.
    """
    rules = parse_house(text, source)
    found = contradictions(rules)
    if found:
        lines = key_lines(text)
        mistakes = tuple(
            Mistake(
                line=line_of(each.key, lines),
                key=".".join(each.key),
                why=each.why,
            )
            for each in found
        )
        raise HouseFileInvalid(source, mistakes, hint=_HINT)
    return rules


def _read(text: str, source: str) -> tuple[dict[str, Any], str]:
    """What the text says, and the same as JSON: only from JSON may a strict model take a list for a tuple."""
    try:
        said = tomllib.loads(text)
        return said, json.dumps(said, default=str)
    except tomllib.TOMLDecodeError as error:
        told = str(error).replace("end of document", f"end of document, line {text.count(chr(10)) + 1}")
        raise HouseRulesInvalid(f"{source} is not TOML: {told}.", hint="Mend that line.") from None
    except RecursionError:
        raise HouseRulesInvalid(f"{source} is nested too deeply.", hint=_HINT) from None
    except ValueError as error:  # a number of thousands of digits
        raise HouseRulesInvalid(f"{source} has a number that is none: {error}.", hint=_HINT) from None


def house_digest(text: str) -> str:
    """SHA-256 of the house file's text, hex: what ``edge.started`` publishes."""
    return sha256(text.encode()).hexdigest()
