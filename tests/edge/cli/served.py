"""A daemon as a program of its own with a shoe on a pty, no broker, and the commands beside it."""

import asyncio
import contextlib
import os
import pty
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from edge.errors import EdgeError
from edge.journal import read_journal
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.broker import BrokerAddress
from sim_devices.daemon import Daemon, TableSettings, program

WITHIN_S: Final = 30.0
NOBODY_LISTENS: Final = BrokerAddress(port=1)
Answers: TypeAlias = Sequence[tuple[str, str | Callable[[], Awaitable[str]] | None]]
CONTROLS: Final = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a command ended with, and said."""

    code: int
    out: str
    err: str


async def at_a_terminal(*command: str, answers: Answers) -> Told:
    """Run a command at a terminal, where a person answers each question once it is asked.

    Args:
        command: after ``table-edge``.
        answers: a part of each question, in order, with what is answered, or what is done before that is
            known; None: it only has to be said.
    """
    near, far = pty.openpty()
    running = await asyncio.create_subprocess_exec(
        program(), *command, stdin=far, stdout=far, stderr=far, env={**os.environ, "TERM": "xterm"}
    )
    os.close(far)
    said, read = "", 0
    waiting = deque(answers)
    with contextlib.closing(os.fdopen(near, "rb", buffering=0)) as terminal, _ended(running):
        async with asyncio.timeout(WITHIN_S):
            while octets := await asyncio.to_thread(_heard, terminal.fileno()):
                said = CONTROLS.sub("", said + octets.decode("utf-8", "replace"))
                while waiting and (at := said.find(waiting[0][0], read)) >= 0:
                    question, answer = waiting.popleft()
                    read = at + len(question)
                    line = await answer() if callable(answer) else answer
                    if line is not None:
                        os.write(terminal.fileno(), f"{line}\n".encode())
            code = await running.wait()
    assert not waiting, (waiting, said)
    return Told(code=code, out=said, err="")


@dataclass(frozen=True, kw_only=True)
class Served:
    """A table that runs."""

    settings: TableSettings
    shoe: SimulatedShoe
    daemon: Daemon

    @property
    def socket(self) -> Path:
        return self.settings.journal.with_name(f"{self.settings.table}.control.sock")

    async def run(self, *command: str) -> Told:
        """Run a command, nowhere near a terminal."""
        running = await asyncio.create_subprocess_exec(
            program(),
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(running.communicate(), WITHIN_S)
        return Told(code=running.returncode or 0, out=out.decode(), err=err.decode())

    async def status(self, *more: str) -> Told:
        return await self.run("status", "-c", str(self.settings.configuration), *more)

    async def pit(self, *more: str) -> Told:
        return await self.run("pit", "-c", str(self.settings.configuration), *more)

    async def type(self, *command: str, answers: Answers) -> Told:
        """Run a command at a terminal, where a person answers each question once it is asked."""
        return await at_a_terminal(*command, answers=answers)

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not reached():  # noqa: ASYNC110 - what is waited for is in another program
                await asyncio.sleep(0.02)

    async def drawn(self) -> None:
        """A card is drawn that nobody awaits, and the table has ruled on it."""
        self.shoe.draw()
        await self.until(lambda: "table.held" in self.types)

    @property
    def types(self) -> list[str]:
        """What was published, in order; nothing while there is no journal."""
        with contextlib.suppress(EdgeError), read_journal(self.settings.journal) as journal:
            return [
                event.type
                for record in journal.records()
                for event in record.ruled
                if "." in getattr(event, "type", "")
            ]
        return []


@contextlib.asynccontextmanager
async def served(folder: Path, *, operator: str = "mina") -> AsyncIterator[Served]:
    """A table whose shoe is online."""
    settings = TableSettings(
        folder=folder, broker=NOBODY_LISTENS, port=folder / "shoe", table="t1", operator=operator
    )
    shoe = SimulatedShoe(
        ShoeSettings(port=folder / "shoe", log=folder / "shoe.jsonl"), ShoeContents.shuffled(decks=8, seed=1)
    )
    async with shoe, Daemon(settings) as daemon:
        table = Served(settings=settings, shoe=shoe, daemon=daemon)
        await table.until(lambda: "device.online" in table.types and table.socket.exists())
        yield table


@contextlib.contextmanager
def _ended(running: asyncio.subprocess.Process) -> Iterator[None]:
    """Leave no program behind that waits for an answer: whoever reads from it would wait with it."""
    try:
        yield
    finally:
        if running.returncode is None:
            running.kill()


def _heard(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # EIO: nobody is at the other end any more
        return b""
