"""The game server, or the broker it is heard through: gone, back, and what that holds (SAG-13)."""

from edge.inputs import DeadlineName, HostLeft, HostReturned
from edge.irregular import Kind, Resolution
from edge.notes import HostHeard
from edge.ruling.deadlines import drop_deadline, set_deadline
from edge.ruling.hold import raise_irregularity, release
from edge.ruling.remedies import policy_for
from edge.ruling.resolved import rule_resolved
from edge.ruling.ruling import Ruling
from edge.ruling.stages import rules_in_force, stage_now


def host_left(ruling: Ruling, heard: HostLeft) -> None:
    """The server is gone; after a while that matters."""
    del heard
    rules = rules_in_force(ruling.state)
    waits = rules.host_lost_ms if rules is not None else None
    after_ms = ruling.state.setup.patience.host_lost_ms if waits is None else waits
    ruling.rule(HostHeard(online=False, overdue=not after_ms))
    if after_ms:
        set_deadline(ruling, DeadlineName.HOST_LOST, after_ms)
    else:
        _hold_at_once(ruling)


def host_overdue(ruling: Ruling) -> None:
    """It has been away for longer than the table waits."""
    drop_deadline(ruling, DeadlineName.HOST_LOST)
    if not ruling.state.host.online:
        ruling.rule(HostHeard(online=False, overdue=True))
        _hold_at_once(ruling)


def host_returned(ruling: Ruling, heard: HostReturned) -> None:
    """The server is back: what was held for it goes on."""
    del heard
    drop_deadline(ruling, DeadlineName.HOST_LOST)
    ruling.rule(HostHeard(online=True))
    for opened in ruling.state.irregularities:
        if opened.kind is Kind.HOST_LOST:
            rule_resolved(ruling, opened, Resolution.RESUMED)
            release(ruling, Resolution.RESUMED)


def _hold_at_once(ruling: Ruling) -> None:
    """A house with a way of its own does not wait until a decision is due (SAG-13)."""
    if ruling.state.round is None:
        return
    if policy_for(ruling.state, Kind.HOST_LOST).way(stage_now(ruling.state)) != "ask":
        _raise(ruling)


def host_awaited(ruling: Ruling) -> bool:
    """A decision is due, and nobody is there to send it: the table is held."""
    if not ruling.state.host.overdue:
        return False
    _raise(ruling)
    return True


def _raise(ruling: Ruling) -> None:
    if not any(each.kind is Kind.HOST_LOST for each in ruling.state.irregularities):
        raise_irregularity(ruling, Kind.HOST_LOST)
