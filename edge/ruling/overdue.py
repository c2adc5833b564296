"""Overdue: what was waited for and did not come in time."""

from edge.events import Why
from edge.inputs import DeadlineName, DeadlinePassed
from edge.irregular import Kind
from edge.notes import DrawWaits
from edge.ruling.deadlines import drop_deadline, is_open
from edge.ruling.draws import irregular_after_all, kept_of
from edge.ruling.host import host_overdue
from edge.ruling.ruling import Ruling
from edge.ruling.signals import shoe_lost


def deadline_passed(ruling: Ruling, heard: DeadlinePassed) -> None:
    """What was waited for did not come; a deadline that is not open any more says nothing."""
    if not is_open(ruling, heard.name, heard.number):
        return
    drop_deadline(ruling, heard.name)
    match heard.name:
        case DeadlineName.HOST_LOST:
            host_overdue(ruling)
        case DeadlineName.DEVICE_LOST:
            shoe_lost(ruling)
        case DeadlineName.EARLY_DRAW:
            _early_card(ruling)


def _early_card(ruling: Ruling) -> None:
    """The command that an early card needs did not come; cards behind it are as early (docs/round.md)."""
    first = next((each for each in ruling.state.parked if each.why is Why.EARLY), None)
    if first is None or first.draw is None:
        return
    kept = kept_of(ruling, first.draw)
    if kept is not None:
        irregular_after_all(ruling, first, kept, Kind.UNEXPECTED_DRAW)
    for each in ruling.state.parked:
        if each.why is Why.EARLY and each.draw is not None:
            ruling.rule(DrawWaits(draw=each.draw, why=Why.HELD))
