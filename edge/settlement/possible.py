"""Whether a table can have published this result: odds, units, totals and naturals against its own cards.

A second look, on purpose not the ruling's own: it counts the cards itself and has its own table of odds.
"""

from collections.abc import Iterable
from typing import Final

from edge.events import DealerHand, HandResult, How, Odds, Pair, PairKind, RoundResult, SeatResult, Verdict
from edge.house_rules import HouseRules
from edge.settlement.errors import ResultUnreadable
from firmware_protocols import Card, Rank

_HINT: Final = "Pay nothing by it: give the round.result as the table published it."
_BLACKJACK: Final = 21
_DOUBLED: Final = 2
_TENS: Final = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING})

_HANDS_PAY: Final[dict[Verdict, Odds]] = {
    Verdict.BLACKJACK: (3, 2),
    Verdict.WIN: (1, 1),
    Verdict.EVEN_MONEY: (1, 1),
    Verdict.PUSH: (0, 1),
    Verdict.LOSE: (-1, 1),
    Verdict.SURRENDER: (-1, 2),
    Verdict.VOID: (0, 1),
}
_PAIRS_PAY: Final[dict[PairKind, Odds]] = {
    PairKind.PAIR: (11, 1),
    PairKind.MIXED: (5, 1),
    PairKind.COLOURED: (10, 1),
    PairKind.PERFECT: (30, 1),
    PairKind.SUITED_TRIPLE: (50, 1),
}
_WHATEVER_IT_HOLDS: Final = frozenset({How.VOID, How.SURRENDER})
"""Ends of a hand that no card changes any more, though a repair may have brought it some."""
_AFTER_A_DOUBLE: Final = frozenset({How.DOUBLE, How.BUST, How.VOID})
"""How a doubled hand can have come to its end."""


def check_result(result: RoundResult) -> None:
    """Refuse what no table publishes, whatever its house.

    Raises:
        ResultUnreadable: with the seat and the hand, what the result says of it, and what it would be.
    """
    numbers = [seat.seat for seat in result.seats]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ResultUnreadable("The result has no seat, or one seat twice.", hint=_HINT)
    _check_dealer(result.dealer)
    for seat in result.seats:
        hands = tuple(hand.hand for hand in seat.hands)
        if hands not in {(1,), (1, 2)}:
            raise ResultUnreadable(f"Seat {seat.seat} has hands {hands}; they are 1, or 1 and 2.", hint=_HINT)
        _check_pair(seat.pair, f"The pair of seat {seat.seat}")
        _check_insurance(seat, result.dealer)
        for hand in seat.hands:
            _check_hand(hand, f"Hand {hand.hand} of seat {seat.seat}", split=len(hands) > 1)


def check_result_in(result: RoundResult, house: HouseRules) -> None:
    """Refuse what a table of this house does not publish.

    Raises:
        ResultUnreadable: with the seat and the hand.
    """
    hint = "Settle with the house file that the table plays by."
    for seat in result.seats:
        if not 1 <= seat.seat <= house.seats:
            raise ResultUnreadable(
                f"The result has a seat {seat.seat}, and house {house.name} has seats 1 to {house.seats}.",
                hint=hint,
            )
        for hand in seat.hands:
            if _took_even_money(hand) and not house.even_money:
                raise ResultUnreadable(
                    f"Hand {hand.hand} of seat {seat.seat} took even money, which house {house.name} "
                    "does not have.",
                    hint=hint,
                )


def _check_dealer(dealer: DealerHand) -> None:
    total, _ = _total(dealer.cards)
    said = (dealer.total, dealer.natural, dealer.bust)
    counted = (total, _natural(dealer.cards), total > _BLACKJACK)
    for what, mine, theirs in zip(("total", "natural", "bust"), counted, said, strict=True):
        if mine != theirs:
            raise ResultUnreadable(
                f"The dealer's {what} is {_told(theirs)} by the result, and {_told(mine)} by the cards "
                f"{_listed(dealer.cards)}.",
                hint=_HINT,
            )


