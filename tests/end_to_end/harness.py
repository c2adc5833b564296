"""A whole table to put to the test: real pty, real Mosquitto, and the daemon as a program of its own.

::

    def test_something(tmp_path: Path) -> None:
        async def play(bench: Bench) -> None:
            await bench.until(lambda: bench.server.finished)

        run(play, tmp_path, Plan(...))

A bench leaves nothing behind: no program, no port, no thread. Waiting is for a condition and has a deadline;
whoever runs into it is told what the daemon and the broker said.
"""

import asyncio
import contextlib
import json
import random
import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from edge.errors import EdgeError
from edge.house_rules import house_text
from edge.inputs import CardDrawn
from edge.journal import read_journal
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.audit import Auditor, Taken
from sim_devices.broker import BrokerAddress
from sim_devices.comparison import departed, differences
from sim_devices.daemon import Daemon, TableSettings, program
from sim_devices.dealer import Dealer, Pace
from sim_devices.desk import Answered, Desk
from sim_devices.event_log import read_events
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.mqtt_line import Heard, MqttLine
from sim_devices.play import Programme
from sim_devices.screen import Screen
from tests.mosquitto import Mosquitto

TABLE: Final = "t1"
DEADLINE_S: Final = 60.0
POLL_S: Final = 0.01
TAIL: Final = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """Another device than a table_link shoe behind a pseudo-terminal."""

    shoe: ShoeSettings
    """As it is set up, its log left out."""
    url: str | None = None
    """None: a serial port at ``shoe.port``."""
    protocol: str = "table_link"
    kind: str = "shoe"
    serial: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    program: Sequence[str] | None = None
    """How ``table-edge`` is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is on the bench, and what happens there."""

    contents: ShoeContents = field(default_factory=lambda: ShoeContents.shuffled(decks=8, seed=1))
    programme: Programme = field(default_factory=Programme)
    pace: Pace = field(default_factory=lambda: Pace(cards_per_second=200, jitter=0))
    deadline_s: float = DEADLINE_S
    """For the whole test."""
    daemon: bool = True
    """It is started at once."""
    broker: bool = True
    plugged: bool = True
    """The shoe's cable is in."""
    house: str = "deluxe"
    """A house that comes with the product, or the path of a house file."""
    keys: Mapping[int, str] = field(default_factory=dict)
    """What the dealer's keys mean, by their code."""
    station: Station | None = None
    """What stands in the place of a table_link shoe behind a pseudo-terminal."""
    pit: bool = True
    """Somebody of the pit stands by, who looks at the layout after a restart and confirms it."""


