"""Replays: events published again, byte for byte, on a topic of the asker's own."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from edge.errors import JournalError
from edge.upstream.faces import Outbox
from edge.upstream.lanes import CLOUD_EVENT
from edge.upstream.packets import Outgoing

MOST_REPLAYS: Final = 4
"""At once; the fifth is refused as ``busy``."""
CHUNK: Final = 16


@dataclass(slots=True, kw_only=True)
class Replay:
    """One replay under way."""

    id: str
    topic: str
    first: int
    last: int
    sent: int
    taken: int
    ahead: deque[tuple[int, bytes]] = field(default_factory=deque)


class ReplaysLane:
    """The replays under way, in turns. They survive a lost connection, and end when denied."""

    def __init__(self, *, outbox: Outbox, topic: str) -> None:
        self.name: Final = topic
        self._outbox = outbox
        self._replays: deque[Replay] = deque()
        self._tags: dict[int, tuple[Replay, int]] = {}
        self._next_tag = 0
        self.refused = 0
        """Replays that the broker denied, or the disk, or that were pruned before they were over."""

    @property
    def busy(self) -> bool:
        """True: no more at present."""
        return len(self._replays) >= MOST_REPLAYS

    def under_way(self, request_id: str) -> Replay | None:
        """The replay this request has started, until it is over."""
        return next((replay for replay in self._replays if replay.id == request_id), None)

    def start(self, *, request_id: str, topic: str, first: int, last: int) -> Replay:
        """Publish ``first`` .. ``last`` again on ``topic``."""
        replay = Replay(id=request_id, topic=topic, first=first, last=last, sent=first - 1, taken=first - 1)
        self._replays.append(replay)
        return replay

    def share(self, window: int) -> int:
        """A quarter, so that a card just dealt never waits behind old ones."""
        return max(1, window // 4)

    def next(self, now: float, in_flight: int) -> tuple[int, Outgoing] | None:
        """The next event of the replay whose turn it is."""
        del now, in_flight
        for _ in range(len(self._replays)):
            replay = self._replays[0]
            self._replays.rotate(-1)
            if not replay.ahead and replay.sent < replay.last:
                wanted = min(CHUNK, replay.last - replay.sent)
                replay.ahead.extend(self._read(replay, wanted))
            if replay.ahead:
                sequence, payload = replay.ahead.popleft()
                replay.sent = sequence
                self._next_tag += 1
                self._tags[self._next_tag] = (replay, sequence)
                return self._next_tag, Outgoing(topic=replay.topic, payload=payload, content_type=CLOUD_EVENT)
            if not self._waiting_for(replay):
                self._replays.remove(replay)  # pruned under our hands, or not to be read
        return None

    def taken(self, tag: int) -> None:
        """One more is there; with the last one the replay is over."""
        replay, sequence = self._tags.pop(tag)
        replay.taken = max(replay.taken, sequence)
        if replay.sent >= replay.last and not self._waiting_for(replay) and replay in self._replays:
            self._replays.remove(replay)

    def denied(self, tag: int, now: float) -> None:
        """Give it up: the asker may not read there."""
        del now
        replay, _ = self._tags.pop(tag)
        if replay in self._replays:
            self._replays.remove(replay)
            self.refused += 1

    def rewind(self) -> None:
        """Go on after the last event that was taken."""
        self._tags.clear()
        for replay in self._replays:
            replay.sent = replay.taken
            replay.ahead.clear()

    def _read(self, replay: Replay, wanted: int) -> list[tuple[int, bytes]]:
        try:
            found = self._outbox.events_after(replay.sent, wanted)
        except JournalError:
            # the asker hears no more of it and asks again, to be told why not
            self.refused += 1
            return []
        if found and found[0][0] > replay.sent + 1:
            self.refused += 1  # pruned under our hands: an end is better than a gap
            return []
        return [event for event in found if event[0] <= replay.last]

    def _waiting_for(self, replay: Replay) -> bool:
        return any(other is replay for other, _ in self._tags.values())
