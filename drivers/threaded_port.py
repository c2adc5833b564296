"""A port that has no file descriptor to wait for: a thread reads it, and the loop waits for the thread.

::

    device ──read──> reader thread ──bounded queue──> eventfd ──> loop
    device <──write── writer thread <──bounded bytes── loop

Laws:

* One owner: whoever opened the channel closes it, in the reader thread, after its last read and when the
  writer has ended (a USB handle that is disposed while another thread reads is undefined behaviour).
* A read is always pending: an interrupt endpoint that nobody polls may drop what the device has to say.
* The queue is bounded. When it is full the reader waits and does not read: the device, or the server before
  it, has to hold back. When writes pile up the device takes nothing, and is lost.
* Whatever a channel raises becomes a ``DeviceLost`` that the next ``read`` raises, after what came before it.
"""

import contextlib
import os
import threading
from collections import deque
from typing import Final, Protocol

from drivers.descriptor_port import MAX_PENDING
from drivers.errors import DeviceLost, lost
from drivers.kernel_counts import LineErrors

QUEUE_PIECES: Final = 1024
"""Pieces of bytes between thread and loop: one read of a channel each."""
FULL_S: Final = 0.02
"""How often a reader with a full queue looks whether there is room."""


class Channel(Protocol):
    """Something that is read and written by blocking calls."""

    @property
    def serial(self) -> str | None:
        """The device's serial number, where the channel knows it."""

    def read(self) -> bytes:
        """What came, within about 0.25 s; empty: nothing did. Raises anything when the device is gone."""

    def write(self, octets: bytes) -> None:
        """Send all of it, or raise."""

    def close(self) -> None:
        """Give the device back; may raise."""


class ThreadedPort:
    """An open port with a reader and a writer thread. One owner, on the event loop.

    Args:
        url: the device's address.
        channel: open; closed by this port.
    """

    def __init__(self, url: str, channel: Channel) -> None:
        self._url = url
        self._channel = channel
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_SEMAPHORE | os.EFD_CLOEXEC)
        self._came: deque[bytes] = deque()
        self._lock = threading.Condition()
        self._out = bytearray()
        self._failure: DeviceLost | None = None
        self._closing = False
        self._closed = threading.Event()
        self._writer = threading.Thread(target=self._write_on, name=f"{url} writer", daemon=True)
        self._reader = threading.Thread(target=self._read_on, name=f"{url} reader", daemon=True)
        self._writer.start()
        self._reader.start()

    @property
    def fd(self) -> int:
        """Readable when there is something to ``read``."""
        return self._fd

    @property
    def pending(self) -> int:
        """Nothing: what waits to be written waits in the writer thread, which needs no watching."""
        return 0

    @property
    def serial(self) -> str | None:
        """The device's serial number, where the channel knows it."""
        return self._channel.serial

    def read(self) -> bytes:
        """What one read of the channel brought; empty when nothing has come.

        Raises:
            DeviceLost: the device is gone, and everything that came before was read.
        """
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._fd)
        if self._came:
            return self._came.popleft()
        if self._failure is not None:
            raise self._failure
        return b""

    def write(self, octets: bytes) -> int:
        """Hand it to the writer.

        Raises:
            DeviceLost: the device has taken nothing for too long.
        """
        with self._lock:
            self._out += octets
            waiting = len(self._out)
            self._lock.notify_all()
        if waiting > MAX_PENDING:
            raise lost(self._url, "writing to", TimeoutError("the device takes nothing"))
        return len(octets)

    def line_errors(self) -> LineErrors | None:
        """None: the kernel counts nothing here."""
        return None

    def close(self) -> None:
        """Give it up at once; the threads close the channel within half a second."""
        with self._lock:
            self._closing = True
            self._lock.notify_all()

    def wait_closed(self, timeout_s: float) -> bool:
        """Block until the channel is closed. False: it was not within this time."""
        return self._closed.wait(timeout_s)

    def _read_on(self) -> None:
        try:
            while not self._closing:
                if len(self._came) >= QUEUE_PIECES:
                    with self._lock:
                        self._lock.wait(FULL_S)
                    continue
                octets = self._channel.read()
                if octets:
                    self._came.append(octets)
                    self._ring()
        except Exception as error:  # noqa: BLE001 - whatever a library raises, the device is gone
            self._fail("reading from", error)
        finally:
            self._end()

    def _end(self) -> None:
        """The reader's last deed: wait until the owner knows what failed, and for the writer; close."""
        with self._lock:
            while not self._closing:
                self._lock.wait()
        self._writer.join()
        with contextlib.suppress(Exception):
            self._channel.close()
        with self._lock:
            os.close(self._fd)
            self._closed.set()

    def _write_on(self) -> None:
        try:
            while True:
                with self._lock:
                    while not self._out and not self._closing:
                        self._lock.wait()
                    if self._closing:
                        return
                    octets = bytes(self._out)
                self._channel.write(octets)
                with self._lock:
                    del self._out[: len(octets)]
        except Exception as error:  # noqa: BLE001 - as in _read_on
            self._fail("writing to", error)

    def _fail(self, doing: str, error: Exception) -> None:
        failure = error if isinstance(error, DeviceLost) else lost(self._url, doing, error)
        with self._lock:
            self._failure = self._failure or failure
        self._ring()

    def _ring(self) -> None:
        with self._lock:
            if not self._closed.is_set():
                os.eventfd_write(self._fd, 1)
