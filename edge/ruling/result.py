"""Results: who won what, from the cards and the ends of the hands (docs/round.md, section 6)."""

from typing import Literal

from edge.events import DealerHand, HandResult, How, Odds, Pair, SeatResult, Verdict
from edge.house_rules import HouseRules
from edge.ruling.hands import BLACKJACK, any_pair, graded_pair, natural, total, up_card_kind
from edge.ruling.state import Hand, Round
from firmware_protocols import Card

ODDS: dict[Verdict, Odds] = {
    Verdict.BLACKJACK: (3, 2),
    Verdict.WIN: (1, 1),
    Verdict.EVEN_MONEY: (1, 1),
    Verdict.PUSH: (0, 1),
    Verdict.LOSE: (-1, 1),
    Verdict.SURRENDER: (-1, 2),
    Verdict.VOID: (0, 1),
}
"""What each verdict pays per unit (BJ-8, DLX-22)."""


def dealer_hand(table_round: Round) -> DealerHand:
    """The dealer's hand as far as it was seen."""
    cards = table_round.dealer_seen
    reached, _ = total(cards)
    unseen = len(table_round.dealer) - len(cards)
    return DealerHand(
        cards=cards, total=reached, natural=natural(cards), bust=reached > BLACKJACK, unseen=unseen
    )


def seat_results(table_round: Round, dealer: DealerHand, rules: HouseRules) -> tuple[SeatResult, ...]:
    """The results in the house's payment order."""
    seats = table_round.seats if rules.results == "ascending" else tuple(reversed(table_round.seats))
    return tuple(_seat_result(table_round, seat, dealer, rules) for seat in seats)


def _seat_result(table_round: Round, seat: int, dealer: DealerHand, rules: HouseRules) -> SeatResult:
    hands = [hand for hand in table_round.hands if hand.spot.seat == seat]
    first_two = (*hands[0].cards[:1], *hands[1].cards[:1]) if len(hands) > 1 else hands[0].cards[:2]
    on_hands = rules.pair_bet.on_split_hands and len(hands) > 1
    return SeatResult(
        seat=seat,
        pair=_pair(first_two, table_round.up_card, rules),
        insurance=_insurance(table_round, seat, dealer),
        hands=tuple(
            _hand_result(
                table_round,
                hand,
                dealer,
                rules,
                _pair(hand.cards[:2], table_round.up_card, rules) if on_hands else None,
            )
            for hand in hands
        ),
    )


def _pair(cards: tuple[Card, ...], up_card: Card | None, rules: HouseRules) -> Pair | None:
    if len(cards) < 2:  # noqa: PLR2004 - a voided hand may lack its second card
        return None
    first, second = cards
    if rules.pair_bet.kinds == "four":
        return graded_pair(first, second, up_card)
    return any_pair(first, second) if rules.pair_bet.kinds == "pair" else None


def _insurance(table_round: Round, seat: int, dealer: DealerHand) -> Literal["won", "lost"] | None:
    if table_round.insurance is None or seat not in table_round.insurance.insured:
        return None
    return "won" if dealer.natural else "lost"


def _hand_result(
    table_round: Round, hand: Hand, dealer: DealerHand, rules: HouseRules, pair: Pair | None
) -> HandResult:
    verdict, units = _judge(table_round, hand, dealer, rules)
    reached, soft = total(hand.cards)
    return HandResult(
        hand=hand.spot.hand,
        cards=hand.cards,
        total=reached,
        soft=soft,
        how=hand.how,
        outcome=verdict,
        odds=ODDS[verdict],
        units=units,
        pair=pair,
    )


def _judge(table_round: Round, hand: Hand, dealer: DealerHand, rules: HouseRules) -> tuple[Verdict, int]:
    """The verdict on a hand and the units riding on it (BJ-4 to BJ-6)."""
    units = 2 if hand.doubled else 1
    if hand.how is How.SURRENDER:
        return Verdict.SURRENDER, units
    if hand.how is How.EVEN_MONEY:
        return Verdict.EVEN_MONEY, units
    if hand.how is How.VOID:
        return Verdict.VOID, units
    if dealer.natural:
        return _against_natural(table_round, hand, rules, units)
    if hand.how is How.BUST:
        return Verdict.LOSE, units
    if hand.natural:
        return Verdict.BLACKJACK, units
    if dealer.bust or hand.total > dealer.total:
        return Verdict.WIN, units
    return (Verdict.PUSH if hand.total == dealer.total else Verdict.LOSE), units


def _against_natural(table_round: Round, hand: Hand, rules: HouseRules, units: int) -> tuple[Verdict, int]:
    """A hand against a dealer's natural (BJ-5, SAG-3, KRF-5)."""
    if hand.natural:
        return Verdict.PUSH, units
    under_ten = up_card_kind(table_round.up_card) == "ten"
    if rules.dealer.natural_under_ten_pushes_21 and under_ten and hand.total == BLACKJACK:
        return Verdict.PUSH, units
    if rules.dealer.natural_takes == "original" and not table_round.peeked:
        return (Verdict.LOSE, 1) if hand.spot.hand == 1 else (Verdict.PUSH, units)
    return Verdict.LOSE, units
