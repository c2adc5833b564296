"""Random rounds of all four houses: the settlement pays what a pencil and the cards say, to the unit."""

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from edge.house_rules import HouseRules, house_names, house_text, parse_house
from edge.settlement import Raises, RaisesDiffer, Rounding, raises_of, refund, settle
from tests.edge.settlement import naive
from tests.edge.settlement.rounds import Played, play, players, stakes_of

ROUNDS: Final = 500
"""Per house; ``scripts/long rounds`` plays 50,000."""


PROVES: Final = {
    "deluxe": ("DLX-19", "DLX-22", "DLX-23", "DLX-24", "DLX-25", "DLX-26"),
    "sa-gaming": ("SAG-3", "SAG-8", "SAG-10", "SAG-11"),
    "ho-tram-strip": ("HTS-3", "HTS-5", "HTS-6"),
    "korean-floor": ("KRF-4", "KRF-5", "KRF-9"),
}
"""What the second reckoning knows by itself of each house."""


@pytest.mark.rule("BJ-3", "BJ-4", "BJ-5", "BJ-6", "BJ-8", "BJ-9", "BJ-11")
@pytest.mark.parametrize(
    "house", [pytest.param(house, marks=pytest.mark.rule(*PROVES[house])) for house in house_names()]
)
def test_payouts_are_those_of_a_second_reckoning(house: str) -> None:
    reckon_twice(house, ROUNDS)


def reckon_twice(house: str, rounds: int) -> None:
    """Play so many rounds and settle each twice."""
    chance = Random(f"{house} {rounds}")
    rules = parse_house(house_text(house))
    met: Counter[str] = Counter()
    for played in play(house, chance, rounds):
        raises = settle_twice(played, chance, rules)
        met.update(hand.outcome.value for seat in played.result.seats for hand in seat.hands)
        met["split"] += bool(raises.split)
        met["doubled"] += bool(raises.doubled)
    assert (
        min(met[word] for word in ("blackjack", "win", "push", "lose", "surrender", "split", "doubled")) > 3
    )
    assert (met["even_money"] > 0) is rules.even_money


def settle_twice(played: Played, chance: Random, rules: HouseRules) -> Raises:
    """Settle a round for players with random stakes; every player's sum must be the pencil's."""
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
    return raises


@pytest.mark.rule("SAG-3")
def test_where_it_takes_the_original_stake_a_natural_costs_nobody_more_than_that() -> None:
    text = house_text("sa-gaming").replace('natural_takes = "all"', 'natural_takes = "original"')
    text = text.replace("double_after_split = false", "double_after_split = true")
    rules, chance, late, asked = parse_house(text), Random("original"), 0, 0
    for played in play("sa-gaming", chance, ROUNDS, text=text):
        plain = [
            replace(each, insurance=0, pair=0, split_pairs=(0, 0)) for each in players(played, chance, rules)
        ]
        named = {f"p{number}": each for number, each in enumerate(plain)}
        stakes = [stake for name, player in named.items() for stake in stakes_of(name, player)]
        settled = settle(played.result, stakes, house=rules, raises=raises_of(played.published))
        try:
            assert settle(played.result, stakes, house=rules) == settled
        except RaisesDiffer:
            asked += 1
        for name, player in named.items():
            payout, exact = settled.payout(name), naive.returned(played.layout, player)
            split = (player.seat, 2) in played.layout.hands
            first = naive.times(played.layout, player.seat, 1, split=split)
            if played.result.dealer.natural and first == 0:
                late += payout.staked > player.bet
                assert payout.net == -player.bet
            else:
                assert payout.returned == math.floor(exact)
    assert late > 10
    assert asked > 0
