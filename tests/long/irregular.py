"""Random irregular play, 20,000 rounds at every kind of house, with the checks of tests/properties."""

from typing import Final

import pytest

from tests.properties.test_irregular_play import CHECKS, checked, plays_of

ROUNDS: Final = 20_000
PART: Final = 2_000


@pytest.mark.parametrize("part", range(ROUNDS // PART))
def test_what_holds_in_irregular_play_holds_in_long_plays(part: int) -> None:
    for seed, play in plays_of(PART, first=100_000 * (part + 1)):
        for check in CHECKS:
            checked(check, seed, play)
