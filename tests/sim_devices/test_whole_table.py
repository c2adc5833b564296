"""The demonstration proves itself, says so, tidies up; and does not when it could not."""

import io
import os
import signal
import subprocess
import sys
import time
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
