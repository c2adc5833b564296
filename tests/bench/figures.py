"""Figures of a run: quantiles, and what Linux says of a program and of this machine."""

import math
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

_NAMED: Final = r'PRETTY_NAME="(.+)"'
LIBRARIES: Final = ("table-edge", "paho-mqtt", "pydantic", "pyserial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Of a sample, in milliseconds."""

    count: int
    p50: float
    p99: float
    p999: float

    @classmethod
    def of(cls, nanoseconds: Sequence[int]) -> "Quantiles":
        """The nearest ranks."""
        ranked = sorted(nanoseconds)
        return cls(
            count=len(ranked),
            p50=_ranked(ranked, 0.5),
            p99=_ranked(ranked, 0.99),
            p999=_ranked(ranked, 0.999),
        )


def _ranked(ranked: Sequence[int], share: float) -> float:
    return ranked[max(0, math.ceil(len(ranked) * share) - 1)] / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where and when a run was."""

    cpu: str
    cores: int
    memory_gb: float
    disk: str
    system: str
    versions: dict[str, str]
    at: datetime
    load: tuple[float, float, float]
    """The load averages of 1, 5 and 15 minutes when the run began."""

    @classmethod
    def here(cls, folder: Path) -> "Machine":
        """This machine; ``folder`` is where the run writes."""
        return cls(
            cpu=_first(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo")) or platform.machine(),
            cores=os.cpu_count() or 1,
            memory_gb=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30,
            disk=_file_system(folder),
            system=f"{_first(_NAMED, Path('/etc/os-release'))}, Linux {platform.release()}",
            versions={
                "Python": _python(),
                "SQLite": sqlite3.sqlite_version,
                "Mosquitto": _mosquitto(),
                **{name: version(name) for name in LIBRARIES},
            },
            at=datetime.now(UTC),
            load=os.getloadavg(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a program has used so far; of processor time, its threads that still run."""

    cpu_s: float
    rss_mb: float

    @classmethod
    def of(cls, pid: int) -> "Usage":
        """A running program's."""
        # to the nanosecond; /proc/PID/stat counts in ticks, and misses what is over between two of them
        ran = [each.read_text("utf-8").split()[0] for each in Path(f"/proc/{pid}/task").glob("*/schedstat")]
        rss = _first(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{pid}/status")) or "0"
        return cls(cpu_s=sum(map(int, ran)) / 1e9, rss_mb=int(rss) / 1024)


def _python() -> str:
    """Its version, and whose: one that was built beside the system's may be a fifth slower."""
    whose = "the system's" if sys.base_prefix == "/usr" else "not the system's"
    return f"{platform.python_version()} ({whose})"


def load_now() -> tuple[float, float, float]:
    """The load averages of 1, 5 and 15 minutes."""
    return os.getloadavg()


def _first(pattern: str, path: Path) -> str | None:
    found = re.search(pattern, path.read_text("utf-8"))
    return found[1].strip() if found else None


def _file_system(folder: Path) -> str:
    said = subprocess.run(
        ["df", "--output=fstype,source", str(folder)], capture_output=True, text=True, check=True
    )
    return " on ".join(said.stdout.splitlines()[1].split())


def _mosquitto() -> str:
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        return "none"
    said = subprocess.run([program, "-h"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"mosquitto version (\S+)", said)
    return found[1] if found else "unknown"
