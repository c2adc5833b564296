"""A port that is a real pseudo-terminal under a stable name, to be unplugged and plugged in again.

What opens the name sees what a real serial device gives: unplugging closes the master, so the far end's
reads and writes fail as they do when an FTDI adapter is pulled out, and what was on its way is gone; the
name disappears as a udev symlink does, and comes back pointing to another terminal.

What a pty cannot show: line speeds that do not match, modem lines, parity, and TIOCEXCL.
"""

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sim_devices.errors import CableState

READ_BYTES: Final = 4096
MAX_PENDING: Final = 16 * 1024
"""Bytes kept while the far end does not read. Beyond that they fall on the floor, as on a wire."""


class PtyPort:
    """One end of a cable. All methods are for the event loop it was plugged in on.

    Args:
        name: the symlink the far end opens, as a udev rule would make it.
        receive: called with every piece of bytes that arrives.
    """

    def __init__(self, name: Path, receive: Callable[[bytes], None]) -> None:
        self.name = name
        self._receive = receive
        self._loop: asyncio.AbstractEventLoop | None = None
        self._master: int | None = None
        self._slave: int | None = None
        self._pending = bytearray()
        self._cut_after: int | None = None

    @property
    def plugged(self) -> bool:
        """The name is there and can be opened."""
        return self._master is not None

    def plug(self) -> None:
        """Appear under the name, as a new terminal.

        Raises:
            CableState: it is plugged already.
        """
        if self._master is not None:
            raise CableState(f"{self.name} is plugged in already")
        self._loop = asyncio.get_running_loop()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._loop.add_reader(self._master, self._readable)
        fresh = self.name.with_name(f".{self.name.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.name)

    def unplug(self) -> None:
        """Disappear. What the far end has not read yet is lost. Unplugging twice does nothing."""
        if self._master is None or self._slave is None:
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._master)
            self._loop.remove_writer(self._master)
        self.name.unlink(missing_ok=True)
        # The slave is held open while plugged: without it the master reports a hang-up whenever
        # nobody has the port open, and a real device cannot know that.
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = None
        self._pending.clear()
        self._cut_after = None

    def unplug_after(self, octets: int) -> None:
        """Unplug as soon as that many more bytes were written: in the middle of a frame, for one."""
        self._cut_after = octets

    def write(self, octets: bytes) -> None:
        """Send. Never blocks; while unplugged, or while the far end takes nothing, bytes are lost."""
        if self._master is None or not octets:
            return
        if self._cut_after is not None and len(octets) >= self._cut_after:
            with contextlib.suppress(OSError):
                os.write(self._master, self._pending + octets[: self._cut_after])
            self.unplug()
            return
        if self._cut_after is not None:
            self._cut_after -= len(octets)
        if len(self._pending) + len(octets) <= MAX_PENDING:
            self._pending += octets
        self._writable()

    def _readable(self) -> None:
        if self._master is None:
            return
        try:
            octets = os.read(self._master, READ_BYTES)
        except OSError:  # nothing after all
            return
        if octets:
            self._receive(octets)

    def _writable(self) -> None:
        if self._master is None or self._loop is None:
            return
        try:
            del self._pending[: os.write(self._master, self._pending)]
        except BlockingIOError:
            pass
        except OSError:
            self._pending.clear()
        if self._pending:
            self._loop.add_writer(self._master, self._writable)
        else:
            self._loop.remove_writer(self._master)
