"""Plays a capture behind a pseudo-terminal: a device that did once what it does now, whatever it is told.

What the host says is taken and not answered: the capture holds the answers to what the host said then.
"""

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_protocols import Cable, CableMoved, Capture, CaptureInvalid, Carried, Way, read_capture
from sim_devices.errors import BadCapture
from sim_devices.pty_port import PtyPort

_US: Final = 1_000_000
_LOOK_S: Final = 0.02
_LOOKS: Final = 3
"""Times in a row that the port is seen open before it is played to."""


def load_capture(file: Path) -> Capture:
    """The capture in this file.

    Raises:
        BadCapture: it cannot be read, or is none.
    """
    try:
        return read_capture(file.read_text(encoding="utf-8"), source=str(file))
    except OSError as error:
        raise BadCapture(f"The capture {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadCapture(f"{file} is no capture: it is not UTF-8 text") from None
    except CaptureInvalid as error:
        raise BadCapture(str(error)) from None


class CapturePlayer:
    """One capture, to be played once. ``play`` plugs the port in and leaves it unplugged.

    Args:
        capture: what to play.
        port: the name it appears under.
        speed: how much faster than it was, more than 0.
    """

    def __init__(self, capture: Capture, *, port: Path, speed: float = 1.0) -> None:
        self._capture = capture
        self._speed = speed
        self._port = PtyPort(port, self._hear)
        self.name = port
        self.octets_heard = 0
        """Bytes that the host said."""

    async def play(self, *, linger_s: float = 0.0) -> None:
        """Wait until somebody opens the port, and play.

        Args:
            linger_s: how long the port stays plugged in after the end.
        """
        loop = asyncio.get_running_loop()
        try:
            await self._plugged_in()
            begun, shift = loop.time(), 0.0
            for entry in self._capture.entries:
                due = begun + shift + entry.at_us / _US / self._speed
                await asyncio.sleep(max(0.0, due - loop.time()))
                match entry:
                    case CableMoved(to=Cable.OPENED) if not self._port.plugged:
                        was = loop.time()
                        await self._plugged_in()
                        shift += loop.time() - was
                    case CableMoved(to=Cable.CLOSED):
                        self._port.unplug()
                    case Carried(way=Way.FROM_DEVICE, octets=octets):
                        self._port.write(octets)
                    case _:
                        pass
            await asyncio.sleep(linger_s)
        finally:
            self._port.unplug()

    async def _plugged_in(self) -> None:
        """Plug in, and wait until another program has opened the port: what comes before, it throws away.

        It is looked twice: a program that this one is just starting has all its files open for a moment.
        """
        self._port.plug()
        terminal = str(self.name.resolve())
        seen = 0
        while seen < _LOOKS:
            await asyncio.sleep(_LOOK_S)
            seen = seen + 1 if any(opened == terminal for opened in _opened_by_others()) else 0

    def _hear(self, octets: bytes) -> None:
        self.octets_heard += len(octets)


def _opened_by_others() -> Iterator[str]:
    """Every file that another program of this user holds open."""
    for holder in Path("/proc").iterdir():
        if holder.name.isdecimal() and int(holder.name) != os.getpid():
            with contextlib.suppress(OSError):
                for each in (holder / "fd").iterdir():
                    with contextlib.suppress(OSError):
                        yield str(each.readlink())
