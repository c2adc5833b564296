"""What a house returns of the initial bet, calculated from its rules.

One player, top of the shoe, the best play for the very cards he and the dealer show; no side bets. Insurance
and even money are left out: with the whole shoe but three cards unseen, neither is ever worth taking.

Theory of operation: a card is its value, 1 (ace) to 10. What the dealer makes depends on which cards are
drawn, not on which of the orders that lead there it was. So for each up card the multisets the dealer can
draw are written down once, with the number of orders each has; from any shoe, the chance of one is a product
of falling factorials. The multisets share their beginnings, so that each costs one multiplication. The
player is a recursion over the multiset of his own cards.

Two approximations, both of split hands. Each is played without an eye on the other one's cards. And where
a natural takes the original stake only, it spares a seat that has bust both hands, too, though at the table
the dealer would not have drawn to it.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

from edge.house_rules import HouseRules, UpCard

Shoe: TypeAlias = tuple[int, ...]
"""How many cards of each value are left; of value 0 there are none."""

_VALUES: Final = range(1, 11)
_BUST: Final = 22
_NATURAL: Final = 23
_OUTCOMES: Final = (17, 18, 19, 20, 21, _BUST, _NATURAL)
_RULES_CALL: Final[dict[int, UpCard]] = {1: "ace", 10: "ten"}


def return_percent(rules: HouseRules) -> float:
    """What comes back of 100 staked, in the long run."""
    suit_cards = 4 * rules.decks
    full: Shoe = (0, *[suit_cards] * 9, 4 * suit_cards)
    expected = 0.0
    for up in _VALUES:
        round_ = _Round(rules, up)
        shown = without(full, up)
        for first in _VALUES:
            left = without(shown, first)
            for second in range(first, 11):
                orders = 1 if first == second else 2
                chance = orders * chance_of(full, up) * chance_of(shown, first) * chance_of(left, second)
                expected += chance * round_.worth_of_deal(first, second, without(left, second))
    return 100 * (1 + expected)


def without(shoe: Shoe, value: int) -> Shoe:
    """The shoe after a card of this value."""
    return (*shoe[:value], shoe[value] - 1, *shoe[value + 1 :])


def chance_of(shoe: Shoe, value: int) -> float:
    """How likely the next card is of this value."""
    return shoe[value] / sum(shoe)


# The dealer ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Draws:
    """All that the dealer can draw to an up card."""

    steps: tuple[tuple[int, int, int], ...]
    """Each multiset as one card more than an earlier one: index of that, value, how many of it it had."""
    ends: tuple[tuple[int, int, int, int], ...]
    """Where the dealer stops: index of the step, orders, cards drawn, outcome as an index."""


@cache
def _draws(up: int) -> _Draws:
    orders: dict[tuple[int, ...], int] = {(): 1}
    stopped: dict[tuple[int, ...], int] = {}
    while orders:
        longer: dict[tuple[int, ...], int] = defaultdict(int)
        for drawn, count in orders.items():
            for value in _VALUES:
                longer[tuple(sorted((*drawn, value)))] += count
        stopped |= {drawn: count for drawn, count in longer.items() if total(up, *drawn)[0] >= 17}
        orders = {drawn: count for drawn, count in longer.items() if drawn not in stopped}
    index: dict[tuple[int, ...], int] = {(): 0}
    steps = []
    for drawn in stopped:
        for end in range(1, len(drawn) + 1):
            if drawn[:end] not in index:
                index[drawn[:end]] = len(index)
                value = drawn[end - 1]
                steps.append((index[drawn[: end - 1]], value, drawn[: end - 1].count(value)))
    ends = tuple(
        (index[drawn], count, len(drawn), _OUTCOMES.index(_outcome(up, drawn)))
        for drawn, count in stopped.items()
    )
    return _Draws(tuple(steps), ends)


def _outcome(up: int, drawn: tuple[int, ...]) -> int:
    made = total(up, *drawn)[0]
    return _NATURAL if made == 21 and len(drawn) == 1 else min(made, _BUST)


@cache
def dealer_makes(up: int, shoe: Shoe) -> tuple[float, ...]:
    """How likely 17, 18, 19, 20, 21, a bust and a natural are, to this up card from this shoe."""
    draws = _draws(up)
    ways = [1]
    for before, value, had in draws.steps:
        ways.append(ways[before] * (shoe[value] - had))
    cards = sum(shoe)
    of_all = [1]
    for drawn in range(max(drawn for _, _, drawn, _ in draws.ends)):
        of_all.append(of_all[-1] * (cards - drawn))
    made = [0.0] * len(_OUTCOMES)
    for step, orders, drawn, outcome in draws.ends:
        made[outcome] += orders * ways[step] / of_all[drawn]
    return tuple(made)


@cache
def total(*cards: int) -> tuple[int, bool]:
    """The total, and whether an ace counts 11 in it."""
    hard = sum(cards)
    soft = 1 in cards and hard <= 11
    return (hard + 10 if soft else hard), soft


# The player ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hand:
    """A hand in play: its cards in order of value, and what it may still do."""

    cards: tuple[int, ...]
    split: bool = False

    def and_(self, value: int) -> "_Hand":
        return replace(self, cards=tuple(sorted((*self.cards, value))))


class _Round:
    """Rounds to one up card in one house. Every worth is in initial bets."""

    def __init__(self, rules: HouseRules, up: int) -> None:
        self._rules = rules
        self._up = up
        name = _RULES_CALL.get(up)
        self._peeks = rules.dealer.hole_card and name in rules.dealer.peek_under
        self._surrender = name not in rules.surrender_not_under
        self._pushes_21 = up == 10 and not self._peeks and rules.dealer.natural_under_ten_pushes_21
        self._makes_natural = {1: 10, 10: 1}.get(up, 0)
        """The second card that gives the dealer a natural."""
        self._original = not self._peeks and rules.dealer.natural_takes == "original"
        self._known: dict[_Hand, float] = {}
        self._split_of = 0
        """Of what pair the split hands are that are known by now: the shoe lacks its other card."""

    def worth_of_deal(self, first: int, second: int, shoe: Shoe) -> float:
        """Of two cards just dealt, before it is known whether the dealer has a natural."""
        natural = dealer_makes(self._up, shoe)[_OUTCOMES.index(_NATURAL)]
        if {first, second} == {1, 10}:
            return 1.5 * (1 - natural)
        worth = self._worth_of_play(first, second, shoe)
        return (1 - natural) * worth - natural if self._peeks else worth

    def _worth_of_play(self, first: int, second: int, shoe: Shoe) -> float:
        hand = _Hand((first, second))
        worth = max(self._worth(hand, shoe), self._doubled(hand, shoe))
        if self._surrender:
            worth = max(worth, -0.5)
        if first != second:
            return worth
        suit_cards = 4 * self._rules.decks
        pairs = 1.0
        if first == 10 and self._rules.split.by == "rank":
            pairs = (suit_cards - 1) / (4 * suit_cards - 1)
        return pairs * max(worth, 2 * self._split(first, shoe)) + (1 - pairs) * worth

    def _split(self, value: int, shoe: Shoe) -> float:
        """Of one of the two hands; the other one's further cards are as any in the shoe."""
        worth = 0.0
        for card, chance in self._next(shoe):
            hand, left = _Hand((value,), split=True).and_(card), without(shoe, card)
            if total(*hand.cards)[0] == 21 or (value == 1 and self._rules.split.aces == "one_card"):
                worth += chance * self._stands(hand, left, 1)
            elif self._rules.double_after_split:
                worth += chance * max(self._worth_split(value, hand, left), self._doubled(hand, left))
            else:
                worth += chance * self._worth_split(value, hand, left)
        return worth

    def _worth_split(self, value: int, hand: _Hand, shoe: Shoe) -> float:
        if self._split_of != value:
            self._split_of = value
            self._known = {known: worth for known, worth in self._known.items() if not known.split}
        return self._worth(hand, shoe)

    def _worth(self, hand: _Hand, shoe: Shoe) -> float:
        """Of standing or hitting, whichever is better."""
        known = self._known.get(hand)
        if known is None:
            known = self._known[hand] = self._stand_or_hit(hand, shoe)
        return known

    def _stand_or_hit(self, hand: _Hand, shoe: Shoe) -> float:
        made, soft = total(*hand.cards)
        if made == 21:
            return self._stands(hand, shoe, 1)
        stands = -1.0 if made <= 11 else self._stands(hand, shoe, 1)  # 11 or less cannot be hurt by a card
        cards = self._next(shoe)
        if not (soft or self._original):
            bust = sum(chance for card, chance in cards if made + card > 21)
            if 1 - 2 * bust <= stands:  # as if every other card won
                return stands
        hits = 0.0
        for card, chance in cards:
            longer, left = hand.and_(card), without(shoe, card)
            over = total(*longer.cards)[0] > 21
            hits += chance * (self._stands(longer, left, 1) if over else self._worth(longer, left))
        return max(stands, hits)

    def _doubled(self, hand: _Hand, shoe: Shoe) -> float:
        return sum(
            chance * self._stands(hand.and_(card), without(shoe, card), 2)
            for card, chance in self._next(shoe)
        )

    def _stands(self, hand: _Hand, shoe: Shoe, stake: int) -> float:
        """Of a hand that is over, also by a bust."""
        made = total(*hand.cards)[0]
        if made > 21:
            natural = chance_of(shoe, self._makes_natural) if self._original else 0.0
            return -stake * (1 - natural) - self._natural_takes(hand, stake) * natural
        *totals, bust, natural = dealer_makes(self._up, shoe)
        worth = stake * bust
        for dealer, chance in zip(_OUTCOMES, totals, strict=False):
            worth += stake * chance * ((made > dealer) - (made < dealer))
        if self._peeks:
            return worth / (1 - natural)
        if self._pushes_21 and made == 21:
            return worth
        return worth - self._natural_takes(hand, stake) * natural

    def _natural_takes(self, hand: _Hand, stake: int) -> float:
        """What a natural found after play takes; of the original stake each split hand has a half."""
        if self._original:
            return 0.5 if hand.split else 1
        return stake

    def _next(self, shoe: Shoe) -> list[tuple[int, float]]:
        """What the next card may be and how likely, by all that is known of the dealer's hole card."""
        cards = sum(shoe)
        if not self._peeks:
            return [(value, shoe[value] / cards) for value in _VALUES if shoe[value]]
        known_not = self._makes_natural
        others = cards - shoe[known_not]
        return [
            (value, shoe[value] * (others - (value != known_not)) / ((cards - 1) * others))
            for value in _VALUES
            if shoe[value]
        ]
