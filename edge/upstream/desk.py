"""The desk: takes one request, answers it, and says when the broker may forget it.

Law: a request is acknowledged to the broker only after its answer is committed. When the disk refuses,
there is neither acknowledgement nor answer.
"""

from collections import Counter
from typing import assert_never

from edge.errors import JournalError, StorageFailed
from edge.requests import Asked, Desk, Outcome, UnknownCommand
from edge.upstream.cursor_requests import AcknowledgeEvents, ReplayEvents
from edge.upstream.faces import Outbox, Table
from edge.upstream.lanes import JSON, RepliesLane
from edge.upstream.packets import Delivery, Outgoing
from edge.upstream.payloads import Answer
from edge.upstream.replays import ReplaysLane
from edge.upstream.requests import CursorAsked, Malformed, read_request
from edge.upstream.sampler import Sampler
from edge.upstream.topics import Topics

ACKNOWLEDGED = "acknowledged"
"""The cursor over events the server has durably."""


class RequestDesk:
    """Answers the deliveries of the ``commands`` and ``supervisor`` topics, one at a time."""

    def __init__(  # noqa: PLR0913 - what one desk connects, by keyword
        self,
        *,
        topics: Topics,
        outbox: Outbox,
        table: Table,
        replies: RepliesLane,
        replays: ReplaysLane,
        sampler: Sampler,
    ) -> None:
        self._desks = {topics.commands: Desk.SERVER, topics.supervisor: Desk.SUPERVISOR}
        self._heard = {topics.status, topics.server}  # this table's, and no requests: taken on arrival
        self._topics = topics
        self._outbox = outbox
        self._table = table
        self._replies = replies
        self._replays = replays
        self._sampler = sampler
        self.counters: Counter[str] = Counter()

    def answer(self, delivery: Delivery, now: float) -> None:
        """Answer a delivery; when this returns the broker may be told that it is done.

        Raises:
            StorageFailed: the disk refused: no answer, no acknowledgement; to be tried again.
        """
        desk = self._desks.get(delivery.topic)
        if desk is None:
            if delivery.topic not in self._heard:
                self.counters["astray"] += 1
            return
        answer = self._answer_to(delivery, desk, now)
        self.counters[answer.outcome.value] += 1
        self._replies.add(
            Outgoing(
                topic=self._topics.answer_to(delivery.response_topic),
                payload=answer.payload(),
                content_type=JSON,
                correlation=delivery.correlation,
            )
        )

    def _answer_to(self, delivery: Delivery, desk: Desk, now: float) -> Answer:
        heard = read_request(delivery.payload, desk)
        if isinstance(heard, Malformed):
            return self._malformed(heard, delivery)
        if delivery.expires_at is not None and now >= delivery.expires_at:
            self.counters["expired"] += 1
            command = heard.request.command if isinstance(heard, CursorAsked) else _named(heard)
            return self._refused(
                heard.id, command, "expired", "The request expired before the table could take it."
            )
        match heard:
            case Asked():
                reply = self._table.ask(heard)
                return Answer(
                    id=reply.id,
                    command=reply.command,
                    outcome=reply.outcome,
                    code=reply.code,
                    message=reply.message,
                    sequence=reply.sequence,
                )
            case CursorAsked():
                return self._cursor(heard)
            case _:
                assert_never(heard)

    def _malformed(self, heard: Malformed, delivery: Delivery) -> Answer:
        self.counters["malformed"] += 1
        self._sampler.warn(
            "upstream.malformed", topic=delivery.topic, size=len(delivery.payload), why=heard.message
        )
        return self._refused(heard.id, heard.command, "malformed", heard.message)

    def _cursor(self, heard: CursorAsked) -> Answer:
        asked = heard.request
        if heard.desk is not Desk.SERVER:
            message = f"{asked.command} belongs on {self._topics.commands}."
            return self._refused(heard.id, asked.command, "wrong_topic", message)
        if asked.journal != self._outbox.id:
            message = f"This table's journal is {self._outbox.id}."
            return self._refused(heard.id, asked.command, "wrong_journal", message)
        match asked:
            case AcknowledgeEvents():
                return self._acknowledge(heard.id, asked)
            case ReplayEvents():
                try:
                    return self._replay(heard.id, asked)
                except JournalError as error:
                    return self._refused(heard.id, asked.command, "storage", error.sentence)
            case _:
                assert_never(asked)

    def _acknowledge(self, request_id: str, asked: AcknowledgeEvents) -> Answer:
        last = self._outbox.last_sequence
        if asked.sequence > last:
            message = f"The last event is {last}: {asked.sequence} cannot have been received."
            return self._refused(request_id, asked.command, "no_such_event", message)
        try:
            self._outbox.move_cursor(ACKNOWLEDGED, asked.sequence)
        except StorageFailed as error:
            return self._refused(request_id, asked.command, "storage", error.sentence)
        return self._accepted(request_id, asked.command, f"Events up to {asked.sequence} are acknowledged.")

    def _replay(self, request_id: str, asked: ReplayEvents) -> Answer:
        running = self._replays.under_way(request_id)
        if running is None:
            span = self._span(asked)
            if span is None:
                message = "There is no such event, or no round known by this id."
                return self._refused(request_id, asked.command, "no_such_event", message)
            first, last = span
            kept = self._outbox.events_after(first - 1, 1)
            if not kept or kept[0][0] != first:
                oldest = kept[0][0] if kept else self._outbox.last_sequence + 1
                message = f"Events before {oldest} have been pruned; audit exports have them."
                return self._refused(request_id, asked.command, "pruned", message)
            if self._replays.busy:
                message = "Too many replays are under way; ask again when one is over."
                return self._refused(request_id, asked.command, "busy", message)
            topic = self._topics.replay(request_id)
            running = self._replays.start(request_id=request_id, topic=topic, first=first, last=last)
        count = running.last - running.first + 1
        where: dict[str, str | int] = {
            "topic": running.topic,
            "first": running.first,
            "last": running.last,
            "count": count,
        }
        return self._accepted(request_id, asked.command, f"{count} events follow.", where)

    def _span(self, asked: ReplayEvents) -> tuple[int, int] | None:
        if asked.round is not None:
            return self._outbox.round_span(asked.round)
        last = self._outbox.last_sequence
        first, last = asked.first or 1, last if asked.last is None else asked.last
        return (first, last) if first <= last <= self._outbox.last_sequence else None

    def _accepted(
        self, request_id: str, command: str, message: str, replay: dict[str, str | int] | None = None
    ) -> Answer:
        return Answer(
            id=request_id,
            command=command,
            outcome=Outcome.ACCEPTED,
            code="done",
            message=message,
            sequence=self._outbox.last_sequence,
            replay=replay,
        )

    def _refused(self, request_id: str | None, command: str | None, code: str, message: str) -> Answer:
        return Answer(
            id=request_id,
            command=command,
            outcome=Outcome.REFUSED,
            code=code,
            message=message,
            sequence=self._outbox.last_sequence,
        )


def _named(asked: Asked) -> str:
    request = asked.request
    return request.name if isinstance(request, UnknownCommand) else request.command
