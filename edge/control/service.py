"""The control socket's life: it listens for ever, to a bounded number of clients.

Laws:

* **The table does not depend on it.** A socket that cannot be made is a reason on the status board, and is
  tried again; the deal goes on.
* **No client can hold up the deal, or another client for long.** Connections, the length of a line, the
  time for it and the pace of requests are bounded, and what a client sends or does not take is its own
  affair.
* A bug ends the daemon, here as anywhere.
"""

import asyncio
import contextlib
import grp
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from edge.control.desk import PitDesk, Said, Table
from edge.control.line import Ended, Line
from edge.control.listener import Listener, Occupied
from edge.control.patience import Patience
from edge.control.peer import Peer, Users, found, peer_of
from edge.control.protocol import BUSY, written_error
from edge.control.views import Sources
from edge.upstream import Topics

CONTROL: Final = "control"
"""The reason on the status board while the socket cannot be made."""
PIT_GROUP: Final = "table-edge-pit"
"""Whoever is in this group may connect, where the system has it (systemd/README.md)."""
NOT_IN_IT: Final = (
    "The daemon's user is not in the group: supervisors cannot connect. Put it in, start it anew."
)
CLIENTS: Final = 8
"""Connections at a time: a handful of supervisors, each for as long as a command takes."""

log = structlog.get_logger("edge.control")


class Control:
    """Listens at a path and answers.

    Args:
        path: of the socket.
        table: rules on what is asked.
        sources: of the technician's look.
        topics: what the same is called on MQTT.
        monotonic: seconds, never backwards.
        patience: how long it waits for whom.
    """

    def __init__(  # noqa: PLR0913 - what one socket connects, by keyword
        self,
        path: Path,
        *,
        table: Table,
        sources: Sources,
        topics: Topics,
        monotonic: Callable[[], float],
        patience: Patience | None = None,
    ) -> None:
        self._path = path
        self._desk = PitDesk(table=table, sources=sources, topics=topics, monotonic=monotonic)
        self._board = sources.board
        self._users = Users()
        self._clients = 0
        self._monotonic = monotonic
        self._patience = patience or Patience()
        self._turn = asyncio.Lock()
        self._free_at = monotonic()
        self._ticks = 0

    @property
    def ticks(self) -> int:
        """Times the socket was looked at: grows while this is alive."""
        return self._ticks

    async def run(self) -> None:
        """Listen until cancelled. Whatever it raises is a bug, and ends the daemon."""
        group = await found(lambda: grp.getgrnam(PIT_GROUP).gr_gid, None)
        async with asyncio.TaskGroup() as clients:
            while True:
                self._ticks += 1
                try:
                    listener = Listener.at(self._path, group=group)
                except (OSError, Occupied) as error:
                    self._complain(error)
                    await asyncio.sleep(self._patience.look_s)
                    continue
                with contextlib.closing(listener):
                    self._board.restore(CONTROL)
                    if group not in {None, listener.group}:
                        log.warning("control.closed_to_pit", group=PIT_GROUP, hint=NOT_IN_IT)
                    await self._listen(listener, clients)
                log.warning("control.taken_away", path=str(self._path))

    def _complain(self, error: OSError | Occupied) -> None:
        why = str(error)
        if isinstance(error, OSError):
            why = f"The control socket {self._path} cannot be made: {error.strerror or error}."
        self._board.degrade(CONTROL, f"{why} Meanwhile the pit can only use the broker.")
        log.warning("control.deaf", why=why)

    async def _listen(self, listener: Listener, clients: asyncio.TaskGroup) -> None:
        """Take clients until the file is no longer ours."""
        while listener.in_place:
            await self._knock(listener.socket)
            self._ticks += 1
            await asyncio.sleep(self._take(listener.socket, clients))

    async def _knock(self, listening: socket.socket) -> None:
        """Wait for somebody, but not for ever."""
        loop = asyncio.get_running_loop()
        knocked = asyncio.Event()
        loop.add_reader(listening, knocked.set)
        try:
            async with asyncio.timeout(self._patience.look_s):
                await knocked.wait()
        except TimeoutError:
            return
        finally:
            loop.remove_reader(listening)

    def _take(self, listening: socket.socket, clients: asyncio.TaskGroup) -> float:
        """Take whoever knocked; how long the next has to wait for it."""
        try:
            connected, _ = listening.accept()
        except (BlockingIOError, ConnectionError):
            return 0  # nobody, or it thought better of it
        except OSError as error:  # there are no descriptors left
            log.warning("control.not_taken", why=error.strerror)
            return self._patience.look_s
        line = Line(connected)
        if self._clients >= CLIENTS:
            with line:
                line.say_at_once(written_error(BUSY, "Too many are connected: try again in a moment."))
            return self._patience.pace_s
        self._clients += 1
        clients.create_task(self._serve(line, peer_of(connected)), name="control.client")
        return 0

    async def _serve(self, line: Line, peer: Peer) -> None:
        try:
            with line:
                user = await self._users.name(peer.uid)
                while await self._answered(line, peer, user):
                    pass
        finally:
            self._clients -= 1

    async def _answered(self, line: Line, peer: Peer, user: str) -> bool:
        """Answer one line; False: there will be no other."""
        heard = await line.next(within_s=self._patience.idle_s)
        match heard:
            case Ended.CLOSED | Ended.IDLE:
                return False
            case Ended.TOO_LONG:
                said = self._desk.too_long(user)
            case bytes():
                said = await self._in_turn(heard, peer, user)
        return await line.write(said.payload, within_s=self._patience.write_s) and not said.last

    async def _in_turn(self, line: bytes, peer: Peer, user: str) -> Said:
        async with self._turn:
            await asyncio.sleep(self._free_at - self._monotonic())
            self._free_at = self._monotonic() + self._patience.pace_s
            return self._desk.answer(line, peer, user)
