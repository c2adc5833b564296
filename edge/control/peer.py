"""Who is at the other end: the kernel names the user, and no client can say otherwise (SO_PEERCRED, unix(7)).

Names of users and groups may come over a network, so they are looked up away from the loop, in a thread that
nobody waits for at the end.
"""

import asyncio
import contextlib
import pwd
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

PATIENCE_S: Final = 1.0
"""How long a name is waited for; then the number has to do."""
_CREDENTIALS: Final = struct.Struct("3i")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The program that connected, and whose it is."""

    pid: int
    uid: int


def peer_of(line: socket.socket) -> Peer:
    """Who connected."""
    pid, uid, _ = _CREDENTIALS.unpack(
        line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    )
    return Peer(pid=pid, uid=uid)


class Users:
    """Names of users; each is looked up once."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    async def name(self, uid: int) -> str:
        """The user's name; ``uid 1000`` where there is none, or it takes too long."""
        if uid not in self._names:
            self._names[uid] = await found(lambda: pwd.getpwuid(uid).pw_name, f"uid {uid}")
        return self._names[uid]


async def found(look_up: Callable[[], T], otherwise: T) -> T:
    """What a look-up finds, or ``otherwise`` where it finds nothing in time."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(what: T) -> None:
        if not answer.done():
            answer.set_result(what)

    def look() -> None:
        what = otherwise
        with contextlib.suppress(KeyError, OSError):
            what = look_up()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            loop.call_soon_threadsafe(tell, what)

    threading.Thread(target=look, name="control.names", daemon=True).start()
    try:
        async with asyncio.timeout(
            PATIENCE_S
        ):  # wait_for would swallow a cancellation that comes with the answer
            return await answer
    except TimeoutError:
        return otherwise
