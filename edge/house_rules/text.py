"""A house file's text to its rules, purely: a record holds the text, so any shift can be ruled again."""

import json
import tomllib
from functools import lru_cache
from hashlib import sha256
from typing import Final

from pydantic import ValidationError

from edge.errors import HouseRulesInvalid
from edge.house_rules.model import HouseRules

MISTAKES_SHOWN: Final = 5
"""How many mistakes one error names; the rest come after these are mended."""


@lru_cache(maxsize=32)
def parse_house(text: str, source: str = "the house file") -> HouseRules:
    """The rules this TOML text says.

    Args:
        text: the whole house file.
        source: what to call the file in an error.

    Raises:
        HouseRulesInvalid: with the line (TOML syntax) or the keys (wrong value, unknown, missing).
    """
    try:
        return HouseRules.model_validate_json(json.dumps(tomllib.loads(text), default=str))
    except tomllib.TOMLDecodeError as error:
        raise HouseRulesInvalid(f"{source} is not TOML: {error}.", hint="Mend that line.") from None
    except ValidationError as error:
        mistakes = [
            f"{'.'.join(str(step) for step in mistake['loc']) or 'the file'}: {mistake['msg']}"
            for mistake in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise HouseRulesInvalid(
            f"{source}: {'; '.join(mistakes[:MISTAKES_SHOWN])}.", hint="docs/rules.md lists every key."
        ) from None


def house_digest(text: str) -> str:
    """SHA-256 of the house file's text, hex: what ``edge.started`` publishes."""
    return sha256(text.encode()).hexdigest()
