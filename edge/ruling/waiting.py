"""Waiting: who or what a table waits for, derived from its state.

Law: whatever the state, exactly one party is waited for, or the table is held: the one rightful place of the
next card (:func:`due`), the one decision of an open offer, or the last call for insurance.
"""

from enum import Enum

from edge.events import How, Place
from edge.house_rules import HouseRules
from edge.ruling.deal_order import deals_face_down
from edge.ruling.hands import DEALER_STANDS
from edge.ruling.state import Round, TableState


class Phase(Enum):
    """Who or what the table waits for; one axis of the transition table."""

    NO_SHOE = "no_shoe"
    OPENING = "opening"
    BURNING = "burning"
    READY = "ready"
    CARD_DUE = "card_due"
    INSURANCE = "insurance"
    DECISION = "decision"
    HELD = "held"


def due(state: TableState) -> Place | None:
    """The one rightful place of the next card in a round, or None (BJ-13)."""
    table_round = state.round
    if table_round is None or state.shoe is None:
        return None
    if table_round.owed:
        return table_round.owed[0]
    if table_round.offer is not None or table_round.insurance_open:
        return None
    hand = table_round.hand_to_play
    if hand is not None:
        return hand.spot if len(hand.cards) == 1 else None
    return "dealer" if dealer_draws(table_round, state.shoe.rules) else None


def lies_face_down(state: TableState) -> bool:
    """Whether the card that is due will lie face down (DLX-4, DLX-6, KRF-2, KRF-3)."""
    if state.round is None:
        return phase_of_play(state) is Phase.BURNING
    if state.shoe is None or due(state) != "dealer":
        return False
    return _is_hole_card(state.round, state.shoe.rules)


def _is_hole_card(table_round: Round, rules: HouseRules) -> bool:
    """Whether the dealer's next card is the hole card: also where one of the two was taken out."""
    dealt = table_round.dealer
    if len(dealt) != 1:
        return deals_face_down(len(dealt) + 1, rules)
    return rules.dealer.hole_card and not dealt[0].hole


def dealer_draws(table_round: Round, rules: HouseRules) -> bool:
    """Whether the dealer takes a card now that every hand is finished (BJ-7, BJ-12)."""
    if table_round.peeked or table_round.finished or table_round.hole is not None:
        return False
    if table_round.total_matters:
        return table_round.dealer_total < DEALER_STANDS
    if table_round.dealer_later and not table_round.dealer:
        return any(hand.how is How.NATURAL for hand in table_round.hands)
    one_card = not rules.dealer.hole_card and len(table_round.dealer) == 1
    return one_card and table_round.natural_matters


def phase(state: TableState) -> Phase:
    """Who or what the table waits for."""
    return Phase.HELD if state.held else phase_of_play(state)


def phase_of_play(state: TableState) -> Phase:
    """What play waits for, or would wait for once the table is released."""
    shoe, table_round = state.shoe, state.round
    if shoe is None:
        return Phase.NO_SHOE
    if not shoe.ready:
        return Phase.OPENING if shoe.burn_due is None else Phase.BURNING
    if table_round is None:
        return Phase.READY
    if table_round.offer is not None:
        return Phase.DECISION
    if table_round.insurance_open:
        return Phase.INSURANCE
    return Phase.CARD_DUE
