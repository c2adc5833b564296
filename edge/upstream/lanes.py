"""Lanes: what waits to be published, each in its own order and with its own answer to a denial.

A lane gives its next message, and is told what became of it. :mod:`edge.upstream.publisher` takes from
the lanes in their order of precedence, as far as the one window of the connection allows.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from edge.errors import StorageFailed
from edge.upstream.faces import Outbox
from edge.upstream.packets import Outgoing
from edge.upstream.patience import Backoff, Patience
from edge.upstream.sampler import Sampler

CLOUD_EVENT: Final = "application/cloudevents+json"
JSON: Final = "application/json"

CHUNK: Final = 64
"""Events read from the journal at a time: all that is ever held of a backlog, however long."""
MOST_REPLIES: Final = 256
"""Replies not yet sent. When it is full no request is taken, and the broker holds them back; from a broker
that does not, requests are taken nevertheless and the oldest reply is dropped: its asker asks again."""

PUBLISHED: Final = "published"
"""The cursor over events the broker has acknowledged."""


class Lane(Protocol):
    """Messages of one kind. ``tag`` is the lane's own name for a message in flight."""

    @property
    def name(self) -> str:
        """The topic, for sentences."""

    def share(self, window: int) -> int:
        """How many of a window's places this lane may take."""

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The next message, now in flight, with its tag; None: nothing to send yet."""

    def taken(self, tag: int) -> None:
        """The broker has it."""

    def denied(self, tag: int, now: float) -> None:
        """The broker refused it."""

    def rewind(self) -> None:
        """The connection is gone, and with it all that was in flight."""


class EventsLane:
    """Every event in order, from the journal; the cursor follows what is acknowledged without a hole.

    After a denial nothing more is sent until all that is in flight is settled; then, after a wait, the
    denied event is sent alone, and the window opens again when it is taken.
    """

    def __init__(
        self, *, outbox: Outbox, topic: str, patience: Patience, random: Random, sampler: Sampler
    ) -> None:
        self.name: Final = topic
        self._sampler = sampler
        self._outbox = outbox
        self._published = outbox.cursor(PUBLISHED)
        self._sent = self._published
        self._ahead: deque[tuple[int, bytes]] = deque()
        self._beyond: set[int] = set()
        self._denied = False
        self._alone = False
        self._not_before = 0.0
        self._backoff = Backoff(first_s=patience.denied_s, last_s=patience.last_retry_s, random=random)

    @property
    def published(self) -> int:
        """The last event of which it and all before are acknowledged by the broker."""
        return self._published

    @property
    def settled(self) -> bool:
        """True if the broker has every committed event."""
        return self._published >= self._outbox.last_sequence

    @property
    def waiting(self) -> bool:
        """True if more has been read from the journal than was sent."""
        return bool(self._ahead)

    def share(self, window: int) -> int:
        """Three quarters, so that replies and replays are not shut out by a backlog."""
        return 1 if self._alone else max(1, window * 3 // 4)

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The event after the last one sent."""
        if self._denied:
            if in_flight or now < self._not_before:
                return None
            self.rewind()
            self._alone = True
        if not self._ahead and not self._read_ahead():
            return None
        sequence, payload = self._ahead.popleft()
        self._sent = sequence
        return sequence, Outgoing(topic=self.name, payload=payload, content_type=CLOUD_EVENT)

    def _read_ahead(self) -> bool:
        if self._sent >= self._outbox.last_sequence:
            return False
        try:
            self._ahead.extend(self._outbox.events_after(self._sent, CHUNK))
        except StorageFailed as error:
            # the disk may come back: the next tick looks again
            self._sampler.warn("upstream.journal_not_read", why=error.sentence)
        if self._ahead and self._ahead[0][0] > self._sent + 1:
            return self._step_over()
        return bool(self._ahead)

    def _step_over(self) -> bool:
        """What was pruned before the broker had it cannot be published: go on after it, and say so."""
        if self._sent > self._published:
            self._ahead.clear()  # first all that is in flight
            return False
        first_kept = self._ahead[0][0]
        self._sampler.warn("upstream.pruned_unpublished", first=self._published + 1, last=first_kept - 1)
        self._published = self._sent = first_kept - 1
        return True

    def taken(self, tag: int) -> None:
        """Note it; the cursor is stored by :meth:`store_cursor`, once for many."""
        if self._alone:
            self._alone = False
            self._backoff.reset()
        if tag > self._published:
            self._beyond.add(tag)
        while self._published + 1 in self._beyond:
            self._published += 1
            self._beyond.discard(self._published)

    def denied(self, tag: int, now: float) -> None:
        """Stop; what follows would overtake it."""
        del tag
        if not self._denied:
            self._denied = True
            self._not_before = now + self._backoff.wait_s()

    def rewind(self) -> None:
        """Begin again after the last event acknowledged without a hole."""
        self._sent = self._published
        self._ahead.clear()
        self._beyond.clear()
        self._denied = False

    def store_cursor(self) -> None:
        """Let the journal remember how far the broker is. A full disk only means repeats later."""
        if self._published <= self._outbox.cursor(PUBLISHED):
            return
        try:
            self._outbox.move_cursor(PUBLISHED, self._published)
        except StorageFailed:
            self._sampler.warn("upstream.cursor_not_stored", sequence=self._published)


