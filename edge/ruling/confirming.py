"""Confirming: the pit says which cards lie on the table, after the table may have missed some.

What the pit names must begin with what the table knows; what is more are cards that passed unseen, and they
must be those that were due, in their order. They get draw numbers of their own. ``None`` is a card face down.
Where the pit names no cards at all, the table lies as it is known.

A card that was set aside meanwhile lies on the table too, and is among those the pit names: it was drawn
after the cards that passed unseen, so the last of what is more are the cards set aside. They keep their
numbers, and are dealt once the table is released. Which card was set aside is compared with nothing: a guess
would tell it.
"""

from typing import TypeAlias

from edge.events import Place, Spot
from edge.requests import Refusal
from edge.ruling.decision import Decision
from edge.ruling.draws import deal_unseen
from edge.ruling.layout import does_not_fit
from edge.ruling.ruling import Ruling
from edge.ruling.state import Round, TableState
from edge.ruling.waiting import due, lies_face_down
from firmware_protocols import Card

Named: TypeAlias = tuple[tuple[Place, tuple[Card | None, ...]], ...]
"""The cards that lie at each place."""


def verify_confirm(state: TableState, decision: Decision) -> Refusal | None:
    """Why these cards cannot lie on the table, or None."""
    if decision.cards is None:
        return None
    if state.round is None:
        return does_not_fit("No round is in progress: leave cards out.")
    if len({place for place, _ in decision.cards}) < len(decision.cards):
        return does_not_fit("Name each place once.")
    named = dict(decision.cards)
    places: tuple[Place, ...] = (*(hand.spot for hand in state.round.hands), "dealer")
    every: tuple[Place, ...] = (*named, *places)
    for place in dict.fromkeys(every):
        refusal = _verify_known(state.round, place, named.get(place, ()))
        if refusal is not None:
            return refusal
    # On paper: what does not fit is found where it would go wrong.
    return _deal(Ruling(state), decision.cards, decision.operator, unseen=_more(state.round, decision.cards))


def confirm(ruling: Ruling, decision: Decision) -> None:
    """Deal the cards that passed unseen."""
    if decision.cards is None or ruling.state.round is None:
        return
    aside = sum(1 for each in ruling.state.parked if each.draw is not None)
    unseen = max(_more(ruling.round, decision.cards) - aside, 0)
    _deal(ruling, decision.cards, decision.operator, unseen=unseen)


def _more(table_round: Round, named: Named) -> int:
    """How many cards the pit names that the table does not have there."""
    return sum(len(cards) - len(_lying(table_round, place) or ()) for place, cards in named)


def _lying(table_round: Round, place: Place) -> tuple[Card | None, ...] | None:
    """What the table has at this place; None: there is no such place."""
    if isinstance(place, Spot):
        hand = table_round.hand(place)
        return None if hand is None else hand.cards
    return tuple(dealt.card for dealt in table_round.dealer)


def _verify_known(table_round: Round, place: Place, cards: tuple[Card | None, ...]) -> Refusal | None:
    known = _lying(table_round, place)
    if known is None:
        return does_not_fit(f"{_named(place)} is not in this round.")
    if cards[: len(known)] != known:
        lying = ", ".join("one face down" if card is None else card.value for card in known) or "no card"
        return does_not_fit(
            f"{_named(place)} has {lying} as the table knows it: name these first, "
            "and correct what is wrong after."
        )
    return None


def _deal(ruling: Ruling, lying: Named, operator: str | None, *, unseen: int) -> Refusal | None:
    """Deal so many of what the table does not know, each where it is due, or say why not."""
    left = {place: list(cards[len(_lying(ruling.round, place) or ()) :]) for place, cards in lying}
    for _ in range(unseen):
        place = due(ruling.state)
        if place is None or not left.get(place):
            named = next(where for where, cards in left.items() if cards)
            now = "none is due" if place is None else f"the next is due at {_named(place)}"
            return does_not_fit(f"{_named(named)} has a card more than the table can have missed: {now}.")
        card = left[place].pop(0)
        if (card is None) is not lies_face_down(ruling.state):
            how = "face down: null" if card is not None else "face up: name it"
            return does_not_fit(f"The card that {_named(place)} lacks lies {how}.")
        shoe = ruling.shoe
        if shoe.remaining <= 0 or (card is not None and shoe.seen[card.index] >= shoe.rules.decks):
            return does_not_fit("More cards lie there than the shoe's decks hold.")
        deal_unseen(ruling, card, operator)
    return None


def _named(place: Place) -> str:
    return f"hand {place.hand} of seat {place.seat}" if isinstance(place, Spot) else "the dealer"
