"""A backlog leaves: the real daemon meets a broker again after an outage, and a subscriber counts.

The subscriber is ``mosquitto_sub`` with QoS 1, which dates each message as it comes: it costs this machine
less than anything written here would. Every event must come once and in order.
"""

import contextlib
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge.journal import read_journal
from sim_devices.broker import BrokerAddress
from sim_devices.daemon import TableSettings
from tests.bench.figures import Usage
from tests.bench.rig import EVENTS, Program
from tests.mosquitto import Mosquitto

POLL_S: Final = 0.05
LONGEST_S: Final = 300.0
_LINE: Final = re.compile(rb"(\d+\.\d+) (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Of one backlog."""

    events: int
    seconds: float
    cpu_s: float
    rss_mb: float

    @property
    def events_per_s(self) -> float:
        """From the first event at the subscriber to the last."""
        return self.events / self.seconds


def measure(folder: Path, *, journal: Path) -> Drain:
    """Let all events of a journal go to a new broker.

    Raises:
        AssertionError: an event is missing, doubled or out of order.
    """
    broker = Mosquitto(folder)
    settings = TableSettings(
        folder=folder,
        broker=BrokerAddress(port=broker.port),
        port=folder / "nowhere",
        log_level="warning",
    )
    settings.write()
    shutil.copyfile(journal, settings.journal)
    with read_journal(settings.journal) as reader:
        backlog = reader.last_sequence
    program = Program(settings)
    taken = folder / "taken"
    with broker, _subscriber(broker.port, taken):
        program.start()
        try:
            _await_lines(taken, backlog, program)
            usage = program.usage
        finally:
            program.stop()
    return _drain(taken, backlog, usage)


@contextlib.contextmanager
def _subscriber(port: int, taken: Path) -> Iterator[None]:
    program = shutil.which("mosquitto_sub")
    assert program is not None, "mosquitto_sub is not installed: install Debian's mosquitto-clients"
    with taken.open("wb") as out:
        arguments = [program, "-p", str(port), "-t", EVENTS, "-q", "1", "-F", "%U %p", "-V", "5"]
        running = subprocess.Popen(arguments, stdout=out)
        time.sleep(0.5)  # nobody says when it has subscribed
        try:
            yield
        finally:
            running.terminate()
            running.wait()


def _await_lines(taken: Path, count: int, program: Program) -> None:
    deadline = time.monotonic() + LONGEST_S
    lines = 0
    with taken.open("rb") as said:
        while lines < count:
            assert time.monotonic() < deadline, f"{lines} of {count} events came:\n{program.said}"
            time.sleep(POLL_S)
            lines += said.read().count(b"\n")


def _drain(taken: Path, backlog: int, usage: Usage) -> Drain:
    at: list[float] = []
    for line in taken.read_bytes().splitlines()[:backlog]:
        found = _LINE.fullmatch(line)
        assert found is not None, f"mosquitto_sub said {line!r}"
        at.append(float(found[1]))
        sequence = int(json.loads(found[2])["sequence"])
        assert sequence == len(at), f"event {sequence} came where {len(at)} was due"
    return Drain(events=backlog, seconds=at[-1] - at[0], cpu_s=usage.cpu_s, rss_mb=usage.rss_mb)
