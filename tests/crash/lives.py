"""The lives of one table's daemon, forked from a launcher, each with its own fuse and ailments."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Final

from sim_devices.daemon import STOPPED_WITHIN_S, Daemon, TableSettings
from sim_devices.errors import TableUnwell
from tests.crash.ailments import Ailments
from tests.crash.fuses import Fuse

ROOT: Final = Path(__file__).parents[2]
UP_WITHIN_S: Final = 60.0


class Lives(Daemon):
    """A daemon as a bench has it, only born faster and mortal in chosen places."""

    def __init__(self, settings: TableSettings, ailments: Ailments | None = None) -> None:
        super().__init__(settings)
        self.ailments = ailments or Ailments()
        """Of the next life."""
        self.notes = settings.folder / "deaths.jsonl"
        self._launcher: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._born: asyncio.Queue[int] = asyncio.Queue()
        self._pid: int | None = None
        self._code: asyncio.Future[int] | None = None
        self._asked_to_end = False

    @property
    def pid(self) -> int:
        """Of the present life."""
        assert self._pid is not None
        return self._pid

    @property
    def launcher(self) -> int:
        """The program that every life is forked from, and inherits its limits of."""
        assert self._launcher is not None
        return self._launcher.pid

    @property
    def running(self) -> bool:
        """It was started and has not ended."""
        return self._code is not None and not self._code.done()

    @property
    def ended_by_itself(self) -> bool:
        """It ended, and neither a fuse nor this bench ended it."""
        expected = {-signal.SIGKILL, 0} if self._asked_to_end else {-signal.SIGKILL}
        return self._code is not None and self._code.done() and self._code.result() not in expected

    @property
    def code(self) -> int | None:
        """The exit code of the last life, once it has ended; negative: the signal."""
        return self._code.result() if self._code is not None and self._code.done() else None

    async def start(self, fuse: Fuse | None = None) -> None:
        """Begin a life."""
        if self.running:
            raise RuntimeError("the daemon runs already")
        self.settings.write()
        if self._launcher is None:
            await self._start_launcher()
        assert self._launcher is not None
        assert self._launcher.stdin is not None
        order = {
            "arguments": ["run", "-c", str(self.settings.configuration)],
            "log": str(self.settings.log),
            "notes": str(self.notes),
            "fuse": None if fuse is None else asdict(fuse),
            "ailments": asdict(self.ailments),
        }
        self._code = asyncio.get_running_loop().create_future()
        self._asked_to_end = False
        self._launcher.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(UP_WITHIN_S):
            self._pid = await self._born.get()
        self.lives += 1

    async def dead(self) -> int:
        """Wait for the end of this life."""
        assert self._code is not None
        return await asyncio.shield(self._code)

    async def stop(self) -> int:
        """End it in good order. Returns its exit code."""
        return await self._finish(signal.SIGTERM)

    async def kill(self) -> None:
        """End it at once; no harm if it does not run."""
        await self._finish(signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send this and do not wait."""
        if self.running:
            self._asked_to_end = True
            os.kill(self.pid, number)

    async def close(self) -> None:
        """End the launcher, and whatever lives."""
        await self.kill()
        launcher, self._launcher = self._launcher, None
        if launcher is not None and launcher.stdin is not None:
            launcher.stdin.close()
            await launcher.wait()
        if self._listening is not None:
            await self._listening

    async def _finish(self, number: signal.Signals) -> int:
        if self._code is None:
            return 0
        self.send(number)
        try:
            async with asyncio.timeout(STOPPED_WITHIN_S):
                code = await self.dead()
        except TimeoutError:
            self.send(signal.SIGKILL)
            raise TableUnwell(f"The daemon did not end within {STOPPED_WITHIN_S:g} s") from None
        self._code = None
        return code

    async def _start_launcher(self) -> None:
        log = os.open(self.settings.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._launcher = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "tests.crash.launcher"),
                cwd=ROOT,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        finally:
            os.close(log)
        self._listening = asyncio.create_task(self._listen(), name="launcher")

    async def _listen(self) -> None:
        assert self._launcher is not None
        assert self._launcher.stdout is not None
        while line := await self._launcher.stdout.readline():
            match line.decode().split():
                case ["started", pid]:
                    self._born.put_nowait(int(pid))
                case ["ended", _, code] if self._code is not None and not self._code.done():
                    self._code.set_result(int(code))
                case _:
                    pass
