"""The desk behind the socket: one line, one answer.

Laws:

* **Commit, then answer**, through the same door as on MQTT: :func:`edge.upstream.read_request`, then
  :meth:`Table.ask`. The same id gets the first answer again, whichever way it comes.
* This is the supervisor's desk and no other: the server's commands are refused as ``wrong_topic``.
* Whoever signs, the operating system's name for the user stands beside it in the log.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final, Protocol, assert_never

import structlog
from pydantic import TypeAdapter

from edge.control.commands import SIGNATURE
from edge.control.peer import Peer
from edge.control.protocol import ASK_AGAIN, LONGEST_LINE, Question, understood, written_error
from edge.control.views import PitView, Sources, StatusView, pit_view, status_view
from edge.errors import StorageFailed
from edge.requests import Asked, Outcome, Reply
from edge.ruling import TableState
from edge.upstream import Answer, CursorAsked, Malformed, Sampler, Topics

LONGEST_NAME: Final = 64

_STATUS: Final = TypeAdapter(StatusView)
_PIT: Final = TypeAdapter(PitView)

log = structlog.get_logger("edge.control")


class Table(Protocol):
    """The table's face: it rules on requests."""

    @property
    def state(self) -> TableState:
        """As of the last commit."""

    def public_state(self) -> bytes:
        """JSON of the ``state`` topic as of the last commit."""

    def ask(self, asked: Asked) -> Reply:
        """Rule on a request. The answer is committed when this returns; idempotent by id.

        Raises:
            StorageFailed: the disk refused; nothing happened.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer, and whether the client is heard any further."""

    payload: bytes
    last: bool = False


class PitDesk:
    """Answers lines, one at a time."""

    def __init__(
        self, *, table: Table, sources: Sources, topics: Topics, monotonic: Callable[[], float]
    ) -> None:
        self._table = table
        self._sources = sources
        self._topics = topics
        self._sampler = Sampler(monotonic=monotonic)

    def answer(self, line: bytes, peer: Peer, user: str) -> Said:
        """Answer a line; what it asked for is on disk when this returns."""
        said = understood(line)
        match said:
            case Question():
                return Said(payload=self._look(said))
            case Asked():
                return Said(payload=self._ask(said, peer, user))
            case CursorAsked():
                command = said.request.command
                message = f"{command} belongs on {self._topics.commands}."
                return Said(payload=self._refused(said.id, command, "wrong_topic", message))
            case Malformed():
                self._sampler.warn("control.malformed", user=user, size=len(line), why=said.message)
                return Said(
                    payload=self._refused(said.id, said.command, "malformed", said.message), last=True
                )
            case _:
                assert_never(said)

    def too_long(self, user: str) -> Said:
        """Answer a line of which not even the end was waited for."""
        message = f"The request is larger than {LONGEST_LINE} bytes."
        self._sampler.warn("control.malformed", user=user, size=LONGEST_LINE, why=message)
        return Said(payload=self._refused(None, None, "malformed", message), last=True)

    def _look(self, question: Question) -> bytes:
        match question:
            case Question.STATE:
                return self._table.public_state()
            case Question.STATUS:
                return _STATUS.dump_json(status_view(self._sources, self._table.state))
            case Question.PIT:
                return _PIT.dump_json(pit_view(self._table.state, self._sources))
            case _:
                assert_never(question)

    def _ask(self, asked: Asked, peer: Peer, user: str) -> bytes:
        try:
            reply = self._table.ask(asked)
        except StorageFailed as failed:
            self._sampler.warn("control.storage_failed", user=user, why=failed.sentence)
            message = f"{failed} Nothing was done; the same request may be sent again."
            return written_error(ASK_AGAIN, message)
        log.info(
            "control.asked",
            user=user,
            uid=peer.uid,
            pid=peer.pid,
            operator=_signature(asked),
            command=reply.command,
            id=reply.id,
            outcome=reply.outcome.value,
            code=reply.code,
            sequence=reply.sequence,
        )
        return Answer(
            id=reply.id,
            command=reply.command,
            outcome=reply.outcome,
            code=reply.code,
            message=reply.message,
            sequence=reply.sequence,
        ).payload()

    def _refused(self, request_id: str | None, command: str | None, code: str, message: str) -> bytes:
        return Answer(
            id=request_id,
            command=command,
            outcome=Outcome.REFUSED,
            code=code,
            message=message,
            sequence=self._table.state.sequence,
        ).payload()


def _signature(asked: Asked) -> str | None:
    """Who signed, as far as that is a name."""
    if not any(field.name == SIGNATURE for field in fields(asked.request)):
        return None
    name = str(getattr(asked.request, SIGNATURE))
    return name if name.isprintable() and len(name) <= LONGEST_NAME else None
