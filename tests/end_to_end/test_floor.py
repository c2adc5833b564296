"""Floor tables without a player's app: the first rounds of a shoe, from draws and keys alone.

Whole shoes: ``scripts/long floors``.
"""

from pathlib import Path

import pytest

from tests.end_to_end.floor import Floor, deal_a_shoe

pytestmark = pytest.mark.mosquitto

CARDS = 70
"""In front of the cut card."""


@pytest.mark.rule("HTS-1", "HTS-3", "HTS-4")
def test_ho_tram_strip_from_draws_and_keys(tmp_path: Path) -> None:
    shoe = deal_a_shoe(tmp_path, Floor(house="ho-tram-strip", seed=5, cut_from_back=6 * 52 - CARDS))
    assert shoe.rounds > 2


@pytest.mark.rule("KRF-2", "KRF-3", "KRF-8", "KRF-10")
def test_korean_floor_from_draws_and_keys(tmp_path: Path) -> None:
    shoe = deal_a_shoe(tmp_path, Floor(house="korean-floor", seed=6, cut_from_back=6 * 52 - CARDS))
    assert shoe.rounds > 2
