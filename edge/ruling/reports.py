"""Reports: what the pit tells that a shoe cannot see, held against what lies on the table."""

from collections.abc import Callable
from typing import Final

from edge.events import Spot, Why
from edge.irregular import FITTING, REPORTABLE, Kind, Stage
from edge.notes import DrawWaits
from edge.requests import Refusal, ReportIrregularity
from edge.ruling.decision import spot_of
from edge.ruling.hold import raise_irregularity
from edge.ruling.layout import card_at, does_not_fit, paid_already
from edge.ruling.remedies import ON_A_CARD, parked_draw
from edge.ruling.ruling import Ruling
from edge.ruling.stages import draws_of, place_of, rules_in_force, stage_now, stage_of_draw
from edge.ruling.state import Round, TableState
from firmware_protocols import Card

IN_A_ROUND: Final = frozenset(
    {
        Kind.MISREAD_CARD,
        Kind.WRONG_PLACE,
        Kind.BOX_WITHOUT_BET,
        Kind.BOX_SKIPPED,
        Kind.BOX_ONE_CARD,
        Kind.DEALER_SKIPPED,
        Kind.HOLE_CARD_SHOWN,
    }
)
"""Kinds that are about the cards of a round."""
ANYTIME: Final = frozenset({Kind.DAMAGED_CARD})
"""Kinds that need no shoe in play."""


def verify_report(state: TableState, request: ReportIrregularity) -> Refusal | None:
    """Why this report cannot be, or None."""
    kind = request.kind
    if kind not in REPORTABLE or not _can_be(state, kind):
        listed = ", ".join(each.value for each in REPORTABLE if _can_be(state, each))
        return Refusal(
            code="not_reportable",
            message=f"{kind.value} is not the pit's to tell at this table; it tells: {listed}.",
        )
    if kind in IN_A_ROUND and state.round is None:
        return Refusal(code="no_round", message=f"{kind.value} is about a round, and none is in progress.")
    if kind not in ANYTIME and state.shoe is None:
        return Refusal(code="no_shoe", message="No shoe is in.")
    refusal = None if state.round is None else _verify_places(state, state.round, request)
    refusal = refusal or _verify_not_paid(state, request)
    check = CHECKS.get(kind)
    return refusal or (check(state, request) if check is not None else _verify_draw(state, request))


def _verify_not_paid(state: TableState, request: ReportIrregularity) -> Refusal | None:
    """The cards of a hand that was paid even money stay where they are."""
    if state.round is None or request.draw is None or not ON_A_CARD.intersection(FITTING[request.kind]):
        return None
    if not paid_already(state.round, place_of(state.round, request.draw)):
        return None
    return does_not_fit(
        f"Draw {request.draw} lies in a hand that has been paid even money: dispute the round after it."
    )


def _can_be(state: TableState, kind: Kind) -> bool:
    """Whether this house has what the kind is about."""
    rules = rules_in_force(state)
    if rules is None:
        return True
    if kind is Kind.HOLE_CARD_SHOWN:
        return rules.dealer.hole_card
    return kind is not Kind.WRONG_BURN or rules.burn.by != "none"


def _verify_places(state: TableState, table_round: Round, request: ReportIrregularity) -> Refusal | None:
    """Places that a report names must be those of a table."""
    rules = rules_in_force(state)
    seats = rules.seats if rules is not None else 0
    named = [request.seat] if request.seat is not None else []
    if request.to is not None and request.to != "dealer":
        named.append(request.to.seat)
        in_round = table_round.hand(Spot(seat=request.to.seat, hand=request.to.hand)) is not None
        if not in_round and request.kind is Kind.WRONG_PLACE:
            return does_not_fit(
                f"Seat {request.to.seat} has no hand {request.to.hand} in this round: "
                "a box without a bet is a box_without_bet."
            )
    for seat in named:
        if not 1 <= seat <= seats:
            return does_not_fit(f"This table has the seats 1 to {seats}.")
    return None


def _verify_draw(state: TableState, request: ReportIrregularity) -> Refusal | None:
    """A card that a report names has come out, and is somewhere."""
    shoe = state.shoe
    if request.draw is None:
        return None
    if shoe is None or not 1 <= request.draw <= shoe.drawn:
        return does_not_fit(f"Draw {request.draw} has not been made.")
    return None


