"""What systemd is told, heard at a socket as systemd's own; and when the watchdog goes hungry."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from structlog.testing import CapturingLogger

from edge import systemd_notify
from edge.systemd_notify import STILL_S, Sign, Systemd, Vigil, table_sentence

PID = 4711
Hear = Callable[[], list[str]]


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> CapturingLogger:
    log = CapturingLogger()
    monkeypatch.setattr(systemd_notify, "log", log)
    return log


@pytest.fixture(params=["path", "abstract"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "notify") if request.param == "path" else f"@table-edge-test-{tmp_path.name}"


@pytest.fixture
def hear(address: str) -> Iterator[Hear]:
    """Everything said since the last time, a datagram each."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(address.replace("@", "\0"))
        heard.setblocking(False)

        def listen() -> list[str]:
            said = []
            while True:
                try:
                    said.append(heard.recv(4096).decode())
                except BlockingIOError:
                    return said

        yield listen


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def _systemd(address: str, usec: str = "30000000", **more: str) -> Systemd:
    return Systemd({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": usec, **more}, pid=PID)


def test_without_systemd_nothing_is_sent_and_nothing_fails() -> None:
    systemd = Systemd({}, pid=PID)
    assert not systemd.listens
    assert systemd.tell("READY=1")
    with systemd.slow_start("Nobody asks."):
        assert "systemd.slow_start" not in [thread.name for thread in threading.enumerate()]
    systemd.close()


@pytest.mark.parametrize("address", ["vsock:2:1234", "@", "relative/path", ""])
def test_an_address_of_another_kind_is_nobodys(address: str) -> None:
    assert not Systemd({"NOTIFY_SOCKET": address}, pid=PID).listens


@pytest.mark.parametrize(
    ("environment", "every_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 10.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(PID)}, 10.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_fed_in_a_third_of_its_period(
    environment: dict[str, str], every_s: float | None
) -> None:
    assert Systemd(environment, pid=PID).feed_every_s == every_s


def test_what_is_told_arrives_in_one_piece(address: str, hear: Hear) -> None:
    systemd = _systemd(address)
    assert systemd.tell("READY=1", "STATUS=All is well.")
    assert hear() == ["READY=1\nSTATUS=All is well."]
    systemd.close()
    assert systemd.tell("READY=1")
    assert hear() == []


def test_a_socket_that_is_gone_is_no_harm_and_said_once(tmp_path: Path, log: CapturingLogger) -> None:
    systemd = _systemd(str(tmp_path / "gone"))
    assert not systemd.tell("READY=1")
    assert not systemd.tell("READY=1")
    assert [call.args for call in log.calls] == [("systemd.deaf",)]
    systemd.close()


def test_a_full_socket_holds_nobody_up(address: str, hear: Hear) -> None:
    systemd = _systemd(address)
    began = time.monotonic()
    while systemd.tell("WATCHDOG=1"):
        assert time.monotonic() - began < 5
    assert hear()
    assert systemd.tell("WATCHDOG=1")
    systemd.close()


def test_a_slow_start_asks_for_time_and_a_quick_one_does_not(
    address: str, hear: Hear, monkeypatch: pytest.MonkeyPatch
) -> None:
    systemd = _systemd(address)
    with systemd.slow_start("Table t1: opening the journal."):
        pass
    assert hear() == []
    monkeypatch.setattr(systemd_notify, "ASK_S", 0.02)
    with systemd.slow_start("Table t1: opening the journal."):
        time.sleep(0.2)
    asked = hear()
    assert len(asked) > 2
    assert set(asked) == {"EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Table t1: opening the journal."}
    time.sleep(0.05)
    assert hear() == []
    systemd.close()


def test_a_start_that_hangs_is_given_up(address: str, hear: Hear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systemd_notify, "ASK_S", 0.01)
    monkeypatch.setattr(systemd_notify, "LONGEST_START_S", 0.05)
    systemd = _systemd(address)
    with systemd.slow_start("It hangs."):
        time.sleep(0.3)
    assert len(hear()) == 5
    systemd.close()


class Watched:
    """A vigil over one part, on a clock of its own."""

    def __init__(self, address: str) -> None:
        self.clock = Clock()
        self.count = 0
        self.sentence = "Table t1: shoe connected, broker connected."
        self.systemd = _systemd(address)
        self.vigil = Vigil(
            self.systemd,
            signs=[Sign(part="device:shoe", read=lambda: self.count)],
            sentence=lambda: self.sentence,
            monotonic=self.clock,
        )

    def after(self, seconds: float) -> None:
        self.clock.now += seconds
        self.vigil.look()


@pytest.fixture
def watched(address: str) -> Iterator[Watched]:
    watched = Watched(address)
    yield watched
    watched.systemd.close()


def test_ready_comes_once_and_the_sentence_when_it_changes(watched: Watched, hear: Hear) -> None:
    watched.after(0)
    assert hear() == ["READY=1\nSTATUS=Table t1: shoe connected, broker connected.\nWATCHDOG=1"]
    watched.after(1)
    assert hear() == []
    watched.sentence = "Table t1: shoe connected, broker not connected."
    watched.after(1)
    assert hear() == ["STATUS=Table t1: shoe connected, broker not connected."]
    watched.after(8)
    assert hear() == ["WATCHDOG=1"]


def test_ready_is_said_again_until_it_is_taken(tmp_path: Path) -> None:
    watched = Watched(str(tmp_path / "late"))
    watched.after(0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as late:
        late.bind(str(tmp_path / "late"))
        watched.after(1)
        assert late.recv(4096).startswith(b"READY=1\n")
    watched.systemd.close()


def test_a_part_that_does_not_move_starves_the_watchdog_until_it_moves(
    watched: Watched, hear: Hear, log: CapturingLogger
) -> None:
    watched.after(0)
    hear()
    for _ in range(5):
        watched.after(10)
    assert hear() == ["WATCHDOG=1"] * 5  # a hungry part may still be only waiting
    watched.after(STILL_S - 50)
    (said,) = hear()
    assert said == "STATUS=Stuck: device:shoe did not move for 60 s; the watchdog is not fed."
    watched.after(10)
    assert hear() == []
    assert [(call.method_name, call.kwargs["stuck"]) for call in log.calls] == [("critical", ["device:shoe"])]
    watched.count += 1
    watched.after(1)
    assert hear() == ["STATUS=Table t1: shoe connected, broker connected.\nWATCHDOG=1"]


def test_a_part_that_moves_now_and_then_is_alive(watched: Watched, hear: Hear) -> None:
    for _ in range(20):
        watched.count += 1
        watched.after(STILL_S - 1)
        assert "WATCHDOG=1" in hear()[0]


def test_a_stuck_loop_feeds_nothing(address: str, hear: Hear) -> None:
    async def stuck() -> None:
        systemd = _systemd(address, usec="150000")
        vigil = Vigil(systemd, signs=[], sentence=lambda: "Table t1.", monotonic=time.monotonic)
        watching = asyncio.create_task(vigil.run())
        await asyncio.sleep(0.4)
        assert len(hear()) > 4
        time.sleep(0.4)  # noqa: ASYNC251 - this is the loop that is stuck
        assert hear() == []
        await asyncio.sleep(0.1)
        assert hear() != []
        watching.cancel()
        systemd.close()

    asyncio.run(stuck())


def test_the_sentence_says_device_broker_and_what_else_is_wrong() -> None:
    assert (
        table_sentence("t7", devices={"shoe": True}, broker=True, reasons=[])
        == "Table t7: shoe connected, broker connected."
    )
    assert (
        table_sentence(
            "t7",
            devices={"shoe": False, "shuffler": True},
            broker=False,
            reasons=["broker", "device:shoe", "held", "storage"],
        )
        == "Table t7: shoe not connected, shuffler connected, broker not connected, held, storage."
    )
