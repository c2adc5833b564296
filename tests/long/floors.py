"""Whole shoes of two floor houses from draws and keys alone, cut card included, every result reckoned twice.

Five shoes a house, over a pty and Mosquitto, at 40 cards and keys a second.
"""

import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.floor import Floor, deal_a_shoe

pytestmark = pytest.mark.mosquitto


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(("house", "cut_from_back"), [("ho-tram-strip", 60), ("korean-floor", 50)])
def test_a_whole_shoe(tmp_path: Path, house: str, cut_from_back: int, seed: int) -> None:
    began = time.monotonic()
    shoe = deal_a_shoe(
        tmp_path,
        Floor(house=house, seed=seed, cut_from_back=cut_from_back, cards_per_second=40, deadline_s=600),
    )
    results = [event.content for event in shoe.bench.of_type("round.result")]
    met = Counter(hand["outcome"] for result in results for seat in result["seats"] for hand in seat["hands"])
    words = ", ".join(f"{count} {word}" for word, count in sorted(met.items()))
    sys.stdout.write(
        f"\n{house}, seed {seed}: {shoe.bench.shoe.cards_drawn} cards, {shoe.keys} keys, "
        f"{shoe.rounds} rounds, {met.total()} hands ({words}), each paid as the pencil has it; "
        f"{time.monotonic() - began:.0f} s\n"
    )
