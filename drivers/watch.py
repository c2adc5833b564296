"""Watching a port: what it brings is handed on at once; whoever waits is woken for everything else.

Laws: nothing is read while nobody waits. What the port brings is handed on from within the loop's own turn;
whatever that raises, and the loss of the port, is raised where it is waited.

Theory of operation: a card should cost the event loop as little as possible. So the port stays registered
from one wait to the next, no task is woken for what it brings, and the alarm for a deadline stays set when
the deadline has moved on, which it does with every frame: an alarm that comes early costs one look.
"""

import asyncio
from collections.abc import Callable

from drivers.ports import Port


class Watch:
    """Watches one port at a time for one waiter, on the running loop.

    Args:
        monotonic: seconds, never backwards; deadlines are in it.
        came: given what one read brought, which may be nothing.
    """

    def __init__(self, monotonic: Callable[[], float], came: Callable[[Port, bytes], None]) -> None:
        self._monotonic = monotonic
        self._came = came
        self._waiting: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        """Where the port is registered now."""
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = 0.0

    async def wait(self, port: Port, due: float | None) -> None:
        """Hand on what the port brings, until the deadline may be there or somebody woke us.

        Raises:
            DeviceLost: the port is gone.
        """
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        self.remind(due)
        if self._loop is None:
            self._loop = loop
            loop.add_reader(port.fd, self._readable, port)
        try:
            await self._waiting
        finally:
            self._waiting = None

    def wake(self) -> None:
        """Something else happened that whoever waits should look at."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def remind(self, due: float | None) -> None:
        """Wake whoever waits when this deadline is there, if not before."""
        if due is None or self._waiting is None or (self._alarm is not None and self._alarm_at <= due):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = due
        self._alarm = self._waiting.get_loop().call_later(max(0.0, due - self._monotonic()), self._ring)

    def leave(self, port: Port) -> None:
        """The port is about to be closed. The loop it was watched on is not."""
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
            self._came(port, port.read())
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited
            if not self._waiting.done():
                self._waiting.set_exception(error)

    def _ring(self) -> None:
        self._alarm = None
        self.wake()
