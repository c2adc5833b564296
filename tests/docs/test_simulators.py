"""docs/simulators.md: every example runs as it stands there, and every command of ``sim-devices`` is told."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edge.journal import read_journal
from sim_devices.app import app
from sim_devices.broker import free_port
from tests.mosquitto import PATHS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "simulators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def run(block: str, folder: Path) -> str:
    """Run an example in an empty folder; another port is the only change."""
    (example,) = (each for each in BLOCKS if block in each)
    example = example.replace("1883", str(free_port()))
    path = os.pathsep.join([str(Path(sys.executable).parent), PATHS])
    running = subprocess.Popen(
        ["bash", "-e", "-c", example],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = running.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        said, _ = running.communicate()
    assert running.returncode == 0, said
    return said


def test_every_command_is_told() -> None:
    names = {each.name or getattr(each.callback, "__name__", "") for each in app.registered_commands}
    assert names == {"shoe", "shuffler", "angel-eye", "scanner", "play", "dealer", "game-server", "table"}
    for name in names:
        assert f"| `sim-devices {name}` |" in PAGE


def test_the_path_that_is_given_leads_there() -> None:
    assert BLOCKS[0] == 'PATH="$PWD/.venv/bin:$PATH"\n'


def test_a_whole_table(tmp_path: Path) -> None:
    assert len([line for line in run("sim-devices table", tmp_path).splitlines() if line[:2] == "ok"]) == 5


def test_a_shoe_under_your_hands(tmp_path: Path) -> None:
    assert "drew As" in run("lid open", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "shoe.jsonl").read_text().splitlines()]
    assert [line["left"] for line in lines if "left" in line] == ["As", "Kd", "2c"]


def test_other_devices(tmp_path: Path) -> None:
    said = run("sim-devices shuffler", tmp_path)
    assert "no: " not in said
    for name, wanted in (("angel", ["As", "Kd", "CUT"]), ("scanner", ["As", "Kd", "9h"])):
        lines = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        assert [line["left"] for line in lines if "left" in line] == wanted
    lines = [json.loads(line) for line in (tmp_path / "shuffler.jsonl").read_text().splitlines()]
    assert [line["noticed"] for line in lines if "noticed" in line] == [
        "ShuffleStarted",
        "ShuffleProgressed",
        "ShuffleFinished",
        "ShufflerJammed",
        "HatchMoved",
    ]


def test_a_bad_cable(tmp_path: Path) -> None:
    assert "drew As" in run("--faults", tmp_path)


def test_playing_what_was_captured(tmp_path: Path) -> None:
    said = run("sim-devices play", tmp_path)
    assert "played; the other side said" in said
    assert "device.online" in said


@pytest.mark.mosquitto
def test_your_game_server_at_a_table(tmp_path: Path) -> None:
    assert shutil.which("mosquitto", path=PATHS), "the Debian package mosquitto"
    said = run("sim-devices game-server", tmp_path)
    assert "2 rounds, 2 results as the book has them, 0 faults" in said
    received = (tmp_path / "events.jsonl").read_text().splitlines()
    with read_journal(tmp_path / "journal.db") as journal:
        journaled = [raw.decode() for _, raw in journal.events_between(1, len(received))]
    assert [json.loads(line) for line in received] == [json.loads(raw) for raw in journaled]
