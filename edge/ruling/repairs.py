"""Repairs: what a resolution does to the cards on the table, and why it cannot be done.

Each repair has its ``verify`` beside it. After any of them the places that lack a card are derived anew from
what lies there (:mod:`edge.ruling.layout`); totals, naturals and legal actions follow from the cards by
themselves.
"""

from collections.abc import Iterable

from edge.events import (
    CardCorrected,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    CardRevealed,
    DealerPeeked,
    HandVoided,
    How,
    Place,
    Spot,
    Why,
)
from edge.irregular import Kind
from edge.notes import CardConcealed, LaidOut, NextDrawDiscarded
from edge.requests import Refusal
from edge.ruling.decision import Decision
from edge.ruling.fold_hold import BY_CARDS
from edge.ruling.hands import natural, total
from edge.ruling.layout import (
    Layout,
    Move,
    card_at,
    does_not_fit,
    lacking,
    paid_already,
    relaid,
    verify_layout,
)
from edge.ruling.left_out import left_out
from edge.ruling.remedies import parked_draw
from edge.ruling.ruling import Ruling
from edge.ruling.stages import draws_at, draws_of, place_of
from edge.ruling.state import Hand, OpenIrregularity, Round, Shoe, TableState
from edge.ruling.turns import finish_hand
from firmware_protocols import Card, FaceDownCard

# One card --------------------------------------------------------------------------------------------


def verify_card(state: TableState, decision: Decision) -> Refusal | None:
    """Whether the card it is about is set aside or lies on the table of this round."""
    if decision.draw is None:
        return does_not_fit("Say draw: the number of the card it is about.")
    placed = state.round is not None and place_of(state.round, decision.draw) is not None
    if placed or parked_draw(state, decision.draw) is not None:
        return None
    listed = ", ".join(str(draw) for draw in _known(state)) or "none"
    return does_not_fit(f"Draw {decision.draw} is neither set aside nor on the table; those are: {listed}.")


def _known(state: TableState) -> tuple[int, ...]:
    parked = [each.draw for each in state.parked if each.draw is not None]
    return tuple(sorted([*parked, *(draws_of(state.round) if state.round is not None else ())]))


def use_as_next(ruling: Ruling, draw: int) -> None:
    """The card fills the next draw that is due (HTS-I1)."""
    parked = parked_draw(ruling.state, draw)
    if parked is not None:
        ruling.rule(CardParked(**ruling.where, draw=draw, device=parked.device, why=Why.NEXT))
        return
    _set_aside(ruling, draw, Why.NEXT)
    lay_out(ruling)


def _set_aside(ruling: Ruling, draw: int, why: Why) -> None:
    """Take a card from where it lies."""
    place = place_of(ruling.round, draw)
    card = card_at(ruling.round, draw)
    if card is not None:
        ruling.rule(CardConcealed(draw=draw, card=FaceDownCard(card), nonce=""))
    ruling.rule(CardParked(**ruling.where, draw=draw, device=ruling.shoe.device, why=why, taken_from=place))


def discard(ruling: Ruling, opened: OpenIrregularity, draw: int | None) -> None:
    """The card goes to the discards; in the first deal those after it move up (HTS-I6)."""
    if draw is None and opened.kind is Kind.EXPOSED_IN_SHOE:
        ruling.rule(NextDrawDiscarded(discarded=False))  # it lies exposed in the shoe still (HTS-I3)
        return
    if draw is None:
        ruling.rule(CardDiscarded(**ruling.where, device=opened.device))  # it is no card of this shoe
        return
    place = None if ruling.state.round is None else place_of(ruling.state.round, draw)
    layout = None
    if place is not None and not ruling.round.decided:
        layout = relaid(ruling.round, ruling.shoe.rules, without=draw)
    ruling.rule(CardDiscarded(**ruling.where, draw=draw, taken_from=place))
    if layout is not None:
        carry_out(ruling, layout)
    elif place is not None:
        lay_out(ruling)


def verify_discard(state: TableState, opened: OpenIrregularity, decision: Decision) -> Refusal | None:
    """Why this card cannot be discarded, or None."""
    if decision.draw is None and opened.kind in {Kind.EXPOSED_IN_SHOE, Kind.UNEXPECTED_DRAW}:
        return None
    refusal = verify_card(state, decision)
    if refusal is not None or state.round is None or state.shoe is None or decision.draw is None:
        return refusal
    refusal = _verify_untouched(state.round, [decision.draw], decision)
    placed = place_of(state.round, decision.draw) is not None
    if refusal is None and placed and not state.round.decided:
        layout = relaid(state.round, state.shoe.rules, without=decision.draw)
        return verify_layout(state.round, state.shoe, layout)
    return refusal


