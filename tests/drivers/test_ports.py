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
    LineSettings,
    NoPermission,
    PortAddress,
    open_port,
    parse_url,
    who_holds,
)
from drivers.errors import errno_of, lost, not_opened

LINE = LineSettings(baud=115200)


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(
    ("url", "path", "baud"),
    [
        ("/dev/table-shoe", "/dev/table-shoe", None),
        ("serial:/dev/table-shoe", "/dev/table-shoe", None),
        ("serial:///dev/table-shoe", "/dev/table-shoe", None),
        ("serial:/dev/table-shoe?baud=57600", "/dev/table-shoe", 57600),
    ],
)
def test_a_device_address_is_read(url: str, path: str, baud: int | None) -> None:
    assert parse_url(url) == PortAddress(url=url, path=path, baud=baud)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "no device URL"),
        ("ttyUSB0", "no device URL"),
        ("socket://10.0.0.1:4001", "socket: is no kind of port this version opens"),
        ("serial:", "names no port"),
        ("serial:ttyUSB0", "names no port"),
        ("serial:/dev/x?speed=9600", "unknown setting 'speed'"),
        ("serial:/dev/x?baud=fast", "'fast'"),
        ("serial:/dev/x?baud=0", "no line speed"),
        ("serial:/dev/x?baud=-9600", "no line speed"),
        ("serial:/dev/x?baud=99999999999", "no line speed"),
    ],
)
def test_a_wrong_address_says_what_is_wrong_and_what_would_be_right(url: str, says: str) -> None:
    with pytest.raises(BadUrl) as caught:
        parse_url(url)
    assert says in caught.value.sentence
    assert "serial:/dev/NAME" in caught.value.hint


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
    found = not_opened("serial:/dev/shoe", "/dev/shoe", "", OSError(number, "x"))
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
