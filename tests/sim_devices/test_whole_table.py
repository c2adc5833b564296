"""The demonstration proves itself, says so, tidies up; and does not when it could not."""

import io
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from sim_devices.broker import BrokerAddress, free_port
from sim_devices.whole_table import Show, run

ROOT = Path(__file__).resolve().parents[2]


def table(*arguments: str, home: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "sim_devices.app", "table", *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # it has just ended
        return ""


def test_two_rounds_are_dealt_and_proved(tmp_path: Path) -> None:
    shown = table("--rounds", "2", "--pace", "60", home=tmp_path)
    said, _ = shown.communicate(timeout=60)
    assert shown.returncode == 0, said
    proofs = [line for line in said.splitlines() if line.startswith(("ok", "NO"))]
    assert len(proofs) == 5
    assert all(line.startswith("ok") for line in proofs), said
    assert "byte for byte" in proofs[0]
    assert "round.closed" in said
    assert list(tmp_path.iterdir()) == []


def test_a_table_at_which_things_go_wrong_is_proved_as_well(tmp_path: Path) -> None:
    shown = table("--rounds", "3", "--pace", "60", "--mishaps", "0.15", "--seed", "5", home=tmp_path)
    said, _ = shown.communicate(timeout=90)
    assert shown.returncode == 0, said
    proofs = [line for line in said.splitlines() if line.startswith(("ok", "NO"))]
    assert len(proofs) == 5
    assert all(line.startswith("ok") for line in proofs), said
    assert said.count("irregularity.raised") == said.count("irregularity.resolved") > 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_ends_it_finds_nothing_left(tmp_path: Path, number: signal.Signals) -> None:
    shown = table(home=tmp_path)
    assert shown.stdout is not None
    while "card.dealt" not in shown.stdout.readline():
        assert shown.poll() is None
    shown.send_signal(number)
    said, _ = shown.communicate(timeout=30)
    assert shown.returncode == 130, said
    assert "Interrupted" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
    assert not [each for each in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in _read(each)]


@dataclass(frozen=True, kw_only=True)
class Demo:
    """``scripts/demo``, which somebody started at a terminal and ends with Ctrl-C."""

    home: Path
    shown: "subprocess.Popen[str]"
    ends_after_s: float

    @classmethod
    def start(cls, home: Path, ends_after_s: float) -> "Demo":
        home.mkdir()
        shown = subprocess.Popen(
            [ROOT / "scripts" / "demo"],
            env={**os.environ, "TMPDIR": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        return cls(home=home, shown=shown, ends_after_s=ends_after_s)

    def interrupt(self) -> str:
        """Ctrl-C, so long after it said its first word: what it said then, and how it ended."""
        assert self.shown.stdout is not None
        first = self.shown.stdout.readline()
        time.sleep(self.ends_after_s)
        os.killpg(self.shown.pid, signal.SIGINT)  # as a terminal does: everything in the foreground
        try:
            said, _ = self.shown.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(self.shown.pid, signal.SIGKILL)
            return f"after {self.ends_after_s:.3f} s: it went on"
        left = [each.name for each in self.home.iterdir()]
        alive = [each for each in Path("/proc").glob("[0-9]*/cmdline") if str(self.home) in _read(each)]
        if (self.shown.returncode, left, alive) == (130, [], []) and "Traceback" not in said:
            return "well"
        return f"after {self.ends_after_s:.3f} s: {self.shown.returncode}, {left}, {alive}\n{first}{said}"


def test_control_c_ends_the_demo_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(20)
    moments = [chance.uniform(0, 6) for _ in range(10)]
    demos = [Demo.start(tmp_path / str(number), after_s) for number, after_s in enumerate(moments)]
    with ThreadPoolExecutor(len(demos)) as at_once:
        assert list(at_once.map(Demo.interrupt, demos)) == ["well"] * 10


def test_what_failed_is_said_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = io.StringIO()
    show = Show(broker=BrokerAddress(port=free_port()), stalled_after_s=0.5)
    began = time.monotonic()
    assert run(show, Console(file=said, width=200)) == 1
    assert time.monotonic() - began < 30
    assert "Nothing has happened for 0.5 s" in said.getvalue()
    (kept,) = tmp_path.iterdir()
    assert str(kept) in said.getvalue()
    assert (kept / "daemon.log").exists()