def retract(ruling: Ruling, draw: int | None) -> None:
    """The card went back into the shoe; the next draw is new."""
    if draw is None:
        return  # a cut card, which is no card
    place = None if ruling.state.round is None else place_of(ruling.state.round, draw)
    ruling.rule(CardRetracted(**ruling.where, draw=draw, taken_from=place))
    if place is not None:
        lay_out(ruling)


def verify_on_table(state: TableState, decision: Decision) -> Refusal | None:
    """Why this card cannot be taken from where it lies, or None."""
    refusal = verify_card(state, decision)
    if refusal is not None or state.round is None or decision.draw is None:
        return refusal
    return _verify_untouched(state.round, [decision.draw], decision)


def verify_correct(state: TableState, decision: Decision) -> Refusal | None:
    """Why this card cannot be corrected so, or None."""
    table_round, shoe = state.round, state.shoe
    if table_round is None or shoe is None or decision.draw is None:
        return does_not_fit("Say draw: the number of a card that lies on the table.")
    was = card_at(table_round, decision.draw)
    if was is None:
        listed = ", ".join(str(draw) for draw in draws_of(table_round) if card_at(table_round, draw))
        return does_not_fit(f"Draw {decision.draw} does not lie face up on the table; those are: {listed}.")
    if decision.card is None:
        return does_not_fit("Say card: what the card really is, such as 9h.")
    if decision.card is was:
        return does_not_fit(f"Draw {decision.draw} is {was.value} already.")
    if shoe.seen[decision.card.index] >= shoe.rules.decks:
        return does_not_fit(
            f"All {shoe.rules.decks} copies of {decision.card.value} are out: "
            "it is another card, or a foreign one."
        )
    return _verify_untouched(table_round, [decision.draw], decision)


def correct(ruling: Ruling, draw: int, card: Card, operator: str | None) -> None:
    """The card on the table is another than the one that was read."""
    table_round = ruling.round
    place = place_of(table_round, draw)
    was = card_at(table_round, draw)
    if place is None or was is None:
        raise ValueError("only a card that lies face up is corrected")
    at = draws_at(table_round, place).index(draw)
    cards = _cards_at(table_round, place)
    seen = [card if number == draw else each for number, each in cards if each is not None]
    reached, soft = total(seen)
    ruling.rule(
        CardCorrected(
            **ruling.where,
            draw=draw,
            to=place,
            position=at + 1,
            was=was,
            card=card,
            total=reached,
            soft=soft,
            operator=operator,
        )
    )
    lay_out(ruling)


def verify_enter(state: TableState, decision: Decision) -> Refusal | None:
    """Why an unread card cannot be named so, or None."""
    shoe, card = state.shoe, decision.card
    kept = (
        None if shoe is None else next((each for each in shoe.concealed if each.draw == decision.draw), None)
    )
    if shoe is None or kept is None or kept.card is not None:
        return does_not_fit("Say draw: the number of a card that nobody could read.")
    if card is None:
        return does_not_fit("Say card: what the card is, such as 9h.")
    if shoe.seen[card.index] >= shoe.rules.decks:
        return does_not_fit(
            f"All {shoe.rules.decks} copies of {card.value} are out: it is another card, or a foreign one."
        )
    table_round = state.round
    if table_round is not None and table_round.peeked is not None and table_round.up_card is not None:
        hole = table_round.hole
        if hole is not None and hole.draw == decision.draw:
            makes = natural((table_round.up_card, card))
            if makes is not table_round.peeked:
                said = "makes a natural" if table_round.peeked else "makes no natural"
                return does_not_fit(f"It was said that the hole card {said}: {card.value} does not fit that.")
    return None


def turn_entered(ruling: Ruling, draw: int, card: Card, operator: str | None) -> None:
    """An unread hole card is turned, and named by hand."""
    kept = next((each for each in ruling.shoe.concealed if each.draw == draw), None)
    nonce = kept.nonce if kept is not None else ""
    ruling.rule(CardRevealed(**ruling.where, draw=draw, card=card, nonce=nonce, entered_by=operator))


def verify_peek(state: TableState, decision: Decision) -> Refusal | None:
    """Why the answer to the peek is none, or None."""
    if decision.natural is None:
        return does_not_fit("Say natural: true or false, and nothing else of the card.")
    if state.round is None or state.round.hole is None:
        return does_not_fit("No hole card lies face down.")
    return None


