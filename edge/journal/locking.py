"""One daemon to a journal: a lock file beside it, held for the daemon's life.

The lock is the kernel's (flock), so it is gone with whoever held it, however that died; the file stays
and names the last holder. SQLite's own locks would not do: they let two daemons take turns.
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final, Self

from edge.errors import JournalTaken
from edge.journal.faults import disk_error

_PID_BYTES: Final = 20


class Lock:
    """A held lock. Made by :meth:`take`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, journal: Path) -> Self:
        """Lock the journal at this path.

        Raises:
            JournalTaken: another daemon holds it.
            StorageFailed: the lock file cannot be made.
        """
        path = journal.with_name(journal.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise disk_error(error, path) from error
        try:
            os.fchmod(descriptor, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with contextlib.suppress(OSError):  # a full disk: held all the same, only not by name
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            taken = _taken(journal, os.pread(descriptor, _PID_BYTES, 0))
        except OSError as error:
            os.close(descriptor)
            raise disk_error(error, path) from error
        else:
            return cls(descriptor)
        os.close(descriptor)
        raise taken

    def release(self) -> None:
        """Let the next daemon have the journal."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _taken(journal: Path, raw: bytes) -> JournalTaken:
    pid = raw.decode("ascii", "replace").strip()
    holder = f"process {pid}" if pid.isdigit() else "another process"
    return JournalTaken(
        f"The journal {journal} is held by {holder}.",
        hint="One daemon to a table: stop that one first, or give this one its own journal.",
    )
