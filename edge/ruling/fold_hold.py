"""Folds of the hold, and of the cards that are set aside, moved, corrected or taken out of the round.

Whatever changes what lies on the table withdraws the open offer, and opens each hand again that it changes
and that had ended by its cards alone, or that stood and lost a card; what follows is ruled anew.
"""

from typing import Final

from edge.events import (
    CardCorrected,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    HandVoided,
    How,
    IrregularityRaised,
    IrregularityResolved,
    Place,
    Spot,
    TableHeld,
    TableReleased,
)
from edge.irregular import Kind
from edge.notes import CardConcealed, CardEntered, DrawUnparked, DrawWaits, LaidOut
from edge.ruling.changing import changed
from edge.ruling.deal_order import deals_face_down
from edge.ruling.fold_common import Changes, counted, round_of, shoe_of
from edge.ruling.order import HIDDEN
from edge.ruling.state import (
    Clears,
    Concealed,
    DealerCard,
    Hand,
    Insurance,
    OpenIrregularity,
    Parked,
    Pause,
    Round,
    Shoe,
    TableState,
)
from firmware_protocols import Card

BY_CARDS: Final = frozenset({How.NATURAL, How.TWENTY_ONE, How.BUST, How.DOUBLE, How.SPLIT_ACE})
"""Ends of a hand that its cards alone decide."""


# The hold --------------------------------------------------------------------------------------------


def irregularity_raised(state: TableState, event: IrregularityRaised) -> Changes:
    opened = OpenIrregularity(
        id=event.id,
        kind=event.kind,
        stage=event.stage,
        allowed=event.allowed,
        house=event.house,
        raised=state.sequence + 1,
        draw=event.draw,
        device=event.device,
        seat=event.seat,
        to=event.to,
        card=event.card,
        operator=event.operator,
        by_hand=event.by_hand is True,
        latched=event.latched is True,
    )
    past = changed(state.past, irregularities_raised=event.id)
    changes = Changes(irregularities=(*state.irregularities, opened), past=past)
    if state.shoe is not None and event.kind is Kind.UNSHUFFLED:
        changes["shoe"] = changed(state.shoe, watch=changed(state.shoe.watch, unshuffled=True))
    elif state.shoe is not None and event.kind is Kind.CUT_CARD_MISSING:
        changes["shoe"] = changed(state.shoe, watch=changed(state.shoe.watch, cut_overdue=True))
    return changes


def irregularity_resolved(state: TableState, event: IrregularityResolved) -> Changes:
    changes = Changes(irregularities=tuple(each for each in state.irregularities if each.id != event.id))
    if event.clears is not None and event.operator is not None:
        others = tuple(each for each in state.past.clears if each.operator != event.operator)
        mine = Clears(operator=event.operator, count=event.clears)
        changes["past"] = changed(state.past, clears=(*others, mine))
    return changes


def table_held(_state: TableState, event: TableHeld) -> Changes:
    if event.why != "supervisor":
        return Changes()
    return Changes(pause=Pause(operator=event.operator or "", reason=event.reason or ""))


def table_released(state: TableState, _event: TableReleased) -> Changes:
    if state.holding:
        return Changes(pause=None)
    numbered = () if state.shoe is None else tuple(each for each in state.parked if each.draw is not None)
    return Changes(pause=None, parked=numbered)


# Cards set aside -------------------------------------------------------------------------------------


def card_concealed(state: TableState, note: CardConcealed) -> Changes:
    kept = Concealed(draw=note.draw, card=note.card, nonce=note.nonce)
    return Changes(shoe=_with_concealed(shoe_of(state), kept))


def _with_concealed(shoe: Shoe, kept: Concealed) -> Shoe:
    others = tuple(each for each in shoe.concealed if each.draw != kept.draw)
    return changed(shoe, concealed=(*others, kept))


