"""The reference game server: takes every event exactly once, and asks for what its players want.

Laws:

* **Its own book is its memory.** An event counts as taken when its bytes are in the book on disk. After a
  restart the game is folded from the book, and the feed goes on behind its last line.
* **The same wish has the same id.** Ids are made from the journal, the occasion, the attempt and what is
  asked for (:mod:`sim_devices.play`), so a server that died between asking and hearing asks for the same
  again, and the table answers it the same again.
* **It believes nothing.** Order, chain and seals are checked once more, and each result is held against
  the book (:mod:`sim_devices.audit`, :mod:`sim_devices.settlement`).
"""

import asyncio
import contextlib
import json
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from edge.feed import FeedError, FeedEvent, Position, Start, TableFeed
from sim_devices.audit import Auditor, Taken
from sim_devices.broker import BrokerAddress
from sim_devices.desk import Desk
from sim_devices.errors import TableUnwell
from sim_devices.event_log import EventLog
from sim_devices.game import Game
from sim_devices.mqtt_line import MqttLine
from sim_devices.play import Programme, Wish, finished, next_wish

IDS: Final = uuid.UUID("6b1f5a0e-53c0-5c7e-9d0a-0b9a4d1c7e21")
"""Namespace of command ids."""
AFTER_REFUSAL_S: Final = 0.2
ASK_AGAIN_S: Final = 2.0
"""Without progress for so long, events that are missing are asked for anew."""
LOOK_UP_S: Final = 0.2
ENDS: Final = frozenset({"round.closed", "round.voided", "shoe.closed"})
MOST_UNSETTLED: Final = 64
"""Events taken before the table is told so, at the latest."""
MOST_ATTEMPTS: Final = 100
"""Refusals of one and the same wish before the table is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """A game server, as it is set up."""

    broker: BrokerAddress
    table: str
    log: Path
    """Its book of events."""
    prefix: str = "tables"
    programme: Programme = field(default_factory=Programme)
    think_s: float = 0.0
    """Before a decision, for whoever watches."""

    @property
    def base(self) -> str:
        """The table's topics without the last level."""
        return f"{self.prefix}/{self.table}"


