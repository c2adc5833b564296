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
from edge.upstream.comeback import Comeback
from edge.upstream.connecting import Will, connect
from edge.upstream.faces import Outbox, Table, Telemetry
from edge.upstream.lanes import JSON
from edge.upstream.link import Link
from edge.upstream.opening import open_link
from edge.upstream.packets import TAKEN_OVER, Delivery, Ended, Outgoing
from edge.upstream.patience import Patience
from edge.upstream.payloads import Condition, condition, presence, written
from edge.upstream.rivals import Rivals
from edge.upstream.settings import MqttSettings
from edge.upstream.topics import Topics
from edge.upstream.traffic import Traffic
from edge.upstream.voice import StatusVoice

BROKER: Final = "broker"
"""The reason on the status board while there is no connection."""
TAKEOVER: Final = "session_taken_over"
"""The reason while another client is suspected to use our id."""
TAKEOVER_OVER_S: Final = 120.0
"""A connection that lived this long, without another voice, was not taken over again."""
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
        self._patience = patience or Patience()
        self._log = structlog.get_logger("edge.upstream")
        self._topics = Topics(prefix=settings.prefix, table=table_id)
        self._voice = StatusVoice(board=status, outbox=outbox, version=version, wall_ms=wall_ms)
        self._comeback = Comeback(patience=self._patience, random=random)
        self._rivals = Rivals(topics=self._topics, journal=outbox.id, client_id=self._client_id)
        self._rival_at = float("-inf")
        self._link: Link | None = None
        self._connected_at = float("-inf")
        self._session_present = False
        self._stopped = asyncio.Event()
        self._progress = asyncio.Event()
        self._counters: Counter[str] = Counter()
        self._ticks = 0
        self._traffic = Traffic(
            topics=self._topics,
            outbox=outbox,
            table=table,
            board=status,
            voice=self._voice,
            patience=self._patience,
            monotonic=monotonic,
            random=random,
            answered=self._pump,
        )

    @property
    def connected(self) -> bool:
        """True while the broker takes what we publish."""
        return self._link is not None

    @property
    def ticks(self) -> int:
        """Times the deadlines of the connection were looked at: grows while this is alive, broker or not."""
        return self._ticks

    @property
    def published(self) -> int:
        """The last event of which it and all before are acknowledged by the broker."""
        return self._traffic.events.published

    @property
    def counters(self) -> dict[str, int]:
        """What happened since the start (docs/contract.md, Telemetry); what never happened is left out."""
        traffic = self._traffic
        dropped = Counter(
            arrivals_dropped=self._link.dropped if self._link is not None else 0,
            replies_dropped=traffic.replies.dropped,
            replays_refused=traffic.replays.refused,
        )
        return dict(self._counters + traffic.publisher.counters + traffic.desk.counters + dropped)

    # --- from the outside

    async def run(self) -> None:
        """Serve until cancelled, or stopped. Whatever it raises is a bug, and ends the daemon."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._follow_commits(), name="upstream.commits"),
                group.create_task(self._follow_board(), name="upstream.board"),
                group.create_task(self._traffic.inbox.serve(), name="upstream.requests"),
                group.create_task(self._tick(), name="upstream.tick"),
                group.create_task(self._tell_counters(), name="upstream.telemetry"),
            ]
            await self._stay_connected()
            for task in tasks:
                task.cancel()

    def hurry(self) -> None:
        """Publish what has just been committed; without this it goes at a later turn of the loop."""
        self._traffic.publisher.hurry(self._traffic.events, self._monotonic())

    async def drain(self, timeout: float) -> bool:  # noqa: ASYNC109 - part of the interface; it does not raise
        """Wait until the broker has every event and reply, at most so many seconds; True if it has."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while not self._traffic.settled:
                    await self._progressed()
                return True
        return False

    async def stop(self, reason: str) -> None:
        """End in good order: retained ``offline`` with its reason, DISCONNECT; :meth:`run` then returns."""
        self._voice.say_farewell(reason)
        self._traffic.inbox.shut()
        self._traffic.publisher.narrow(self._traffic.status)
        self._traffic.status.touch()
        link = self._link
        if link is None:
            self._stopped.set()
            return
        self._pump()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.farewell_s):
                while link.ended is None and not self._traffic.status.settled:
                    await self._progressed()
        self._stopped.set()
        if self._traffic.status.settled:
            link.disconnect()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience.farewell_s):
                    while link.ended is None:
                        await self._progressed()
        # where the broker did not take the farewell there is no DISCONNECT either: the will speaks
        link.end("The daemon stopped.")

    async def _progressed(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    # --- the connection

    async def _stay_connected(self) -> None:
        while not self._stopped.is_set():
            began = self._monotonic()
            ended = await self._connection()
            if self._stopped.is_set():
                return
            lived_s = None if self._connected_at < began else self._monotonic() - self._connected_at
            wait_s, taken_over = self._comeback.after(
                ended, lived_s=lived_s, session_present=self._session_present
            )
            if taken_over:
                self._tell_of_rival(ended)
            self._board.degrade(BROKER, ended.sentence)
            self._log.warning("upstream.disconnected", why=ended.sentence, retry_in_s=round(wait_s, 1))
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._stopped.wait()

    def _tell_of_rival(self, ended: Ended) -> None:
        if ended.code == TAKEN_OVER:
            self._rival(self._rivals.by_the_broker)
        elif TAKEOVER not in {each.reason for each in self._board.reasons}:  # else it is known in more words
            self._rival(self._rivals.by_cuts)

    def _rival(self, sentence: str) -> None:
        """Somebody else has our id or our table: say so here, and in the status while we are connected."""
        self._rival_at = self._monotonic()
        self._comeback.rival_known()
        if sentence not in {each.sentence for each in self._board.reasons}:
            self._log.warning("upstream.session_taken_over", sentence=sentence)
        self._board.degrade(TAKEOVER, sentence)

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
            await open_link(made, self._traffic.subscriptions, self._patience, self._monotonic)
            if made.ended is None:
                self._connected(made)
            while made.ended is None:
                self._take_in(made)
                self._pump()
                await made.next_turn()
        finally:
            self._link = None
            self._counters["arrivals_dropped"] += made.dropped
            self._traffic.publisher.detach()
            self._traffic.inbox.look(None)
            made.close()
            self._progress.set()
        return made.ended

    def _connected(self, link: Link) -> None:
        assert link.connack is not None  # noqa: S101 - it is what open_link waited for
        self._counters["connections"] += 1
        self._log.info(
            "upstream.connected",
            host=self._settings.host,
            epoch=self._voice.epoch,
            session_present=link.connack.session_present,
            behind=self._outbox.last_sequence - self._traffic.events.published,
        )
        if not link.connack.session_present and self._counters["connections"] > 1:
            # requests sent meanwhile are gone; who misses an answer asks again
            self._counters["sessions_lost"] += 1
            self._log.warning("upstream.session_lost", host=self._settings.host)
        self._link = link
        self._connected_at = self._monotonic()
        self._session_present = link.connack.session_present
        self._traffic.publisher.attach(link)
        self._board.restore(BROKER)
        self._traffic.status.touch()

    def _take_in(self, link: Link) -> None:
        now = self._monotonic()
        self._traffic.publisher.settle(now)
        self._traffic.events.store_cursor()
        self._traffic.subscriptions.take_in(link, now)
        while link.arrivals:
            self._look_at(link.arrivals.popleft())
        if self._traffic.status.settled:  # after what arrived before it
            self._rivals.we_spoke()
        self._traffic.inbox.look(link)

    def _look_at(self, delivery: Delivery) -> None:
        if delivery.topic == self._topics.server:
            self._board.server_is(presence(delivery.payload))
            return
        rival = self._rivals.heard(
            delivery.topic,
            delivery.payload,
            epoch=self._voice.epoch,
            connections=self._counters["connections"],
        )
        if rival is not None:
            self._rival(rival)
        said_offline = (
            delivery.topic == self._topics.status and condition(delivery.payload) is Condition.OFFLINE
        )
        if said_offline and self._voice.farewell is None:
            # the will of a connection before this one came late, or somebody lies: say what is true
            self._traffic.status.touch()

    def _pump(self) -> None:
        self._traffic.publisher.pump(self._monotonic())
        self._progress.set()

    # --- what else goes on

    async def _follow_commits(self) -> None:
        committed = self._table.committed
        while True:
            self._traffic.state.touch()
            self._pump()
            await committed.wait()
            committed.clear()

    async def _follow_board(self) -> None:
        while True:
            changed = self._board.changed
            self._traffic.status.touch()
            self._pump()
            await changed.wait()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._patience.tick_s)
            self._ticks += 1
            link = self._link
            if link is None:
                continue
            now = self._monotonic()
            link.tick()
            if self._traffic.publisher.overdue(now):
                link.end(f"The broker acknowledged nothing for {self._patience.puback_s:g} seconds.")
            if now - max(self._connected_at, self._rival_at) >= TAKEOVER_OVER_S:
                self._board.restore(TAKEOVER)
                self._comeback.rival_gone()
            self._traffic.subscriptions.retry(link, now)
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
