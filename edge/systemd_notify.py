"""What systemd is told: that the daemon is up, how it is, and that it gets on (sd_notify(3)).

Laws:

* ``READY=1`` once the journal is open and every task has taken its first step. No broker and no device is
  waited for.
* ``WATCHDOG=1`` is **fed by evidence**: sent from the loop, so a loop that is stuck sends none, and only
  while every part has moved lately. A part moves when its :class:`Sign` reads differently than before: bytes
  read, ports tried, commits tried, ticks counted. A part that waits for a full disk tries, so it moves.
* ``STATUS=`` is one sentence, and names no card.
* Nothing here blocks and nothing here raises. Without systemd nothing is sent.
"""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import structlog

SOCKET: Final = "NOTIFY_SOCKET"
WATCHDOG_USEC: Final = "WATCHDOG_USEC"
WATCHDOG_PID: Final = "WATCHDOG_PID"

FEEDS: Final = 3
"""Times the watchdog is fed in its period: one may be late and one lost."""
LOOK_S: Final = 1.0
"""How often the parts are looked at and the sentence is made anew."""
STILL_S: Final = 60.0
"""A part that has not moved for so long is stuck. The slowest that is well retries its port every 10 s."""
PATIENCE_S: Final = 30.0
"""What a slow start asks for each time, from then on."""
ASK_S: Final = 10.0
"""How often it asks."""
LONGEST_START_S: Final = 1800.0
"""A start that takes longer is not slow, it hangs."""

log = structlog.get_logger("edge.systemd")


@final
class Systemd:
    """The service's notification socket.

    Args:
        environment: of the service: the socket's name and the watchdog's period are in it.
        pid: this service's own; the watchdog of another is none of ours.
    """

    def __init__(self, environment: Mapping[str, str], *, pid: int) -> None:
        self._address = _address(environment.get(SOCKET, ""))
        self._line: socket.socket | None = None
        if self._address is not None:
            self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._failed = False
        self.feed_every_s = _feed_every_s(environment, pid)
        """How often the watchdog wants to be fed; None: there is none."""

    @classmethod
    def of_this_service(cls) -> "Systemd":
        """As the environment has it."""
        return cls(os.environ, pid=os.getpid())

    @property
    def listens(self) -> bool:
        """Somebody wants to be told."""
        return self._line is not None

    def tell(self, *said: str) -> bool:
        """Send assignments such as ``READY=1``; True if they were taken, or nobody listens.

        To be called from any thread.
        """
        if self._line is None or self._address is None:
            return True
        try:
            self._line.sendto("\n".join(said).encode(), socket.MSG_DONTWAIT, self._address)
        except OSError as error:
            if not self._failed:
                log.warning("systemd.deaf", why=error.strerror)
            self._failed = True
            return False
        self._failed = False
        return True

    @contextlib.contextmanager
    def slow_start(self, sentence: str) -> Iterator[None]:
        """Ask for more time while the loop is held up, from a thread; a start of usual length asks for none.

        Args:
            sentence: what takes so long.
        """
        over = threading.Event()

        def ask() -> None:
            for _ in range(int(LONGEST_START_S / ASK_S)):
                if over.wait(ASK_S):
                    return
                self.tell(f"EXTEND_TIMEOUT_USEC={int(PATIENCE_S * 1e6)}", f"STATUS={sentence}")

        asking = threading.Thread(target=ask, name="systemd.slow_start", daemon=True)
        if self.listens:
            asking.start()
        try:
            yield
        finally:
            over.set()
            if self.listens:
                asking.join()

    def close(self) -> None:
        """Say no more."""
        if self._line is not None:
            self._line.close()
            self._line = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What shows that a part of the daemon gets on."""

    part: str
    read: Callable[[], object]
    """Reads differently whenever the part has moved."""


class Vigil:
    """Keeps systemd told, as a task of the daemon.

    Args:
        systemd: who is told.
        signs: one a part.
        sentence: how the table is.
        monotonic: seconds, never backwards.
    """

    def __init__(
        self,
        systemd: Systemd,
        *,
        signs: Sequence[Sign],
        sentence: Callable[[], str],
        monotonic: Callable[[], float],
    ) -> None:
        self._systemd = systemd
        self._signs = signs
        self._sentence = sentence
        self._monotonic = monotonic
        self._seen: dict[str, object] = {}
        self._moved_at: dict[str, float] = {}
        self._still: tuple[str, ...] = ()
        self._ready = False
        self._told: str | None = None
        self._fed_at = float("-inf")

    async def run(self) -> None:
        """Tell until cancelled. To be started after the parts: then each has taken its first step."""
        feed_every_s = self._systemd.feed_every_s
        pause_s = LOOK_S if feed_every_s is None else min(LOOK_S, feed_every_s)
        while True:
            self.look()
            await asyncio.sleep(pause_s)

    def look(self) -> None:
        """Look at every part once, and tell what is to be told."""
        now = self._monotonic()
        still = self._still_parts(now)
        if still != self._still:
            self._still = still
            if still:
                log.critical("watchdog.starved", stuck=list(still), still_s=STILL_S)
        sentence = _stuck_sentence(still) if still else self._sentence()
        feed_every_s = self._systemd.feed_every_s
        hungry = feed_every_s is not None and now - self._fed_at >= feed_every_s
        said = [] if self._ready else ["READY=1"]
        if sentence != self._told:
            said.append(f"STATUS={sentence}")
        if hungry and not still:
            said.append("WATCHDOG=1")
        if not said or not self._systemd.tell(*said):
            return
        self._ready, self._told = True, sentence
        if hungry and not still:
            self._fed_at = now

    def _still_parts(self, now: float) -> tuple[str, ...]:
        for sign in self._signs:
            read = sign.read()
            if sign.part not in self._seen or read != self._seen[sign.part]:
                self._seen[sign.part] = read
                self._moved_at[sign.part] = now
        return tuple(part for part, moved_at in self._moved_at.items() if now - moved_at >= STILL_S)


def table_sentence(table: str, *, devices: Mapping[str, bool], broker: bool, reasons: Sequence[str]) -> str:
    """How a table is, for ``systemctl status``.

    Args:
        table: its id.
        devices: which are connected.
        broker: whether it is.
        reasons: words from the status board; those of devices and broker are told already.
    """
    parts = [*devices.items(), ("broker", broker)]
    told = [f"{part} {'connected' if connected else 'not connected'}" for part, connected in parts]
    spoken_for = {"broker", *(f"device:{id_}" for id_ in devices)}
    told.extend(reason for reason in reasons if reason not in spoken_for)
    return f"Table {table}: {', '.join(told)}."


def _stuck_sentence(still: Sequence[str]) -> str:
    return f"Stuck: {', '.join(still)} did not move for {STILL_S:g} s; the watchdog is not fed."


def _address(named: str) -> str | None:
    """A path, or a name in the abstract space, which ``@`` stands for; anything else is not for us."""
    if named.startswith("/"):
        return named
    return "\0" + named[1:] if named.startswith("@") and len(named) > 1 else None


def _feed_every_s(environment: Mapping[str, str], pid: int) -> float | None:
    if environment.get(WATCHDOG_PID, str(pid)) != str(pid):
        return None
    period = environment.get(WATCHDOG_USEC, "")
    if not (period.isascii() and period.isdigit()) or int(period) == 0:
        return None
    return int(period) / 1e6 / FEEDS
