"""A small disk for a journal: it can be full, and mended; read-only, where it may be mounted."""

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

SIZE: Final = 4 << 20
"""Bytes: room for a journal of a few thousand records."""
BALLAST: Final = "ballast"


class SmallDisk(Protocol):
    """Where a journal lies."""

    def fill(self, pid: int, *, at_the_start: bool = False) -> None:
        """From now on there is no room, for this program; ``at_the_start``: nor for one that it starts."""

    def mend(self, pid: int) -> None:
        """There is room again."""

    def set_read_only(self, *, read_only: bool) -> None:
        """Take the right to write away, or give it back, while nobody has a file open there."""


class MountedDisk:
    """A tmpfs of its own: what root has."""

    def __init__(self, place: Path) -> None:
        self._place = place
        place.mkdir(mode=0o700, exist_ok=True)
        options = f"size={SIZE},mode=0700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)

    def fill(self, pid: int, *, at_the_start: bool = False) -> None:
        """Fill it to the last byte."""
        del pid, at_the_start
        with (self._place / BALLAST).open("ab", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(bytes(4096))

    def mend(self, pid: int) -> None:
        """Take the ballast away."""
        del pid
        (self._place / BALLAST).unlink()

    def set_read_only(self, *, read_only: bool) -> None:
        """Mount it anew."""
        mode = "ro" if read_only else "rw"
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self._place)], check=True)

    def unmount(self) -> None:
        """Give it back, whoever may still be looking at it."""
        subprocess.run(["umount", "--lazy", str(self._place)], check=True)


class LimitedFiles:
    """No disk but a limit on the size of files: what an ordinary user has."""

    def __init__(self, place: Path) -> None:
        self._place = place
        place.mkdir(mode=0o700, exist_ok=True)

    def fill(self, pid: int, *, at_the_start: bool = False) -> None:
        """Let no file of that program grow; at the start no file at all, the log neither."""
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        largest = 0 if at_the_start else max(_used(each) for each in self._place.iterdir() if each.is_file())
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, hard))

    def mend(self, pid: int) -> None:
        """Let them grow again."""
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))

    def set_read_only(self, *, read_only: bool) -> None:
        """Put a directory in the journal's place: rights do not bind root, and this binds everybody."""
        journal = self._place / "journal.db"
        aside = journal.with_name("journal.db.aside")
        if read_only:
            journal.rename(aside)
            journal.mkdir()
        else:
            journal.rmdir()
            aside.rename(journal)


def _used(file: Path) -> int:
    """Bytes up to the last that is written: the log has more room than it uses."""
    return len(file.read_bytes().rstrip(b"\0"))


def may_mount() -> bool:
    """Whether this user may mount anything here."""
    if os.geteuid() != 0:
        return False
    asked = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True)
    return asked.returncode == 0


@contextlib.contextmanager
def mounted(place: Path) -> Iterator[MountedDisk]:
    """A tmpfs at this place, gone at the end."""
    disk = MountedDisk(place)
    try:
        yield disk
    finally:
        disk.unmount()


@contextlib.contextmanager
def limited(place: Path) -> Iterator[LimitedFiles]:
    """A limit on files instead."""
    yield LimitedFiles(place)


def disks() -> list[Callable[[Path], contextlib.AbstractContextManager[SmallDisk]]]:
    """The kinds of disk that can be had here."""
    return [mounted, limited] if may_mount() else [limited]
