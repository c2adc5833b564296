"""Random rounds of all four houses, 25,000 each, settled and reckoned a second time from the cards."""

from typing import Final

import pytest

from edge.house_rules import house_names
from tests.edge.settlement.test_random_rounds import reckon_twice

ROUNDS: Final = 25_000


@pytest.mark.parametrize("house", house_names())
def test_payouts_are_those_of_a_second_reckoning(house: str) -> None:
    reckon_twice(house, ROUNDS)