class GameServer:
    """Plays its programme at one table, then goes on taking events until it is cancelled.

    One life: to come back after :meth:`run` ended, make another on the same book.

    Args:
        settings: how it is set up.
        told: called after every event, for whoever shows the game.
    """

    def __init__(self, settings: ServerSettings, *, told: Callable[[Taken], None] | None = None) -> None:
        self._settings = settings
        self._told = told
        self._turn = asyncio.Event()
        self._done: set[str] = set()
        self._attempts: Counter[str] = Counter()
        self.game = Game()
        self.auditor = Auditor()
        self.codes: Counter[str] = Counter()
        """Answers, by command and code."""
        self.repeats = 0
        """Commands that had to go out again."""

    @property
    def book(self) -> Path:
        """Its book of events."""
        return self._settings.log

    @property
    def faults(self) -> list[str]:
        """What was wrong with the events, one sentence each."""
        return [*self.auditor.faults, *self.game.faults]

    @property
    def finished(self) -> bool:
        """The programme is through."""
        return finished(self.game, self._settings.programme)

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait until this is true; asked after every event that is taken."""
        while not reached():
            await self.next_event()

    async def next_event(self) -> None:
        """Wait until another event has been taken."""
        turn = self._turn
        await turn.wait()

    async def run(self) -> None:
        """Serve until cancelled.

        Raises:
            TableUnwell: the table does not answer, or sends what the contract does not have.
        """
        with contextlib.closing(EventLog(self._settings.log)) as book:
            for raw in book.kept:
                self._fold(Taken.read(raw))
            await self._serve(book)

    async def _serve(self, book: EventLog) -> None:
        desk_topics = (f"{self._settings.base}/replies",)
        async with (
            MqttLine(self._settings.broker, topics=desk_topics) as line,
            _following(self._settings, self._position) as events,
        ):
            desk = Desk(line, base=self._settings.base)
            chores = [
                asyncio.create_task(self._take(events, book), name="server.events"),
                asyncio.create_task(_hear(line, desk), name="server.replies"),
                asyncio.create_task(self._play(desk), name="server.play"),
            ]
            try:
                over, _ = await asyncio.wait(chores, return_when=asyncio.FIRST_COMPLETED)
                for chore in over:
                    chore.result()
            finally:
                for chore in chores:
                    chore.cancel()
                await asyncio.gather(*chores, return_exceptions=True)

    async def _take(self, events: "Events", book: EventLog) -> None:
        async for arrived in events:
            event = Taken.read(arrived.raw)
            book.append(arrived.raw)
            events.taken(arrived)
            self._fold(event)
            if self._told is not None:
                self._told(event)

    @property
    def _position(self) -> Position | Start:
        if self.auditor.journal is None:
            return Start.BEGINNING
        return Position(
            journal=self.auditor.journal, sequence=self.auditor.sequence, digest=self.auditor.digest
        )

    def _fold(self, event: Taken) -> None:
        self.auditor.take(event)
        self.game.take(event)
        turn, self._turn = self._turn, asyncio.Event()
        turn.set()

    async def _play(self, desk: Desk) -> None:
        while not self.finished:
            turn = self._turn
            wish = next_wish(self.game, self._settings.programme, frozenset(self._done))
            if wish is None:
                await turn.wait()
            else:
                await self._ask(desk, wish)
        await asyncio.Event().wait()  # the others go on

    async def _ask(self, desk: Desk, wish: Wish) -> None:
        attempt = self._attempts[wish.key]
        self._attempts[wish.key] += 1
        if wish.command.startswith("hand.") and not wish.once:
            await asyncio.sleep(self._settings.think_s)
        asked = json.dumps(wish.content, sort_keys=True)
        request_id = str(uuid.uuid5(IDS, f"{self.game.journal} {wish.key} {attempt} {asked}"))
        answered = await desk.ask(wish.command, wish.content, id=request_id)
        self.codes[f"{wish.command} {answered.code}"] += 1
        self.repeats += answered.sent - 1
        if answered.accepted or wish.once:
            self._done.add(wish.key)
        # what a command caused has been seen once the answer's sequence is reached
        await self.until(lambda: self.game.sequence >= answered.sequence)
        if not answered.accepted and not wish.once:
            if self._attempts[wish.key] >= MOST_ATTEMPTS:
                raise TableUnwell(
                    f"The table refused {wish.command} ({wish.key}) {MOST_ATTEMPTS} times, "
                    f"at last with {answered.code}: {answered.message.removesuffix('.')}"
                )
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(AFTER_REFUSAL_S):
                    await self.next_event()


class Events:
    """A feed on a thread of its own: it blocks, and wants to be used from one thread."""

    def __init__(self, feed: TableFeed, thread: ThreadPoolExecutor) -> None:
        self._feed = feed
        self._thread = thread
        self._unsettled = 0

    async def __aiter__(self) -> AsyncIterator[FeedEvent]:
        loop = asyncio.get_running_loop()
        while True:
            try:
                arrived = await loop.run_in_executor(self._thread, self._feed.next, LOOK_UP_S)
            except FeedError as error:
                raise TableUnwell(str(error)) from error
            if arrived is not None:
                yield arrived

    def taken(self, event: FeedEvent) -> None:
        """The event is in the book. The table is told when a round is over, and now and then."""
        self._unsettled += 1
        if event.type in ENDS or self._unsettled >= MOST_UNSETTLED:
            self._unsettled = 0
            self._thread.submit(self._feed.acknowledge, event)


@contextlib.asynccontextmanager
async def _following(settings: ServerSettings, start: Position | Start) -> AsyncIterator[Events]:
    feed = TableFeed(
        settings.broker.host,
        port=settings.broker.port,
        table=settings.table,
        prefix=settings.prefix,
        client_id=f"{settings.programme.name}-{settings.table}",
        start=start,
        announce=True,
        ask_again_s=ASK_AGAIN_S,
    )
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="feed") as thread:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(thread, feed.__enter__)
        try:
            yield Events(feed, thread)
        finally:
            await loop.run_in_executor(thread, feed.__exit__, None, None, None)


async def _hear(line: MqttLine, desk: Desk) -> None:
    async for heard in line:
        desk.hear(heard)
