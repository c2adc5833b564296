"""The layout: which places lack a card, and where the first deal's cards belong after a repair. Pure.

A shoe sees which card came when, and the table gives each to the place that was due. Where the dealer's hands
did otherwise, the cards that came after the fault belong one place on: they are laid out anew, in drawing
order, over the order of the deal without what was left out.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from edge.events import How, Place, Spot
from edge.house_rules import HouseRules
from edge.requests import Refusal
from edge.ruling.deal_order import deals_face_down, first_deal
from edge.ruling.stages import draws_at, draws_of, place_of
from edge.ruling.state import Round, Shoe
from firmware_protocols import Card

SETTLED: Final = frozenset({How.VOID, How.SURRENDER, How.EVEN_MONEY})
"""Ends of a hand after which its cards matter no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place of the first deal, and the how-manieth card of it, from 1."""

    place: Place
    card: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A card that belongs to another place."""

    draw: int
    to: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the cards belong, and which places lack one, in order."""

    moves: tuple[Move, ...]
    owed: tuple[Place, ...]
    too_many: tuple[int, ...] = ()
    """Draws that none of these places takes: they came after the deal."""


def slots_of(table_round: Round, rules: HouseRules) -> tuple[Slot, ...]:
    """The first deal in order, without the places that are out of it."""
    count: Counter[Place] = Counter()
    slots = []
    for place in first_deal(table_round.seats, rules):
        count[place] += 1
        if plays(table_round, place):
            slots.append(Slot(place=place, card=count[place]))
    return tuple(slots)


def plays(table_round: Round, place: Place) -> bool:
    """Whether the first deal goes there: not to a void bet, nor to a dealer who draws after the seats."""
    if place == "dealer":
        return not table_round.dealer_later
    hand = table_round.hand(place)
    return hand is not None and hand.how is not How.VOID


def _draws_in_order(table_round: Round) -> list[int]:
    """The draws of the first deal, without those of the places that are out of it."""
    return [
        draw
        for draw in draws_of(table_round)
        if (place := place_of(table_round, draw)) is not None and plays(table_round, place)
    ]


def lacking(table_round: Round, rules: HouseRules) -> tuple[Place, ...]:
    """The places that lack a card now, in the order in which they get it."""
    if not table_round.decided:
        return tuple(
            slot.place
            for slot in slots_of(table_round, rules)
            if slot.card > len(draws_at(table_round, slot.place))
        )
    first = 0 if table_round.dealer_later else (2 if rules.dealer.hole_card else 1)
    owed: list[Place] = ["dealer"] * max(first - len(table_round.dealer), 0)
    for hand in table_round.hands:
        waits = hand.split and rules.split.second_cards == "hand_by_hand" and len(hand.cards) == 1
        if hand.how not in SETTLED and not waits:
            owed += [hand.spot] * max(hand.lacks, 0)
    return tuple(owed)


def relaid(
    table_round: Round,
    rules: HouseRules,
    *,
    without: int | None = None,
    left_out: tuple[Slot, ...] = (),
    dealt_next: bool = False,
) -> Layout:
    """The first deal's cards over the order without what was left out.

    Args:
        table_round: no decision has been taken in it.
        rules: the house's.
        without: a draw that is no part of it.
        left_out: places that were passed over.
        dealt_next: True: they get their cards now, before the deal goes on.
    """
    draws = [draw for draw in _draws_in_order(table_round) if draw != without]
    order = [slot for slot in slots_of(table_round, rules) if slot not in left_out]
    moves = tuple(
        Move(draw=draw, to=slot.place)
        for draw, slot in zip(draws, order, strict=False)
        if place_of(table_round, draw) != slot.place
    )
    rest = tuple(slot.place for slot in order[len(draws) :])
    missed = tuple(slot.place for slot in left_out) if dealt_next else ()
    return Layout(moves=moves, owed=(*missed, *rest), too_many=tuple(draws[len(order) :]))


def passed_over(
    table_round: Round, rules: HouseRules, place: Place, cards: tuple[int, ...]
) -> tuple[Slot, ...]:
    """Which of these cards of a place the deal has passed over: those whose turn has been."""
    draws = len(_draws_in_order(table_round))
    slots = slots_of(table_round, rules)
    others = [slot for slot in slots if slot.place != place or slot.card not in cards]
    missed = []
    for card in cards:
        before = slots.index(Slot(place=place, card=card))
        ahead = sum(1 for slot in slots[:before] if slot in others)
        if draws > ahead or (card == cards[0] and draws >= ahead):
            missed.append(Slot(place=place, card=card))
    return tuple(missed)


def card_at(table_round: Round, draw: int) -> Card | None:
    """The card that lies face up under this number; None: it lies face down, or not on the table."""
    for hand in table_round.hands:
        if draw in hand.draws:
            return hand.cards[hand.draws.index(draw)]
    return next((dealt.card for dealt in table_round.dealer if dealt.draw == draw), None)


def paid_already(table_round: Round, place: Place | None) -> bool:
    """Whether the hand that lies there has been paid even money: its cards are final."""
    hand = table_round.hand(place) if isinstance(place, Spot) else None
    return hand is not None and hand.how is How.EVEN_MONEY


def face_down_after(table_round: Round, move: Move, rules: HouseRules) -> bool:
    """Whether the card lies face down where it goes."""
    if isinstance(move.to, Spot):
        return False
    before = sum(1 for dealt in table_round.dealer if dealt.draw < move.draw)
    return deals_face_down(before + 1, rules)


def does_not_fit(why: str) -> Refusal:
    """The details do not fit what lies on the table."""
    return Refusal(code="does_not_fit", message=why)


def verify_layout(table_round: Round, shoe: Shoe, layout: Layout) -> Refusal | None:
    """No card that everybody has seen can become the hole card, and no unread one can lie face up."""
    for move in layout.moves:
        seen = card_at(table_round, move.draw) is not None
        if seen and face_down_after(table_round, move, shoe.rules):
            return does_not_fit(f"Draw {move.draw} has been seen and would be the hole card: void the round.")
        kept = next((each for each in shoe.concealed if each.draw == move.draw), None)
        if not seen and isinstance(move.to, Spot) and (kept is None or kept.card is None):
            return does_not_fit(f"Draw {move.draw} was not read: it cannot lie face up before it is named.")
    if shoe.rules.dealer.hole_card and not table_round.decided and _dealer_shows(table_round, layout) > 1:
        return does_not_fit("The dealer would show two cards, and one is the hole card: void the round.")
    return None


def _dealer_shows(table_round: Round, layout: Layout) -> int:
    """The dealer's cards that lie face up after these moves."""
    shown = {dealt.draw for dealt in table_round.dealer if dealt.card is not None}
    for move in layout.moves:
        shown.discard(move.draw)
        if move.to == "dealer" and card_at(table_round, move.draw) is not None:
            shown.add(move.draw)
    return len(shown)
