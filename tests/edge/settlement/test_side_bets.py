"""What the side bets return in the long run, exact over every deal of a full shoe: the published figures."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from edge.events import Pair
from edge.house_rules import HouseRules, house_text, parse_house
from edge.ruling.hands import any_pair, graded_pair
from edge.settlement import Insurance, PairBet, SeatBet, Stake, settle
from firmware_protocols import DECK, Card, Rank
from tests.edge.settlement.test_settle import hand, result, seat

DECKS: Final = 8
BET: Final = 1000


def paid_for(found: Pair | None, house: HouseRules) -> Fraction:
    """What one unit on the pair bet returns."""
    told: dict[str, Any] | None = None
    if found is not None:
        told = {"kind": found.kind.value, "odds": list(found.odds)}
    settled = settle(
        result(seat(1, hand("push"), pair=told)), [PairBet(bet="p", seat=1, amount=BET)], house=house
    )
    return Fraction(settled.returned, BET)


def deals(*, with_up_card: bool) -> Iterator[tuple[tuple[Card, ...], Fraction]]:
    """A seat's first two cards (and the dealer's first), each with its chance, by suits and ranks alike.

    The first card may be taken as the ace of spades: every other is met by the same deals.
    """
    first = Card("As")
    left = DECKS * len(DECK)
    for rest in product(DECK, repeat=2 if with_up_card else 1):
        chance, out = Fraction(1), [first]
        for number, card in enumerate(rest, start=1):
            chance *= Fraction(DECKS - out.count(card), left - number)
            out.append(card)
        yield tuple(out), chance


@pytest.mark.rule("DLX-23")
def test_the_pair_bet_of_four_kinds_returns_what_is_published() -> None:
    house = parse_house(house_text("deluxe"))
    pays: dict[Pair | None, Fraction] = {}
    back = Fraction(0)
    for (first, second, up_card), chance in deals(with_up_card=True):
        found = graded_pair(first, second, up_card)
        if found not in pays:
            pays[found] = paid_for(found, house)
        back += chance * pays[found]
    assert round(100 * float(back), 4) == 97.1154


@pytest.mark.rule("SAG-10")
def test_the_pair_bet_at_eleven_returns_what_is_published() -> None:
    house = parse_house(house_text("sa-gaming"))
    back = sum(
        (chance * paid_for(any_pair(*cards), house) for cards, chance in deals(with_up_card=False)),
        Fraction(0),
    )
    assert round(100 * float(back), 4) == 89.6386


@pytest.mark.rule("DLX-19", "SAG-8")
def test_insurance_returns_what_is_published() -> None:
    house = parse_house(house_text("deluxe"))
    tens = sum(DECKS for card in DECK if card.rank in {Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING})
    stakes: list[Stake] = [SeatBet(bet="s", seat=1, amount=2 * BET), Insurance(bet="i", on="s", amount=BET)]
    back = {
        said: settle(
            result(seat(1, hand("lose"), insurance=said), natural=said == "won"), stakes, house=house
        )
        .payout("i")
        .returned
        for said in ("won", "lost")
    }
    natural = Fraction(tens, DECKS * len(DECK) - 1)
    expected = (natural * back["won"] + (1 - natural) * back["lost"]) / BET
    assert round(100 * float(expected), 4) == 92.5301
