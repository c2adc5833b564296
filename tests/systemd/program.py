"""The daemon as a program, started by hand: with a notification socket, and a part spoiled if wanted."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from edge.journal import read_journal
from sim_devices.broker import BrokerAddress, free_port
from sim_devices.daemon import TableSettings

TABLE: Final = "t1"
DEADLINE_S: Final = 20.0
POLL_S: Final = 0.01
_COUNT: Final = itertools.count()
_RUN: Final = "\nfrom edge.cli.app import main\nmain()\n"


@dataclass(slots=True, kw_only=True)
class Program:
    """One daemon, and what it said."""

    settings: TableSettings
    running: asyncio.subprocess.Process
    socket: socket.socket
    heard: list[str] = field(default_factory=list)
    """Datagrams to systemd."""

    @property
    def said(self) -> str:
        """Its log and its last sentence."""
        return self.settings.log.read_text(encoding="utf-8")

    @property
    def lines(self) -> list[str]:
        """Assignments told to systemd, in order."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self.heard.append(self.socket.recv(4096).decode())
        return [line for each in self.heard for line in each.split("\n")]

    async def told(self, wanted: str, *, within_s: float = DEADLINE_S) -> None:
        """Wait until systemd was told this."""
        await self.until(lambda: any(wanted in line for line in self.lines), wanted, within_s=within_s)

    async def until(self, reached: Callable[[], bool], what: str, *, within_s: float = DEADLINE_S) -> None:
        """Wait for a condition."""
        deadline = time.monotonic() + within_s
        while not reached():
            assert time.monotonic() < deadline, (
                f"{what}: not within {within_s:g} s\n{self.lines}\n{self.said}"
            )
            await asyncio.sleep(POLL_S)

    async def end(self, *signals: signal.Signals) -> tuple[int, float]:
        """Send these and wait for the end: exit code and seconds."""
        began = time.monotonic()
        for number in signals:
            self.running.send_signal(number)
            await asyncio.sleep(POLL_S)
        code = await asyncio.wait_for(self.running.wait(), DEADLINE_S)
        return code, time.monotonic() - began

    def events(self) -> list[dict[str, object]]:
        """What the journal has."""
        with read_journal(self.settings.journal) as journal:
            return [json.loads(raw) for _, raw in journal.events_between(1, journal.last_sequence)]


@contextlib.asynccontextmanager
async def program(
    folder: Path, broker: BrokerAddress, *, spoil: str = "", watchdog_s: float = 30.0
) -> AsyncIterator[Program]:
    """Start a daemon, and end it whatever happens.

    Args:
        folder: where everything lies; the shoe's port is ``folder/shoe``.
        broker: may be there or not.
        spoil: Python that is run in the daemon before it begins.
        watchdog_s: as the unit would have it.
    """
    settings = TableSettings(folder=folder, broker=broker, port=folder / "shoe", table=TABLE)
    settings.write()
    name = f"@table-edge-{os.getpid()}-{next(_COUNT)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, settings.log.open("ab") as log:
        told.bind(name.replace("@", "\0"))
        told.setblocking(False)
        running = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", spoil + _RUN, "run", "-c", str(settings.configuration)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "NOTIFY_SOCKET": name, "WATCHDOG_USEC": str(int(watchdog_s * 1e6))},
        )
        try:
            yield Program(settings=settings, running=running, socket=told)
        finally:
            if running.returncode is None:
                running.kill()
                await running.wait()


def nowhere() -> BrokerAddress:
    """A broker that is not there."""
    return BrokerAddress(port=free_port())


def play(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test on a loop of its own, within a minute."""

    async def body() -> None:
        async with asyncio.timeout(60):
            await work()

    asyncio.run(body())
