"""The table: hears, rules, records. The order of its commits is the order of the world.

Laws:

1. **Commit, then acknowledge.** When :meth:`Table.hear` or :meth:`Table.ask` returns, the journal has
   it on disk; the caller acknowledges after that, never before.
2. What could not be written did not happen: the state is as before, and the caller may try again.
3. A disk that refuses is on the status board, whoever met it, until it takes a commit again.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol, final

import structlog

from edge.errors import StorageFailed
from edge.inputs import Input, RequestMade
from edge.journal import Answer, Moment
from edge.notes import Ruled
from edge.public_state import written_state
from edge.requests import Asked, OpenRound, Outcome, Reply
from edge.ruling import RULING_VERSION, TableState, decide
from edge.status import StatusBoard

STORAGE: Final = "storage"
"""The reason on the status board while the disk refuses."""
HELD: Final = "held"
LATCHED: Final = "latched"
"""The reasons for what a supervisor must end; the log says the same as the board."""


log = structlog.get_logger("edge.table")


def log_hold(reason: str, sentence: str | None) -> None:
    """Tell the log what the board says of a hold or a latch; None: it is over. Kinds and no card."""
    if sentence is None:
        log.info("table.hold_over", reason=reason)
    else:
        log.warning("table.hold", reason=reason, sentence=sentence)


def _nobody(_reason: str, _sentence: str | None) -> None:
    """A table on paper has no log."""


class Book(Protocol):
    """What a table writes in: a :class:`edge.journal.Journal`, or paper."""

    @property
    def table(self) -> str:
        """The table's id."""

    def append(  # noqa: D102 - as the journal says
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
        state: TableState,
    ) -> None: ...

    def commit(self) -> None:
        """Put on disk what was appended."""

    def rollback(self) -> None:
        """Forget what was appended and not committed."""

    def answer(self, id: str) -> Answer | None:  # noqa: A002 - the contract's word
        """What a request of this id was answered."""

    def round_id_used(self, round_id: str) -> bool:
        """Whether a round of this id has been opened."""


