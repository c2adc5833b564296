"""Opening a port without holding up the event loop, and without losing it when nobody waits any more."""

import asyncio
import threading

from drivers.ports import LineSettings, Port, PortAddress, open_port


class Opening:
    """One attempt, carried out on a worker thread: opening a port may block in the kernel.

    A cancelled attempt cannot be stopped; the port it opens after all is closed by whoever comes second.
    """

    def __init__(self, address: PortAddress, settings: LineSettings) -> None:
        self._address = address
        self._settings = settings
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
        port = open_port(self._address, self._settings)
        with self._lock:
            if not self._abandoned:
                self._port = port
                return port
        port.close()
        return None