def card_parked(state: TableState, event: CardParked) -> Changes:
    shoe = state.shoe
    if event.draw is None or shoe is None:
        return Changes(parked=(*state.parked, Parked(draw=None, device=event.device, why=event.why)))
    known = next((each for each in state.parked if each.draw == event.draw), None)
    if known is not None:
        again = changed(known, why=event.why)
        return Changes(parked=tuple(again if each is known else each for each in state.parked))
    parked = Parked(draw=event.draw, device=event.device, why=event.why, sealed=event.seal is not None)
    if event.taken_from is None:
        order = shoe.order + HIDDEN if event.draw > shoe.drawn else shoe.order
        shoe = changed(shoe, drawn=max(shoe.drawn, event.draw), order=order)
        return Changes(parked=_in_order(state, parked), shoe=shoe)
    table_round, card = _taken(round_of(state), event.draw)
    seen = shoe.seen if card is None else counted(shoe.seen, card, -1)
    return Changes(parked=_in_order(state, parked), round=table_round, shoe=changed(shoe, seen=seen))


def _in_order(state: TableState, parked: Parked) -> tuple[Parked, ...]:
    return tuple(sorted((*state.parked, parked), key=lambda each: each.draw or 0))


def card_entered(state: TableState, note: CardEntered) -> Changes:
    shoe = shoe_of(state)
    kept = next((each for each in shoe.concealed if each.draw == note.draw), None)
    nonce = kept.nonce if kept is not None else ""
    parked = tuple(
        changed(each, entered_by=note.operator) if each.draw == note.draw else each for each in state.parked
    )
    kept = Concealed(draw=note.draw, card=note.card, nonce=nonce)
    return Changes(shoe=_with_concealed(shoe, kept), parked=parked)


def draw_unparked(state: TableState, note: DrawUnparked) -> Changes:
    shoe = shoe_of(state)
    return Changes(
        shoe=changed(shoe, concealed=tuple(kept for kept in shoe.concealed if kept.draw != note.draw)),
        parked=_without(state, note.draw),
    )


def draw_waits(state: TableState, note: DrawWaits) -> Changes:
    return Changes(
        parked=tuple(changed(each, why=note.why) if each.draw == note.draw else each for each in state.parked)
    )


def _without(state: TableState, draw: int) -> tuple[Parked, ...]:
    return tuple(each for each in state.parked if each.draw != draw)


def card_discarded(state: TableState, event: CardDiscarded) -> Changes:
    if event.draw is None:
        return Changes(
            parked=tuple(
                each for each in state.parked if each.draw is not None or each.device != event.device
            )
        )
    shoe = shoe_of(state)
    order = shoe.order + HIDDEN if event.draw > shoe.drawn else shoe.order
    shoe = changed(shoe, discarded=shoe.discarded + 1, drawn=max(shoe.drawn, event.draw), order=order)
    if event.taken_from is None:
        return Changes(shoe=shoe, parked=_without(state, event.draw))
    table_round, _ = _taken(round_of(state), event.draw)
    return Changes(shoe=shoe, round=table_round)


def card_retracted(state: TableState, event: CardRetracted) -> Changes:
    shoe = shoe_of(state)
    concealed = tuple(kept for kept in shoe.concealed if kept.draw != event.draw)
    shoe = changed(shoe, retracted=shoe.retracted + 1, concealed=concealed)
    if event.taken_from is None:
        return Changes(shoe=shoe, parked=_without(state, event.draw))
    table_round, card = _taken(round_of(state), event.draw)
    seen = shoe.seen if card is None else counted(shoe.seen, card, -1)
    return Changes(shoe=changed(shoe, seen=seen), round=table_round)


# Cards on the table ----------------------------------------------------------------------------------


def card_moved(state: TableState, event: CardMoved) -> Changes:
    table_round, card = _taken(round_of(state), event.draw)
    return Changes(round=_put(table_round, event.to, event.draw, card, shoe_of(state)))


def card_corrected(state: TableState, event: CardCorrected) -> Changes:
    shoe = shoe_of(state)
    seen = counted(counted(shoe.seen, event.was, -1), event.card)
    table_round = _renamed(round_of(state), event)
    return Changes(round=table_round, shoe=changed(shoe, seen=seen))


def _renamed(table_round: Round, event: CardCorrected) -> Round:
    """The round with another card where this one lies."""
    at = event.position - 1
    if event.to == "dealer":
        dealt = changed(table_round.dealer[at], card=event.card)
        return _dealer_changed(table_round, (*table_round.dealer[:at], dealt, *table_round.dealer[at + 1 :]))
    hands = tuple(
        _reopened(changed(hand, cards=(*hand.cards[:at], event.card, *hand.cards[at + 1 :])))
        if hand.spot == event.to
        else hand
        for hand in table_round.hands
    )
    return _hands_changed(table_round, hands)


