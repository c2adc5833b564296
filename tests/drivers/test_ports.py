import dataclasses
import errno
import fcntl
import os
import pty
import termios
from pathlib import Path

import pytest
import serial

from drivers import (
    BadUrl,
    DeviceAbsent,
    DeviceBusy,
    DeviceLost,
    LineChanges,
    LineSettings,
    NoPermission,
    PortAddress,
    Rfc2217Address,
    SerialAddress,
    SocketAddress,
    UsbAddress,
    open_port,
    parse_url,
    who_holds,
)
from drivers.errors import errno_of, for_once, lost, no_server, not_opened

LINE = LineSettings(baud=115200)
TIOCGEXCL = 0x80045440
"""Whether a terminal is exclusive (ioctl_tty(2)); Python names only its setter."""


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("/dev/table-shoe", SerialAddress(url="", path="/dev/table-shoe")),
        ("serial:/dev/table-shoe", SerialAddress(url="", path="/dev/table-shoe")),
        ("serial:///dev/table-shoe", SerialAddress(url="", path="/dev/table-shoe")),
        (
            "serial:/dev/x?baud=57600&bits=7&parity=E&stop=1.5&dtr=off&rts=on&latency=normal",
            SerialAddress(
                url="",
                path="/dev/x",
                line=LineChanges(
                    baud=57600, bits=7, parity="E", stop=1.5, dtr=False, rts=True, low_latency=False
                ),
            ),
        ),
        ("socket://10.0.0.1:4001", SocketAddress(url="", host="10.0.0.1", port=4001)),
        ("socket://[::1]:4001", SocketAddress(url="", host="::1", port=4001)),
        (
            "rfc2217://server.example:4001?baud=4800",
            Rfc2217Address(url="", host="server.example", port=4001, line=LineChanges(baud=4800)),
        ),
        ("usb:1209:00aF", UsbAddress(url="", vendor=0x1209, product=0xAF)),
        ("usb:1209:0001:TE-0042", UsbAddress(url="", vendor=0x1209, product=1, serial="TE-0042")),
        ("usb:1209:0001?port=1-1.2", UsbAddress(url="", vendor=0x1209, product=1, port="1-1.2")),
    ],
)
def test_a_device_address_is_read(url: str, address: PortAddress) -> None:
    assert parse_url(url) == dataclasses.replace(address, url=url)


def test_what_a_url_says_of_the_line_goes_before_what_the_driver_says() -> None:
    driver = LineSettings(baud=9600, parity="E", dtr=False)
    assert LineChanges().over(driver) == driver
    assert LineChanges(baud=4800, dtr=True).over(driver) == LineSettings(baud=4800, parity="E", dtr=True)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "no device URL"),
        ("ttyUSB0", "no device URL"),
        ("telnet://10.0.0.1:4001", "telnet: is no kind of port this version opens"),
        ("serial:", "names no port"),
        ("serial:ttyUSB0", "names no port"),
        ("serial:/dev/x?speed=9600", "unknown setting 'speed'"),
        ("serial:/dev/x?baud=fast", "'fast'"),
        ("serial:/dev/x?baud=0", "no line speed"),
        ("serial:/dev/x?baud=-9600", "no line speed"),
        ("serial:/dev/x?baud=99999999999", "no line speed"),
        ("serial:/dev/x?baud=9600&baud=4800", "sets 'baud' twice"),
        ("serial:/dev/x?parity=even", "'even'"),
        ("serial:/dev/x?stop=3", "is no stop"),
        ("serial:/dev/x?dtr=1", "is no dtr"),
        ("socket://10.0.0.1", "names no host and port"),
        ("socket://:4001", "names no host and port"),
        ("socket://10.0.0.1:0", "names no host and port"),
        ("socket://10.0.0.1:99999", "names no host and port"),
        ("socket://10.0.0.1:4001?baud=4800", "has a setting 'baud'"),
        ("rfc2217://10.0.0.1:4001?speed=4800", "unknown setting 'speed'"),
        ("usb:1209", "names no USB device"),
        ("usb:1209:1", "names no USB device"),
        ("usb:1209:0001?port=first", "is no USB port"),
        ("usb:1209:0001?baud=9600", "unknown setting 'baud'"),
    ],
)
def test_a_wrong_address_says_what_is_wrong_and_what_would_be_right(url: str, says: str) -> None:
    with pytest.raises(BadUrl) as caught:
        parse_url(url)
    assert says in caught.value.sentence
    assert caught.value.hint.startswith(("Write", "There is:", "Leave", "The line is set"))


