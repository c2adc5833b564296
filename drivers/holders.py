"""Who has a port open: the name an operator needs when a port is taken (ModemManager, minicom, a twin)."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A running program that has the port open."""

    pid: int
    name: str
    """Its command name, at most 15 characters (Linux cuts it)."""

    def __str__(self) -> str:
        if self.pid == os.getpid():
            return "this program itself: two devices are configured on one port"
        return f"{self.name} (pid {self.pid})"


def who_holds(path: str) -> tuple[Holder, ...]:
    """Everyone seen to have ``path`` open. Programs of other users are seen by root only.

    Reads /proc, which takes milliseconds: not for the event loop. Never raises.
    """
    real = os.path.realpath(path)
    return tuple(
        Holder(pid=int(entry.name), name=_name(entry))
        for entry in _entries(_PROC)
        if entry.name.isdigit() and any(_target(fd) == real for fd in _entries(entry / "fd"))
    )


def _entries(directory: Path) -> tuple[Path, ...]:
    try:
        return tuple(directory.iterdir())
    except OSError:  # gone, or another user's
        return ()


def _target(link: Path) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - a target such as "socket:[1]" is no path
    except OSError:
        return ""


def _name(entry: Path) -> str:
    try:
        return (entry / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "unknown"
