"""``sim-devices``: what is typed is done or answered, and errors are sentences with exit codes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import serial

from firmware_protocols import Command, CommandCode, encode

ROOT = Path(__file__).resolve().parents[2]


def sim_devices(*arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sim_devices.app", *arguments],
        cwd=ROOT,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_help_names_every_command() -> None:
    said = sim_devices("--help")
    assert said.returncode == 0
    for command in ("shoe", "dealer", "game-server", "table"):
        assert command in said.stdout


def test_a_shoe_does_what_is_typed(tmp_path: Path) -> None:
    log = tmp_path / "shoe.jsonl"
    commands = ["status", "draw 2", "unread", "lid open", "key 3", "cut", "draw", ""]
    commands += ["unplug", "replug", "power-cycle keep", "power-cycle", "quit"]
    said = sim_devices(
        "shoe",
        "--link",
        str(tmp_path / "shoe"),
        "--cards",
        "As Kd 2c 9h",
        "--pace",
        "100",
        "--log",
        str(log),
        typed="\n".join(commands),
    )
    assert said.returncode == 0, said.stderr
    assert "drew As" in said.stdout
    assert "4 out, 0 left" in said.stdout
    assert not (tmp_path / "shoe").exists()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["left"] for line in lines if "left" in line] == ["As", "Kd", "2c", "9h"]
    assert [line["noticed"] for line in lines if "noticed" in line] == [
        "LidMoved",
        "KeyStroke",
        "CutCardScan",
    ]
    assert len([line for line in lines if "powered" in line]) == 2


@pytest.mark.parametrize("typed", ["foo", "draw x", "key 256", "lid", "load Zz", "draw 5", "replug"])
def test_what_cannot_be_done_is_said_and_no_reason_to_end(tmp_path: Path, typed: str) -> None:
    said = sim_devices("shoe", "--link", str(tmp_path / "s"), "--cards", "As", typed=f"{typed}\nstatus\n")
    assert said.returncode == 0, said.stderr
    assert "\nno: " in said.stdout
    assert said.stdout.splitlines()[-1].startswith("ok: ")


def test_a_second_reader_comes_and_goes(tmp_path: Path) -> None:
    typed = "second-reader\nsecond-reader\nsecond-reader gone\nsecond-reader\n"
    said = sim_devices("shoe", "--link", str(tmp_path / "s"), "--wrong-firmware", typed=typed)
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("the second reader took ") == 2
    assert said.stdout.count("no: a second reader has the port already") == 1


def test_what_cannot_be_read_is_said_without_the_machines_words(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"\xff\xfe")
    for name, says in (("x.log", "is no capture: it is not UTF-8 text"), ("y.log", "No such file or dir")):
        said = sim_devices("play", str(tmp_path / name), "--link", str(tmp_path / "s"))
        assert says in said.stderr
        assert "Errno" not in said.stderr
        assert "codec" not in said.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("shoe", "--cards", "As Zz"),
        ("shoe", "--decks", "1", "--cut-at", "99"),
        ("dealer", "--broker", "nowhere:port"),
        ("game-server", "--broker", ":1"),
        ("table", "--broker", "x:0"),
        ("table", "--rounds", "0"),
        ("shoe", "--faults", "flop=0.1"),
        ("shoe", "--faults", "flip=2"),
        ("scanner", "--codes", "pyproject.toml"),
        ("scanner", "--codes", "nowhere.csv"),
        ("scanner", "--codes", "README.md"),
        ("play", "nowhere.log"),
        ("play", "README.md"),
        ("nothing",),
    ],
)
def test_bad_input_is_a_sentence_and_exit_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    link = ("--link", str(tmp_path / "s")) if arguments[0] in {"shoe", "dealer", "scanner", "play"} else ()
    said = sim_devices(*arguments, *link)
    assert said.returncode == 2
    assert said.stderr
    assert "Traceback" not in said.stderr


def test_a_port_that_cannot_be_made_is_a_sentence_and_exit_1(tmp_path: Path) -> None:
    said = sim_devices("shoe", "--link", str(tmp_path / "not there" / "shoe"))
    assert said.returncode == 1
    assert said.stderr.startswith("sim-devices: ")
    assert "Traceback" not in said.stderr


def test_a_shuffler_shuffles_when_the_table_tells_it_to(tmp_path: Path) -> None:
    log, link = tmp_path / "log.jsonl", tmp_path / "shuffler"
    program = [sys.executable, "-m", "sim_devices.app", "shuffler", "--link", str(link), "--log", str(log)]
    with subprocess.Popen(
        [*program, "--decks", "1", "--pace", "100"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as shuffler:
        assert shuffler.stdout is not None
        assert b"shuffler TE-S007" in shuffler.stdout.readline()
        with serial.Serial(str(link), timeout=0.05) as line:
            line.write(encode(Command(id=1, code=CommandCode.START_SHUFFLE)))
            for _ in range(200):
                line.read(4096)
                if "ShuffleFinished" in log.read_text():
                    break
        shuffler.communicate(b"quit\n", timeout=20)
    noticed = [json.loads(said).get("noticed") for said in log.read_text().splitlines()]
    assert noticed == [None, "ShuffleStarted", "ShuffleFinished"]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_simulated_shoe_that_is_ended_takes_its_port_with_it(
    tmp_path: Path, ending: signal.Signals
) -> None:
    link = tmp_path / "shoe"
    program = Path(sys.executable).with_name("sim-devices")
    dealer = subprocess.Popen(
        [program, "dealer", "--link", link], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 20
        while not link.is_symlink():
            assert dealer.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        dealer.send_signal(ending)
        assert dealer.wait(20) == 130
    finally:
        dealer.kill()
        dealer.wait()
    assert not link.is_symlink()
