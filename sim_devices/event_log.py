"""A consumer's own book: every event it took, exactly once, as the bytes that were published.

JSON Lines: one event a line, since an event's JSON has no line break. A line is on disk before the event
counts as taken, so whoever reads the book after a crash knows where to go on.
"""

import os
from pathlib import Path

from sim_devices.errors import TableUnwell


class EventLog:
    """The book, open for writing.

    Args:
        path: the file; what is in it is kept, except for a last line that a crash cut short.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = read_events(path)
        """What was in it when it was opened."""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        end = sum(len(raw) + 1 for raw in self.kept)
        os.ftruncate(self._file, end)
        os.lseek(self._file, end, os.SEEK_SET)

    def append(self, raw: bytes) -> None:
        """Write an event down; on disk when this returns.

        Raises:
            TableUnwell: it holds a line break, which no published event does.
        """
        if b"\n" in raw:
            raise TableUnwell("An event with a line break in its bytes is not what the contract says")
        os.write(self._file, raw + b"\n")
        os.fdatasync(self._file)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def read_events(path: Path) -> list[bytes]:
    """The events in a book, oldest first, without a last line that was cut short."""
    if not path.exists():
        return []
    *lines, _cut_short = path.read_bytes().split(b"\n")
    return lines
