"""Draws: where a card goes, or why it has no rightful place (BJ-13)."""

from edge.concealed import seal
from edge.events import CardDealt, Face, Kind, Resolution, Spot, TableReleased
from edge.inputs import CardDrawn
from edge.notes import CardConcealed, DrawUnparked
from edge.ruling.hands import total
from edge.ruling.hold import park, park_irregular, raise_irregularity, resolve
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import burn_card, cut_by_count, open_shoe
from edge.ruling.state import Concealed, Phase, due, lies_face_down, phase_of_play
from edge.ruling.turns import finish_hand, hand_at, hand_end
from firmware_protocols import Card, FaceDownCard


def due_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card while one is due: it takes that place, or is parked and holds the table."""
    kind = _fault(ruling, drawn)
    if kind is None and drawn.card is not None:
        _place(ruling, ruling.shoe.drawn + 1, drawn.card, drawn.nonce)
    else:
        park_irregular(ruling, drawn, kind or Kind.UNREAD_CARD)


def undue_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card that nothing awaited."""
    park_irregular(ruling, drawn, Kind.FOREIGN_CARD if drawn.foreign else Kind.UNEXPECTED_DRAW)


def held_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card drawn while the table is held: counted and parked; a foreign one is told on top of it."""
    if drawn.foreign:
        park_irregular(ruling, drawn, Kind.FOREIGN_CARD)
    else:
        park(ruling, drawn)


def read_again(ruling: Ruling, drawn: CardDrawn) -> None:
    """The last physical card once more: it mends an unread draw, else it is a repeat (docs/wire.md, 1)."""
    shoe = ruling.state.shoe
    last = shoe.drawn if shoe is not None and shoe.device == drawn.device else None
    unread = _unread(ruling, last)
    if last is None or unread is None:
        raise_irregularity(ruling, Kind.REPEATED_CARD, device=drawn.device, draw=last)
        return
    nonce, sealed = unread.nonce, None
    if drawn.card is not None:
        sealed = seal(nonce, drawn.card)
        ruling.rule(CardConcealed(draw=last, card=drawn.card, nonce=nonce))
    opened = [each for each in ruling.state.irregularities if each.draw == last]
    mends = bool(opened) and opened[0].kind is Kind.UNREAD_CARD and _stands_alone(ruling)
    kind = _fault(ruling, drawn) if mends or drawn.foreign else None
    if kind is not None:
        raise_irregularity(ruling, kind, device=drawn.device, draw=last, sealed=sealed)
    elif mends and drawn.card is not None:
        resolve(ruling, opened[0].id, Resolution.REREAD, operator=None, reason=None)
        ruling.rule(
            TableReleased(shoe=ruling.shoe_number, round=ruling.round_number, why=Resolution.REREAD),
            DrawUnparked(draw=last),
        )
        _place(ruling, last, drawn.card, nonce)


def _stands_alone(ruling: Ruling) -> bool:
    """Whether the one thing that holds the table is the one draw that is parked."""
    return len(ruling.state.irregularities) == len(ruling.state.parked) == 1


def _unread(ruling: Ruling, draw: int | None) -> Concealed | None:
    """What was kept of this draw, if it could not be read."""
    if draw is None:
        return None
    kept = next((each for each in ruling.shoe.concealed if each.draw == draw), None)
    return kept if kept is not None and kept.card is None else None


def _fault(ruling: Ruling, drawn: CardDrawn) -> Kind | None:
    """Why a drawn card may not take the place that is due though it was read, or None.

    Copies are counted only of cards that lie face up: a count that a face-down card completes would
    give it away.
    """
    shoe = ruling.shoe
    left = shoe.remaining if drawn.reread else shoe.remaining - 1
    if drawn.device != shoe.device:
        return Kind.UNEXPECTED_DRAW
    if drawn.foreign or left < 0:
        return Kind.FOREIGN_CARD
    if drawn.card is None or lies_face_down(ruling.state):
        return None
    return Kind.FOREIGN_CARD if shoe.seen[drawn.card.turned().index] >= shoe.rules.decks else None


def _place(ruling: Ruling, draw: int, card: FaceDownCard, nonce: str) -> None:
    """Put a sound card where play waits for it."""
    match phase_of_play(ruling.state):
        case Phase.OPENING:
            open_shoe(ruling, draw, card.turned())
        case Phase.BURNING:
            burn_card(ruling, draw, card, nonce)
        case _:
            _deal(ruling, draw, card, nonce)


def _deal(ruling: Ruling, draw: int, card: FaceDownCard, nonce: str) -> None:
    place = due(ruling.state)
    if place is None:
        raise ValueError("a card is dealt only where one is due")
    if isinstance(place, Spot):
        _deal_to_hand(ruling, place, draw, card.turned())
    elif lies_face_down(ruling.state):
        ruling.rule(CardConcealed(draw=draw, card=card, nonce=nonce))
        _rule_dealt(ruling, draw, Face.DOWN, sealed=seal(nonce, card))
    else:
        _rule_dealt(ruling, draw, Face.UP, card=card.turned())


def _rule_dealt(
    ruling: Ruling, draw: int, face: Face, *, card: Card | None = None, sealed: str | None = None
) -> None:
    """A card for the dealer."""
    seen = ruling.round.dealer_seen if card is None else (*ruling.round.dealer_seen, card)
    reached, soft = total(seen)
    ruling.rule(
        CardDealt(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            draw=draw,
            to="dealer",
            position=len(ruling.round.dealer) + 1,
            face=face,
            card=card,
            seal=sealed,
            total=None if card is None else reached,
            soft=None if card is None else soft,
        )
    )
    cut_by_count(ruling)


def _deal_to_hand(ruling: Ruling, spot: Spot, draw: int, card: Card) -> None:
    cards = (*hand_at(ruling, spot).cards, card)
    reached, soft = total(cards)
    ruling.rule(
        CardDealt(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            draw=draw,
            to=spot,
            position=len(cards),
            face=Face.UP,
            card=card,
            total=reached,
            soft=soft,
        )
    )
    cut_by_count(ruling)
    dealt = hand_at(ruling, spot)
    how = hand_end(dealt, ruling.shoe.rules) if dealt.acted or dealt.split else None
    if how is not None:
        finish_hand(ruling, spot, how)
