"""Replaying a session script through the ruling: the events exactly as they would be published.

Deterministic: a fixed journal id, nonces from the seed, time from the lines. The table is the
daemon's own; only what it writes in is paper.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from edge.deadlines import Deadlines
from edge.envelope import FIRST_PREVHASH, digest, published
from edge.events import EVENTS, Event, RoundOpened
from edge.inputs import NO_PATIENCE, EdgeStarted, HouseRulesAdopted, Input, Patience, PatienceSet, RequestMade
from edge.journal import Answer, Moment
from edge.notes import RequestAnswered, Ruled
from edge.requests import Asked, Reply
from edge.ruling import TableState, new_table
from edge.script import EdgeRestarted, Step
from edge.status import StatusBoard
from edge.table import Table
from edge.upstream import CursorAsked, Malformed

JOURNAL: Final = "00000000-0000-4000-8000-000000000000"
TABLE: Final = "replay"
START_MS: Final = 1_767_225_600_000
"""2026-01-01T00:00:00Z: when every replay begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """An event, and the bytes that would be published."""

    sequence: int
    event: Event
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A request that would have been answered as malformed."""

    line: int
    message: str


Replayed: TypeAlias = Published | Reply | Unreadable


class PaperJournal:
    """A journal on paper: what :class:`edge.table.Table` writes in, kept until it is read out."""

    id: Final = JOURNAL
    table: Final = TABLE

    def __init__(self) -> None:
        self._written: list[Published] = []
        self._prevhash = FIRST_PREVHASH
        self._sequence = 0
        self._rounds: set[str] = set()
        self._answers: dict[str, Answer] = {}

    def append(
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
        state: TableState,
    ) -> None:
        """Write a record's events, and remember what a journal indexes."""
        del ruling, state
        for each in ruled:
            if isinstance(each, EVENTS):
                self._write(each, moment)
            elif isinstance(each, RequestAnswered) and isinstance(input, RequestMade):
                self._answers[each.id] = Answer(digest=input.asked.digest, reply=self._reply(each))

    def _write(self, event: Event, moment: Moment) -> None:
        self._sequence += 1
        payload = published(
            event,
            table=TABLE,
            journal=JOURNAL,
            sequence=self._sequence,
            wall_ms=moment.wall_ms,
            prevhash=self._prevhash,
        )
        self._prevhash = digest(payload)
        self._written.append(Published(sequence=self._sequence, event=event, payload=payload))
        if isinstance(event, RoundOpened):
            self._rounds.add(event.round_id)

    def _reply(self, answered: RequestAnswered) -> Reply:
        return Reply(
            id=answered.id,
            command=answered.command,
            outcome=answered.outcome,
            code=answered.code,
            message=answered.message,
            sequence=self._sequence,
        )

    def commit(self) -> None:
        """Paper needs none."""

    def rollback(self) -> None:
        """Paper refuses nothing, so nothing is ever taken back."""

    def answer(self, id: str) -> Answer | None:  # noqa: A002 - the contract's word
        """What a request of this id was answered."""
        return self._answers.get(id)

    def round_id_used(self, round_id: str) -> bool:
        """Whether a round of this id has been opened."""
        return round_id in self._rounds

    def read_out(self) -> tuple[Published, ...]:
        """The events written since it was last read out."""
        written, self._written = tuple(self._written), []
        return written


def replay(steps: Iterable[Step], *, house: str) -> Iterator[Replayed]:
    """Play a script: events and replies, in the order in which they come about.

    Args:
        steps: the script's lines.
        house: text of the house file.
    """
    at_ms = 0
    patience = NO_PATIENCE
    deadlines = Deadlines()

    def now() -> Moment:
        return Moment(at_ms=at_ms, wall_ms=START_MS + at_ms, boot="script")

    paper = PaperJournal()
    board = StatusBoard(wall_ms=lambda: START_MS + at_ms)
    table = Table(journal=paper, state=new_table(JOURNAL), now=now, status=board)
    table.hear([HouseRulesAdopted(text=house)])
    for step in steps:
        until_ms = max(at_ms, step.at_ms or 0)
        while (due_ms := deadlines.next_ms) is not None and due_ms <= until_ms:
            at_ms = due_ms
            table.hear(deadlines.passed(at_ms))
            deadlines.follow(table.state.deadlines, at_ms)
            yield from paper.read_out()
        at_ms = until_ms
        match step.said:
            case Patience():
                patience = step.said
                table.hear([PatienceSet(patience=patience)])
                yield from paper.read_out()
            case EdgeRestarted():
                table.hear([_started(patience)])
                yield from paper.read_out()
            case Asked():
                reply = table.ask(step.said)
                yield from paper.read_out()
                yield reply
            case Malformed():
                yield Unreadable(line=step.line, message=step.said.message)
            case CursorAsked():
                yield Unreadable(line=step.line, message="A replay keeps no cursors.")
            case _:
                table.hear([step.said])
                yield from paper.read_out()
        deadlines.follow(table.state.deadlines, at_ms)


def _started(patience: Patience) -> EdgeStarted:
    """The edge comes up; anyone may sign, and any device is a shoe, as in every script."""
    return EdgeStarted(version="script", config_hash="", operators=None, shoes=None, patience=patience)
