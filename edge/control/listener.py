"""The socket's file: made, given to the pit, and replaced only if nobody listens behind it.

Laws:

* A file that is no socket, and a socket behind which somebody listens, are left alone.
* Nobody can connect before owner, group and mode are what they are to be: it listens only then.
"""

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MODE: Final = 0o660
LONGEST_ADDRESS: Final = 107
"""Bytes of a socket's path, by the kernel (unix(7)); a longer one goes by way of its directory."""
WAITING: Final = 8
"""Connections that may wait to be taken."""


class Occupied(Exception):
    """The path is somebody else's: one sentence that says what to do."""


class Listener:
    """A listening socket at a path. Made by :meth:`at`."""

    def __init__(self, listening: socket.socket, path: Path) -> None:
        self.socket = listening
        self.group = path.lstat().st_gid
        """Who may connect beside the daemon's own user."""
        self._path = path
        self._made = _identity(path)

    @classmethod
    def at(cls, path: Path, *, group: int | None) -> "Listener":
        """Listen at this path.

        Args:
            path: of the socket.
            group: who may connect beside the daemon's own user; None, or a group that is not the daemon's
                to give it to: the daemon's own group.

        Raises:
            Occupied: somebody else has the path.
            OSError: it cannot be made there.
        """
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            _bind(listening, path)
            path.chmod(MODE)
            if group is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(path, -1, group, follow_symlinks=False)
            listening.listen(WAITING)
            return cls(listening, path)
        except BaseException:
            listening.close()
            raise

    @property
    def in_place(self) -> bool:
        """The file at the path is still this socket's."""
        return self._made is not None and _identity(self._path) == self._made

    def close(self) -> None:
        """Listen no more; take the file away if it is still ours."""
        if self.in_place:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self.socket.close()


@contextlib.contextmanager
def address(path: Path) -> Iterator[str]:
    """What to bind or connect to for this path, while this is entered.

    Raises:
        OSError: there is no such directory.
    """
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)


def _bind(listening: socket.socket, path: Path) -> None:
    with address(path) as where:
        try:
            listening.bind(where)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            _clear(path, where)
            listening.bind(where)


def _clear(path: Path, where: str) -> None:
    """Take away what a dead daemon left."""
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise Occupied(f"{path} is there and is no socket: move it away, or set control.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as knocking:
        if knocking.connect_ex(where) != errno.ECONNREFUSED:
            raise Occupied(f"Another program listens at {path}: end it, or set control.")
    path.unlink()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
