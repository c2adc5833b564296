"""The return of every house as its file has it, and of those beside it, six decks and eight, in percent."""

from typing import Any

import pytest

from tests.edge.returns.calculation import return_percent
from tests.edge.returns.test_returns import close, house

ONE_CARD = {"split": {"aces": "one_card"}}
WITH_DOUBLE, WITHOUT_DOUBLE = {"double_after_split": True}, {"double_after_split": False}
ORIGINAL = {"dealer": {"natural_takes": "original"}}


@pytest.mark.parametrize(
    ("name", "otherwise", "percent"),
    [
        ("deluxe", {}, 99.517),
        ("deluxe", WITHOUT_DOUBLE, 99.395),
        ("sa-gaming", {}, 99.287),
        ("sa-gaming", WITH_DOUBLE, 99.407),
        ("sa-gaming", {"surrender_not_under": ("ace",)}, 99.539),
        ("sa-gaming", WITH_DOUBLE | ORIGINAL, 99.517),
        ("ho-tram-strip", {"decks": 8}, 99.713),
        ("ho-tram-strip", {"decks": 8} | ONE_CARD, 99.539),
        ("korean-floor", {"decks": 8}, 99.814),
        ("korean-floor", {"decks": 8} | WITHOUT_DOUBLE, 99.694),
        ("ho-tram-strip", {}, 99.736),
        ("ho-tram-strip", ONE_CARD, 99.564),
        ("korean-floor", {}, 99.840),
        ("korean-floor", WITHOUT_DOUBLE, 99.720),
    ],
)
def test_a_house_returns(name: str, otherwise: dict[str, Any], percent: float) -> None:
    returned = return_percent(house(name, **otherwise))
    print(f"{name} {otherwise}: {returned:.4f}, expected {percent:.3f}")  # noqa: T201 - what it is run for
    assert returned == close(percent)
