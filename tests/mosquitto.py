"""A real Mosquitto on a free loopback port, for tests that need what a real broker does.

It lives in a directory of the test, is configured as the product's documents recommend
(``max_queued_messages 100000``, ``set_tcp_nodelay true``), can be killed and come back on the same port,
with or without what it remembered, and its access list can be changed while it runs.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

START_S: Final = 10.0
PATHS: Final = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
"""Debian puts the broker into /usr/sbin, which a user's path may lack."""


class MosquittoMissing(RuntimeError):
    """There is no Mosquitto on this machine."""


class MosquittoFailed(RuntimeError):
    """Mosquitto did not start."""


class Mosquitto:
    """One broker. ``with Mosquitto(tmp_path) as broker:`` starts it, and ends it whatever happens."""

    def __init__(
        self,
        home: Path,
        *,
        acl: str | None = None,
        users: Mapping[str, str] | None = None,
        persistence: bool = False,
        extra: tuple[str, ...] = (),
    ) -> None:
        self.home = home / "mosquitto"
        self.home.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self._acl = acl
        self._users = dict(users or {})
        self._persistence = persistence
        self._extra = extra
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """Everything the broker has said."""
        path = self.home / "mosquitto.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it and wait until it listens."""
        program = _program("mosquitto")
        self._write_files()
        with (self.home / "mosquitto.log").open("ab") as log:
            self._running = subprocess.Popen(
                [program, "-c", str(self.home / "mosquitto.conf")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait_until_it_listens(self._running)

    def stop(self) -> None:
        """End it in good order: it says goodbye, and stores what it is told to store."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a power cut would; no harm if it does not run."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop its clock: connections stay open and nothing is answered."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def allow(self, acl: str) -> None:
        """Replace its access list while it runs."""
        self._acl = acl
        self._write_files()
        self._signal(signal.SIGHUP)

    def _signal(self, number: signal.Signals) -> None:
        assert self._running is not None, "this Mosquitto does not run"
        self._running.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.send_signal(number)
            running.wait(timeout=START_S)

    def _write_files(self) -> None:
        lines = [
            f"listener {self.port} 127.0.0.1",
            "max_queued_messages 100000",
            "set_tcp_nodelay true",
            f"allow_anonymous {'false' if self._users else 'true'}",
            f"persistence {'true' if self._persistence else 'false'}",
            f"persistence_location {self.home}/",
        ]
        if self._persistence:
            lines.append("autosave_interval 1")
        if os.geteuid() == 0:
            lines.append("user root")  # else it gives up the right to read this directory
        if self._acl is not None:
            (self.home / "acl").write_text(self._acl, encoding="utf-8")
            lines.append(f"acl_file {self.home}/acl")
        if self._users:
            self._write_passwords()
            lines.append(f"password_file {self.home}/passwords")
        lines.extend(self._extra)
        (self.home / "mosquitto.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _write_passwords(self) -> None:
        path = self.home / "passwords"
        path.write_text("".join(f"{user}:{word}\n" for user, word in self._users.items()), encoding="utf-8")
        path.chmod(0o600)
        subprocess.run([_program("mosquitto_passwd"), "-U", str(path)], check=True, capture_output=True)

    def _wait_until_it_listens(self, running: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and running.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.01)
            else:
                return
        self.kill()
        raise MosquittoFailed(f"Mosquitto did not start on port {self.port}:\n{self.log[-2000:]}")


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _program(name: str) -> str:
    found = shutil.which(name, path=PATHS)
    if found is None:
        raise MosquittoMissing(f"{name} is not installed: install the Debian package mosquitto.")
    return found
