"""The return of a house, calculated from its file, against figures that others calculated or published."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from edge.house_rules import HouseRules, house_text, parse_house
from tests.edge.returns.calculation import Shoe, dealer_makes, return_percent, total, without

close = partial(pytest.approx, rel=0, abs=0.001)
"""Percentage points. The figures have three decimals, so that half of this is their rounding; two readings
of one house lie 0.02 apart and more here."""


@pytest.fixture(scope="module", autouse=True)
def _forgotten_afterwards() -> Iterator[None]:
    yield
    dealer_makes.cache_clear()


def house(name: str, **otherwise: Any) -> HouseRules:
    """A house of the shelf, with some keys otherwise; of a table, only those that are given."""
    said = parse_house(house_text(name)).model_dump()
    for key, value in otherwise.items():
        said[key] = said[key] | value if isinstance(value, dict) else value
    return HouseRules.model_validate(said)


@pytest.mark.rule("DLX-33")
@pytest.mark.parametrize(
    ("otherwise", "percent"),
    [({}, 99.517), ({"double_after_split": False}, 99.395)],
    ids=["as-read", "no-das"],
)
def test_deluxe_returns_no_more_than_is_published(otherwise: dict[str, Any], percent: float) -> None:
    returned = return_percent(house("deluxe", **otherwise))
    assert returned == close(percent)
    assert returned <= 99.53


@pytest.mark.rule("SAG-15")
@pytest.mark.parametrize(
    ("otherwise", "percent"),
    [
        ({}, 99.287),
        ({"double_after_split": True}, 99.407),
        ({"surrender_not_under": ("ace",)}, 99.539),
        ({"double_after_split": True, "dealer": {"natural_takes": "original"}}, 99.517),
    ],
    ids=["as-read", "das", "surrender-under-ten", "das-and-original-stake"],
)
def test_sa_gaming_returns_no_more_than_is_published(otherwise: dict[str, Any], percent: float) -> None:
    returned = return_percent(house("sa-gaming", **otherwise))
    assert returned == close(percent)
    assert returned <= 99.54


@pytest.mark.parametrize(
    ("name", "otherwise", "percent"),
    [
        ("ho-tram-strip", {}, 99.713),
        ("ho-tram-strip", {"split": {"aces": "one_card"}}, 99.539),
        ("korean-floor", {}, 99.814),
        ("korean-floor", {"double_after_split": False}, 99.694),
    ],
    ids=["hts", "hts-aces-one-card", "krf", "krf-no-das"],
)
def test_a_floor_with_eight_decks_returns(name: str, otherwise: dict[str, Any], percent: float) -> None:
    assert return_percent(house(name, decks=8, **otherwise)) == close(percent)


def drawn_one_by_one(cards: tuple[int, ...], shoe: Shoe) -> dict[str, float]:
    """What the dealer makes and how likely, card by card."""
    made = total(*cards)[0]
    if made >= 17:
        return {"natural" if made == 21 and len(cards) == 2 else "bust" if made > 21 else str(made): 1.0}
    makes: dict[str, float] = {}
    for value in range(1, 11):
        if shoe[value]:
            for outcome, chance in drawn_one_by_one((*cards, value), without(shoe, value)).items():
                makes[outcome] = makes.get(outcome, 0.0) + chance * shoe[value] / sum(shoe)
    return makes


@pytest.mark.parametrize("up", range(1, 11))
def test_the_dealer_makes_what_drawing_card_by_card_makes(up: int) -> None:
    chosen = random.Random(up)
    shoe = (0, *(chosen.randint(0, 6) for _ in range(9)), 20)
    makes = drawn_one_by_one((up,), shoe)
    outcomes = ("17", "18", "19", "20", "21", "bust", "natural")
    assert dealer_makes(up, shoe) == pytest.approx([makes.get(each, 0.0) for each in outcomes], abs=1e-12)
