"""Folds of a round's events."""

from edge.events import (
    CardDealt,
    CardRevealed,
    DealerFinished,
    DealerPeeked,
    DecisionDropped,
    Face,
    HandFinished,
    HandSplit,
    InsuranceClosed,
    InsuranceOffered,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    Spot,
    TurnActed,
    TurnOffered,
)
from edge.notes import DecisionHeld, SeatTimedOut
from edge.requests import Action
from edge.ruling.changing import changed
from edge.ruling.deal_order import first_deal, second_cards
from edge.ruling.fold_common import Changes, counted, round_of, shoe_of
from edge.ruling.order import HIDDEN, letter
from edge.ruling.state import (
    NONE_SEEN,
    ClosedRound,
    DealerCard,
    Early,
    Hand,
    Insurance,
    Keyed,
    Offer,
    Round,
    Shoe,
    TableState,
)


def _place(table_round: Round, seat: int, number: int) -> int:
    """Where this hand is among the round's."""
    for place, hand in enumerate(table_round.hands):
        if hand.spot.seat == seat and hand.spot.hand == number:
            return place
    raise ValueError(f"seat {seat} has no hand {number} in this round")


def _put(hands: tuple[Hand, ...], place: int, *new: Hand) -> tuple[Hand, ...]:
    """The round's hands, with another or two in this place."""
    return (*hands[:place], *new, *hands[place + 1 :])


def round_opened(state: TableState, event: RoundOpened) -> Changes:
    shoe = shoe_of(state)
    opened = Round(
        number=event.round or shoe.rounds + 1,
        round_id=event.round_id,
        hands=tuple(Hand(spot=Spot(seat=seat, hand=1)) for seat in event.seats),
        owed=first_deal(event.seats, shoe.rules),
    )
    return Changes(
        round=opened,
        shoe=changed(shoe, rounds=opened.number),
        keyed=Keyed(),
        past=changed(state.past, last_seats=event.seats),
    )


def card_dealt(state: TableState, event: CardDealt) -> Changes:
    shoe, table_round = shoe_of(state), round_of(state)
    owed = table_round.owed[1:] if table_round.owed else ()
    if isinstance(event.to, Spot):
        if event.card is None:
            raise ValueError("a player's card lies face up")
        place = _place(table_round, event.to.seat, event.to.hand)
        hand = table_round.hands[place]
        hand = changed(hand, cards=(*hand.cards, event.card), draws=(*hand.draws, event.draw))
        table_round = changed(table_round, hands=_put(table_round.hands, place, hand), owed=owed)
    else:
        dealt = DealerCard(draw=event.draw, card=event.card, hole=event.face is Face.DOWN)
        table_round = changed(table_round, dealer=(*table_round.dealer, dealt), owed=owed)
    seen = shoe.seen if event.card is None else counted(shoe.seen, event.card)
    drawn = max(shoe.drawn, event.draw)
    order = shoe.order
    if event.draw > shoe.drawn:
        order += HIDDEN if event.card is None else letter(event.card)
    return Changes(round=table_round, shoe=changed(shoe, drawn=drawn, seen=seen, order=order))


def insurance_offered(state: TableState, event: InsuranceOffered) -> Changes:
    offered = Insurance(offered=event.seats, even_money_offered=event.even_money or ())
    return Changes(round=changed(round_of(state), insurance=offered))


def insurance_closed(state: TableState, event: InsuranceClosed) -> Changes:
    table_round = round_of(state)
    if table_round.insurance is None:
        raise ValueError("insurance was closed that was never offered")
    closed = changed(
        table_round.insurance, closed=True, insured=event.insured, even_money=event.even_money or ()
    )
    return Changes(round=changed(table_round, insurance=closed))


def dealer_peeked(state: TableState, event: DealerPeeked) -> Changes:
    return Changes(round=changed(round_of(state), peeked=event.natural))


def turn_offered(state: TableState, event: TurnOffered) -> Changes:
    offer = Offer(
        sequence=state.sequence + 1, spot=Spot(seat=event.seat, hand=event.hand), actions=event.actions
    )
    return Changes(round=changed(round_of(state), offer=offer))


