"""Requests: may it be done, by whom, now; one answer each (docs/contract.md, Commands).

``verify`` is total over the commands: the ruling and any screen ask it before anything is done. What
it lets through has a row in the transition table, which a test checks.
"""

from edge import requests
from edge.house_rules import SUPERVISOR
from edge.inputs import RequestMade
from edge.irregular import Kind
from edge.requests import (
    Asked,
    Desk,
    KnownRequest,
    Refusal,
    ResolveIrregularity,
    UnknownCommand,
    belongs,
)
from edge.ruling.disputes import verify_dispute
from edge.ruling.insurance import verify_close_insurance
from edge.ruling.reconcile import verify_reconcile
from edge.ruling.remedies import policy_for
from edge.ruling.reports import verify_report
from edge.ruling.resolve import (
    open_one,
    verify_clear,
    verify_enter_card,
    verify_hold,
    verify_release,
    verify_resolve,
)
from edge.ruling.rounds import verify_open_round
from edge.ruling.shoe import verify_install
from edge.ruling.state import TableState
from edge.ruling.turns import verify_decide, verify_time_out


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
    if not belongs(type(request), asked.desk):
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
    return _verify_signed(state, request) if asked.desk is Desk.SUPERVISOR else None


def _verify_signed(state: TableState, request: KnownRequest) -> Refusal | None:
    """Whether the operator has every role that this takes."""
    name = getattr(request, "operator", None)
    if state.setup.operators is None:
        return None
    if name is None:
        return Refusal(code="not_allowed", message="Say operator: who asks, by name.")
    takes = {policy_for(state, kind).role for kind in _decided(state, request)} or {SUPERVISOR}
    if any(operator.name == name and takes <= set(operator.roles) for operator in state.setup.operators):
        return None
    role = " and ".join(sorted(takes))
    return Refusal(
        code="not_allowed", message=f"{name!r} is not an operator of this table with the role {role}."
    )


def _decided(state: TableState, request: KnownRequest) -> tuple[Kind, ...]:
    """The kinds that this decides about, for which a house may name a role of its own."""
    match request:
        case ResolveIrregularity():
            opened = open_one(state, request.id)
            return () if opened is None else (opened.kind,)
        case requests.EnterCard():
            return (Kind.UNREAD_CARD,)
        case requests.ClearFault():
            return tuple(latch.kind for latch in state.latches if request.id in {None, latch.id})
        case _:
            return ()


def _verify_request(state: TableState, request: KnownRequest, *, used: bool) -> Refusal | None:
    match request:
        case requests.InstallShoe():
            return verify_install(state, request)
        case requests.ReconcileShoe():
            return verify_reconcile(state, request)
        case requests.OpenRound():
            return verify_open_round(state, request, used=used)
        case requests.ReportIrregularity():
            return verify_report(state, request)
        case requests.ResolveIrregularity():
            return verify_resolve(state, request)
        case requests.EnterCard():
            return verify_enter_card(state, request)
        case requests.DisputeRound():
            return verify_dispute(state, request)
        case requests.HoldTable():
            return verify_hold(state)
        case requests.ReleaseTable():
            return verify_release(state)
        case requests.ClearFault():
            return verify_clear(state, request)
        case requests.VoidRound():
            return None if state.round else Refusal(code="no_round", message="No round is in progress.")
        case requests.RetireShoe():
            if state.shoe or state.holding:
                return None
            return Refusal(code="no_shoe", message="No shoe is in.")
        case requests.CloseInsurance() | requests.DecideHand() | requests.TimeOutHand() if state.held:
            return Refusal(code="held", message="The table is held: a supervisor must resolve it first.")
        case requests.CloseInsurance():
            return verify_close_insurance(state, request)
        case requests.DecideHand():
            return verify_decide(state, request)
        case requests.TimeOutHand():
            return verify_time_out(state, request)
