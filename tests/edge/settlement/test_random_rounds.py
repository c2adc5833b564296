"""Random rounds of all four houses: the settlement pays what a pencil and the cards say, to the unit."""

import math
import os
from collections import Counter
from random import Random
from typing import Final

import pytest

from edge.house_rules import house_names, house_text, parse_house
from edge.settlement import Rounding, raises_of, refund, settle
from tests.edge.settlement import naive
from tests.edge.settlement.rounds import play, players, stakes_of

ROUNDS: Final = int(os.environ.get("SETTLEMENT_ROUNDS", "250"))
"""Per house; set it higher for a long run."""


@pytest.mark.rule(
    "BJ-3", "BJ-4", "BJ-5", "BJ-6", "BJ-8", "BJ-9", "BJ-11", "DLX-19", "DLX-22", "DLX-23", "DLX-24", "DLX-25",
    "DLX-26", "SAG-3", "SAG-8", "SAG-10", "SAG-11", "HTS-3", "HTS-5", "HTS-6",
    "KRF-4", "KRF-5", "KRF-7", "KRF-9",
)  # fmt: skip
@pytest.mark.parametrize("house", house_names())
def test_payouts_are_those_of_a_second_reckoning(house: str) -> None:
    chance = Random(f"{house} {ROUNDS}")
    rules = parse_house(house_text(house))
    met: Counter[str] = Counter()
    for played in play(house, chance, ROUNDS):
        named = {f"p{number}": each for number, each in enumerate(players(played, chance, rules))}
        stakes = [stake for name, player in named.items() for stake in stakes_of(name, player)]
        chance.shuffle(stakes)
        raises = raises_of(played.published)
        down = settle(played.result, stakes, house=rules, raises=raises)
        up = settle(played.result, stakes, house=rules, rounding=Rounding.UP)
        for name, player in named.items():
            exact = naive.returned(played.layout, player)
            mine = [each for each in down.payouts if each.bet.partition(":")[0] == name]
            theirs = [each for each in up.payouts if each.bet.partition(":")[0] == name]
            assert sum(each.staked for each in mine) == naive.staked(played.layout, player)
            # At most one hand of a player can have a fraction: 3:2 and surrender are never on a split hand.
            assert sum(each.returned for each in mine) == math.floor(exact)
            assert sum(each.returned for each in theirs) == math.ceil(exact)
        assert down.staked == down.returned + down.house
        seats = [each.seat for each in down.payouts]
        assert seats == sorted(seats, reverse=rules.results == "descending")
        everything = refund(stakes, house=rules, raises=raises)
        assert everything.house == 0
        assert everything.staked == down.staked
        met.update(hand.outcome.value for seat in played.result.seats for hand in seat.hands)
        met["split"] += bool(raises.split)
        met["doubled"] += bool(raises.doubled)
    assert (
        min(met[word] for word in ("blackjack", "win", "push", "lose", "surrender", "split", "doubled")) > 3
    )
    assert (met["even_money"] > 0) is rules.even_money