def peek(ruling: Ruling, *, found: bool) -> None:
    """The pit looked at an unread hole card: all that becomes known is whether it makes a natural."""
    ruling.rule(DealerPeeked(**ruling.where, natural=found))


# Places ----------------------------------------------------------------------------------------------


def verify_move(state: TableState, decision: Decision) -> Refusal | None:
    """Why this card cannot go there, or None."""
    table_round, shoe = state.round, state.shoe
    if table_round is None or shoe is None or decision.draw is None:
        return does_not_fit("Say draw: the number of a card that lies on the table.")
    if decision.to is None:
        return does_not_fit('Say to: {"seat": 3} or "dealer".')
    return _verify_moves(table_round, shoe, (Move(draw=decision.draw, to=decision.to),), decision)


def verify_rebuild(state: TableState, decision: Decision) -> Refusal | None:
    """Why the first cards cannot be laid so, or None."""
    if state.round is None or state.shoe is None:
        return does_not_fit("No round is in progress.")
    if not decision.places:
        return None  # they were laid as the table has them: nothing moves
    moves = tuple(Move(draw=draw, to=to) for draw, to in decision.places)
    if len({move.draw for move in moves}) < len(moves):
        return does_not_fit("Name each draw once.")
    return _verify_moves(state.round, state.shoe, moves, decision)


def _verify_moves(
    table_round: Round, shoe: Shoe, moves: tuple[Move, ...], decision: Decision
) -> Refusal | None:
    for move in moves:
        if place_of(table_round, move.draw) is None:
            listed = ", ".join(str(draw) for draw in draws_of(table_round)) or "none"
            return does_not_fit(f"Draw {move.draw} does not lie on the table; those are: {listed}.")
        if isinstance(move.to, Spot) and table_round.hand(move.to) is None:
            seats = ", ".join(str(seat) for seat in table_round.seats)
            return does_not_fit(
                f"Seat {move.to.seat} has no hand {move.to.hand} in this round; dealt in: {seats}."
            )
    places = [place_of(table_round, move.draw) for move in moves] + [move.to for move in moves]
    return (
        _verify_nobody_decided(table_round, places, decision)
        or (None if decision.override else _verify_fullness(table_round, shoe, moves))
        or verify_layout(table_round, shoe, Layout(moves=moves, owed=()))
    )


def _verify_fullness(table_round: Round, shoe: Shoe, moves: tuple[Move, ...]) -> Refusal | None:
    """No hand may hold more cards than its deal and its decisions gave it."""
    gained: dict[Place, int] = {}
    for move in moves:
        origin = place_of(table_round, move.draw)
        if origin is not None and origin != move.to:
            gained[move.to] = gained.get(move.to, 0) + 1
            gained[origin] = gained.get(origin, 0) - 1
    for hand in table_round.hands:
        if gained.get(hand.spot, 0) > max(hand.lacks, 0):
            return does_not_fit(f"Hand {hand.spot.hand} of seat {hand.spot.seat} would have a card too many.")
    first = 2 if shoe.rules.dealer.hole_card else 1
    if not table_round.decided and gained.get("dealer", 0) > first - len(table_round.dealer):
        return does_not_fit("The dealer would have a card too many.")
    return None


def carry_out(ruling: Ruling, layout: Layout, *, dealer_later: bool = False) -> None:
    """Move the cards, and tell which places lack one."""
    for draw in layout.too_many:
        _set_aside(ruling, draw, Why.HELD)
    for move in layout.moves:
        _move(ruling, move)
    if layout.owed != ruling.round.owed or dealer_later:
        ruling.rule(LaidOut(owed=layout.owed, dealer_later=dealer_later))


def move_cards(ruling: Ruling, places: Iterable[tuple[int, Place]]) -> None:
    """Lay these cards at these places."""
    for draw, to in places:
        if place_of(ruling.round, draw) != to:
            _move(ruling, Move(draw=draw, to=to))
    lay_out(ruling)


def _move(ruling: Ruling, move: Move) -> None:
    origin = place_of(ruling.round, move.draw)
    if origin is None:
        raise ValueError("only a card that lies on the table is moved")
    card = card_at(ruling.round, move.draw)
    if card is None and isinstance(move.to, Spot):
        card = _turn(ruling, move.draw)
    before = sum(1 for other in draws_at(ruling.round, move.to) if other < move.draw)
    lying = [each for _, each in _cards_at(ruling.round, move.to) if each is not None]
    reached, soft = total([*lying, *([] if card is None else [card])])
    ruling.rule(
        CardMoved(
            **ruling.where,
            draw=move.draw,
            taken_from=origin,
            to=move.to,
            position=before + 1,
            card=card,
            total=None if card is None else reached,
            soft=None if card is None else soft,
        )
    )


