"""What is at the end of a cable: recognised by what its own codec reads, and never written to unasked."""

import asyncio
import os
import pty
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drivers import LineSettings, Sight, open_port, parse_url, recognise, search
from drivers.kernel_counts import LineErrors, line_errors
from drivers.search import configured
from firmware_protocols import (
    AngelEyeMessage,
    BccRange,
    DeviceKind,
    Hello,
    Ping,
    encode,
    encode_angel_eye,
    encode_code,
    encode_hid_pos,
)
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe

HELLO = Hello(kind=DeviceKind.SHOE, boot=1, firmware=(1, 4, 2), oldest=1, newest=0, serial="TE-0042")
DRAWN = AngelEyeMessage(seq=0x31, octets=bytes((0x64, 0x81, 0xB8)))


@pytest.mark.parametrize(
    ("octets", "protocol", "frames", "said"),
    [
        (
            b"\x12\x34\x00" + encode(HELLO) * 2,
            "table_link",
            2,
            "a shoe with serial number TE-0042, firmware 1.4.2",
        ),
        (encode_angel_eye(DRAWN) * 3, "angel_eye", 3, 'bcc_from_shoe = "without_start"'),
        (encode_angel_eye(DRAWN, bcc=BccRange.WITH_START), "angel_eye", 1, 'bcc_from_shoe = "with_start"'),
        (b"".join(encode_hid_pos("As")) * 2, "hid_pos", 2, ""),
        (encode_code("SA-0001") * 2, "barcode", 2, 'suffix = "CR"'),
        (b"SA-0001\r\nKD-0002\r\n", "barcode", 2, 'suffix = "CRLF"'),
        (b"\xf8\x80\xf8" * 40, None, 0, ""),
        (b"", None, 0, ""),
        (b"no end", None, 0, ""),
    ],
)
def test_a_protocol_is_known_by_its_bytes(
    octets: bytes, protocol: str | None, frames: int, said: str
) -> None:
    found, counted, told = recognise(octets)
    assert (found, counted) == (protocol, frames)
    assert said in told


@pytest.mark.parametrize(
    ("octets", "lines"),
    [
        (encode(HELLO), ('kind = "shoe"',)),
        (encode(Ping()), ()),
        (encode_angel_eye(DRAWN, bcc=BccRange.WITH_START), ('options = { bcc_from_shoe = "with_start" }',)),
        (
            b"SA-0001\r\n",
            ('kind = "scanner"', 'options = { code_table = "/etc/table-edge/codes.toml", suffix = "CRLF" }'),
        ),
        (
            b"".join(encode_hid_pos("As")),
            ('kind = "scanner"', 'options = { code_table = "/etc/table-edge/codes.toml" }'),
        ),
        (b"", ()),
    ],
)
def test_what_the_configuration_must_say_is_told(octets: bytes, lines: tuple[str, ...]) -> None:
    assert configured(recognise(octets)[0], octets) == lines


def test_what_has_a_checksum_goes_before_what_has_none() -> None:
    def sight(protocol: str | None, frames: int) -> Sight:
        return Sight(baud=9600, octets=50, protocol=protocol, frames=frames, said="", framing_errors=None)

    sights = [sight(None, 0), sight("barcode", 9), sight("angel_eye", 1)]
    assert max(sights, key=lambda each: each.rank).protocol == "angel_eye"
    assert max(sights[:2], key=lambda each: each.rank).protocol == "barcode"


@contextmanager
def far_end() -> Iterator[tuple[int, str]]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    try:
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)


def test_every_speed_is_listened_at_and_nothing_is_written() -> None:
    with far_end() as (master, path):
        seen = list(search(parse_url(path), write=False, speeds=(9600, 4800), listen_s=0.05))
        assert [(each.baud, each.octets, each.protocol) for each in seen] == [
            (9600, 0, None),
            (4800, 0, None),
        ]
        with pytest.raises(BlockingIOError):
            os.read(master, 100)


def test_a_speed_that_is_named_is_the_only_one_and_a_probe_is_sent_only_when_told() -> None:
    with far_end() as (master, path):
        (seen,) = search(parse_url(f"serial:{path}?baud=4800"), write=True, listen_s=0.05)
        assert seen.baud == 4800
        assert os.read(master, 100) == b"\x00\x04\x84\x30\xfc\x00"


def test_a_shoe_that_is_asked_says_who_it_is_and_the_search_ends(tmp_path: Path) -> None:
    async def run() -> list[Sight]:

        path = tmp_path / "shoe"
        async with SimulatedShoe(ShoeSettings(port=path), ShoeContents.written("As")):
            return await asyncio.to_thread(
                lambda: list(search(parse_url(str(path)), write=True, speeds=(115200, 9600), listen_s=0.2))
            )

    (sight,) = asyncio.run(run())
    assert (sight.baud, sight.protocol) == (115200, "table_link")
    assert "serial number TE-0042" in sight.said


def test_the_kernels_counts_are_read_where_a_port_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with far_end() as (_master, path):
        port = open_port(parse_url(path), LineSettings(baud=9600))
        assert port.line_errors() is None  # a pseudo-terminal has none
        counted = b"".join(number.to_bytes(4, "little") for number in range(1, 21))
        monkeypatch.setattr("drivers.kernel_counts.fcntl.ioctl", lambda *_: counted)
        assert line_errors(port.fd) == LineErrors(frame=7, overrun=8 + 11, parity=9, breaks=10)
        port.close()
