"""Deadlines: what the table waits for, for a while; the daemon says when one has passed.

A deadline has a name, and at most one of each name is open.
"""

from typing import Final

from edge.inputs import DeadlineName
from edge.notes import DeadlineDropped, DeadlineSet
from edge.ruling.ruling import Ruling

EARLY: Final = DeadlineName.EARLY_DRAW


def set_deadline(ruling: Ruling, name: DeadlineName, after_ms: int) -> None:
    """Wait for this long from now, unless it is waited for already."""
    if not is_open(ruling, name):
        ruling.rule(DeadlineSet(name=name, number=ruling.state.past.deadlines_set + 1, after_ms=after_ms))


def drop_deadline(ruling: Ruling, name: DeadlineName) -> None:
    """Wait for it no longer."""
    if is_open(ruling, name):
        ruling.rule(DeadlineDropped(name=name))


def is_open(ruling: Ruling, name: DeadlineName, number: int | None = None) -> bool:
    """Whether it is waited for; ``number``: this one of the name."""
    return any(each.name is name and number in {None, each.number} for each in ruling.state.deadlines)


def wait_for_command(ruling: Ruling) -> None:
    """A card came before its command: the command has so long to come (docs/round.md, Early draws)."""
    waits = ruling.shoe.rules.early_draw_ms
    set_deadline(ruling, EARLY, ruling.state.setup.patience.early_draw_ms if waits is None else waits)
