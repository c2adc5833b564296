"""The course of a round: what happens by itself until somebody is waited for (docs/round.md).

:func:`proceed` is called after every input. It stops with exactly one party waited for: the dealer's
next card (:func:`edge.ruling.state.due`), a decision, or the last call for insurance.
"""

from edge.events import (
    CardRevealed,
    DealerFinished,
    DealerPeeked,
    How,
    Kind,
    RoundClosed,
    RoundResult,
)
from edge.ruling.hands import natural, up_card_kind
from edge.ruling.hold import raise_irregularity
from edge.ruling.insurance import offer_insurance
from edge.ruling.result import dealer_hand, seat_results
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import close_shoe
from edge.ruling.state import Concealed, Phase, due, phase
from edge.ruling.turns import finish_hand, offer_turn
from firmware_protocols import Card


def proceed(ruling: Ruling) -> None:
    """Rule on everything that follows by itself."""
    if phase(ruling.state) in {Phase.OPENING, Phase.BURNING}:
        _hold_if_empty(ruling)
        return
    while ruling.state.round is not None and not ruling.state.irregularities:
        if due(ruling.state) is not None:
            _hold_if_empty(ruling)
            return
        if ruling.round.offer is not None or ruling.round.insurance_open:
            return
        _step(ruling)


def _hold_if_empty(ruling: Ruling) -> None:
    """A card is due, and the shoe has said that it is empty or has given every card it held."""
    if ruling.shoe.empty or ruling.shoe.remaining <= 0:
        raise_irregularity(ruling, Kind.SHOE_EMPTY, device=ruling.shoe.device)


def _step(ruling: Ruling) -> None:
    """The one thing that comes next; the order of these lines is the order of a round."""
    table_round, rules = ruling.round, ruling.shoe.rules
    up_card = up_card_kind(table_round.up_card)
    if up_card == "ace" and table_round.insurance is None:
        offer_insurance(ruling)
        return
    if table_round.peeked is None and up_card in rules.dealer.peek_under and table_round.hole is not None:
        _peek(ruling)
        return
    if table_round.peeked:
        _turn_hole_card(ruling)
        _finish(ruling)
        return
    unfinished = [hand for hand in table_round.hands if hand.how is None]
    naturals = [hand for hand in unfinished if hand.natural]
    for hand in naturals:
        finish_hand(ruling, hand.spot, How.NATURAL)
    if naturals:
        return
    if unfinished:
        offer_turn(ruling, unfinished[0])
        return
    if table_round.hole is not None and _hole_card_needed(ruling):
        _turn_hole_card(ruling)
        return
    _finish(ruling)


def _hole_card_needed(ruling: Ruling) -> bool:
    """Whether the hole card is turned at the end (DLX-21, KRF-8)."""
    table_round = ruling.round
    return (
        ruling.shoe.rules.dealer.hole_card_turned == "always"
        or table_round.total_matters
        or table_round.natural_matters
    )


def _hole_card(ruling: Ruling) -> tuple[Concealed, Card]:
    """What is kept of the hole card, and the card."""
    hole = ruling.round.hole
    kept = next(each for each in ruling.shoe.concealed if hole is not None and each.draw == hole.draw)
    if kept.card is None:
        raise ValueError("a hole card that could not be read holds the table before it is needed")
    return kept, kept.card.turned()


def _peek(ruling: Ruling) -> None:
    """Look at the hole card: whether it makes a natural is all that becomes known (DLX-8, KRF-4)."""
    _, card = _hole_card(ruling)
    found = natural((ruling.round.up_card, card))
    ruling.rule(DealerPeeked(shoe=ruling.shoe_number, round=ruling.round_number, natural=found))


def _turn_hole_card(ruling: Ruling) -> None:
    """Turn the hole card: its seal can be checked from now on, and its copies counted."""
    kept, card = _hole_card(ruling)
    ruling.rule(
        CardRevealed(
            shoe=ruling.shoe_number, round=ruling.round_number, draw=kept.draw, card=card, nonce=kept.nonce
        )
    )
    shoe = ruling.shoe
    if shoe.seen[card.index] > shoe.rules.decks:
        raise_irregularity(ruling, Kind.FOREIGN_CARD, device=shoe.device, draw=kept.draw)


def _finish(ruling: Ruling) -> None:
    """The dealer's hand is final: results, end of the round, end of the shoe after its last."""
    if ruling.state.irregularities:
        return
    where = {"shoe": ruling.shoe_number, "round": ruling.round_number}
    dealer = dealer_hand(ruling.round)
    ruling.rule(
        DealerFinished(
            **where,
            cards=dealer.cards,
            total=dealer.total,
            natural=dealer.natural,
            bust=dealer.bust,
            unseen=dealer.unseen,
        )
    )
    seats = seat_results(ruling.round, dealer, ruling.shoe.rules)
    last = ruling.shoe.last_round == ruling.round.number
    ruling.rule(RoundResult(**where, dealer=dealer, seats=seats), RoundClosed(**where))
    if last:
        close_shoe(ruling, "cut_card")
