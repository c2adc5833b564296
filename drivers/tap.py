"""Taps: what goes over a cable, both ways, kept or written down as a capture (docs/wire.md).

A capture names every card that passed, face down or not. So its file belongs to the service's user alone, and
nothing here is ever logged.
"""

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from firmware_protocols import (
    Cable,
    CableMoved,
    Capture,
    Carried,
    Entry,
    Provenance,
    Way,
    capture_head,
    capture_line,
)

LAST: Final = 200
"""Reads and writes that are remembered: a frame each, or a few, at the pace of cards."""
LARGEST_FILE: Final = 64 * 1024 * 1024
"""A capture ends here: a shoe has about 60 KB, so this is weeks; a device gone mad fills it in hours."""
_US: Final = 1_000_000


class Tap(Protocol):
    """Gets everything that goes over one cable. Never raises, never blocks for long."""

    def moved(self, to: Cable, now: float) -> None:
        """The port was opened or closed."""

    def carried(self, way: Way, octets: bytes, now: float) -> None:
        """Bytes went over it, as one read or one write; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something went wrong with a device, and what went over its cable before."""

    device: str
    sentence: str
    capture: Capture = field(repr=False)


class LastFrames:
    """Remembers the last 200 reads and writes.

    Args:
        since: when this began, monotonic seconds.
    """

    def __init__(self, since: float) -> None:
        self._since = since
        self._last: deque[tuple[float, Way | Cable, bytes]] = deque(maxlen=LAST)

    def moved(self, to: Cable, now: float) -> None:
        """The port was opened or closed."""
        self._last.append((now, to, b""))

    def carried(self, way: Way, octets: bytes, now: float) -> None:
        """Bytes went over it."""
        self._last.append((now, way, octets))

    @property
    def spoke(self) -> bool:
        """Something came from the device."""
        return any(what is Way.FROM_DEVICE for _, what, _ in self._last)

    def entries(self) -> tuple[Entry, ...]:
        """What is remembered, oldest first."""
        return tuple(_entry(what, octets, now - self._since) for now, what, octets in self._last)


class CaptureFile:
    """Writes everything down. What the disk refuses ends the capture and harms nothing else.

    Args:
        path: must not exist yet; its mode becomes 0600.
        provenance: of the capture.
        since: when it begins, monotonic seconds.
        failed: called once, with a sentence, when the capture ends early.

    Raises:
        OSError: the file cannot be made.
    """

    def __init__(
        self, path: Path, provenance: Provenance, *, since: float, failed: Callable[[str], None]
    ) -> None:
        self.path = path
        self._since = since
        self._failed = failed
        self._written = 0
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._write(capture_head(provenance))

    def moved(self, to: Cable, now: float) -> None:
        """The port was opened or closed."""
        self._write(capture_line(_entry(to, b"", now - self._since)))

    def carried(self, way: Way, octets: bytes, now: float) -> None:
        """Bytes went over it."""
        self._write(capture_line(_entry(way, octets, now - self._since)))

    def close(self) -> None:
        """End it."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _write(self, text: str) -> None:
        if self._fd < 0:
            return
        try:
            self._written += os.write(self._fd, text.encode())
        except OSError as error:
            self.close()
            self._failed(f"The capture {self.path} ends here: {error.strerror}.")
            return
        if self._written > LARGEST_FILE:
            self.close()
            self._failed(f"The capture {self.path} ends here: it has {LARGEST_FILE} bytes.")


def _entry(what: Way | Cable, octets: bytes, seconds: float) -> Entry:
    at_us = max(0, round(seconds * _US))
    match what:
        case Way():
            return Carried(at_us=at_us, way=what, octets=octets)
        case Cable():
            return CableMoved(at_us=at_us, to=what)
