"""How long a commit takes while the oldest records leave the journal, beside one that has it to itself.

A day of play goes on in the same journal, input after input, a hundred a second: a while before the prune
begins, and until it is over.
"""

import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge.journal import Journal, Moment, Pruned, open_journal, prune
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.bench import big_journal
from tests.bench.figures import Quantiles
from tests.bench.play import Day

PAUSE_S: Final = 0.01
"""From one commit to the next."""
LEAST: Final = 3
ALONE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Milliseconds from the beginning of a record to the end of its commit."""

    alone: Quantiles
    longest_alone: float
    pruning: Quantiles
    longest_pruning: float
    pruned: int
    """Records that left the journal meanwhile."""


def measure(folder: Path, *, journal: Path, alone: int = ALONE) -> Waits:
    """Of a copy of this journal."""
    path = folder / "pruned.db"
    shutil.copyfile(journal, path)
    opened = open_journal(path, table=big_journal.TABLE).journal
    try:
        shift = Shift(opened)
        undisturbed = [shift.commit() for _ in range(alone)]
        done: list[Pruned] = []
        through = opened.last_sequence
        before_ms = opened.last_at_ms
        work = threading.Thread(
            target=lambda: done.append(prune(path, before_ms=before_ms, through=through)), name="prune"
        )
        work.start()
        disturbed: list[int] = []
        while work.is_alive() or len(disturbed) < LEAST:
            disturbed.append(shift.commit())
        work.join()
    finally:
        opened.close()
    assert done, "the prune failed"
    return Waits(
        alone=Quantiles.of(undisturbed),
        longest_alone=max(undisturbed) / 1e6,
        pruning=Quantiles.of(disturbed),
        longest_pruning=max(disturbed) / 1e6,
        pruned=done[0].records,
    )


class Shift:
    """Play that goes on where a journal ends."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._state: TableState = journal.restore(new_table, evolve, RULING_VERSION)
        self._day = Day(big_journal.HOUSE, seed=journal.last_number)
        self._at_ms = journal.last_at_ms

    def commit(self) -> int:
        """The next input, after a pause; how long its record took, nanoseconds."""
        time.sleep(PAUSE_S)
        heard = self._day.next(self._state)
        ruling = decide(self._state, heard)
        self._at_ms += big_journal.RECORD_MS
        moment = Moment(at_ms=self._at_ms, wall_ms=big_journal.BEGAN_MS + self._at_ms, boot=big_journal.BOOT)
        began = time.perf_counter_ns()
        self._journal.append(heard, ruling.ruled, moment=moment, ruling=RULING_VERSION, state=ruling.state)
        self._journal.commit()
        took = time.perf_counter_ns() - began
        self._state = ruling.state
        return took
