"""The course of a round: what happens by itself until somebody is waited for (docs/round.md).

:func:`proceed` is called after every input. It stops with exactly one party waited for: the dealer's
next card (:func:`edge.ruling.state.due`), a decision, or the last call for insurance.
"""

from typing import Final

from edge.events import (
    CardRevealed,
    DealerFinished,
    DealerPeeked,
    How,
    RoundClosed,
    RoundResult,
    Why,
)
from edge.inputs import DeadlineName
from edge.irregular import Kind, Resolution
from edge.ruling.deadlines import drop_deadline, wait_for_command
from edge.ruling.decision import house_decision
from edge.ruling.draws import discard_unneeded, parked_card
from edge.ruling.hands import BLACKJACK, natural, up_card_kind
from edge.ruling.hold import raise_irregularity
from edge.ruling.host import host_awaited
from edge.ruling.insurance import offer_insurance
from edge.ruling.locking import mind_lock
from edge.ruling.remedies import acts_by_itself
from edge.ruling.resolve import carry_out, verify_decision
from edge.ruling.result import dealer_hand, seat_results
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import close_shoe
from edge.ruling.state import Concealed, Hand
from edge.ruling.turns import finish_hand, hand_end, offer_turn
from edge.ruling.waiting import Phase, due, phase_of_play
from firmware_protocols import Card

FIRST_TWO: Final = 2
"""Cards of a hand that nothing has been asked for yet."""


def proceed(ruling: Ruling) -> None:
    """Rule on everything that follows by itself."""
    _let_the_house_act(ruling)
    while not ruling.state.held and _goes_on(ruling):
        _let_the_house_act(ruling)
    _mind_deadlines(ruling)
    mind_lock(ruling)


def _let_the_house_act(ruling: Ruling) -> None:
    while ruling.state.irregularities and _house_acts(ruling):
        pass


def _house_acts(ruling: Ruling) -> bool:
    """The house's own resolution of what is open, where its rules say so and all of it is known."""
    for opened in ruling.state.irregularities:
        if opened.house == "ask" or not acts_by_itself(opened):
            continue
        decision = house_decision(opened, opened.house)
        if verify_decision(ruling.state, opened, decision) is None:
            carry_out(ruling, opened, decision)
            return True
    return False


def _goes_on(ruling: Ruling) -> bool:
    """The next thing that follows by itself; False: somebody is waited for."""
    state = ruling.state
    if state.parked and any(parked_card(ruling, each) for each in state.parked):
        return True
    match phase_of_play(state):
        case Phase.OPENING | Phase.BURNING:
            return _empty(ruling)
        case Phase.CARD_DUE if due(state) is not None:
            return _empty(ruling)
        case Phase.CARD_DUE:
            _step(ruling)
            return True
        case Phase.DECISION | Phase.INSURANCE:
            return host_awaited(ruling)
        case _:
            return False


def _empty(ruling: Ruling) -> bool:
    """A card is due, and the shoe has said that it is empty or has given every card it held."""
    if not ruling.shoe.empty and ruling.shoe.remaining > 0:
        return False
    raise_irregularity(ruling, Kind.SHOE_EMPTY, device=ruling.shoe.device)
    return True


def _mind_deadlines(ruling: Ruling) -> None:
    """Nothing is waited for that has come, or that no longer matters."""
    state = ruling.state
    if not state.deadlines and not state.parked:
        return
    early = any(each.why is Why.EARLY for each in state.parked)
    if not early or state.held:
        drop_deadline(ruling, DeadlineName.EARLY_DRAW)  # no command can come to a held table
    elif state.shoe is not None:
        wait_for_command(ruling)
    if state.round is None:
        drop_deadline(ruling, DeadlineName.DEVICE_LOST)


def _step(ruling: Ruling) -> None:
    """The one thing that comes next; the order of these lines is the order of a round."""
    table_round, rules = ruling.round, ruling.shoe.rules
    up_card = up_card_kind(table_round.up_card)
    if up_card == "ace" and table_round.insurance is None and not table_round.dealer_later:
        offer_insurance(ruling)
        return
    if table_round.peeked is None and up_card in rules.dealer.peek_under and table_round.hole is not None:
        _peek(ruling)
        return
    if table_round.peeked:
        if table_round.hole is not None:
            _turn_hole_card(ruling)
        else:
            _finish(ruling)
        return
    unfinished = [hand for hand in table_round.hands if hand.how is None]
    ended = _ended_by_cards(ruling, unfinished)
    if ended:
        return
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


def _ended_by_cards(ruling: Ruling, unfinished: list[Hand]) -> bool:
    """A hand that a repair has opened again may have ended by its cards; one that stood may be bust now."""
    ended = False
    for hand in ruling.round.hands:
        if hand.how is How.STAND and hand.total > BLACKJACK:
            finish_hand(ruling, hand.spot, How.BUST)
            ended = True
    for hand in unfinished:
        played = hand.acted or hand.split or len(hand.cards) > FIRST_TWO
        how = hand_end(hand, ruling.shoe.rules) if played else None
        if how is not None:
            finish_hand(ruling, hand.spot, how)
            ended = True
    return ended


def _hole_card_needed(ruling: Ruling) -> bool:
    """Whether the hole card is turned at the end (DLX-21, KRF-8)."""
    table_round = ruling.round
    return (
        ruling.shoe.rules.dealer.hole_card_turned == "always"
        or table_round.total_matters
        or table_round.natural_matters
    )


def _hole_card(ruling: Ruling, question: Resolution) -> tuple[Concealed, Card] | None:
    """What is kept of the hole card, and the card; None: nobody could read it, and the pit is asked."""
    hole = ruling.round.hole
    kept = next(each for each in ruling.shoe.concealed if hole is not None and each.draw == hole.draw)
    if kept.card is None:
        raise_irregularity(
            ruling,
            Kind.UNREAD_CARD,
            device=ruling.shoe.device,
            draw=kept.draw,
            fitting=(question, Resolution.VOID_ROUND, Resolution.RETIRE_SHOE),
        )
        return None
    return kept, kept.card.turned()


def _peek(ruling: Ruling) -> None:
    """Look at the hole card: whether it makes a natural is all that becomes known (DLX-8, KRF-4)."""
    known = _hole_card(ruling, Resolution.PEEK)
    if known is None or ruling.round.up_card is None:
        return
    found = natural((ruling.round.up_card, known[1]))
    ruling.rule(DealerPeeked(shoe=ruling.shoe_number, round=ruling.round_number, natural=found))


def _turn_hole_card(ruling: Ruling) -> None:
    """Turn the hole card: its seal can be checked from now on, and its copies counted."""
    known = _hole_card(ruling, Resolution.ENTER)
    if known is None:
        return
    kept, card = known
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
    where = ruling.where
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
    discard_unneeded(ruling)
    if last:
        close_shoe(ruling, "cut_card")