def hand_voided(state: TableState, event: HandVoided) -> Changes:
    table_round = round_of(state)
    spot = Spot(seat=event.seat, hand=event.hand)
    early = tuple(each for each in table_round.early if each.spot != spot)
    owed = tuple(place for place in table_round.owed if place != spot)
    table_round = _hands_changed(table_round, table_round.hands)
    return Changes(round=changed(table_round, early=early, owed=owed))


def laid_out(state: TableState, note: LaidOut) -> Changes:
    table_round = round_of(state)
    later = note.dealer_later or table_round.dealer_later
    offer = None if note.owed else table_round.offer
    return Changes(round=changed(table_round, owed=note.owed, dealer_later=later, offer=offer))


def _taken(table_round: Round, draw: int) -> tuple[Round, Card | None]:
    """The round without this card, and the card; None: it lay face down."""
    for place, hand in enumerate(table_round.hands):
        if draw in hand.draws:
            at = hand.draws.index(draw)
            left = _reopened(
                changed(
                    hand,
                    cards=hand.cards[:at] + hand.cards[at + 1 :],
                    draws=hand.draws[:at] + hand.draws[at + 1 :],
                    how=None if hand.how is How.STAND else hand.how,
                )
            )
            hands = (*table_round.hands[:place], left, *table_round.hands[place + 1 :])
            return _hands_changed(table_round, hands), hand.cards[at]
    for at, dealt in enumerate(table_round.dealer):
        if dealt.draw == draw:
            rest = table_round.dealer[:at] + table_round.dealer[at + 1 :]
            return _dealer_changed(table_round, rest), dealt.card
    raise ValueError(f"draw {draw} lies nowhere in this round")


def _put(table_round: Round, to: Place, draw: int, card: Card | None, shoe: Shoe) -> Round:
    """The round with this card at this place, where its draw number puts it among the others."""
    if isinstance(to, Spot):
        if card is None:
            raise ValueError("a player's card lies face up")
        for place, hand in enumerate(table_round.hands):
            if hand.spot == to:
                at = sum(1 for other in hand.draws if other < draw)
                with_it = _reopened(
                    changed(
                        hand,
                        cards=(*hand.cards[:at], card, *hand.cards[at:]),
                        draws=(*hand.draws[:at], draw, *hand.draws[at:]),
                    )
                )
                hands = (*table_round.hands[:place], with_it, *table_round.hands[place + 1 :])
                return _hands_changed(table_round, hands)
        raise ValueError("there is no such hand in this round")
    at = sum(1 for other in table_round.dealer if other.draw < draw)
    hole = card is None or deals_face_down(at + 1, shoe.rules)
    dealt = DealerCard(draw=draw, card=card, hole=hole)
    return _dealer_changed(table_round, (*table_round.dealer[:at], dealt, *table_round.dealer[at:]))


def _reopened(hand: Hand) -> Hand:
    return changed(hand, how=None) if hand.how in BY_CARDS else hand


def _dealer_changed(table_round: Round, dealer: tuple[DealerCard, ...]) -> Round:
    """What was derived from the dealer's cards is derived anew; what was closed stays closed."""
    insurance = _last_call(table_round)
    hands = table_round.hands
    if insurance is None:  # a natural may be paid even money under another up card (HTS-3, KRF-4)
        hands = tuple(changed(hand, how=None) if hand.how is How.NATURAL else hand for hand in hands)
    return changed(
        table_round,
        hands=hands,
        dealer=dealer,
        offer=None,
        insurance=insurance,
        peeked=None,
        finished=False,
    )


def _hands_changed(table_round: Round, hands: tuple[Hand, ...]) -> Round:
    """Who may take even money, and whose turn it is, is told anew."""
    return changed(table_round, hands=hands, offer=None, insurance=_last_call(table_round))


def _last_call(table_round: Round) -> Insurance | None:
    """The last call for insurance, if it is over; an open one begins anew."""
    insurance = table_round.insurance
    return None if insurance is None or not insurance.closed else insurance
