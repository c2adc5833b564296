"""Disputes: a result is final; a later claim is told, and the game server settles it."""

from edge.events import RoundDisputed
from edge.requests import DisputeRound, Refusal
from edge.ruling.ruling import Ruling
from edge.ruling.state import TableState


def verify_dispute(state: TableState, request: DisputeRound) -> Refusal | None:
    """Why this round cannot be disputed, or None."""
    last = state.past.closed_round
    if last is None:
        return Refusal(code="no_round", message="No round has had a result yet.")
    shoe, number = _named(state, request)
    if not 1 <= shoe <= state.past.shoes or number < 1:
        return Refusal(
            code="no_round",
            message=f"There is no round {number} of shoe {shoe}; shoes: 1 to {state.past.shoes}.",
        )
    in_play = state.shoe is not None and state.shoe.number == shoe
    if in_play and state.shoe is not None and number > state.shoe.rounds:
        return Refusal(code="no_round", message=f"Shoe {shoe} has had rounds 1 to {state.shoe.rounds}.")
    if in_play and state.round is not None and state.round.number == number:
        return Refusal(
            code="round_in_progress",
            message=f"Round {number} has no result yet: report what is wrong instead.",
        )
    return None


def _named(state: TableState, request: DisputeRound) -> tuple[int, int]:
    last = state.past.closed_round
    shoe = request.shoe if request.shoe is not None else (last.shoe if last is not None else 0)
    number = request.round if request.round is not None else (last.round if last is not None else 0)
    return shoe, number


def dispute_round(ruling: Ruling, request: DisputeRound) -> None:
    """Publish the claim."""
    shoe, number = _named(ruling.state, request)
    ruling.rule(
        RoundDisputed(
            **ruling.where,
            disputed_shoe=shoe,
            disputed_round=number,
            reason=request.reason,
            operator=request.operator,
        )
    )
