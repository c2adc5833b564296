"""A port that is a file descriptor: read and written on the event loop, without a thread between.

One ``read`` per readiness, and nothing between it and the link.
"""

import contextlib
import os
from collections.abc import Callable
from typing import Final

from drivers.errors import PORT_FAILURES, lost
from drivers.kernel_counts import LineErrors

READ_BYTES: Final = 4096
"""One read takes at most this much; a serial line never has more waiting (its kernel buffer is 4096)."""
MAX_PENDING: Final = 16 * 1024
"""Bytes that wait to be written; a device that takes less than we say for that long is lost."""


class DescriptorPort:
    """An open port. One owner; not for threads.

    Args:
        url: the device's address.
        fd: an open descriptor that does not block.
        close: closes it, at once; may raise.
        errors: what the kernel counted on the line.
    """

    def __init__(
        self,
        url: str,
        fd: int,
        *,
        close: Callable[[], None],
        errors: Callable[[], LineErrors | None] = lambda: None,
    ) -> None:
        self._url = url
        self._fd = fd
        self._closing = close
        self._errors = errors
        self._pending = bytearray()

    @property
    def fd(self) -> int:
        """The file descriptor, for the event loop."""
        return self._fd

    @property
    def pending(self) -> int:
        """Bytes that wait until the port takes more."""
        return len(self._pending)

    @property
    def serial(self) -> str | None:
        """A line knows no serial number of what is at its end."""
        return None

    def read(self) -> bytes:
        """What has arrived; empty when nothing has.

        Raises:
            DeviceLost: the port is gone.
        """
        try:
            octets = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except PORT_FAILURES as error:
            raise lost(self._url, "reading from", error) from error
        if not octets:
            raise lost(self._url, "reading from", None)
        return octets

    def write(self, octets: bytes) -> int:
        """Send what the port takes now and keep the rest; ``b""`` sends what was kept.

        Returns:
            Bytes the port took.

        Raises:
            DeviceLost: the port is gone, or has taken nothing for too long.
        """
        self._pending += octets
        if not self._pending:
            return 0
        try:
            taken = os.write(self._fd, self._pending)
        except BlockingIOError:
            taken = 0
        except PORT_FAILURES as error:
            raise lost(self._url, "writing to", error) from error
        del self._pending[:taken]
        if len(self._pending) > MAX_PENDING:
            raise lost(self._url, "writing to", TimeoutError("the device takes nothing"))
        return taken

    def line_errors(self) -> LineErrors | None:
        """What the kernel counted on this line; None where it counts nothing."""
        return self._errors()

    def close(self) -> None:
        """Close at once: a descriptor held open makes the device come back under another name."""
        with contextlib.suppress(*PORT_FAILURES):
            self._closing()

    def wait_closed(self, timeout_s: float) -> bool:  # noqa: ARG002 - closing takes no time here
        """True: it is closed."""
        return True
