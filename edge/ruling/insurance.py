"""Insurance and even money under an ace (DLX-19, HTS-3, KRF-4)."""

from edge.events import How, InsuranceClosed, InsuranceOffered
from edge.requests import CloseInsurance, Refusal
from edge.ruling.ruling import Ruling
from edge.ruling.state import TableState
from edge.ruling.turns import finish_hand


def offer_insurance(ruling: Ruling) -> None:
    """Offer insurance to every seat dealt in, even money to those that hold a natural."""
    table_round = ruling.round
    naturals = tuple(hand.spot.seat for hand in table_round.hands if hand.natural and hand.how is None)
    ruling.rule(
        InsuranceOffered(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            seats=tuple(
                dict.fromkeys(hand.spot.seat for hand in table_round.hands if hand.how is not How.VOID)
            ),
            even_money=naturals if ruling.shoe.rules.even_money else None,
        )
    )


def verify_close_insurance(state: TableState, request: CloseInsurance) -> Refusal | None:
    """Why insurance cannot be closed so, or None; refused whole, insurance stays open."""
    table_round = state.round
    if table_round is None or table_round.insurance is None or table_round.insurance.closed:
        return Refusal(code="no_insurance", message="No insurance is open at this table.")
    insurance = table_round.insurance
    for asked, offered, what in (
        (request.insured, insurance.offered, "insurance"),
        (request.even_money, insurance.even_money_offered, "even money"),
    ):
        if len(set(asked)) < len(asked):
            return Refusal(code="bad_seats", message=f"Name each seat once for {what}.")
        strangers = sorted(set(asked) - set(offered))
        if strangers:
            listed = ", ".join(str(seat) for seat in strangers)
            return Refusal(
                code="bad_seats",
                message=f"No {what} was offered to seat {listed}; "
                f"it was to {', '.join(str(seat) for seat in offered) or 'none'}.",
            )
    return None


def close_insurance(ruling: Ruling, request: CloseInsurance) -> None:
    """End the last call, and pay even money at once."""
    has_even_money = ruling.shoe.rules.even_money
    even_money = tuple(sorted(set(request.even_money)))
    ruling.rule(
        InsuranceClosed(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            insured=tuple(sorted(set(request.insured))),
            even_money=even_money if has_even_money else None,
        )
    )
    for hand in ruling.round.hands:
        if hand.spot.seat in even_money:
            finish_hand(ruling, hand.spot, How.EVEN_MONEY)