@final
class Table:
    """One table on one journal.

    Args:
        journal: open for writing.
        state: as restored from it.
        now: this moment, on the table's clock and the wall's.
        status: where a held table is told.
        hold_told: told that one of :data:`HELD` and :data:`LATCHED` has another sentence, or none any more.
            No sentence has what a person wrote.
    """

    def __init__(
        self,
        *,
        journal: Book,
        state: TableState,
        now: Callable[[], Moment],
        status: StatusBoard,
        hold_told: Callable[[str, str | None], None] = _nobody,
    ) -> None:
        self._journal = journal
        self._state = self._told = state
        self._now = now
        self._status = status
        self._hold_told = hold_told
        self._held: dict[str, str | None] = {HELD: None, LATCHED: None}
        self._committed = asyncio.Event()
        self._state_changed = asyncio.Event()
        self._deadlines_changed = asyncio.Event()
        self._orders_changed = asyncio.Event()
        self._tell_if_held()

    @property
    def state(self) -> TableState:
        """As of the last commit."""
        return self._state

    @property
    def committed(self) -> asyncio.Event:
        """Set after every commit; whoever publishes waits for it and clears it."""
        return self._committed

    @property
    def state_changed(self) -> asyncio.Event:
        """Set after every commit; whoever rehearses waits for it and clears it."""
        return self._state_changed

    @property
    def orders_changed(self) -> asyncio.Event:
        """Set when an order was given or answered; whoever gives them waits for it and clears it."""
        return self._orders_changed

    @property
    def deadlines_changed(self) -> asyncio.Event:
        """Set when a deadline was opened or dropped; whoever minds them waits for it and clears it."""
        return self._deadlines_changed

    def public_state(self) -> bytes:
        """JSON of the ``state`` topic as of the last commit."""
        return written_state(self._state, table=self._journal.table)

    def hear(self, inputs: Sequence[Input]) -> None:
        """Rule on what was heard, in order, commit it all at once, and tell whoever waits for it.

        Raises:
            StorageFailed: the disk refused; nothing of it happened.
            JournalCorrupt: the journal cannot be trusted any more; nothing of it happened.
        """
        self.commit(inputs)
        self.tell()

    def commit(self, inputs: Sequence[Input]) -> None:
        """Rule on what was heard, in order, and commit it all at once. Nobody is told before :meth:`tell`.

        Raises:
            StorageFailed: the disk refused; nothing of it happened.
            JournalCorrupt: the journal cannot be trusted any more; nothing of it happened.
        """
        try:
            self._state = self._written(inputs)
        except StorageFailed as failed:
            self._status.degrade(STORAGE, str(failed))
            raise
        self._status.restore(STORAGE)

    def tell(self) -> None:
        """Tell whoever waits what was committed since this was last called, and the status board."""
        told, self._told = self._told, self._state
        if self._state.deadlines is not told.deadlines:
            self._deadlines_changed.set()
        if self._state.order is not told.order:
            self._orders_changed.set()
        self._committed.set()
        self._state_changed.set()
        if self._state.irregularities is not told.irregularities or self._state.pause is not told.pause:
            self._tell_if_held()

    def ask(self, asked: Asked) -> Reply:
        """Rule on a request and commit it; the same id again gets the first answer again.

        Raises:
            StorageFailed: the disk refused; nothing happened, and the sender will repeat it.
            JournalCorrupt: the journal cannot be trusted any more; nothing happened.
        """
        try:
            known = self._journal.answer(asked.id)
            if known is None:
                self.hear([RequestMade(asked=asked, round_id_used=self._round_id_used(asked))])
                known = self._journal.answer(asked.id)
        except StorageFailed as failed:
            self._status.degrade(STORAGE, str(failed))
            raise
        if known is None:
            raise AssertionError("the ruling answers every request")
        if known.digest == asked.digest:
            return known.reply
        return Reply(
            id=asked.id,
            command=known.reply.command,
            outcome=Outcome.REFUSED,
            code="id_reused",
            message="This id has been used for another request: take a new one.",
            sequence=self._state.sequence,
        )

    def _written(self, inputs: Sequence[Input]) -> TableState:
        state = self._state
        try:
            for each in inputs:
                ruling = decide(state, each)
                state = ruling.state
                self._journal.append(
                    each, ruling.ruled, moment=self._now(), ruling=RULING_VERSION, state=state
                )
            self._journal.commit()
        except BaseException:
            # Whatever it was, half of what was heard must not be committed with what is heard next.
            self._journal.rollback()
            raise
        return state

    def _tell_if_held(self) -> None:
        state = self._state
        kinds = ", ".join(each.kind.value for each in state.irregularities if not each.latched)
        held = None
        if kinds:
            held = f"The table is held ({kinds}): a supervisor must resolve it."
            self._status.degrade(HELD, held)
        elif state.pause is not None:
            held = "A supervisor holds the table."
            self._status.degrade(HELD, f"A supervisor holds the table: {state.pause.reason}")
        else:
            self._status.restore(HELD)
        self._told_of(HELD, held)
        latched = ", ".join(each.kind.value for each in state.latches)
        clear = f"Nothing new begins before a supervisor clears: {latched}." if latched else None
        if clear is not None:
            self._status.degrade(LATCHED, clear)
        else:
            self._status.restore(LATCHED)
        self._told_of(LATCHED, clear)

    def _told_of(self, reason: str, sentence: str | None) -> None:
        """Tell whoever keeps the log, where it is new."""
        if sentence != self._held[reason]:
            self._held[reason] = sentence
            self._hold_told(reason, sentence)

    def _round_id_used(self, asked: Asked) -> bool:
        request = asked.request
        return isinstance(request, OpenRound) and self._journal.round_id_used(request.round_id)
