"""From the last byte at a serial port to a subscriber: the table beside what people write today.

Theory of operation: each contender has a pty and a topic of its own, all share one Mosquitto and one
subscriber, and they take turns at random, one line or card at a time, so that whatever else the machine does
meets them alike. One bare SQLite commit (WAL, FULL) of about a record's size is a contender, too.
"""

import contextlib
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from tests.bench import pyserial_paho
from tests.bench.cable import Cable
from tests.bench.figures import Quantiles
from tests.bench.listener import Listener
from tests.bench.rig import PATIENCE_S, Rig

TABLE: Final = "table-edge"
LINE: Final = "mosquitto_pub -l"
SCRIPT: Final = "30 lines of pyserial and paho"
COMMIT: Final = "one SQLite commit"
WAIT_S: Final = (0.002, 0.008)
"""Between two turns."""
ROW: Final = bytes(1200)
"""A record and its events are about that long."""
WARM_UP: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Of one run."""

    of: dict[str, Quantiles]

    @property
    def allowed_p50_ms(self) -> float:
        """The script's plus two commits."""
        return self.of[SCRIPT].p50 + 2 * self.of[COMMIT].p50

    @property
    def allowed_p99_ms(self) -> float:
        """Twice the script's plus two commits."""
        return 2 * self.of[SCRIPT].p99 + 2 * self.of[COMMIT].p99

    @property
    def aim_ms(self) -> float:
        """1.3 times the bare line and one commit, of the medians."""
        return 1.3 * (self.of[LINE].p50 + self.of[COMMIT].p50)


def measure(folder: Path, *, samples: int) -> Latency:
    """So many cards, and as many of everything else."""
    took: dict[str, list[int]] = {name: [] for name in (TABLE, LINE, SCRIPT, COMMIT)}
    with contextlib.ExitStack() as stack:
        rig = stack.enter_context(Rig(folder, topics=["bench/#"]))
        turns: dict[str, Callable[[], int]] = {
            TABLE: lambda: _card(rig),
            LINE: stack.enter_context(_line(folder, rig)),
            SCRIPT: stack.enter_context(_script(folder, rig)),
            COMMIT: stack.enter_context(_commits(folder)),
        }
        chance = random.Random(1)
        names = list(turns)
        for number in range(samples + WARM_UP):
            chance.shuffle(names)
            for name in names:
                rig.next_card()
                rig.idle(chance.uniform(*WAIT_S))
                nanoseconds = turns[name]()
                if number >= WARM_UP:
                    took[name].append(nanoseconds)
    return Latency(of={name: Quantiles.of(each) for name, each in took.items()})


def _card(rig: Rig) -> int:
    began = rig.draw()
    return rig.await_event() - began


@contextlib.contextmanager
def _line(folder: Path, rig: Rig) -> Iterator[Callable[[], int]]:
    program = shutil.which("mosquitto_pub")
    assert program is not None, "mosquitto_pub is not installed: install Debian's mosquitto-clients"
    topic = "bench/line"
    with Cable(folder / "line") as cable, cable.name.open("rb", buffering=0) as port:
        arguments = [program, "-p", str(rig.broker.port), "-t", topic, "-q", "1", "-l"]
        with _running(arguments, stdin=port.fileno()):
            yield _turn_of(cable, topic, rig.listener)


@contextlib.contextmanager
def _script(folder: Path, rig: Rig) -> Iterator[Callable[[], int]]:
    topic = "bench/script"
    with Cable(folder / "script") as cable:
        arguments = [sys.executable, _file(pyserial_paho), str(cable.name), str(rig.broker.port), topic]
        with _running(arguments, stdin=subprocess.DEVNULL):
            yield _turn_of(cable, topic, rig.listener)


@contextlib.contextmanager
def _running(arguments: list[str], *, stdin: int) -> Iterator[None]:
    running = subprocess.Popen(arguments, stdin=stdin)
    try:
        yield
    finally:
        running.kill()
        running.wait()


def _turn_of(cable: Cable, topic: str, listener: Listener) -> Callable[[], int]:
    """One line in, one message out. The first is sent until it arrives: nobody says when they are up."""

    def come() -> int:
        return next((each.at_ns for each in listener.messages if each.topic == topic), 0)

    def turn() -> int:
        began = cable.say(b"As\n")
        deadline = time.monotonic() + PATIENCE_S
        while not (at_ns := come()):
            assert time.monotonic() < deadline, f"nothing came on {topic}"
            listener.step(1)
        return at_ns - began

    deadline = time.monotonic() + PATIENCE_S
    while not come():
        assert time.monotonic() < deadline, f"nothing came on {topic}"
        cable.say(b"As\n")
        listener.step(0.2)
    return turn


@contextlib.contextmanager
def _commits(folder: Path) -> Iterator[Callable[[], int]]:
    with contextlib.closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, raw BLOB)")

        def turn() -> int:
            began = time.perf_counter_ns()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows (raw) VALUES (?)", (ROW,))
            connection.execute("COMMIT")
            return time.perf_counter_ns() - began

        yield turn


def _file(module: ModuleType) -> str:
    assert module.__file__ is not None
    return module.__file__