def _turn(ruling: Ruling, draw: int) -> Card:
    """A card that was taken for the hole card lies face up at a seat: everybody sees it."""
    kept = next(each for each in ruling.shoe.concealed if each.draw == draw)
    if kept.card is None:
        raise ValueError("an unread card is named before it is turned")
    card = kept.card.turned()
    ruling.rule(CardRevealed(**ruling.where, draw=draw, card=card, nonce=kept.nonce))
    return card


def lay_out(ruling: Ruling) -> None:
    """Tell which places lack a card, if that has changed."""
    owed = lacking(ruling.round, ruling.shoe.rules)
    if owed != ruling.round.owed:
        ruling.rule(LaidOut(owed=owed))


def _cards_at(table_round: Round, place: Place) -> tuple[tuple[int, Card | None], ...]:
    if isinstance(place, Spot):
        hand = table_round.hand(place)
        return () if hand is None else tuple(zip(hand.draws, hand.cards, strict=True))
    return tuple((dealt.draw, dealt.card) for dealt in table_round.dealer)


# Boxes left out --------------------------------------------------------------------------------------


def void_hand(ruling: Ruling, opened: OpenIrregularity, decision: Decision) -> None:
    """The bet of a seat is void; its cards stay counted (HTS-I8, HTS-I9)."""
    layout = left_out(ruling.state, opened, decision.seat, for_good=True)
    if layout is not None:
        carry_out(ruling, layout)
    for hand in ruling.round.hands:
        if hand.spot.seat == decision.seat and hand.how is not How.VOID:
            _void(ruling, hand)
    lay_out(ruling)


def _void(ruling: Ruling, hand: Hand) -> None:
    ruling.rule(HandVoided(**ruling.where, seat=hand.spot.seat, hand=hand.spot.hand, draws=hand.draws))
    finish_hand(ruling, hand.spot, How.VOID)


# Hands that have been acted on -----------------------------------------------------------------------


def _verify_untouched(table_round: Round, draws: Iterable[int], decision: Decision) -> Refusal | None:
    """What a decision was taken on is changed only where a supervisor says so in so many words."""
    draws = tuple(draws)
    paid = _verify_not_paid(table_round, [place_of(table_round, draw) for draw in draws])
    if paid is not None or decision.override:
        return paid
    for draw in draws:
        place = place_of(table_round, draw)
        if place == "dealer" and table_round.decided and _was_shown(table_round, draw):
            return _acted("the dealer's cards")
        hand = table_round.hand(place) if isinstance(place, Spot) else None
        if hand is not None and _decided_on(hand, draw):
            return _acted(f"hand {hand.spot.hand} of seat {hand.spot.seat}")
    return None


def _verify_nobody_decided(
    table_round: Round, places: Iterable[Place | None], decision: Decision
) -> Refusal | None:
    """Cards go from hand to hand only while no decision was taken on either, or a supervisor insists."""
    places = tuple(places)
    paid = _verify_not_paid(table_round, places)
    if paid is not None or decision.override:
        return paid
    for place in places:
        if place == "dealer" and table_round.decided:
            return _acted("the dealer's cards")
        hand = table_round.hand(place) if isinstance(place, Spot) else None
        if hand is not None and (hand.acted or hand.split):
            return _acted(f"hand {hand.spot.hand} of seat {hand.spot.seat}")
    return None


def _verify_not_paid(table_round: Round, places: Iterable[Place | None]) -> Refusal | None:
    """Even money is paid at once: the cards of such a hand are final."""
    for place in places:
        if isinstance(place, Spot) and paid_already(table_round, place):
            return does_not_fit(
                f"Seat {place.seat} has been paid even money: leave its cards, dispute the round after it."
            )
    return None


def _acted(what: str) -> Refusal:
    return Refusal(
        code="hand_acted",
        message=f"A decision has been taken on {what}: say override to change it all the same.",
    )


def _decided_on(hand: Hand, draw: int) -> bool:
    """A decision was taken on the hand with this card in it."""
    if not hand.acted and not hand.split:
        return hand.how is How.SURRENDER
    last = hand.draws[-1] == draw
    return not last or hand.lacks > 0 or (hand.how is not None and hand.how not in BY_CARDS)


def _was_shown(table_round: Round, draw: int) -> bool:
    """The dealer's card that lay there while the seats decided."""
    up = next((dealt for dealt in table_round.dealer if not dealt.hole), None)
    return up is not None and up.draw == draw
