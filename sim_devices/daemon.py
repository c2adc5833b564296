"""A table's daemon as its own program, for a bench: started, stopped, killed, started again."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sim_devices.broker import BrokerAddress
from sim_devices.errors import TableUnwell

PROGRAM: Final = "table-edge"
STOPPED_WITHIN_S: Final = 15.0
_LAST_WORDS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """A table on the bench: everything it writes lies in one folder."""

    folder: Path
    broker: BrokerAddress
    port: Path
    """The shoe's stable name."""
    table: str = "t1"
    house: str = "deluxe"
    """A house that comes with the product, or the path of a house file."""
    keys: Mapping[int, str] = field(default_factory=dict)
    """What the dealer's keys mean, by their code; none: decisions come from a server."""
    serial: str | None = None
    """The serial number the shoe must have."""
    url: str | None = None
    """Where the device is; None: at ``port``, a serial one."""
    protocol: str = "table_link"
    kind: str = "shoe"
    options: Mapping[str, str] = field(default_factory=dict)
    """Of the protocol."""
    operator: str = "mina"
    log_level: str = "info"

    @property
    def configuration(self) -> Path:
        """The daemon's configuration file."""
        return self.folder / "table.toml"

    @property
    def journal(self) -> Path:
        """Its journal."""
        return self.folder / "journal" / "journal.db"

    @property
    def log(self) -> Path:
        """What it said on standard error, all lives together."""
        return self.folder / "daemon.log"

    def write(self) -> None:
        """Write the configuration file."""
        serial = "" if self.serial is None else f"serial = {_toml(self.serial)}\n"
        options = "".join(f"options.{name} = {_toml(value)}\n" for name, value in self.options.items())
        keys = "".join(f"{code} = {_toml(key)}\n" for code, key in self.keys.items())
        self.journal.parent.mkdir(mode=0o700, exist_ok=True)
        self.configuration.write_text(
            f"table = {_toml(self.table)}\n"
            f"house = {_toml(self.house)}\n"
            f"journal = {_toml(str(self.journal))}\n"
            f"log_level = {_toml(self.log_level)}\n"
            + ('decisions = "dealer_keys"\n' if keys else "")
            + "\n[mqtt]\n"
            f"host = {_toml(self.broker.host)}\n"
            f"port = {self.broker.port}\n"
            "\n[[device]]\n"
            'id = "shoe"\n'
            f"url = {_toml(self.url or f'serial:{self.port}?baud=115200')}\n"
            f"protocol = {_toml(self.protocol)}\n"
            f"kind = {_toml(self.kind)}\n"
            f"{serial}"
            f"{options}"
            "\n[[operator]]\n"
            f"name = {_toml(self.operator)}\n"
            'roles = ["supervisor"]\n' + (f"\n[keys]\n{keys}" if keys else ""),
            encoding="utf-8",
        )


class Daemon:
    """One table's daemon. ``async with`` starts it, and ends it whatever happens.

    Args:
        settings: of the table.
        program: how ``table-edge`` is called; None: as it is installed.
    """

    def __init__(self, settings: TableSettings, *, program: Sequence[str] | None = None) -> None:
        self.settings = settings
        self._program = program
        self.lives = 0
        """Times it was started."""
        self._running: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    @property
    def running(self) -> bool:
        """It was started and has not ended."""
        return self._running is not None and self._running.returncode is None

    @property
    def ended_by_itself(self) -> bool:
        """It was started, and ended though nobody ended it."""
        return self._running is not None and self._running.returncode is not None

    @property
    def said(self) -> str:
        """Everything it has logged."""
        log = self.settings.log
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    async def start(self) -> None:
        """Start it; it comes up by itself, and :meth:`watch` tells if it does not."""
        if self.running:
            raise RuntimeError("the daemon runs already")
        self.settings.write()
        log = os.open(self.settings.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._running = await asyncio.create_subprocess_exec(
                *(self._program or (program(),)),
                "run",
                "-c",
                str(self.settings.configuration),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the bench, which stops the daemon in its turn
            )
        finally:
            os.close(log)
        self.lives += 1

    async def watch(self) -> None:
        """Wait for its end, which nobody wanted.

        Raises:
            TableUnwell: always, with its exit code and its last words.
        """
        if self._running is None:
            raise RuntimeError("the daemon was not started")
        code = await self._running.wait()
        raise TableUnwell(f"The daemon ended with exit code {code}:\n{self.said[-_LAST_WORDS:]}")

    async def stop(self) -> int:
        """End it in good order. Returns its exit code.

        Raises:
            TableUnwell: it did not end.
        """
        return await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """End it at once, as a power cut would; no harm if it does not run."""
        await self._end(signal.SIGKILL)

    async def _end(self, number: signal.Signals) -> int:
        running, self._running = self._running, None
        if running is None:
            return 0
        if running.returncode is None:
            running.send_signal(number)
        try:
            async with asyncio.timeout(STOPPED_WITHIN_S):
                return await running.wait()
        except TimeoutError:
            running.kill()
            await running.wait()
            raise TableUnwell(f"The daemon did not end within {STOPPED_WITHIN_S:g} s") from None


def program() -> str:
    """Where ``table-edge`` is.

    Raises:
        TableUnwell: it is not installed.
    """
    beside = Path(sys.executable).with_name(PROGRAM)
    found = str(beside) if beside.exists() else shutil.which(PROGRAM)
    if found is None:
        raise TableUnwell(f"{PROGRAM} is not installed beside {sys.executable}: run scripts/demo")
    return found


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a basic TOML string
