"""Serial device servers: raw TCP and RFC 2217, the latter against pyserial's own server side."""

import asyncio
import contextlib
import os
import pty
import socket
import termios
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import serial
from serial import rfc2217

from drivers import DeviceAbsent, DeviceLost, DeviceSettings, EventsMissed, LineSettings, open_port, parse_url
from firmware_protocols import AngelEyeOptions
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import AngelEyeShoe
from tests.drivers.reading import Reading, open_descriptors, threads_of

PortManager: Final[Any] = rfc2217.PortManager  # the stubs want a client's port, it wants a server's
LINE: Final = LineSettings(baud=9600)
CONTENTS: Final = ShoeContents.shuffled(decks=8, seed=3, cut_from_back=60)


class PtyLine(serial.Serial):
    """A pseudo-terminal as a device server's line: it has no modem lines, and no parity to set."""

    cts = dsr = ri = cd = False

    def _reconfigure_port(self, force_update: bool = False) -> None:  # noqa: FBT001, FBT002 - pyserial's
        with contextlib.suppress(termios.error):
            super()._reconfigure_port(force_update)  # type: ignore[misc]  # not in the stubs

    def _update_dtr_state(self) -> None:
        pass

    def _update_rts_state(self) -> None:
        pass


class Server:
    """A device server: passes bytes between its serial port and whoever connects, one at a time.

    With ``negotiates`` it speaks RFC 2217.
    """

    def __init__(self, path: Path, *, negotiates: bool) -> None:
        self._path = path
        self._negotiates = negotiates
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._client: socket.socket | None = None
        self._over = False
        self.line = PtyLine(str(path), timeout=0.01)
        self._thread = threading.Thread(target=self._serve, name="device server")
        self._thread.start()

    @property
    def port(self) -> int:
        number: int = self._listening.getsockname()[1]
        return number

    def write(self, octets: bytes) -> None:
        """For pyserial's port manager, which answers with it."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.sendall(octets)

    def hang_up(self) -> None:
        """Lose the network."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._over = True
        self.hang_up()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()
        self.line.close()

    def _serve(self) -> None:
        while not self._over:
            try:
                self._client, _ = self._listening.accept()
            except OSError:
                return
            with self._client:
                self._client.settimeout(0.01)
                manager = PortManager(self.line, self) if self._negotiates else None
                with contextlib.suppress(OSError):
                    while self._pass_on(self._client, manager):
                        pass

    def _pass_on(self, client: socket.socket, manager: Any) -> bool:
        with contextlib.suppress(TimeoutError):
            came = client.recv(1024)
            if not came or self._over:
                return False
            self.line.write(came if manager is None else b"".join(manager.filter(came)))
        said = self.line.read(1024)
        if said:
            client.sendall(said if manager is None else b"".join(manager.escape(said)))
        return True


@contextlib.contextmanager
def served(path: Path, *, negotiates: bool) -> Iterator[Server]:
    server = Server(path, negotiates=negotiates)
    try:
        yield server
    finally:
        server.close()