def _on_the_table(state: TableState, request: ReportIrregularity) -> Refusal | None:
    """The card is named, and lies in this round."""
    table_round = state.round
    if table_round is None:
        return None
    listed = ", ".join(str(draw) for draw in draws_of(table_round)) or "none"
    if request.draw is None:
        return does_not_fit(f"Say draw: the number of the card; on the table: {listed}.")
    if place_of(table_round, request.draw) is None:
        return does_not_fit(f"Draw {request.draw} does not lie on the table; those are: {listed}.")
    return None


def _misread(state: TableState, request: ReportIrregularity) -> Refusal | None:
    refusal = _on_the_table(state, request)
    if refusal is not None or state.round is None or request.draw is None:
        return refusal
    was = card_at(state.round, request.draw)
    if was is None:
        return does_not_fit(f"Draw {request.draw} lies face down: nobody can say that it was misread.")
    if request.card is was:
        return does_not_fit(f"Draw {request.draw} was read as {was.value}: say what it really is.")
    return None


def _without_bet(state: TableState, request: ReportIrregularity) -> Refusal | None:
    if request.seat is not None and state.round is not None and request.seat in state.round.seats:
        return does_not_fit(f"Seat {request.seat} is dealt in: say wrong_place.")
    return _on_the_table(state, request)


def _box(state: TableState, request: ReportIrregularity) -> Refusal | None:
    table_round = state.round
    if table_round is not None and request.seat not in table_round.seats:
        seats = ", ".join(str(seat) for seat in table_round.seats)
        return does_not_fit(f"Say seat: one that is dealt in, {seats}.")
    return None


def _hole_card(state: TableState, request: ReportIrregularity) -> Refusal | None:
    del request
    if state.round is not None and state.round.hole is None:
        return does_not_fit("No hole card lies face down.")
    return None


def _unexpected(state: TableState, request: ReportIrregularity) -> Refusal | None:
    placed = request.draw is not None and state.round is not None and place_of(state.round, request.draw)
    if placed or parked_draw(state, request.draw) is not None:
        return None
    parked = ", ".join(str(each.draw) for each in state.parked if each.draw is not None) or "none"
    return does_not_fit(f"Say draw: a card of this round, or one that is set aside; those are: {parked}.")


CHECKS: Final[dict[Kind, Callable[[TableState, ReportIrregularity], Refusal | None]]] = {
    Kind.MISREAD_CARD: _misread,
    Kind.WRONG_PLACE: _on_the_table,
    Kind.BOX_WITHOUT_BET: _without_bet,
    Kind.BOX_SKIPPED: _box,
    Kind.BOX_ONE_CARD: _box,
    Kind.HOLE_CARD_SHOWN: _hole_card,
    Kind.UNEXPECTED_DRAW: _unexpected,
}
"""What a report must say, by kind; the others need no detail."""


def report(ruling: Ruling, request: ReportIrregularity) -> None:
    """Raise what the pit reported."""
    parked = parked_draw(ruling.state, request.draw)
    if parked is not None and parked.why is not Why.IRREGULAR:
        ruling.rule(DrawWaits(draw=parked.draw or 0, why=Why.IRREGULAR))
    shoe = ruling.state.shoe
    raise_irregularity(
        ruling,
        request.kind,
        device=None if shoe is None else shoe.device,
        draw=request.draw,
        stage=_stage(ruling.state, request),
        seat=request.seat,
        to=None if request.to is None else spot_of(request.to),
        card=_card_told(ruling.state, request),
        operator=request.operator,
        by_hand=request.by_hand,
    )


def _card_told(state: TableState, request: ReportIrregularity) -> Card | None:
    """What the pit says the card is, unless it lies face down (law 5)."""
    shoe = state.shoe
    hidden = shoe is not None and any(each.draw == request.draw for each in shoe.concealed)
    return None if hidden or request.kind is Kind.HOLE_CARD_SHOWN else request.card


def _stage(state: TableState, request: ReportIrregularity) -> Stage:
    if request.kind is Kind.UNEXPECTED_DRAW and request.to == "dealer":
        return Stage.DEALER_EXPOSED if request.exposed else Stage.DEALER_COVERED
    if request.draw is not None:
        return stage_of_draw(state, request.draw)
    return stage_now(state)
