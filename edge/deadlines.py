"""Deadlines: when what the table waits for is overdue, on whatever clock the caller has.

The ruling opens and drops deadlines and knows no time; who runs a table asks here when the next one is due,
and tells the table of it as an input (docs/architecture.md, One loop). After a restart what was waited for
is waited for anew: the table's clock stood still meanwhile.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, final

from edge.inputs import DeadlinePassed, Input
from edge.ruling import Deadline, TableState

TRY_AGAIN_S: Final = 1.0
"""Pause before what the disk refused is said again."""


class Waiting(Protocol):
    """The table's face: what it waits for, and when that changes."""

    @property
    def state(self) -> TableState:
        """As of the last commit."""

    @property
    def deadlines_changed(self) -> asyncio.Event:
        """Set when a deadline was opened or dropped."""


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


async def mind_deadlines(
    table: Waiting, take: Callable[[Sequence[Input]], bool], monotonic: Callable[[], float]
) -> None:
    """Wait for the next deadline for ever, and let the table hear of it once it has passed.

    Args:
        table: whose deadlines they are.
        take: commits an input; False: the disk refused, and it is said again.
        monotonic: seconds, never backwards.
    """
    deadlines, changed = Deadlines(), table.deadlines_changed
    while True:
        changed.clear()
        now_ms = int(monotonic() * 1000)
        deadlines.follow(table.state.deadlines, now_ms)
        passed = deadlines.passed(now_ms)
        if passed and not take(passed[:1]):  # one at a time: the first may drop the next
            await asyncio.sleep(TRY_AGAIN_S)
        if passed:
            continue
        due_ms = deadlines.next_ms
        try:
            async with asyncio.timeout(None if due_ms is None else (due_ms - now_ms) / 1000):
                await changed.wait()
        except TimeoutError:
            await asyncio.sleep(0)  # what has arrived by now was in time
