"""Who has a port: named with process id and command, and with what ends it for good."""

import os
import pty
from pathlib import Path

import pytest

from drivers import DeviceBusy, LineSettings, open_port, parse_url, told_holders, who_holds
from drivers.holders import KNOWN_THIEVES, takers

LINE = LineSettings(baud=9600)


def program(proc: Path, pid: int, name: str, command: str, *opened: Path) -> None:
    folder = proc / str(pid)
    (folder / "fd").mkdir(parents=True)
    (folder / "comm").write_text(f"{name}\n", encoding="utf-8")
    (folder / "cmdline").write_bytes(command.encode())
    for number, path in enumerate(opened):
        (folder / f"fd/{number}").symlink_to(path)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("ModemManager", "systemctl mask --now ModemManager.service"),
        ("brltty", "systemctl mask --now brltty.service brltty-udev.service"),
        ("agetty", "serial-getty@"),
    ],
)
def test_a_known_taker_of_ports_is_named_with_its_remedy(tmp_path: Path, name: str, remedy: str) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    program(tmp_path / "proc", 812, name, f"/usr/sbin/{name}\0--debug\0", tmp_path / "other", port)
    program(tmp_path / "proc", 813, "bash", "bash\0", tmp_path / "other")
    told = told_holders(who_holds(str(port), proc=tmp_path / "proc"))
    assert told.names == f"{name} (pid 812, called as /usr/sbin/{name} --debug)"
    assert remedy in told.remedy


def test_another_program_is_named_and_a_long_command_is_cut(tmp_path: Path) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    program(tmp_path / "proc", 5, "minicom", "minicom\0" + "x" * 300 + "\x1b", port)
    told = told_holders(who_holds(str(port), proc=tmp_path / "proc"))
    assert told.names.startswith("minicom (pid 5, called as minicom xxx")
    assert len(told.names) < 120
    assert "Stop that program" in told.remedy


def test_a_symlink_of_the_port_finds_whoever_has_the_port_itself(tmp_path: Path) -> None:
    port, role = tmp_path / "ttyUSB0", tmp_path / "t7-shoe"
    port.touch()
    role.symlink_to(port)
    program(tmp_path / "proc", 5, "minicom", "minicom\0", port)
    assert [holder.pid for holder in who_holds(str(role), proc=tmp_path / "proc")] == [5]


def test_what_only_root_may_see_is_suspected_of_those_that_are_known_for_it(tmp_path: Path) -> None:
    program(tmp_path / "proc", 812, "ModemManager", "/usr/sbin/ModemManager\0")
    program(tmp_path / "proc", 813, "bash", "bash\0")
    told = told_holders((), suspected=takers(proc=tmp_path / "proc"))
    assert told.names == (
        "a program of another user, perhaps ModemManager (pid 812, called as /usr/sbin/ModemManager)"
    )
    assert told.remedy == KNOWN_THIEVES["ModemManager"]
    assert told_holders(()).names == ""


def test_a_port_that_somebody_opened_before_is_refused_though_it_could_be_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever reads beside us takes cards away. (A pseudo-terminal's far end is no thief.)"""
    master, slave = pty.openpty()
    path = os.ttyname(slave)
    monkeypatch.setattr("drivers.serial_line._PTY_MAJORS", ())
    monkeypatch.setattr("drivers.serial_line.fcntl.ioctl", lambda *_: 0)  # TIOCEXCL would outlive this test
    monkeypatch.setattr("drivers.serial_line.os.getpid", lambda: 1)  # we are the others
    try:
        with pytest.raises(DeviceBusy, match=f"{path} is in use by "):
            open_port(parse_url(path), LINE)
    finally:
        os.close(master)
        os.close(slave)