def _hidden_errno() -> serial.SerialException:
    """As pyserial raises it: the number is in the context only."""
    error = serial.SerialException("read failed: [Errno 5] Input/output error")
    error.__context__ = OSError(errno.EIO, "Input/output error")
    return error


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.EIO, "x"), errno.EIO),
        (_hidden_errno(), errno.EIO),
        (termios.error(errno.ENOTTY, "x"), errno.ENOTTY),
        (serial.SerialException(errno.ENOENT, "x"), errno.ENOENT),
        (serial.PortNotOpenError(), None),
        (TypeError("'NoneType' object cannot be interpreted as an integer"), None),
        (ValueError("negative file descriptor"), None),
        (None, None),
    ],
)
def test_every_kind_of_failure_becomes_a_lost_device(error: Exception | None, number: int | None) -> None:
    assert errno_of(error) == number
    found = lost("serial:/dev/shoe", "reading from", error)
    assert type(found) is DeviceLost
    assert found.url == "serial:/dev/shoe"
    assert "serial:/dev/shoe" in found.sentence
    assert found.hint in str(found)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOENT, DeviceAbsent),
        (errno.ENXIO, DeviceAbsent),
        (errno.EIO, DeviceAbsent),
        (errno.EACCES, NoPermission),
        (errno.EBUSY, DeviceBusy),
        (errno.EWOULDBLOCK, DeviceBusy),
        (errno.ENOTTY, DeviceLost),
    ],
)
def test_why_a_port_cannot_be_opened_is_told_apart(number: int, kind: type[DeviceLost]) -> None:
    found = not_opened("serial:/dev/shoe", "/dev/shoe", OSError(number, "x"))
    assert type(found) is kind


def test_a_missing_port_is_absent(tmp_path: Path) -> None:
    with pytest.raises(DeviceAbsent, match="There is no device at"):
        open_port(parse_url(str(tmp_path / "nothing")), LINE)


