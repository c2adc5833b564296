"""Who has a port open: the name an operator needs when a port is taken (ModemManager, minicom, a twin)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_LONGEST_COMMAND: Final = 80

KNOWN_THIEVES: Final = {
    "ModemManager": "It takes every serial port for a modem. Give the port its role in "
    "/etc/udev/rules.d/70-table-edge-roles.rules, which keeps it away, or "
    "systemctl mask --now ModemManager.service",
    "brltty": "It takes adapters for braille displays. "
    "systemctl mask --now brltty.service brltty-udev.service",
    "agetty": "A login prompt runs on that port. systemctl mask --now serial-getty@PORT.service, with the "
    "port's name as in /dev, and take console= for it off the kernel's command line",
    "getty": "A login prompt runs on that port: switch it off",
    "gpsd": "It takes serial adapters for GPS receivers. systemctl mask --now gpsd.service gpsd.socket",
    "upowerd": "It looks for power supplies on serial ports. systemctl mask --now upower.service",
}
"""Programs that take serial ports without being asked, and what ends that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A running program that has the port open."""

    pid: int
    name: str
    """Its command name, at most 15 characters (Linux cuts it)."""
    command: str = ""
    """How it was called, cut to 80 characters; empty: it does not say."""

    @property
    def remedy(self) -> str | None:
        """What ends it for good, if it is a known taker of ports."""
        return KNOWN_THIEVES.get(self.name)

    def __str__(self) -> str:
        if self.pid == os.getpid():
            return "this program itself: two devices are configured on one port"
        called = f", called as {self.command}" if self.command and self.command != self.name else ""
        return f"{self.name} (pid {self.pid}{called})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Holders in words."""

    names: str
    """Empty: nobody was found."""
    remedy: str
    """What to do."""


def told_holders(holders: Sequence[Holder], *, suspected: Sequence[Holder] = ()) -> Told:
    """Who has the port and what ends that, in words.

    Args:
        holders: seen to have it.
        suspected: known takers of ports that run, for where nobody was seen: what another user's program has
            open only root may see.
    """
    if not holders and suspected:
        names = ", ".join(str(each) for each in suspected)
        unseen = f"a program of another user, perhaps {names}"
        return Told(names=unseen, remedy=" ".join(each.remedy for each in suspected if each.remedy))
    remedies = [holder.remedy for holder in holders if holder.remedy is not None]
    return Told(
        names=", ".join(str(holder) for holder in holders),
        remedy=" ".join(remedies)
        or "Stop that program (table-edge devices names it to root); the port is opened once it is free",
    )


def takers(*, proc: Path = _PROC) -> tuple[Holder, ...]:
    """Known takers of ports that run, whatever they have open. As :func:`who_holds`."""
    return tuple(
        Holder(pid=int(entry.name), name=name, command=_command(entry))
        for entry in _entries(proc)
        if entry.name.isdigit() and (name := _name(entry)) in KNOWN_THIEVES
    )


def who_holds(path: str, *, proc: Path = _PROC) -> tuple[Holder, ...]:
    """Everyone seen to have ``path`` open. Programs of other users are seen by root only.

    Reads /proc, which takes milliseconds: not for the event loop. Never raises.
    """
    real = os.path.realpath(path)
    return tuple(
        Holder(pid=int(entry.name), name=_name(entry), command=_command(entry))
        for entry in _entries(proc)
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
        return _printable((entry / "comm").read_text(encoding="utf-8", errors="replace").strip())
    except OSError:
        return "unknown"


def _command(entry: Path) -> str:
    try:
        octets = (entry / "cmdline").read_bytes()
    except OSError:
        return ""
    words = octets.decode("utf-8", errors="replace").replace("\0", " ").strip()
    shown = _printable(words)
    return shown if len(shown) <= _LONGEST_COMMAND else shown[:_LONGEST_COMMAND] + "…"


def _printable(text: str) -> str:
    """A program may call itself anything."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
