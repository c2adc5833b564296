"""What a person types in the pit, and what a request says: places, cards and who lies where.

::

    --to 3          --to 3/2          --to dealer           seat 3; its second hand; the dealer
    --places 4=dealer,5=3                                   draw 4 to the dealer, draw 5 to seat 3
    --cards "1=10h 8c; dealer=7d x"                         x: a card face down

JSON is taken as well, as it stands in a request. Cards are named in any case, and by the same door that a
request goes through, so they are not read here.
"""

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin

from edge.requests import Lying, Placed, Seat

Json: TypeAlias = Any
"""A value of a request."""

DEALER: Final = "dealer"
FACE_DOWN: Final = "x"
_JSON_BEGINS: Final = ("{", "[", '"')
_PLACE: Final = re.compile(r"(?:seat\s*)?(\d{1,3})(?:\s*/\s*(\d{1,3}))?", re.IGNORECASE)
PLACE_IS: Final = "a place is a seat such as 3, its second hand as 3/2, or dealer"
PLACES_ARE: Final = "say draw=place, such as 4=dealer,5=3"
CARDS_ARE: Final = 'say place=cards, such as "1=10h 8c; dealer=7d x", x for a card face down'


def typed(hint: object, text: str) -> Json:
    """What was typed, as a field of this type has it in a request.

    Raises:
        ValueError: it cannot be understood; the message says how it is written.
    """
    read = _READ.get(_noun(hint))
    if read is None:
        return text if _noun(hint) is str or isinstance(_noun(hint), type(Enum)) else _json_or_text(text)
    if text.lstrip().startswith(_JSON_BEGINS):
        return _json_or_text(text)
    return read(text)


def place(text: str) -> Json:
    """A place.

    Raises:
        ValueError: it is none.
    """
    word = text.strip().lower()
    if word == DEALER:
        return DEALER
    match = _PLACE.fullmatch(word)
    if match is None:
        raise ValueError(f"{PLACE_IS}.")
    seat, hand = match.groups()
    return {"seat": int(seat)} if hand is None else {"seat": int(seat), "hand": int(hand)}


def places(text: str) -> Json:
    """Which card goes where.

    Raises:
        ValueError: that is not what it says.
    """
    said: list[Json] = []
    for part in filter(None, (each.strip() for each in re.split("[,;]", text))):
        draw, equals, to = part.partition("=")
        if not equals or not draw.strip().isdecimal():
            raise ValueError(f"{PLACES_ARE}.")
        said.append({"draw": int(draw), "to": place(to)})
    return said


def lying(text: str) -> Json:
    """Which cards lie where.

    Raises:
        ValueError: that is not what it says.
    """
    said: list[Json] = []
    for part in filter(None, (each.strip() for each in text.split(";"))):
        to, equals, codes = part.partition("=")
        if not equals:
            raise ValueError(f"{CARDS_ARE}.")
        said.append({"to": place(to), "cards": cards(codes)})
    return said


def cards(text: str) -> list[str | None]:
    """Cards one after the other; ``x`` is one face down."""
    return [None if code.lower() == FACE_DOWN else code for code in text.replace(",", " ").split()]


def _json_or_text(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _noun(hint: object) -> object:
    """The type that a field is about: ``Seat`` of ``Seat | "dealer" | None``, ``Placed`` of a tuple."""
    if get_origin(hint) in (Union, UnionType):
        return _noun(next(each for each in get_args(hint) if each is not NoneType))
    return _noun(get_args(hint)[0]) if get_origin(hint) is tuple else hint


_READ: Final[Mapping[object, Callable[[str], Json]]] = {Seat: place, Placed: places, Lying: lying}


# As it is told --------------------------------------------------------------------------------------


def told(value: Json) -> str:
    """A value of a request in a person's words."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "nothing"
        case {"draw": draw, "to": to}:
            return f"draw {draw} to {told_place(to)}"
        case {"to": to, "cards": list(lies)}:
            return (
                f"{told_place(to)}: {' '.join('??' if each is None else each for each in lies) or 'no card'}"
            )
        case {"seat": _}:
            return told_place(value)
        case list():
            return "; ".join(told(each) for each in value) or "none"
        case _:
            return str(value)


def told_place(value: Json) -> str:
    """A place of a request in a person's words."""
    match value:
        case {"seat": seat, "hand": hand} if hand != 1:
            return f"seat {seat}, hand {hand}"
        case {"seat": seat}:
            return f"seat {seat}"
        case _:
            return "the dealer" if value == DEALER else str(value)
