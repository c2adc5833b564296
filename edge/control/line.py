"""A client's connection as lines, bounded in length and in time.

Nothing is read while an answer is being written, so what a client says faster than it listens stays in the
kernel, and then with the client.
"""

import asyncio
import socket
from enum import Enum
from types import TracebackType
from typing import Final, Self

from edge.control.protocol import LONGEST_LINE

_AT_ONCE: Final = 4096


class Ended(Enum):
    """Why there is no further line."""

    CLOSED = "closed"
    """Half a line that came before was never said."""
    IDLE = "idle"
    TOO_LONG = "too_long"


class Line:
    """A connection. ``with`` closes it."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._socket.setblocking(False)
        self._read = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    async def next(self, *, within_s: float) -> bytes | Ended:
        """The next line, without its end."""
        try:
            async with asyncio.timeout(within_s):
                return await self._next()
        except TimeoutError:
            return Ended.IDLE
        except OSError:
            return Ended.CLOSED

    async def write(self, payload: bytes, *, within_s: float) -> bool:
        """Write a line; False: the client did not take it, or is gone."""
        try:
            async with asyncio.timeout(within_s):
                await asyncio.get_running_loop().sock_sendall(self._socket, payload + b"\n")
        except (TimeoutError, OSError):
            return False
        return True

    def say_at_once(self, payload: bytes) -> None:
        """Write a line if it can be done without waiting."""
        try:
            self._socket.send(payload + b"\n", socket.MSG_DONTWAIT)
        except OSError:
            return

    async def _next(self) -> bytes | Ended:
        loop = asyncio.get_running_loop()
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > LONGEST_LINE:
                return Ended.TOO_LONG
            octets = await loop.sock_recv(self._socket, _AT_ONCE)
            if not octets:
                return Ended.CLOSED
            self._read += octets
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line if len(line) <= LONGEST_LINE else Ended.TOO_LONG