def turn_acted(state: TableState, event: TurnActed) -> Changes:
    table_round = round_of(state)
    place = _place(table_round, event.seat, event.hand)
    takes = event.action in {Action.HIT, Action.DOUBLE}
    hand = table_round.hands[place]
    hand = changed(
        hand, acted=True, doubled=event.action is Action.DOUBLE, taken=hand.taken + 1 if takes else hand.taken
    )
    hands = _put(table_round.hands, place, hand)
    owed = (hand.spot,) if takes else ()
    early = tuple(each for each in table_round.early if each.spot != hand.spot)
    return Changes(round=changed(table_round, hands=hands, offer=None, owed=owed, early=early))


def decision_held(state: TableState, note: DecisionHeld) -> Changes:
    table_round = round_of(state)
    spot = Spot(seat=note.seat, hand=note.hand)
    others = tuple(each for each in table_round.early if each.spot != spot)
    held = Early(spot=spot, action=note.action, funded=note.funded)
    return Changes(round=changed(table_round, early=(*others, held)))


def decision_dropped(state: TableState, event: DecisionDropped) -> Changes:
    table_round = round_of(state)
    spot = Spot(seat=event.seat, hand=event.hand)
    early = tuple(each for each in table_round.early if each.spot != spot)
    return Changes(round=changed(table_round, early=early))


def seat_timed_out(state: TableState, note: SeatTimedOut) -> Changes:
    table_round = round_of(state)
    early = tuple(each for each in table_round.early if each.spot.seat != note.seat)
    seats = tuple(sorted({*table_round.timed_out, note.seat}))
    return Changes(round=changed(table_round, early=early, timed_out=seats))


def hand_split(state: TableState, event: HandSplit) -> Changes:
    table_round = round_of(state)
    place = _place(table_round, event.seat, 1)
    whole = table_round.hands[place]
    halves = [
        Hand(spot=Spot(seat=event.seat, hand=number), cards=(card,), draws=(draw,), split=True)
        for number, (card, draw) in enumerate(zip(whole.cards, whole.draws, strict=True), start=1)
    ]
    owed = second_cards(event.seat, shoe_of(state).rules)
    hands = _put(table_round.hands, place, *halves)
    return Changes(round=changed(table_round, hands=hands, owed=owed))


def hand_finished(state: TableState, event: HandFinished) -> Changes:
    table_round = round_of(state)
    place = _place(table_round, event.seat, event.hand)
    hand = changed(table_round.hands[place], how=event.how)
    return Changes(round=changed(table_round, hands=_put(table_round.hands, place, hand)))


def card_revealed(state: TableState, event: CardRevealed) -> Changes:
    shoe, table_round = shoe_of(state), round_of(state)
    dealer = tuple(
        changed(dealt, card=event.card) if dealt.draw == event.draw else dealt for dealt in table_round.dealer
    )
    concealed = tuple(kept for kept in shoe.concealed if kept.draw != event.draw)
    return Changes(
        round=changed(table_round, dealer=dealer),
        shoe=changed(shoe, concealed=concealed, seen=counted(shoe.seen, event.card)),
    )


def dealer_finished(state: TableState, _event: DealerFinished) -> Changes:
    return Changes(round=changed(round_of(state), finished=True))


def round_closed(state: TableState, _event: RoundClosed) -> Changes:
    shoe = shoe_of(state)
    closed = ClosedRound(shoe=shoe.number, round=round_of(state).number)
    waiting = tuple(each.draw for each in state.parked if each.draw is not None)
    past = changed(state.past, closed_round=closed)
    return Changes(round=None, shoe=_taken_back(shoe, waiting), past=past)


def round_voided(state: TableState, _event: RoundVoided) -> Changes:
    shoe = shoe_of(state)
    lost = sum(1 for each in state.parked if each.draw is not None)
    shoe = changed(shoe, discarded=shoe.discarded + lost)
    return Changes(round=None, parked=(), shoe=_taken_back(shoe, ()))


def _taken_back(shoe: Shoe, waiting: tuple[int, ...]) -> Shoe:
    """The shoe after a round: a continuous shuffler has its cards again, but for those that are set aside."""
    if not shoe.rules.continuous_shuffler:
        return shoe
    kept = tuple(each for each in shoe.concealed if each.draw in waiting)
    returned = shoe.drawn - shoe.retracted - len(waiting)
    return changed(shoe, seen=NONE_SEEN, concealed=kept, returned=returned)