def _check_insurance(seat: SeatResult, dealer: DealerHand) -> None:
    due = "won" if dealer.natural else "lost"
    if seat.insurance not in {None, due}:
        has = "a" if dealer.natural else "no"
        raise ResultUnreadable(
            f"The insurance of seat {seat.seat} is {seat.insurance}, and the dealer has {has} natural.",
            hint=_HINT,
        )


def _check_hand(hand: HandResult, named: str, *, split: bool) -> None:
    odds = _HANDS_PAY[hand.outcome]
    if hand.odds != odds:
        raise ResultUnreadable(
            f"{named} has odds {_odds(hand.odds)}, and {hand.outcome.value} pays {_odds(odds)}.", hint=_HINT
        )
    _check_pair(hand.pair, f"The pair on {named[0].lower()}{named[1:]}")
    _check_units(hand, named)
    total, soft = _total(hand.cards)
    for what, mine, theirs in (("total", total, hand.total), ("soft", soft, hand.soft)):
        if mine != theirs:
            raise ResultUnreadable(
                f"{named} is of {what} {_told(theirs)} by the result, and {_told(mine)} by the cards "
                f"{_listed(hand.cards)}.",
                hint=_HINT,
            )
    if hand.how not in _WHATEVER_IT_HOLDS and (hand.how is How.BUST) is not (total > _BLACKJACK):
        ended = "null" if hand.how is None else hand.how.value
        raise ResultUnreadable(f"{named} ended by {ended} with a total of {total}.", hint=_HINT)
    if hand.outcome is Verdict.BLACKJACK or hand.how is How.NATURAL or _took_even_money(hand):
        if split:
            raise ResultUnreadable(f"{named} is a natural, and the seat has two hands.", hint=_HINT)
        if not _natural(hand.cards):
            raise ResultUnreadable(
                f"{named} is a natural by the result, and not by the cards {_listed(hand.cards)}.",
                hint=_HINT,
            )


def _check_units(hand: HandResult, named: str) -> None:
    if hand.units not in {1, _DOUBLED}:
        raise ResultUnreadable(f"{named} has {hand.units} units; they are 1, or 2.", hint=_HINT)
    if hand.units == _DOUBLED and hand.how not in _AFTER_A_DOUBLE:
        ended = "null" if hand.how is None else hand.how.value
        raise ResultUnreadable(
            f"{named} has 2 units and ended by {ended}, which no doubled hand does.", hint=_HINT
        )


def _check_pair(pair: Pair | None, named: str) -> None:
    if pair is None:
        return
    odds = _PAIRS_PAY[pair.kind]
    if pair.odds != odds:
        raise ResultUnreadable(
            f"{named} has odds {_odds(pair.odds)}, and {pair.kind.value} pays {_odds(odds)}.", hint=_HINT
        )


def _took_even_money(hand: HandResult) -> bool:
    return hand.outcome is Verdict.EVEN_MONEY or hand.how is How.EVEN_MONEY


def _total(cards: Iterable[Card]) -> tuple[int, bool]:
    """The total to the hand's advantage, and whether an ace counts 11 in it (BJ-2)."""
    ranks = [card.rank for card in cards]
    low = sum(1 if rank is Rank.ACE else 10 if rank in _TENS else int(rank.value) for rank in ranks)
    soft = Rank.ACE in ranks and low + 10 <= _BLACKJACK
    return (low + 10 if soft else low), soft


def _natural(cards: tuple[Card, ...]) -> bool:
    return len(cards) == 2 and _total(cards)[0] == _BLACKJACK  # noqa: PLR2004 - "the first two cards"


def _listed(cards: tuple[Card, ...]) -> str:
    return " ".join(str(card) for card in cards) or "none"


def _told(value: int) -> str:
    """As JSON has it."""
    return str(value).lower()


def _odds(odds: Odds) -> str:
    return f"{odds[0]}:{odds[1]}"
