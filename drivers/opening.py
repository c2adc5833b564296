"""Opening a port without holding up the event loop, and without losing it when nobody waits any more."""

import asyncio
import threading
from typing import Final

from drivers.address import PortAddress
from drivers.line import LineSettings
from drivers.ports import Port, open_port

LAST_S: Final = 2.0
"""How long the port before this one is waited for: one with threads takes a moment to close."""


class Opening:
    """One attempt, carried out on a worker thread: opening a port may block in the kernel.

    A cancelled attempt cannot be stopped; the port it opens after all is closed by whoever comes second.

    Args:
        address: what to open.
        settings: how the driver wants the line.
        last: the port that was open before, closed by now or soon; it must not be found busy by ourselves.
    """

    def __init__(self, address: PortAddress, settings: LineSettings, *, last: Port | None = None) -> None:
        self._address = address
        self._settings = settings
        self._last = last
        self._lock = threading.Lock()
        self._abandoned = False
        self._port: Port | None = None

    async def wait(self) -> Port:
        """The open port.

        Raises:
            DeviceLost: or its kin, as ``open_port`` does.
        """
        try:
            port = await asyncio.to_thread(self._open)
        except asyncio.CancelledError:
            with self._lock:
                self._abandoned = True
                left = self._port
            if left is not None:
                left.close()
            raise
        if port is None:  # only an abandoned attempt ends so, and nobody waits for that
            raise asyncio.CancelledError
        return port

    def _open(self) -> Port | None:
        if self._last is not None:
            self._last.wait_closed(LAST_S)
        port = open_port(self._address, self._settings)
        with self._lock:
            if not self._abandoned:
                self._port = port
                return port
        port.close()
        return None
