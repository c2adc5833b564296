"""The game server, as the table hears of it: gone with its broker, or by its own word; and back.

A server that never said anything of itself is not missed. What is known is recorded as an input like any
other, and only when it differs from what the table has on record.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from edge.inputs import HostLeft, HostReturned, Input
from edge.status import Presence, StatusBoard
from edge.upstream import BROKER

RETAINED_WITHIN_S: Final = 0.5
"""After connecting, the broker has told within this time what it keeps of the server."""
TRY_AGAIN_S: Final = 1.0
"""Pause before what the disk refused is said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLook:
    """Where to look for the game server."""

    online: Callable[[], bool]
    """What the table has on record."""
    connected: Callable[[], bool]
    """The broker takes what is published."""
    board: StatusBoard
    tells: bool
    """The server says on its topic whether it is there."""

    @property
    def gone(self) -> Literal["server_offline", "no_broker"] | None:
        """Why it cannot be there, or None."""
        if not self.connected() and any(each.reason == BROKER for each in self.board.reasons):
            return "no_broker"
        if self.tells and self.board.server is Presence.OFFLINE:
            return "server_offline"
        return None


async def follow_host(host: HostLook, take: Callable[[Sequence[Input]], bool]) -> None:
    """Let the table hear for ever when the game server goes and comes.

    Args:
        host: where to look.
        take: commits an input; False: the disk refused, and it is said again.
    """
    while True:
        changed = host.board.changed
        gone = host.gone
        if gone is not None and host.online():
            if not take([HostLeft(why=gone)]):
                await asyncio.sleep(TRY_AGAIN_S)
        elif gone is None and not host.online():
            await asyncio.sleep(RETAINED_WITHIN_S)
            if host.connected() and host.gone is None and not take([HostReturned()]):
                await asyncio.sleep(TRY_AGAIN_S)
        else:
            await changed.wait()