def test_a_file_is_no_port(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(DeviceLost) as caught:
        open_port(parse_url(str(path)), LINE)
    assert "cannot be opened" in caught.value.sentence


def test_a_port_locked_by_another_is_busy_and_says_who_has_it() -> None:
    master, slave = pty.openpty()
    try:
        fcntl.flock(slave, fcntl.LOCK_EX)
        before = open_descriptors()
        with pytest.raises(DeviceBusy) as caught:
            open_port(parse_url(os.ttyname(slave)), LINE)
        assert "is in use by this program itself" in caught.value.sentence
        assert open_descriptors() == before
        assert [holder.pid for holder in who_holds(os.ttyname(slave))] == [os.getpid()]
    finally:
        os.close(master)
        os.close(slave)


def test_an_open_port_keeps_others_out_reads_without_blocking_and_leaves_dtr_alone() -> None:
    master, slave = pty.openpty()
    try:
        address = parse_url(os.ttyname(slave))
        port = open_port(address, LINE)
        with pytest.raises(DeviceBusy):
            open_port(address, LINE)
        assert port.read() == b""
        os.write(master, b"\x00\x11\x13\x03\n\r")
        assert port.read() == b"\x00\x11\x13\x03\n\r"
        assert port.write(b"ping") == 4
        assert os.read(master, 10) == b"ping"
        assert not termios.tcgetattr(port.fd)[2] & termios.HUPCL
        port.close()
        open_port(address, LINE).close()
    finally:
        os.close(master)
        os.close(slave)


def test_a_pty_is_known_for_one_whatever_a_container_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marked as exclusive, it could never be opened again: a pty outlives its last close."""
    master, slave = pty.openpty()
    address = parse_url(os.ttyname(slave))
    monkeypatch.setattr(os, "ttyname", lambda _: "/dev/ttyUSB9")
    try:
        port = open_port(address, LINE)
        exclusive = fcntl.ioctl(port.fd, TIOCGEXCL, bytes(4))
        port.close()
        assert int.from_bytes(exclusive, "little") == 0
    finally:
        os.close(master)
        os.close(slave)


def test_a_device_that_takes_nothing_blocks_nobody_and_is_lost_in_the_end() -> None:
    master, slave = pty.openpty()
    try:
        port = open_port(parse_url(os.ttyname(slave)), LINE)
        with pytest.raises(DeviceLost, match="the device takes nothing"):  # noqa: PT012 - which write is open
            for _ in range(1000):
                port.write(bytes(1000))
        port.close()
    finally:
        os.close(master)
        os.close(slave)


def test_a_pulled_plug_is_a_lost_device_for_reading_and_writing() -> None:
    master, slave = pty.openpty()
    port = open_port(parse_url(os.ttyname(slave)), LINE)
    os.close(slave)
    os.close(master)
    with pytest.raises(DeviceLost):
        port.read()
    with pytest.raises(DeviceLost):
        port.write(b"x")
    port.close()
    port.close()


def test_dtr_and_rts_are_set_before_the_port_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyserial raises both on opening, which resets some devices."""
    seen: list[tuple[bool, bool, bool, int, str]] = []
    real = serial.Serial.open

    def watched(line: serial.Serial) -> None:
        seen.append((line.is_open, line.dtr, line.rts, line.baudrate, line.parity))
        real(line)

    monkeypatch.setattr(serial.Serial, "open", watched)
    master, slave = pty.openpty()
    try:
        open_port(parse_url(f"serial:{os.ttyname(slave)}?dtr=off&rts=on&baud=4800"), LINE).close()
    finally:
        os.close(master)
        os.close(slave)
    assert seen == [(False, False, True, 4800, "N")]


@pytest.mark.parametrize(("latency", "asked"), [("low", [True]), ("normal", [])])
def test_a_port_that_can_is_asked_to_hand_on_each_byte_at_once(
    monkeypatch: pytest.MonkeyPatch, latency: str, asked: list[bool]
) -> None:
    told: list[bool] = []

    def set_mode(_line: serial.Serial, wanted: bool) -> None:  # noqa: FBT001 - pyserial's
        told.append(wanted)
        raise ValueError("a pseudo-terminal has no such mode")

    monkeypatch.setattr(serial.Serial, "set_low_latency_mode", set_mode)
    master, slave = pty.openpty()
    try:
        open_port(parse_url(f"serial:{os.ttyname(slave)}?latency={latency}"), LINE).close()
    finally:
        os.close(master)
        os.close(slave)
    assert told == asked


@pytest.mark.parametrize(
    "error",
    [
        lost("/dev/x", "reading from", None),
        not_opened("/dev/x", "/dev/x", FileNotFoundError(errno.ENOENT, "no")),
        no_server("socket://x:1", "x:1", ConnectionRefusedError(errno.ECONNREFUSED, "no")),
    ],
)
def test_who_tries_once_is_not_told_that_it_goes_on_by_itself(error: DeviceLost) -> None:
    assert "as soon as it" in error.hint
    assert for_once(str(error)) == f"{error.sentence}. {for_once(error.hint)}"
    assert for_once(error.hint).endswith(", and begin again")
    assert "as soon as" not in for_once(error.hint)
