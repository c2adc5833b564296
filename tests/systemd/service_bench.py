"""What a service is put to the test with: the world outside the container, and a view of what is inside."""

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.broker import BrokerAddress
from sim_devices.dealer import Dealer, Pace
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.mqtt_line import MqttLine
from sim_devices.play import Programme
from sim_devices.screen import Screen
from tests.mosquitto import Mosquitto
from tests.systemd.container import Container, Said

ROOT: Final = Path(__file__).resolve().parents[2]
TABLE: Final = "t7"
UNIT: Final = f"table-edge@{TABLE}.service"
PORT: Final = Path("/dev/ttyUSB9")
CHECKOUT: Final = Path("/root/table-edge")
WHEELS: Final = Path("/root/wheels")
JOURNAL: Final = Path(f"/var/lib/table-edge/{TABLE}/journal.db")
CONTROL: Final = Path(f"/run/table-edge/{TABLE}/control.sock")
CONFIGURATION: Final = Path(f"/etc/table-edge/{TABLE}.toml")
PROGRAM: Final = "/usr/local/bin/table-edge"
SEED: Final = 7
ROUNDS: Final = 24
POLL_S: Final = 0.02
TAIL: Final = 40
ASKED_IN_VAIN: Final = {1, 3}
"""What ``table-edge pit`` ends with while the daemon is being started, or has started since (docs/pit.md)."""


class Steps:
    """What has happened, printed as it happens: when since the start, and how long it took."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()

    def passed(self, what: str, *figures: str) -> None:
        """It is as it should be."""
        now = time.monotonic()
        took, self._last = now - self._last, now
        sys.stdout.write(f"{now - self._began:7.2f} s  +{took:6.2f} s  {what}\n")
        for each in figures:
            sys.stdout.write(f"{'':21}{each}\n")
        sys.stdout.flush()


class Bench:
    """One table: shoe, broker, dealer and server outside, the service inside."""

    def __init__(self, place: Path, steps: Steps) -> None:
        self.steps = steps
        self.place = place
        self.port = PORT
        self.broker = Mosquitto(place)
        address = BrokerAddress(port=self.broker.port)
        self.shoe_log = place / "shoe.jsonl"
        self.shoe = SimulatedShoe(
            ShoeSettings(port=place / "shoe", log=self.shoe_log), ShoeContents.shuffled(decks=8, seed=SEED)
        )
        self.dealer = Dealer(self.shoe, pace=Pace(cards_per_second=20, seed=SEED))
        self.server = GameServer(
            ServerSettings(
                broker=address,
                table=TABLE,
                log=place / "server.jsonl",
                programme=Programme(seed=SEED, rounds=ROUNDS),
            )
        )
        self.statuses: list[dict[str, Any]] = []
        """What the retained status said, in order."""
        self._line = MqttLine(address, topics=[f"tables/{TABLE}/state", f"tables/{TABLE}/status"])
        self._chores: set[asyncio.Task[None]] = set()
        self._container: Container | None = None
        self._screen: Screen | None = None

    @contextlib.asynccontextmanager
    async def outside(self) -> AsyncIterator[None]:
        """The shoe is plugged in; whatever was started is ended."""
        self.shoe.start()
        try:
            yield
        finally:
            for chore in self._chores:
                chore.cancel()
            await asyncio.gather(*self._chores, return_exceptions=True)
            self.shoe.stop()
            await asyncio.to_thread(self.broker.kill)

    @property
    def pty(self) -> Path:
        """The shoe's terminal out here."""
        return (self.place / "shoe").resolve()

    def inside(self, container: Container, wheels: Path) -> None:
        """The container is up: bring in the checkout, as git has it, and the wheels."""
        self._container = container
        container.environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS)}
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=True,
        ).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                within = container.root / CHECKOUT.relative_to("/") / name
                within.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, within)
        shutil.copytree(wheels, container.root / WHEELS.relative_to("/"))

    @property
    def container(self) -> Container:
        """The Debian inside."""
        assert self._container is not None
        return self._container

    async def run(self, *command: str, check: bool = True) -> Said:
        """Run a command inside, while the world outside goes on."""
        return await asyncio.to_thread(lambda: self.container.run(*command, check=check))

    async def show(self, *properties: str) -> dict[str, str]:
        """Properties of the unit, as ``systemctl show`` has them."""
        said = await self.run("systemctl", "show", UNIT, *(f"--property={each}" for each in properties))
        return dict(line.split("=", 1) for line in said.out.splitlines() if "=" in line)

    async def shows(self, *, within_s: float, **wanted: str) -> float:
        """Wait until the unit's properties are these. Returns the seconds it took."""
        began = time.monotonic()
        while True:
            shown = await self.show(*wanted)
            if all(shown.get(key) == value for key, value in wanted.items()):
                return time.monotonic() - began
            assert time.monotonic() - began < within_s, f"not {wanted} within {within_s:g} s, but {shown}"
            await asyncio.sleep(POLL_S)

    async def until(self, reached: Callable[[], bool], what: str, *, within_s: float = 60) -> None:
        """Wait for a condition out here."""
        deadline = time.monotonic() + within_s
        while not reached():
            for chore in self._chores:
                if chore.done() and not chore.cancelled() and chore.exception() is not None:
                    raise AssertionError(f"{chore.get_name()}: {chore.exception()}") from chore.exception()
            assert time.monotonic() < deadline, f"{what}: not within {within_s:g} s"
            await asyncio.sleep(POLL_S)

    async def journalctl(self, *arguments: str) -> str:
        """The service's log."""
        return (await self.run("journalctl", "--no-pager", "--output=cat", f"--unit={UNIT}", *arguments)).out

    def last_words(self) -> str:
        """The service's log, for whoever looks for what went wrong."""
        return self.container.run(
            "journalctl", "--no-pager", f"--unit={UNIT}", f"--lines={TAIL}", check=False
        ).all

    async def open_table(self) -> None:
        """Start the broker, and listen."""
        await asyncio.to_thread(self.broker.start)
        self.chore(self._listen(), "listener")

    def chore(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do this beside the run; if it fails, the run does."""
        self._chores.add(asyncio.create_task(work, name=name))

    async def _listen(self) -> None:
        async with self._line:
            async for heard in self._line:
                if heard.topic.endswith("/status"):
                    self.statuses.append(json.loads(heard.payload))
                elif heard.payload:
                    self._screen = Screen.read(heard.payload)
                    self.dealer.see(self._screen)

    async def supervise(self) -> None:
        """The pit, for ever: after a restart in a round it looks at the layout and confirms it."""
        confirmed = 0
        while True:
            opened = () if self._screen is None else self._screen.said["irregularities"]
            for number in (each["id"] for each in opened if each["kind"] == "power_lost"):
                if number <= confirmed:
                    continue
                words = f"pit resolve --id {number} --resolution confirm --operator mina --reason looked"
                said = await self.run("runuser", "-u", "mina", "--", PROGRAM, *words.split(), check=False)
                assert said.code in {0, *ASKED_IN_VAIN}, said.all
                if said.code == 0:
                    confirmed = number
                    self.steps.passed("the pit has looked at the layout and confirmed it: play goes on")
            await asyncio.sleep(POLL_S)
