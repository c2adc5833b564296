"""Random rounds of all four houses, 50,000 each: one party waited for, offers true, paid as by pencil."""

from typing import Final

import pytest

from edge.house_rules import house_names
from tests.edge.settlement.test_random_rounds import reckon_twice

ROUNDS: Final = 50_000


@pytest.mark.parametrize("house", house_names())
def test_rounds_are_ruled_and_paid_as_a_second_reckoning_has_them(house: str) -> None:
    reckon_twice(house, ROUNDS)