@contextlib.contextmanager
def far_end() -> Iterator[tuple[int, Path]]:
    """The serial port of a device server: its device's side, and its name."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    try:
        yield master, Path(os.ttyname(slave))
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("negotiates", [False, True], ids=["socket", "rfc2217"])
def test_a_shoe_behind_a_device_server_is_read_through_a_lost_network(
    tmp_path: Path, *, negotiates: bool
) -> None:
    async def run() -> None:
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), CONTENTS) as shoe:
            with served(tmp_path / "shoe", negotiates=negotiates) as server:
                scheme = "rfc2217" if negotiates else "socket"
                url = f"{scheme}://127.0.0.1:{server.port}"
                reading = Reading(DeviceSettings(id="shoe", url=url))
                async with reading.running():
                    await reading.until(lambda: reading.pump.connected)
                    truth = [shoe.draw().value for _ in range(5)]
                    await reading.until(lambda: len(reading.cards) == 5)
                    server.hang_up()
                    await reading.until(lambda: not reading.pump.connected)
                    truth += [shoe.draw().value for _ in range(5)]
                    await reading.until(lambda: len(reading.cards) == 10)
                    assert reading.cards == truth
                    assert reading.of(EventsMissed) == []
                await reading.until(lambda: threads_of(url) == [])

    asyncio.run(run())


def test_a_line_behind_rfc2217_is_set_from_here() -> None:
    with far_end() as (_master, path), served(path, negotiates=True) as server:
        url = f"rfc2217://127.0.0.1:{server.port}?baud=4800&parity=E&bits=7&stop=2"
        port = open_port(parse_url(url), LINE)
        line = server.line
        assert (line.baudrate, line.parity, line.bytesize, line.stopbits) == (4800, "E", 7, 2)
        port.close()
        assert port.wait_closed(8)


def test_bytes_that_telnet_would_take_for_its_own_come_through() -> None:
    every = bytes(range(256))
    with far_end() as (master, path), served(path, negotiates=True) as server:
        port = open_port(parse_url(f"rfc2217://127.0.0.1:{server.port}"), LINE)
        os.write(master, every)
        heard = b""
        while len(heard) < 256:
            heard += port.read()
        assert heard == every
        port.write(every)
        said = b""
        while len(said) < 256:
            said += os.read(master, 256)
        assert said == every
        port.close()
        assert port.wait_closed(8)


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
def test_a_server_that_is_not_there_is_absent_and_leaves_nothing_open(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.getsockname()[1]
    before = open_descriptors()
    with pytest.raises(DeviceAbsent, match=f"The device server at 127.0.0.1:{number} cannot be reached"):
        open_port(parse_url(f"{scheme}://127.0.0.1:{number}"), LINE)
    assert open_descriptors() == before


def test_a_server_that_speaks_no_rfc2217_is_told_from_one_that_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("drivers.device_server.NEGOTIATION_S", 0.2)
    with far_end() as (_master, path), served(path, negotiates=False) as server:
        before = open_descriptors()
        with pytest.raises(DeviceLost, match="RFC2217"):
            open_port(parse_url(f"rfc2217://127.0.0.1:{server.port}"), LINE)
        assert open_descriptors() <= before + 1  # the server's own end


def test_a_quiet_connection_is_kept_alive_by_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = open_port(parse_url(f"socket://127.0.0.1:{listening.getsockname()[1]}"), LINE)
        with socket.socket(fileno=os.dup(port.fd)) as line:
            assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 15_000
        port.close()


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\xff\xf0",  # the end of what never began
        b"\xff\xfa\xff\xf0",
        b"\xff\xfa\x2c\x65\xff\xf0",
        b"\xff\xfa" + b"x" * 5000,
        b"\xff\xfb\xff\xfd\xff",
    ],
    ids=["end", "empty", "short", "endless", "refused"],
)
def test_a_server_that_talks_telnet_nonsense_ends_its_connection_at_worst(nonsense: bytes) -> None:
    with far_end() as (_master, path), served(path, negotiates=True) as server:
        url = f"rfc2217://127.0.0.1:{server.port}"
        port = open_port(parse_url(url), LINE)
        server.write(nonsense)
        server.hang_up()
        until = time.monotonic() + 8
        with pytest.raises(DeviceLost):  # noqa: PT012 - which read meets it is open
            while time.monotonic() < until:
                port.read()
                time.sleep(0.01)
        port.close()
        assert port.wait_closed(8)


def test_a_server_waits_when_nobody_reads_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.device_server.MAX_WAITING", 64)
    monkeypatch.setattr("drivers.threaded_port.QUEUE_PIECES", 2)
    said = bytes(range(1, 200)) * 10
    with far_end() as (master, path), served(path, negotiates=True) as server:
        port = open_port(parse_url(f"rfc2217://127.0.0.1:{server.port}"), LINE)
        os.write(master, said)
        time.sleep(0.3)  # the queues are full, and it still comes
        heard = b""
        until = time.monotonic() + 8
        while len(heard) < len(said) and time.monotonic() < until:
            heard += port.read()
            time.sleep(0.001)
        assert heard == said
        os.write(master, said)
        time.sleep(0.2)
        port.close()  # with full queues
        assert port.wait_closed(8)


def test_an_angel_eye_behind_a_device_server_is_read(tmp_path: Path) -> None:
    def end(boot: int, now: float) -> FarEnd:
        return AngelEyeShoe(boot=boot, now=now, options=AngelEyeOptions(), gap_s=0.01)

    async def run() -> None:
        settings = ShoeSettings(port=tmp_path / "shoe", end=end)
        async with SimulatedShoe(settings, CONTENTS) as shoe:
            with served(tmp_path / "shoe", negotiates=False) as server:
                url = f"socket://127.0.0.1:{server.port}"
                reading = Reading(DeviceSettings(id="shoe", url=url, protocol="angel_eye"))
                async with reading.running():
                    await reading.until(lambda: reading.pump.connected)
                    truth = [shoe.draw().value for _ in range(5)]
                    await reading.until(lambda: reading.pump.counters.repeats == 10)
                    assert reading.cards == truth

    asyncio.run(run())
