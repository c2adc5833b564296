"""A whole table without hardware: broker, shoe, dealer, the real daemon and a game server; then the proof.

The broker is inside this program, the shoe is behind a real pty, and the daemon is a program of its own. Ten
rounds are dealt before your eyes, then everything the game server received is held against the journal
and against the shoe's own log. The exit code is 0 only if all of it agrees.

Everything lies in one temporary folder, which is removed when all is well, and kept and named when it is
not.
"""

import asyncio
import contextlib
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.live import Live

from edge.journal import read_journal
from sim_devices.audit import Auditor, Taken
from sim_devices.broker import BrokerAddress, embedded_broker
from sim_devices.comparison import departed, differences
from sim_devices.daemon import Daemon, TableSettings, program
from sim_devices.dealer import Dealer, Pace
from sim_devices.decks import ShoeContents
from sim_devices.desk import Desk
from sim_devices.errors import SimulationError, TableUnwell
from sim_devices.event_log import read_events
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.layout import LAST_EVENTS, event_text, layout
from sim_devices.mqtt_line import MqttLine
from sim_devices.pit import Pit
from sim_devices.play import Programme
from sim_devices.screen import Screen
from sim_devices.shoe import SERIAL, ShoeSettings, SimulatedShoe

TABLE: Final = "demo"
DECKS: Final = 8
CUT_FROM_BACK: Final = 104
"""Two decks: about where a floor puts it."""
ROUNDS: Final = 10
CARDS_PER_SECOND: Final = 8.0
THINK_S: Final = 0.15
STALLED_AFTER_S: Final = 20.0
MISHAPS: Final = 0.04
"""Of a hundred cards, so that a few rounds show several."""
ALL_TAKEN_WITHIN_S: Final = 15.0
OK: Final = 0
NOT_OK: Final = 1
INTERRUPTED: Final = 130
"""As a shell has it for SIGINT."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """What is to be shown."""

    rounds: int = ROUNDS
    seed: int = 7
    cards_per_second: float = CARDS_PER_SECOND
    think_s: float = THINK_S
    broker: BrokerAddress | None = None
    """None: the embedded one."""
    mishaps: float = 0.0
    """Chance, per card, that something goes wrong; a supervisor of the pit then decides."""
    stalled_after_s: float = STALLED_AFTER_S
    """Without any event for so long it is given up."""


@dataclass(slots=True, kw_only=True)
class _Stage:
    """What a person sees: a picture that changes on a terminal, lines elsewhere."""

    console: Console
    title: str
    screen: Screen | None = None
    last: deque[Taken] = field(default_factory=lambda: deque(maxlen=LAST_EVENTS))
    live: Live | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """While this is open the picture is shown."""
        if not self.console.is_terminal:
            yield
            return
        with Live(console=self.console, auto_refresh=False) as live:
            self.live = live
            self._draw()
            try:
                yield
            finally:
                self.live = None

    def see(self, screen: Screen) -> None:
        """The state is this now."""
        self.screen = screen
        self._draw()

    def hear(self, event: Taken) -> None:
        """The server took this event."""
        self.last.append(event)
        if self.console.is_terminal:
            self._draw()
        else:
            self.console.print(event_text(event), soft_wrap=True)

    def _draw(self) -> None:
        if self.live is not None:
            self.live.update(layout(self.screen, list(self.last), title=self.title), refresh=True)


def run(show: Show, console: Console | None = None) -> int:
    """Show it, prove it, and tidy up. Returns the exit code."""
    console = console or Console(highlight=False)
    folder = Path(tempfile.mkdtemp(prefix="table-edge-"))
    verdict = NOT_OK
    try:
        verdict = asyncio.run(_show(show, folder, console))
    except* (KeyboardInterrupt, asyncio.CancelledError):
        console.print("Interrupted: everything has been stopped.")
        verdict = INTERRUPTED
    except* SimulationError as group:
        for error in _leaves(group):
            console.print(f"sim-devices: {error}", markup=False, style="red", soft_wrap=True)
    if verdict == NOT_OK:
        console.print(f"What was written is kept in {folder}", markup=False, soft_wrap=True)
    else:
        shutil.rmtree(folder)
    return verdict


def _leaves(group: BaseExceptionGroup[SimulationError]) -> Iterator[SimulationError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _show(show: Show, folder: Path, console: Console) -> int:
    shown = asyncio.current_task()
    if shown is not None:  # whoever ends this politely does not want the daemon to stay
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, shown.cancel)
    broker = show.broker
    if broker is None:
        broker = await asyncio.to_thread(embedded_broker, folder)
    settings = TableSettings(folder=folder, broker=broker, port=folder / "shoe", table=TABLE, serial=SERIAL)
    shoe_settings = ShoeSettings(port=settings.port, log=folder / "shoe.jsonl", seed=show.seed)
    contents = ShoeContents.shuffled(decks=DECKS, seed=show.seed, cut_from_back=CUT_FROM_BACK)
    for line in (
        f"broker  {broker}",
        f"shoe    {settings.port}",
        f"daemon  {program()} run -c {settings.configuration}",
    ):
        console.print(line, markup=False, soft_wrap=True)
    stage = _Stage(console=console, title=f"table {TABLE}, house {settings.house}")
    server_settings = ServerSettings(
        broker=broker,
        table=TABLE,
        log=folder / "server.jsonl",
        programme=Programme(seed=show.seed, rounds=show.rounds, decks=DECKS),
        think_s=show.think_s,
    )
    server = GameServer(server_settings, told=stage.hear)
    async with SimulatedShoe(shoe_settings, contents) as shoe, Daemon(settings) as daemon:
        pace = Pace(cards_per_second=show.cards_per_second, seed=show.seed, mishaps=show.mishaps)
        with stage.open():
            await _play(show, daemon, shoe, Dealer(shoe, pace=pace), server, stage)
    return await _prove(settings, server, console)


async def _play(  # noqa: PLR0913, PLR0917 - everybody at the table
    show: Show, daemon: Daemon, shoe: SimulatedShoe, dealer: Dealer, server: GameServer, stage: _Stage
) -> None:
    """Deal the programme, then stop the daemon and let the server take the last event."""
    settings = daemon.settings
    async with (
        MqttLine(settings.broker, topics=[f"tables/{TABLE}/state", f"tables/{TABLE}/replies"]) as line,
        asyncio.TaskGroup() as tasks,
    ):
        desk = Desk(line, base=f"tables/{TABLE}")
        pit = Pit(desk, operator=settings.operator, card_of=shoe.card_of, seed=show.seed)
        watching = tasks.create_task(daemon.watch(), name="daemon")
        others = [
            tasks.create_task(dealer.watch(_seen(line, desk, pit, stage)), name="screen"),
            tasks.create_task(pit.stand_by(), name="pit"),
            tasks.create_task(dealer.deal(), name="dealer"),
            tasks.create_task(server.run(), name="server"),
        ]
        await _finished(server, broker=settings.broker, stalled_after_s=show.stalled_after_s)
        watching.cancel()
        await daemon.stop()
        with read_journal(settings.journal) as journal:
            last = journal.last_sequence
        with contextlib.suppress(TimeoutError):  # what is missing is said by the proof
            async with asyncio.timeout(ALL_TAKEN_WITHIN_S):
                await server.until(lambda: server.game.sequence >= last)
        for task in others:
            task.cancel()


async def _finished(server: GameServer, *, broker: BrokerAddress, stalled_after_s: float) -> None:
    while not server.finished:
        try:
            async with asyncio.timeout(stalled_after_s):  # wait_for of 3.11 can swallow a Ctrl-C
                await server.next_event()
        except TimeoutError:
            raise TableUnwell(
                f"Nothing has happened for {stalled_after_s:g} s after event {server.game.sequence}: "
                f"does the broker at {broker} answer, and what does the daemon's log say?"
            ) from None


async def _seen(line: MqttLine, desk: Desk, pit: Pit, stage: _Stage) -> AsyncIterator[Screen]:
    async for heard in line:
        if heard.topic == desk.replies:
            desk.hear(heard)
            continue
        screen = Screen.read(heard.payload)
        stage.see(screen)
        pit.see(screen)
        yield screen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    what: str
    faults: tuple[str, ...] = ()


async def _prove(settings: TableSettings, server: GameServer, console: Console) -> int:
    proofs = list(_proofs(settings, server))
    proofs.append(await _verified(settings))
    for proof in proofs:
        console.print("[green]ok[/]  " if not proof.faults else "[red]NO[/]  ", end="")
        console.print(proof.what, markup=False, soft_wrap=True)
        for fault in proof.faults:
            console.print(f"      {fault}", markup=False, style="red", soft_wrap=True)
    return OK if not any(proof.faults for proof in proofs) else NOT_OK


def _proofs(settings: TableSettings, server: GameServer) -> Iterator[_Proof]:
    received = read_events(server.book)
    with read_journal(settings.journal) as journal:
        journaled = [raw for _, raw in journal.events_between(1, journal.last_sequence)]
    yield _Proof(
        what=f"{len(received)} events received = {len(journaled)} events journaled, byte for byte",
        faults=() if received == journaled else ("The two are not the same",),
    )
    auditor = Auditor()
    events = [Taken.read(raw) for raw in received]
    for event in events:
        auditor.take(event)
    yield _Proof(
        what=f"contiguous from 1 to {auditor.sequence}, each once, the chain intact, "
        f"{auditor.seals_opened} seals opened and true, {auditor.seals_closed} still closed",
        faults=tuple(auditor.faults),
    )
    yield _Proof(
        what=f"{server.game.results_agreed} results recomputed from the cards agree with the table's",
        faults=tuple(server.game.faults),
    )
    left = departed(settings.folder / "shoe.jsonl")
    yield _Proof(
        what=f"{len(left.cards)} cards left the shoe by its own log, each is in exactly one event, in order",
        faults=tuple(differences(left, events)),
    )


async def _verified(settings: TableSettings) -> _Proof:
    verifying = await asyncio.create_subprocess_exec(
        program(),
        "journal",
        "verify",
        str(settings.journal),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await verifying.communicate()
    ok = verifying.returncode == 0
    lines = said.decode(errors="replace").strip().splitlines()
    return _Proof(
        what=f"table-edge journal verify: {lines[-1] if lines else 'nothing said'}",
        faults=() if ok else (f"exit code {verifying.returncode}", *lines[-10:]),
    )


if __name__ == "__main__":
    sys.exit(run(Show(mishaps=MISHAPS if "--mishaps" in sys.argv[1:] else 0.0)))
