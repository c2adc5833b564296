"""From the start of the program to a table that reads its shoe, with journals of several sizes.

``READY=1`` for systemd is the mark: the journal is open, the state is restored, the start is committed and
every task has taken its first step. No broker is there, and none is waited for. *Cold* means that nothing
of the journal was in the page cache; the program itself was.
"""

import os
import shutil
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from edge.journal.snapshots import EVERY
from sim_devices.broker import BrokerAddress
from sim_devices.daemon import TableSettings
from tests.bench import big_journal
from tests.bench.figures import Usage
from tests.bench.rig import PATIENCE_S, Program
from tests.mosquitto import free_port

TAIL: Final = EVERY - 10
"""Records after the newest snapshot; a few more come with each start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartUp:
    """With a journal of one size."""

    records: int
    journal_mb: float
    warm_s: float
    cold_s: float
    tail_s: float
    """Cold, with as many records after the newest snapshot as there can be."""
    cpu_s: float
    """Processor time of a warm start: what it takes where nobody else wants the processor."""
    rss_mb: float


def measure(folder: Path, *, records: int, journal: Path | None, repeats: int) -> StartUp:
    """Start so many times warm and cold; the medians. Without a journal the first start makes one."""
    settings = TableSettings(
        folder=folder,
        broker=BrokerAddress(port=free_port()),
        port=folder / "nowhere",
        log_level="warning",
    )
    settings.write()
    if journal is not None:
        shutil.copyfile(journal, settings.journal)
        big_journal.lengthen(settings.journal, TAIL)
    _evict(settings.journal)
    tail_s, _ = _start(settings)
    warm = [_start(settings) for _ in range(repeats)]
    cold = []
    for _ in range(repeats):
        _evict(settings.journal)
        cold.append(_start(settings))
    return StartUp(
        records=records,
        journal_mb=settings.journal.stat().st_size / 2**20,
        warm_s=median(seconds for seconds, _ in warm),
        cold_s=median(seconds for seconds, _ in cold),
        cpu_s=median(usage.cpu_s for _, usage in warm),
        tail_s=tail_s,
        rss_mb=median(usage.rss_mb for _, usage in warm),
    )


def _start(settings: TableSettings) -> tuple[float, Usage]:
    """Seconds until it was ready, and what it had used then."""
    program = Program(settings)
    name = str(settings.folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(name)
        heard.settimeout(PATIENCE_S)
        try:
            began = time.perf_counter()
            program.start(NOTIFY_SOCKET=name)
            while b"READY=1" not in heard.recv(4096):
                pass
            seconds = time.perf_counter() - began
            usage = program.usage
            program.stop()
        finally:
            Path(name).unlink()
    return seconds, usage


def _evict(path: Path) -> None:
    if not path.exists():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
