"""Stages: where a shoe and its round stand, as far as a house distinguishes it (docs/irregularities.md)."""

from edge.events import Place, Spot
from edge.house_rules import HouseRules, parse_house
from edge.irregular import Stage
from edge.ruling.deal_order import first_deal
from edge.ruling.state import Round, TableState


def rules_in_force(state: TableState) -> HouseRules | None:
    """The rules of the shoe in play, else of the next; None: no house is known."""
    if state.shoe is not None:
        return state.shoe.rules
    return None if state.setup.house is None else parse_house(state.setup.house)


def stage_now(state: TableState) -> Stage:
    """Where the table stands."""
    shoe, table_round = state.shoe, state.round
    if shoe is None:
        return Stage.NO_SHOE
    if not shoe.ready:
        return Stage.OPENING
    if table_round is None:
        return Stage.BETWEEN
    dealt = len(draws_of(table_round))
    if not dealt:
        return Stage.NEW_GAME
    if not in_first_deal(table_round):
        return Stage.PLAY
    first_pass = len(table_round.seats) + 1
    return Stage.FIRST_CARDS if dealt <= first_pass else Stage.SECOND_CARDS


def stage_of_draw(state: TableState, draw: int) -> Stage:
    """The pass of the first deal that this card belongs to, else where the table stands now."""
    shoe, table_round = state.shoe, state.round
    if shoe is None or table_round is None:
        return stage_now(state)
    place = place_of(table_round, draw)
    if place is None:
        return stage_now(state)
    before = sum(1 for other in draws_at(table_round, place) if other < draw)
    if isinstance(place, Spot) and place.hand == 1 and before < 2:  # noqa: PLR2004 - the two passes
        split = any(hand.split for hand in table_round.hands if hand.spot == place)
        if not split:
            return (Stage.FIRST_CARDS, Stage.SECOND_CARDS)[before]
    if place == "dealer" and before < (2 if shoe.rules.dealer.hole_card else 1):
        return (Stage.FIRST_CARDS, Stage.SECOND_CARDS)[before]
    return Stage.PLAY


def in_first_deal(table_round: Round) -> bool:
    """Whether the first deal is under way: a place of it still lacks its card."""
    return not table_round.decided and bool(table_round.owed)


def deal_order(table_round: Round, rules: HouseRules) -> tuple[Place, ...]:
    """The places of the first deal in order."""
    return first_deal(table_round.seats, rules)


def draws_of(table_round: Round) -> tuple[int, ...]:
    """Every draw that lies on the table, ascending."""
    hands = [draw for hand in table_round.hands for draw in hand.draws]
    return tuple(sorted([*hands, *(dealt.draw for dealt in table_round.dealer)]))


def draws_at(table_round: Round, place: Place) -> tuple[int, ...]:
    """The draws that lie at this place, ascending."""
    if isinstance(place, Spot):
        hand = table_round.hand(place)
        return () if hand is None else hand.draws
    return tuple(dealt.draw for dealt in table_round.dealer)


def place_of(table_round: Round, draw: int) -> Place | None:
    """Where this draw lies; None: not on the table."""
    for hand in table_round.hands:
        if draw in hand.draws:
            return hand.spot
    return "dealer" if any(dealt.draw == draw for dealt in table_round.dealer) else None