class Bench:
    """One table. Everything on it is there to be used: broker, shoe, daemon, dealer, server, desk."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self.broker = Mosquitto(folder)
        address = BrokerAddress(port=self.broker.port)
        station = plan.station or Station(shoe=ShoeSettings(port=folder / "shoe"))
        self.settings = TableSettings(
            folder=folder,
            broker=address,
            port=station.shoe.port,
            table=TABLE,
            house=plan.house,
            keys=plan.keys,
            log_level="debug",
            url=station.url,
            protocol=station.protocol,
            kind=station.kind,
            serial=station.serial,
            options=station.options,
        )
        self.shoe_log = folder / "shoe.jsonl"
        self.shoe = SimulatedShoe(replace(station.shoe, log=self.shoe_log), plan.contents)
        self.daemon = Daemon(self.settings, program=station.program)
        self.dealer = Dealer(self.shoe, pace=plan.pace, pulled=self._pulled)
        self._server_settings = ServerSettings(
            broker=address, table=TABLE, log=folder / "server.jsonl", programme=plan.programme
        )
        self._serving: asyncio.Task[None] | None = None
        self.server = GameServer(self._server_settings)
        self.heard: list[Heard] = []
        """Everything a bystander heard on the table's topics, repeats included."""
        self.screen: Screen | None = None
        self.lookers: list[Callable[[Screen], None]] = []
        """Who looks at the screen beside the dealer."""
        self.stillborn = 0
        """Lives of the daemon that were ended before it was up."""
        self.troubles: dict[int, Callable[[], Awaitable[None]]] = {}
        """What goes wrong right before this draw leaves the shoe."""
        self._line = MqttLine(address, topics=[f"tables/{TABLE}/#"])
        self.desk = Desk(self._line, base=f"tables/{TABLE}", again_s=0.5)
        self._begun = contextlib.AsyncExitStack()
        self._chores: set[asyncio.Task[None]] = set()
        self._failed: BaseException | None = None
        self._killing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as begun:
            begun.push_async_callback(asyncio.to_thread, self.broker.kill)
            if self.plan.broker:
                await asyncio.to_thread(self.broker.start)
            begun.callback(self.shoe.stop)
            self.shoe.start()
            if not self.plan.plugged:
                self.shoe.unplug()
            await begun.enter_async_context(self._line)
            begun.push_async_callback(self.daemon.kill)
            begun.push_async_callback(self._end_chores)  # first of all: some of them start the daemon
            self.chore(self._hear(), "bystander")
            if self.plan.pit:
                self.chore(self._stand_by(), "pit")
            if self.plan.daemon:
                await self.daemon.start()
            self._begun = begun.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._begun.aclose()

    async def _end_chores(self) -> None:
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)

    # --- what goes on

    def chore(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Do this beside the test; if it fails, the test does."""
        task = asyncio.create_task(work, name=name)
        self._chores.add(task)
        task.add_done_callback(self._over)
        return task

    def deal(self) -> None:
        """From now on the dealer deals and the server serves."""
        self.chore(self.dealer.deal(), "dealer")
        self.serve()

    def serve(self) -> None:
        """From now on the server serves."""
        self._serving = self.chore(self.server.run(), "server")

    async def replace_server(self) -> None:
        """End the server as it stands, and let another go on from its book."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        self.server = GameServer(self._server_settings)
        self.serve()

    async def until(self, reached: Callable[[], bool], *, within_s: float = DEADLINE_S) -> None:
        """Wait for a condition; fail when it does not come, or when something on the bench failed."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        while not reached():
            if self._failed is not None:
                raise AssertionError(f"on the bench: {self._failed}\n{self.told}") from self._failed
            assert not self.daemon.ended_by_itself, f"the daemon ended by itself\n{self.told}"
            assert loop.time() < deadline, f"it did not happen within {within_s:g} s\n{self.told}"
            await asyncio.sleep(POLL_S)

    async def finish(self) -> None:
        """Wait for the programme's end, stop the daemon in good order, and let the server take the rest."""
        await self.until(lambda: self.server.finished, within_s=self.plan.deadline_s)
        assert await self.daemon.stop() == 0, self.told
        last = self.journaled_sequence
        await self.until(lambda: self.server.game.sequence >= last)

    async def restart(self) -> None:
        """Kill the daemon, once it is up, and start it again; one such trouble after the other."""
        async with self._killing:
            await self.until(lambda: self.up)
            await self.daemon.kill()
            await self.daemon.start()

    async def kill_while_it_starts(self, *, after_s: float) -> None:
        """Kill the daemon, start it, kill it again so soon, and start it."""
        async with self._killing:
            await self.until(lambda: self.up)
            await self.daemon.kill()
            await self.daemon.start()
            await asyncio.sleep(after_s)
            self.stillborn += not self.up
            await self.daemon.kill()
            await self.daemon.start()

    @property
    def up(self) -> bool:
        """The daemon of this life has committed its start."""
        return self.daemon.said.count('"table.started"') >= self.daemon.lives - self.stillborn

    async def bounce_broker(self) -> None:
        """Kill the broker and start it again."""
        await asyncio.to_thread(self.broker.kill)
        await asyncio.to_thread(self.broker.start)

    async def settle(self) -> None:
        """Wait until every card that left has been ruled on, and the screen shows what came of it."""
        await self.until(lambda: self.settled)

    @property
    def settled(self) -> bool:
        """Nothing is on its way between shoe, journal and screen."""
        if self.screen is None or self.screen.as_of != self.journaled_sequence:
            return False
        shoe = self.screen.said["shoe"]
        return shoe is None or shoe["drawn"] == self.shoe.cards_drawn

    async def pull(self, cards: int = 1, *, read: bool = True) -> None:
        """Pull so many cards, each when it is due."""
        for _ in range(cards):
            await self.until(lambda: self.dealer.due)
            self.shoe.draw(read=read)

    async def open_first_card(self) -> None:
        """Install the shoe, once it is online, and pull its first card."""
        await self.until(lambda: self.screen is not None and self.screen.devices_online > 0)
        answered = await self.ask("shoe.install", decks=8)
        assert answered.accepted, answered
        await self.pull()
        await self.settle()

    async def open_shoe(self) -> None:
        """Install the shoe and burn."""
        await self.open_first_card()
        while self.screen is not None and self.screen.phase == "burning":
            await self.pull()
            await self.settle()

    async def ask(self, command: str, **content: object) -> Answered:
        """Ask as the game server."""
        return await self.desk.ask(command, content)

    def publish(self, topic: str, payload: bytes) -> None:
        """Say anything at all on a topic of the table."""
        assert self._line.publish(f"tables/{TABLE}/{topic}", payload)

    async def supervise(self, command: str, **content: object) -> Answered:
        """Ask as the pit."""
        return await self.desk.ask(
            command, {"operator": self.settings.operator, **content}, topic="supervisor"
        )

    async def confirm(self) -> Answered:
        """As the pit: the cards lie as the table has them (after a restart in a round)."""
        await self.until(lambda: self.power_lost is not None)
        answered = await self.supervise(
            "irregularity.resolve", id=self.power_lost, resolution="confirm", reason="looked at the layout"
        )
        await self.until(lambda: self.screen is not None and self.screen.as_of >= answered.sequence)
        return answered

    # --- what there is to see

    @property
    def parked(self) -> int:
        """Cards that are set aside, as the screen has it."""
        return 0 if self.screen is None else len(self.screen.said["parked"])

    @property
    def power_lost(self) -> int | None:
        """The irregularity that holds the table after a restart in a round, as the screen has it."""
        opened = () if self.screen is None else self.screen.said["irregularities"]
        return next((each["id"] for each in opened if each["kind"] == "power_lost"), None)

    @property
    def told(self) -> str:
        """What everybody said last, for a failure's message."""
        screen = None if self.screen is None else json.dumps(self.screen.said)[:TAIL]
        return (
            f"dealer pulled {self.dealer.pulled}, server at {self.server.game.sequence}, "
            f"codes {dict(self.server.codes)}\nscreen {screen}\n"
            f"daemon (life {self.daemon.lives}) {self.daemon.said[-TAIL:]}\nbroker {self.broker.log[-500:]}"
        )

    @property
    def journaled_sequence(self) -> int:
        with read_journal(self.settings.journal) as journal:
            return journal.last_sequence

    @property
    def journaled(self) -> list[bytes]:
        """Every event in the journal, as published."""
        with read_journal(self.settings.journal) as journal:
            return [raw for _, raw in journal.events_between(1, journal.last_sequence)]

    @property
    def journaled_types(self) -> list[str]:
        """What they are; none while there is no journal yet."""
        with contextlib.suppress(EdgeError):
            return [Taken.read(raw).type for raw in self.journaled]
        return []

    @property
    def received(self) -> list[bytes]:
        """The server's book."""
        return read_events(self.server.book)

    @property
    def events(self) -> list[Taken]:
        return [Taken.read(raw) for raw in self.received]

    def of_type(self, kind: str) -> list[Taken]:
        return [event for event in self.events if event.type == kind]

    def payloads(self, topic: str) -> list[bytes]:
        """What the bystander heard on a topic of the table."""
        return [heard.payload for heard in self.heard if heard.topic == f"tables/{TABLE}/{topic}"]

    # --- inside

    def _pulled(self, draw: int) -> None:
        trouble = self.troubles.pop(draw, None)
        if trouble is not None:

            async def happen() -> None:
                await trouble()

            self.chore(happen(), f"trouble at draw {draw}")

    async def _hear(self) -> None:
        async for heard in self._line:
            self.heard.append(heard)
            self.desk.hear(heard)
            if heard.topic == f"tables/{TABLE}/state" and heard.payload:
                self.screen = Screen.read(heard.payload)
                self.dealer.see(self.screen)
                for look in self.lookers:
                    look(self.screen)

    async def _stand_by(self) -> None:
        while True:
            if self.power_lost is not None and self.daemon.running:
                await self.confirm()
            await asyncio.sleep(POLL_S)

    def _over(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._failed = self._failed or task.exception()


def house_with(folder: Path, house: str, **keys: object) -> str:
    """Write a house as it comes, with some keys of its file said besides. Returns the path."""
    said = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    path = folder / f"{house}.toml"
    path.write_text(house_text(house).replace("\nname = ", f"\n{said}name = "), encoding="utf-8")
    return str(path)


def run(play: Callable[[Bench], Awaitable[None]], folder: Path, plan: Plan | None = None) -> Bench:
    """Play on a bench, within the plan's deadline. Returns the bench, still to be looked at."""
    plan = plan or Plan()

    async def body() -> Bench:
        bench = Bench(folder, plan)
        async with bench:
            try:
                async with asyncio.timeout(plan.deadline_s):
                    await play(bench)
            except TimeoutError as error:
                raise AssertionError(f"not over within {plan.deadline_s:g} s\n{bench.told}") from error
        return bench

    return asyncio.run(body())


# --- what must be true at the end


def assert_nothing_lost_or_doubled(bench: Bench) -> None:
    """Server, bystander, journal and the shoe's own log tell one story, and the journal proves itself."""
    journaled = bench.journaled
    received = bench.received
    assert len(received) == len(journaled)
    assert received == journaled
    auditor = Auditor()
    for event in bench.events:
        auditor.take(event)
    assert auditor.faults == []
    assert auditor.sequence == len(received)
    assert bench.server.faults == []
    _assert_repeats_identical(bench, journaled)
    shoe = departed(bench.shoe_log)
    assert differences(shoe, bench.events) == []
    assert _journaled_composition(bench) == shoe.composition
    assert_verifies(bench)


def assert_verifies(bench: Bench) -> None:
    """``table-edge journal verify`` finds nothing."""
    verified = subprocess.run(
        [program(), "journal", "verify", str(bench.settings.journal)],
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


def _assert_repeats_identical(bench: Bench, journaled: list[bytes]) -> None:
    for raw in bench.payloads("events"):
        assert raw == journaled[Taken.read(raw).sequence - 1]


def _journaled_composition(bench: Bench) -> Counter[str]:
    """What the journal, which alone knows, says of every card that was drawn."""
    cards: Counter[str] = Counter()
    with read_journal(bench.settings.journal) as journal:
        for record in journal.records():
            if isinstance(record.input, CardDrawn) and record.input.card is not None:
                cards[record.input.card.turned().value] += 1
    return cards


# --- troubles


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """How much goes wrong in one shoe, at seeded moments."""

    seed: int
    kills: int = 0
    """Of the daemon."""
    broker_kills: int = 0
    unplugs: int = 0
    """Of the shoe, in the middle of a frame."""
    first_draw: int = 2
    last_draw: int = 330

    def plan(self, bench: Bench) -> None:
        """Put them on the bench, each before a draw of its own."""
        chance = random.Random(self.seed)
        kinds = (
            [bench.restart] * self.kills
            + [bench.bounce_broker] * self.broker_kills
            + [_unplugging(bench, chance.randint(1, 14), chance.uniform(0, 0.2)) for _ in range(self.unplugs)]
        )
        chance.shuffle(kinds)
        draws = chance.sample(range(self.first_draw, self.last_draw), len(kinds))
        for draw, trouble in zip(draws, kinds, strict=True):
            pause = 0.0 if trouble not in {bench.restart, bench.bounce_broker} else chance.uniform(0, 0.03)
            bench.troubles[draw] = _after(pause, trouble)


def _after(pause_s: float, trouble: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    async def happen() -> None:
        await asyncio.sleep(pause_s)
        await trouble()

    return happen


def _unplugging(bench: Bench, octets: int, gone_s: float) -> Callable[[], Awaitable[None]]:
    async def happen() -> None:
        bench.shoe.unplug_after(octets)
        await bench.until(lambda: not bench.shoe.plugged)
        await asyncio.sleep(gone_s)
        bench.shoe.replug()

    return happen
