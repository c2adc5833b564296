"""The upstream: one table's side of the broker, for ever.

Laws:

* Nothing is published before CONNACK and SUBACK; events leave in order and only from the journal.
* A request is acknowledged after its answer is committed, in order of receipt, on its own connection.
* A dead broker slows nothing and grows nothing: it is a reason on the status board.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final

import structlog

from edge.status import StatusBoard
from edge.upstream.connecting import Will, connect
from edge.upstream.desk import RequestDesk
from edge.upstream.faces import Outbox, Table, Telemetry
from edge.upstream.inbox import Inbox
from edge.upstream.lanes import JSON, EventsLane, RepliesLane, RetainedLane
from edge.upstream.link import FAILURE, TAKEN_OVER, Delivery, Ended, Link, Outgoing
from edge.upstream.patience import Backoff, Patience
from edge.upstream.payloads import Condition, condition, presence, written
from edge.upstream.publisher import Publisher
from edge.upstream.refusals import connack_sentence
from edge.upstream.replays import ReplaysLane
from edge.upstream.sampler import Sampler
from edge.upstream.settings import MqttSettings
from edge.upstream.subscriptions import Subscriptions
from edge.upstream.topics import Topics
from edge.upstream.voice import StatusVoice

BROKER: Final = "broker"
"""The reason on the status board while there is no connection."""
TAKEOVER: Final = "session_taken_over"
"""The reason while another client is suspected to use our id."""
SUSPICIOUS: Final = 3
"""Connections cut short one after another. Mosquitto 2.0.11 hangs up without a word when another client
of our id takes over; a broker that is down or restarting refuses connections in between."""
TAKEOVER_OVER_S: Final = 120.0
"""A connection that lived this long was not taken over again."""
OWN_COUNTERS: Final = "upstream"
"""The telemetry topic for what is counted here."""


class Upstream:
    """Follows the journal to the broker and brings requests to the table.

    :meth:`run` is for ever; cancel it, or end in good order with :meth:`drain` and :meth:`stop`.
    """

    def __init__(  # noqa: PLR0913 - the whole of what it stands between, by keyword
        self,
        settings: MqttSettings,
        *,
        table_id: str,
        version: str,
        outbox: Outbox,
        table: Table,
        status: StatusBoard,
        telemetry: Telemetry,
        monotonic: Callable[[], float],
        wall_ms: Callable[[], int],
        random: Random,
        patience: Patience | None = None,
    ) -> None:
        self._settings = settings
        self._table_id = table_id
        self._outbox = outbox
        self._table = table
        self._board = status
        self._telemetry = telemetry
        self._monotonic = monotonic
        self._random = random
        self._patience = patience or Patience()
        self._log = structlog.get_logger("edge.upstream")
        self._topics = Topics(prefix=settings.prefix, table=table_id)
        self._voice = StatusVoice(board=status, outbox=outbox, version=version, wall_ms=wall_ms)
        self._link: Link | None = None
        self._connected_at = float("-inf")
        self._session_present = False
        self._stopped = asyncio.Event()
        self._progress = asyncio.Event()
        self._counters: Counter[str] = Counter()
        self._make_lanes()

    def _make_lanes(self) -> None:
        sampler = Sampler(monotonic=self._monotonic)
        topics, patience, random = self._topics, self._patience, self._random
        self._events = EventsLane(
            outbox=self._outbox, topic=topics.events, patience=patience, random=random, sampler=sampler
        )
        self._status = RetainedLane(
            topic=topics.status, source=self._voice.status, patience=patience, random=random
        )
        self._state = RetainedLane(
            topic=topics.state, source=self._newest_state, patience=patience, random=random
        )
        self._replies = RepliesLane(topic=topics.replies)
        self._replays = ReplaysLane(outbox=self._outbox, topic=topics.replay("+"))
        self._publisher = Publisher(
            lanes=(self._status, self._replies, self._events, self._state, self._replays),
            board=self._board,
            patience=patience,
            sampler=sampler,
        )
        self._subscriptions = Subscriptions(
            topics=topics, publisher=self._publisher, patience=patience, random=random
        )
        self._inbox = Inbox(
            desk=self._make_desk(sampler),
            replies=self._replies,
            patience=patience,
            monotonic=self._monotonic,
            answered=self._pump,
            sampler=sampler,
        )

    def _make_desk(self, sampler: Sampler) -> RequestDesk:
        self._desk = RequestDesk(
            topics=self._topics,
            outbox=self._outbox,
            table=self._table,
            replies=self._replies,
            replays=self._replays,
            sampler=sampler,
        )
        return self._desk

    def _newest_state(self) -> bytes | None:
        # behind the events up to its as_of, or a late joiner would know more than the stream has said
        return self._table.public_state() if self._events.settled else None

    @property
    def connected(self) -> bool:
        """True while the broker takes what we publish."""
        return self._link is not None

    @property
    def published(self) -> int:
        """The last event of which it and all before are acknowledged by the broker."""
        return self._events.published

    @property
    def counters(self) -> dict[str, int]:
        """What happened since the start: published, denied, malformed, expired, connections ..."""
        return dict(self._counters + self._publisher.counters + self._desk.counters)

    # --- from the outside

    async def run(self) -> None:
        """Serve until cancelled, or stopped. Whatever it raises is a bug, and ends the daemon."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._follow_commits(), name="upstream.commits"),
                group.create_task(self._follow_board(), name="upstream.board"),
                group.create_task(self._inbox.serve(), name="upstream.requests"),
                group.create_task(self._tick(), name="upstream.tick"),
                group.create_task(self._tell_counters(), name="upstream.telemetry"),
            ]
            await self._stay_connected()
            for task in tasks:
                task.cancel()

    async def drain(self, timeout: float) -> bool:  # noqa: ASYNC109 - part of the interface; it does not raise
        """Wait until the broker has every event and reply, at most so many seconds; True if it has."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while not (self._events.settled and self._replies.empty and self._publisher.idle):
                    await self._progressed()
                return True
        return False

    async def stop(self, reason: str) -> None:
        """End in good order: retained ``offline`` with its reason, DISCONNECT; :meth:`run` then returns."""
        self._voice.say_farewell(reason)
        self._inbox.shut()
        self._publisher.narrow(self._status)
        self._status.touch()
        link = self._link
        if link is None:
            self._stopped.set()
            return
        self._pump()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.farewell_s):
                while link.ended is None and not self._status.settled:
                    await self._progressed()
        self._stopped.set()
        link.disconnect()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.farewell_s):
                while link.ended is None:
                    await self._progressed()
        link.end("The daemon stopped.")

    async def _progressed(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    # --- the connection

    async def _stay_connected(self) -> None:
        patience = self._patience
        backoff = Backoff(first_s=patience.first_retry_s, last_s=patience.last_retry_s, random=self._random)
        cut_short = 0
        while not self._stopped.is_set():
            began = self._monotonic()
            ended = await self._connection()
            if self._stopped.is_set():
                return
            settled = self._monotonic() - began >= patience.settled_s
            if settled:
                backoff.reset()
            # a broker that forgot the session was restarted: nobody took what is not there any more
            taken = self._connected_at >= began and self._session_present
            cut_short = cut_short + 1 if taken and not settled else 0
            wait_s = backoff.wait_s()
            if ended.code == TAKEN_OVER or cut_short >= SUSPICIOUS:
                wait_s = patience.takeover_s * self._random.uniform(1.0, 1.5)
                self._board.degrade(TAKEOVER, self._takeover_sentence(ended))
            self._board.degrade(BROKER, ended.sentence)
            self._log.warning("upstream.disconnected", why=ended.sentence, retry_in_s=round(wait_s, 1))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), wait_s)

    def _takeover_sentence(self, ended: Ended) -> str:
        how = "took" if ended.code == TAKEN_OVER else "seems to take"
        return (
            f"Another client with the id {self._client_id} {how} over the session: two daemons serve this "
            "table, or another program uses its client_id."
        )

    @property
    def _client_id(self) -> str:
        return self._settings.client_name(self._table_id)

    async def _connection(self) -> Ended:
        self._voice.count_epoch()
        will = Will(topic=self._topics.status, payload=self._voice.will())
        made = await connect(self._settings, client_id=self._client_id, will=will, monotonic=self._monotonic)
        if isinstance(made, Ended):
            return made
        try:
            await self._open(made)
            while made.ended is None:
                self._take_in(made)
                self._pump()
                await self._turn(made)
        finally:
            self._link = None
            self._publisher.detach()
            self._inbox.look(None)
            made.close()
            self._progress.set()
        return made.ended

    async def _open(self, link: Link) -> None:
        """CONNACK, then SUBACK; then the publisher may have it."""
        try:
            async with asyncio.timeout(self._patience.connack_s):
                while link.ended is None and link.connack is None:
                    await self._turn(link)
                if link.connack is None:
                    return
                if link.connack.code >= FAILURE:
                    # said by the broker in so many words, so it goes before the close that follows it
                    link.ended = Ended(sentence=connack_sentence(link.connack), code=link.connack.code)
                    return
                self._subscriptions.begin(link)
                while link.ended is None and not self._subscriptions.answered:
                    self._subscriptions.take_in(link, self._monotonic())
                    if not self._subscriptions.answered:
                        await self._turn(link)
        except TimeoutError:
            missing = "CONNACK" if link.connack is None else "SUBACK"
            link.end(f"The broker sent no {missing} for {self._patience.connack_s:g} seconds.")
        if link.ended is None:
            self._connected(link)

    def _connected(self, link: Link) -> None:
        assert link.connack is not None  # noqa: S101 - it is what _open waited for
        self._counters["connections"] += 1
        self._log.info(
            "upstream.connected",
            host=self._settings.host,
            epoch=self._voice.epoch,
            session_present=link.connack.session_present,
            behind=self._outbox.last_sequence - self._events.published,
        )
        if not link.connack.session_present and self._counters["connections"] > 1:
            # requests sent meanwhile are gone; who misses an answer asks again
            self._counters["sessions_lost"] += 1
            self._log.warning("upstream.session_lost", host=self._settings.host)
        self._link = link
        self._connected_at = self._monotonic()
        self._session_present = link.connack.session_present
        self._publisher.attach(link)
        self._board.restore(BROKER)
        self._status.touch()

    async def _turn(self, link: Link) -> None:
        await link.turn.wait()
        link.turn.clear()

    def _take_in(self, link: Link) -> None:
        now = self._monotonic()
        self._publisher.settle(now)
        self._events.store_cursor()
        self._subscriptions.take_in(link, now)
        while link.arrivals:
            self._look_at(link.arrivals.popleft())
        self._inbox.look(link)

    def _look_at(self, delivery: Delivery) -> None:
        if delivery.topic == self._topics.server:
            self._board.server_is(presence(delivery.payload))
            return
        said_offline = (
            delivery.topic == self._topics.status and condition(delivery.payload) is Condition.OFFLINE
        )
        if said_offline and self._voice.farewell is None:
            # the will of a connection before this one came late, or somebody lies: say what is true
            self._status.touch()

    def _pump(self) -> None:
        self._publisher.pump(self._monotonic())
        self._progress.set()

    # --- what else goes on

    async def _follow_commits(self) -> None:
        committed = self._table.committed
        while True:
            self._state.touch()
            self._pump()
            await committed.wait()
            committed.clear()

    async def _follow_board(self) -> None:
        while True:
            changed = self._board.changed
            self._status.touch()
            self._pump()
            await changed.wait()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._patience.tick_s)
            link = self._link
            if link is None:
                continue
            now = self._monotonic()
            link.tick()
            if self._publisher.overdue(now):
                link.end(f"The broker acknowledged nothing for {self._patience.puback_s:g} seconds.")
            if now - self._connected_at >= TAKEOVER_OVER_S:
                self._board.restore(TAKEOVER)
            self._subscriptions.retry(link, now)
            self._pump()

    async def _tell_counters(self) -> None:
        while True:
            await asyncio.sleep(self._settings.telemetry_s)
            link = self._link
            if link is None or link.congested or self._voice.farewell:
                continue  # telemetry is for now: what cannot be sent is not kept
            told = {**self._telemetry(), OWN_COUNTERS: self.counters}
            for device, counters in told.items():
                topic = self._topics.telemetry(device)
                link.publish(Outgoing(topic=topic, payload=written(counters), qos=0, content_type=JSON))
            link.flush()
