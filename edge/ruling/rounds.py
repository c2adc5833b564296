"""Opening a round (DLX-1): who is dealt in, and when one may be opened."""

from edge.events import RoundOpened
from edge.house_rules import parse_house
from edge.irregular import Kind
from edge.requests import OpenRound, Refusal
from edge.ruling.ruling import Ruling
from edge.ruling.state import TableState


def verify_open_round(state: TableState, request: OpenRound, *, used: bool) -> Refusal | None:
    """Why no round can be opened so, or None; in the contract's order of codes.

    Args:
        state: the table.
        request: what was asked.
        used: this round id has been opened before in this journal.
    """
    if state.setup.house is not None:
        seats = state.shoe.rules.seats if state.shoe else parse_house(state.setup.house).seats
        asked = request.seats
        if not asked or len(set(asked)) < len(asked) or not all(1 <= seat <= seats for seat in asked):
            return Refusal(code="bad_seats", message=f"Name each seat once, from 1 to {seats}, at least one.")
    if used:
        return Refusal(
            code="round_exists", message="This round id has been used: a new round needs a new id."
        )
    shoe = state.shoe
    if shoe is None or not shoe.ready or shoe.empty or shoe.remaining <= 0:
        why = "no shoe is in" if shoe is None else "its burn is not complete"
        if shoe is not None and shoe.ready:
            why = "the shoe is empty: retire it"
        return Refusal(code="shoe_not_ready", message=f"No round can open: {why}.")
    if state.held:
        return Refusal(code="held", message="The table is held: resolve the open irregularity first.")
    if any(each.kind is Kind.DAMAGED_CARD for each in state.latches) and state.round is None:
        return Refusal(
            code="latched", message="The damaged card must be replaced, and a supervisor clear it, first."
        )
    if state.round is not None:
        return Refusal(code="round_in_progress", message=f"Round {state.round.number} is in progress.")
    return None


def open_round(ruling: Ruling, request: OpenRound) -> None:
    """Open a round for these seats."""
    ruling.rule(
        RoundOpened(
            shoe=ruling.shoe.number,
            round=ruling.shoe.rounds + 1,
            round_id=request.round_id,
            seats=tuple(sorted(request.seats)),
        )
    )
