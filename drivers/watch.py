"""Waiting for what a port brings or for a moment, whichever is first.

Law: nothing is read while nobody waits.

Theory of operation: a card should cost the event loop as little as possible. So the port stays registered
from one wait to the next, it is read as soon as the loop sees it readable, and the alarm for a deadline stays
set when the deadline has moved on, which it does with every frame: an alarm that comes early costs one look.
"""

import asyncio
from collections.abc import Callable

from drivers.errors import DeviceLost
from drivers.ports import Port


class Watch:
    """Watches one port at a time for one waiter, on the running loop.

    Args:
        monotonic: seconds, never backwards; deadlines are in it.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._waiting: asyncio.Future[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        """Where the port is registered now."""
        self._lost: DeviceLost | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = 0.0

    async def arrival(self, port: Port, due: float | None) -> bytes:
        """What one read brought; nothing, if the deadline may be there or somebody woke us.

        Raises:
            DeviceLost: the port is gone.
        """
        loop = asyncio.get_running_loop()
        self._arm(loop, due)
        self._waiting = loop.create_future()
        if self._loop is None:
            self._loop = loop
            loop.add_reader(port.fd, self._readable, port)
        try:
            octets = await self._waiting
        finally:
            self._waiting = None
        if self._lost is not None:
            raise self._lost
        return octets

    def wake(self) -> None:
        """Something else happened that whoever waits should look at."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(b"")

    def leave(self, port: Port) -> None:
        """The port is about to be closed. The loop it was watched on is not."""
        self._lost = None
        if self._loop is not None:
            self._loop.remove_reader(port.fd)
            self._loop = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _readable(self, port: Port) -> None:
        if self._waiting is None or self._waiting.done():  # it stays in the kernel until somebody waits
            if self._loop is not None:
                self._loop.remove_reader(port.fd)
                self._loop = None
            return
        try:
            self._waiting.set_result(port.read())
        except DeviceLost as lost:
            self._lost = lost
            self.wake()

    def _arm(self, loop: asyncio.AbstractEventLoop, due: float | None) -> None:
        if due is None or (self._alarm is not None and self._alarm_at <= due):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = due
        self._alarm = loop.call_later(max(0.0, due - self._monotonic()), self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self.wake()