class RetainedLane:
    """A retained topic: only the newest matters, and it is made when it is sent.

    ``source`` gives the payload, or None while its time has not come.
    """

    def __init__(
        self, *, topic: str, source: Callable[[], bytes | None], patience: Patience, random: Random
    ) -> None:
        self.name: Final = topic
        self._source = source
        self._stale = True
        self._in_flight = False
        self._not_before = 0.0
        self._backoff = Backoff(first_s=patience.denied_s, last_s=patience.last_retry_s, random=random)

    @property
    def settled(self) -> bool:
        """True if the broker has the newest."""
        return not self._stale and not self._in_flight

    def touch(self) -> None:
        """What the topic shows is no longer true."""
        self._stale = True

    def share(self, window: int) -> int:
        """One at a time: a newer one waits, and replaces whatever waited before it."""
        del window
        return 1

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The newest, if the broker does not have it."""
        if not self._stale or in_flight or now < self._not_before:
            return None
        payload = self._source()
        if payload is None:
            return None
        self._stale = False
        self._in_flight = True
        return 0, Outgoing(topic=self.name, payload=payload, retain=True, content_type=JSON)

    def taken(self, tag: int) -> None:
        """It is there."""
        del tag
        self._in_flight = False
        self._backoff.reset()

    def denied(self, tag: int, now: float) -> None:
        """Try again later, with what is newest then."""
        del tag
        self._in_flight = False
        self._stale = True
        self._not_before = now + self._backoff.wait_s()

    def rewind(self) -> None:
        """A new connection gets it in any case: the broker may have come back empty."""
        self._in_flight = False
        self._stale = True


class ChangedLane(RetainedLane):
    """A retained topic that is not said again while the broker has the same bytes already."""

    def __init__(
        self, *, topic: str, source: Callable[[], bytes | None], patience: Patience, random: Random
    ) -> None:
        super().__init__(topic=topic, source=source, patience=patience, random=random)
        self._said: bytes | None = None
        """What this connection's broker has, or is being sent."""

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The newest, if it differs."""
        chosen = super().next(now, in_flight)
        if chosen is None:
            return None
        if chosen[1].payload == self._said:
            self._in_flight = False
            return None
        self._said = chosen[1].payload
        return chosen

    def denied(self, tag: int, now: float) -> None:
        """The broker has none of it."""
        super().denied(tag, now)
        self._said = None

    def rewind(self) -> None:
        """A new connection gets it in any case."""
        super().rewind()
        self._said = None


class RepliesLane:
    """Answers, each sent at most once: whoever misses one asks again with the same id."""

    def __init__(self, *, topic: str) -> None:
        self.name: Final = topic
        self._waiting: deque[Outgoing] = deque()
        self.dropped = 0
        """Replies that nobody will get."""

    @property
    def full(self) -> bool:
        """True: take no more requests."""
        return len(self._waiting) >= MOST_REPLIES

    @property
    def empty(self) -> bool:
        """True if nothing waits to be sent."""
        return not self._waiting

    def add(self, reply: Outgoing) -> None:
        """Send this when there is room."""
        if self.full:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(reply)

    def share(self, window: int) -> int:
        """A quarter: a storm of requests must not shut out the cards."""
        return max(1, window // 4)

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The oldest not sent."""
        del now, in_flight
        return (0, self._waiting.popleft()) if self._waiting else None

    def taken(self, tag: int) -> None:
        """It is there."""

    def denied(self, tag: int, now: float) -> None:
        """It is lost; the asker asks again."""

    def rewind(self) -> None:
        """What was in flight may have arrived and is not sent twice; what was not sent still will be."""
