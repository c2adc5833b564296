"""Bytes to a JSON object, strictly: what Python's reader lets pass and JSON does not have is refused."""

import json
from typing import Any, Final

LARGEST_PAYLOAD: Final = 16 * 1024
"""Bytes of a request."""
LONGEST_STRING: Final = 1000
LONGEST_LIST: Final = 100
LARGEST_NUMBER: Final = 2**63 - 1
DEEPEST: Final = 8
"""Lists and objects within each other."""
LONGEST_QUOTE: Final = 64
"""How much of a client's word is ever repeated to it."""


class Unreadable(Exception):
    """Why a payload cannot be read: one sentence, which never repeats the payload."""


def clipped(word: str) -> str:
    """A client's word, short enough and plain enough to be repeated."""
    shown = word if len(word) <= LONGEST_QUOTE else f"{word[:LONGEST_QUOTE]}..."
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")


def read_object(payload: bytes) -> dict[str, Any]:
    """The object that ``payload`` is.

    Raises:
        Unreadable: it is none.
    """
    if len(payload) > LARGEST_PAYLOAD:
        raise Unreadable(f"The request is larger than {LARGEST_PAYLOAD} bytes.")
    try:
        parsed = json.loads(payload.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_constant)
        # a lone surrogate and an infinite 1e999 can be read, but never be written again
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeError:
        raise Unreadable("The request is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"The request is not JSON, at character {error.pos + 1}.") from None
    except (RecursionError, ValueError):
        # nested deeper, or a number longer, than anything a request has
        raise Unreadable("The request is not JSON that this table reads.") from None
    if not isinstance(parsed, dict):
        raise Unreadable("The request must be a JSON object.")
    return parsed


def check_bounds(value: object, where: str, *, within: int = DEEPEST) -> None:
    """See that no part of ``value`` is longer, larger or deeper than a request has any use for.

    Raises:
        Unreadable: a part is; ``where`` names it.
    """
    match value:
        case str() if len(value) > LONGEST_STRING:
            raise Unreadable(f"{where} is longer than {LONGEST_STRING} characters.")
        case int() if abs(value) > LARGEST_NUMBER:
            raise Unreadable(f"{where} is too large a number.")
        case list() | dict() if not within:
            raise Unreadable(f"{where} lies deeper than {DEEPEST} lists and objects.")
        case list():
            if len(value) > LONGEST_LIST:
                raise Unreadable(f"{where} has more than {LONGEST_LIST} entries.")
            for index, entry in enumerate(value):
                check_bounds(entry, f"{where}.{index}", within=within - 1)
        case dict():
            for key, entry in value.items():
                check_bounds(entry, f"{where}.{clipped(key)}", within=within - 1)
        case _:
            pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise Unreadable(f"{clipped(key)} is there twice.")
        read[key] = value
    return read


def _constant(name: str) -> None:
    raise Unreadable(f"{name} is not a JSON number.")
