"""Requests: may it be done, by whom, now; one answer each (docs/contract.md, Commands).

``verify`` is total over the commands: the ruling and any screen ask it before anything is done. What
it lets through has a row in the transition table, which a test checks.
"""

from edge.inputs import RequestMade
from edge.requests import (
    Asked,
    CloseInsurance,
    DecideHand,
    InstallShoe,
    KnownRequest,
    OpenRound,
    Refusal,
    RetireShoe,
    TimeOutHand,
    UnknownCommand,
    VoidRound,
)
from edge.ruling.insurance import verify_close_insurance
from edge.ruling.rounds import verify_open_round
from edge.ruling.shoe import verify_install
from edge.ruling.state import TableState
from edge.ruling.turns import verify_decide, verify_time_out

SUPERVISOR = "supervisor"
"""The role that may sign what a supervisor asks."""


def verify(state: TableState, heard: RequestMade) -> Refusal | None:
    """Why this request is refused, or None: it is carried out."""
    request = heard.asked.request
    if isinstance(request, UnknownCommand):
        return Refusal(code="unknown_command", message="This version has no such command.")
    return _verify_asked(state, heard.asked, request) or _verify_request(
        state, request, used=heard.round_id_used
    )


def _verify_asked(state: TableState, asked: Asked, request: KnownRequest) -> Refusal | None:
    """What holds for every request: from the right desk, not stale, signed where it must be."""
    if asked.desk is not request.desk:
        return Refusal(
            code="wrong_topic", message=f"{request.command} belongs on the topic {request.desk.value}."
        )
    if asked.journal is not None and asked.journal != state.journal:
        return Refusal(code="stale", message="The journal has changed: read the table's state again.")
    if asked.if_sequence is not None and state.table_sequence > asked.if_sequence:
        return Refusal(
            code="stale",
            message=f"Event {state.table_sequence} came after {asked.if_sequence}: read it, then ask again.",
        )
    if isinstance(request, VoidRound | RetireShoe):
        return _verify_signed(state, request)
    return None


def _verify_signed(state: TableState, request: VoidRound | RetireShoe) -> Refusal | None:
    if state.operators is None:
        return None
    signed = any(
        operator.name == request.operator and SUPERVISOR in operator.roles for operator in state.operators
    )
    if signed:
        return None
    return Refusal(
        code="not_allowed",
        message=f"{request.operator!r} is not an operator of this table with the role {SUPERVISOR}.",
    )


def _verify_request(state: TableState, request: KnownRequest, *, used: bool) -> Refusal | None:
    match request:
        case InstallShoe():
            return verify_install(state, request)
        case OpenRound():
            return verify_open_round(state, request, used=used)
        case VoidRound():
            return None if state.round else Refusal(code="no_round", message="No round is in progress.")
        case RetireShoe():
            if state.shoe or state.irregularities:
                return None
            return Refusal(code="no_shoe", message="No shoe is in.")
        case CloseInsurance() | DecideHand() | TimeOutHand() if state.irregularities:
            return Refusal(code="held", message="The table is held: a supervisor must resolve it first.")
        case CloseInsurance():
            return verify_close_insurance(state, request)
        case DecideHand():
            return verify_decide(state, request)
        case _:
            return verify_time_out(state, request)
