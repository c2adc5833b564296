"""Deadlines: when what the table waits for is overdue, on whatever clock the caller has.

The ruling opens and drops deadlines and knows no time; who runs a table asks here when the next one is due,
and tells the table of it as an input (docs/architecture.md, Time).
"""

from collections.abc import Iterable
from typing import final

from edge.inputs import DeadlinePassed
from edge.ruling import Deadline


@final
class Deadlines:
    """The open deadlines of one table, with the moment each was first seen."""

    def __init__(self) -> None:
        self._due: dict[Deadline, int] = {}

    def follow(self, opened: Iterable[Deadline], now_ms: int) -> None:
        """Take over what is open now; what was open already keeps its moment."""
        self._due = {each: self._due.get(each, now_ms + each.after_ms) for each in opened}

    @property
    def next_ms(self) -> int | None:
        """When the next is due; None: nothing is waited for."""
        return min(self._due.values(), default=None)

    def passed(self, now_ms: int) -> tuple[DeadlinePassed, ...]:
        """What is due by now, the earliest first."""
        due = sorted((at, each.number, each) for each, at in self._due.items() if at <= now_ms)
        return tuple(DeadlinePassed(name=each.name, number=each.number) for _, _, each in due)
