"""SQLite's log beside the journal: was it cut short, or damaged in its middle?

SQLite reads a log up to the first frame whose checksum is wrong, and forgets the rest. For a log that the
power cut short that is right: every commit syncs the log before it returns, so only the last one can
be incomplete. Whole commits *behind* the place where reading ends are another thing: they were on disk,
acknowledged and perhaps published, and a bit that flipped before them would take them back.

::

    log    header: magic:4 format:4 page size:4 checkpoints:4 salt:8 checksum:8
           frame:  page:4 pages after commit:4 (0: no commit) salt:8 checksum:8, then the page
    index  from byte 16: valid frames:4, in the machine's own byte order

All but the index big-endian (https://sqlite.org/walformat.html). Frames of an earlier use of the file have
another salt than the header.

A disk syncs a file that is overwritten sooner than one that grows, by a sixth of a commit. So the log is
given its room at once, in zeros: where SQLite reads them, no checksum is right, and the log ends.
"""

import contextlib
import os
import struct
from pathlib import Path
from typing import BinaryIO, Final

from edge.errors import JournalCorrupt
from edge.journal.faults import disk_error

_HEADER: Final = struct.Struct(">8xI4x8s8x")
_FRAME: Final = struct.Struct(">4xI8s8x")
_VALID_AT: Final = 16
_VALID: Final = struct.Struct("=I")
CUT_SHORT: Final = 1
"""Commits that a power cut may leave incomplete: their end is there, and something before it is not."""

ROOM: Final = 4 * 1024 * 1024
"""Bytes of a log from the start: a thousand pages, which some two hundred cards fill."""


def make_room(path: Path) -> None:
    """Let the log be :data:`ROOM` bytes long. Where a disk has not so much, it stays as it is, and will grow.

    Args:
        path: of the journal; whoever calls is the only one who writes to it, and is not writing.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path.with_name(f"{path.name}-wal"), os.O_WRONLY | os.O_CLOEXEC)
        try:
            length = os.fstat(descriptor).st_size
            if length >= ROOM:
                return
            if os.pwrite(descriptor, bytes(ROOM - length), length) < ROOM - length:
                os.ftruncate(descriptor, length)  # the last of the disk is for what is journaled
            else:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_log(path: Path) -> None:
    """Check that nothing whole lies behind the place where SQLite stops reading the log.

    Args:
        path: of the journal, which somebody has open and has read from: the index is true then.

    Raises:
        JournalCorrupt: the log was damaged in its middle.
        StorageFailed: the disk refused.
    """
    try:
        with path.with_name(f"{path.name}-shm").open("rb") as index:
            index.seek(_VALID_AT)
            raw = index.read(_VALID.size)
        with path.with_name(f"{path.name}-wal").open("rb") as log:
            behind = _commits_behind(log, _VALID.unpack(raw)[0]) if len(raw) == _VALID.size else 0
    except FileNotFoundError:
        return
    except OSError as error:
        raise disk_error(error, path) from error
    if behind > CUT_SHORT:
        raise JournalCorrupt(
            f"The log of the journal {path} is damaged: {behind} commits lie behind the damage."
        )


def _commits_behind(log: BinaryIO, valid: int) -> int:
    raw = log.read(_HEADER.size)
    if len(raw) < _HEADER.size:
        return 0
    page, salt = _HEADER.unpack(raw)
    commits, place = 0, _HEADER.size + valid * (_FRAME.size + page)
    log.seek(place)
    while len(raw := log.read(_FRAME.size)) == _FRAME.size:
        pages, frame_salt = _FRAME.unpack(raw)
        commits += pages != 0 and frame_salt == salt
        place += _FRAME.size + page
        log.seek(place)
    return commits
