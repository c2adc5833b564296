"""A cable as slow as its line speed: a pseudo-terminal takes bytes at once, a wire takes each its time."""

import asyncio
from collections import deque
from typing import Final

from sim_devices.faults import Cable

BITS: Final = 10
"""Of a byte on the wire: 8N1."""


class PacedCable:
    """Hands on each byte when the line would have it through.

    Args:
        cable: a fast one.
        baud: bits per second.
    """

    def __init__(self, cable: Cable, baud: int) -> None:
        self._cable = cable
        self._byte_s = BITS / baud
        self._waiting: deque[int] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._free_at = 0.0

    @property
    def plugged(self) -> bool:
        """The far end can be opened."""
        return self._cable.plugged

    def plug(self) -> None:
        """Appear."""
        self._cable.plug()

    def unplug(self) -> None:
        """Disappear; what was not through is lost."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._cable.unplug()

    def unplug_after(self, octets: int) -> None:
        """Disappear as soon as that many more bytes were written."""
        self._cable.unplug_after(octets)

    def write(self, octets: bytes) -> None:
        """Send, each byte in its time."""
        loop = asyncio.get_running_loop()
        self._free_at = max(self._free_at, loop.time())
        self._waiting += octets
        if self._waiting and self._timer is None:
            self._timer = loop.call_at(self._free_at + self._byte_s, self._through)

    def _through(self) -> None:
        """As many bytes as are through by now: one, or more where the loop was late."""
        loop = asyncio.get_running_loop()
        self._timer = None
        through = bytearray()
        while self._waiting and self._free_at + self._byte_s <= loop.time():
            through.append(self._waiting.popleft())
            self._free_at += self._byte_s
        self._cable.write(bytes(through))
        if self._waiting:
            self._timer = loop.call_at(self._free_at + self._byte_s, self._through)
