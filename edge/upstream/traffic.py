"""The traffic of one table: its lanes, the publisher that takes from them, and the desk that fills them."""

from collections.abc import Callable
from random import Random
from typing import Final

from edge.status import StatusBoard
from edge.upstream.desk import RequestDesk
from edge.upstream.faces import Outbox, Table
from edge.upstream.inbox import Inbox
from edge.upstream.lanes import ChangedLane, EventsLane, RepliesLane, RetainedLane
from edge.upstream.patience import Patience
from edge.upstream.publisher import Publisher
from edge.upstream.replays import ReplaysLane
from edge.upstream.sampler import Sampler
from edge.upstream.subscriptions import Subscriptions
from edge.upstream.topics import Topics
from edge.upstream.voice import StatusVoice


class Traffic:
    """Everything that outlives a connection, wired together."""

    def __init__(  # noqa: PLR0913 - the wiring of a whole table, by keyword
        self,
        *,
        topics: Topics,
        outbox: Outbox,
        table: Table,
        board: StatusBoard,
        voice: StatusVoice,
        patience: Patience,
        monotonic: Callable[[], float],
        random: Random,
        answered: Callable[[], None],
    ) -> None:
        sampler = Sampler(monotonic=monotonic)
        self._table = table
        self.events: Final = EventsLane(
            outbox=outbox, topic=topics.events, patience=patience, random=random, sampler=sampler
        )
        self.status: Final = RetainedLane(
            topic=topics.status, source=voice.status, patience=patience, random=random
        )
        self.state: Final = ChangedLane(
            topic=topics.state, source=self._newest_state, patience=patience, random=random
        )
        self.replies: Final = RepliesLane(topic=topics.replies)
        self.replays: Final = ReplaysLane(outbox=outbox, topic=topics.replay("+"))
        self.publisher: Final = Publisher(
            # in this order of precedence
            lanes=(self.status, self.replies, self.events, self.state, self.replays),
            board=board,
            patience=patience,
            sampler=sampler,
        )
        self.subscriptions: Final = Subscriptions(
            topics=topics, publisher=self.publisher, patience=patience, random=random
        )
        self.desk: Final = RequestDesk(
            topics=topics,
            outbox=outbox,
            table=table,
            replies=self.replies,
            replays=self.replays,
            sampler=sampler,
        )
        self.inbox: Final = Inbox(
            desk=self.desk,
            replies=self.replies,
            patience=patience,
            monotonic=monotonic,
            answered=answered,
            sampler=sampler,
        )

    @property
    def settled(self) -> bool:
        """True if the broker has every event and every reply."""
        return self.events.settled and self.replies.empty and self.publisher.idle

    def _newest_state(self) -> bytes | None:
        # behind the events up to its as_of, or a late joiner would know more than the stream has said
        return self._table.public_state() if self.events.settled else None
