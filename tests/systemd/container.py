"""A Debian that boots with its own systemd, in a container of systemd-nspawn.

Its root is a cached one below an overlay in memory, so a run changes nothing and leaves nothing. To be used
in a mount and a process namespace of its own (``unshare --mount --pid``): killing nspawn alone would leave
the container running; with the namespace's first process everything ends.

Not enforced there: device policies. Not there: udev, USB. The network is the machine's.
"""

import secrets
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

BOOTED_WITHIN_S: Final = 60.0
OFF_WITHIN_S: Final = 30.0
COMMAND_S: Final = 120.0
POLL_S: Final = 0.02
UP: Final = frozenset({"running", "degraded"})


class ContainerFailed(RuntimeError):
    """The container did not do what it was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command in the container said."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Both, for whoever looks for words."""
        return self.out + self.err


class Container:
    """One container. ``with`` boots it, and ends it whatever happens.

    Args:
        debian: the cached root; it is only read.
        place: an empty directory for the overlay.
        binds: paths of this machine and where they are seen inside.
    """

    def __init__(self, debian: Path, place: Path, *, binds: dict[Path, Path]) -> None:
        self._debian = debian
        self._place = place
        self._binds = binds
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._init = 0
        self.environment: dict[str, str] = {}
        """More of it for the commands that are run."""
        self.root = place / "root"
        """Its file system, as seen from outside."""

    def __enter__(self) -> Self:
        self._mount()
        try:
            self._boot()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def run(self, *command: str, check: bool = True) -> Said:
        """Run a command inside, as root.

        Raises:
            ContainerFailed: it failed, and ``check`` was asked for.
        """
        done = subprocess.run(
            ["nsenter", "-t", str(self._init), "-m", "-u", "-i", "-n", "-p", "-w", "--", *command],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_S,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **self.environment},
        )
        if check and done.returncode != 0:
            raise ContainerFailed(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return Said(code=done.returncode, out=done.stdout, err=done.stderr)

    def signal(self, pid: int, number: signal.Signals) -> None:
        """Send a signal to a process by its number inside."""
        self.run("kill", f"-{number.name.removeprefix('SIG')}", str(pid))

    def power_off(self) -> None:
        """End it in good order.

        Raises:
            ContainerFailed: it did not end.
        """
        assert self._nspawn is not None
        self._nspawn.terminate()
        try:
            self._nspawn.wait(OFF_WITHIN_S)
        except subprocess.TimeoutExpired:
            raise ContainerFailed(f"It did not power off within {OFF_WITHIN_S:g} s.") from None

    def kill(self) -> None:
        """End it at once; no harm if it has ended."""
        nspawn, self._nspawn = self._nspawn, None
        if nspawn is not None:
            nspawn.kill()
            nspawn.wait(OFF_WITHIN_S)

    @property
    def console(self) -> str:
        """What it said while it booted."""
        path = self._place / "console"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def _mount(self) -> None:
        for name in ("upper", "work", "root"):
            (self._place / name).mkdir()
        layers = f"lowerdir={self._debian},upperdir={self._place}/upper,workdir={self._place}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, str(self.root)], check=True)

    def _boot(self) -> None:
        with (self._place / "console").open("wb") as console:
            self._nspawn = subprocess.Popen(
                [
                    *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot"),
                    *(f"--directory={self.root}", f"--machine=table-edge-{secrets.token_hex(4)}"),
                    *("--console=pipe", "--kill-signal=SIGRTMIN+3"),
                    *(f"--bind={outside}:{inside}" for outside, inside in self._binds.items()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + BOOTED_WITHIN_S
        while time.monotonic() < deadline and self._nspawn.poll() is None:
            self._init = _init_below(self._nspawn.pid)
            if self._init and self.run("systemctl", "is-system-running", check=False).out.strip() in UP:
                return
            time.sleep(POLL_S)
        raise ContainerFailed(f"It did not boot within {BOOTED_WITHIN_S:g} s:\n{self.console[-3000:]}")


def _init_below(nspawn: int) -> int:
    """The container's first process, as numbered out here; 0: not there yet."""
    try:
        children = Path(f"/proc/{nspawn}/task/{nspawn}/children").read_text(encoding="ascii").split()
        for child in children:
            status = Path(f"/proc/{child}/status").read_text(encoding="utf-8").splitlines()
            numbers = next(line for line in status if line.startswith("NSpid:")).split()
            if len(numbers) > 2 and numbers[-1] == "1":
                return int(child)
    except (OSError, StopIteration):
        return 0
    return 0
