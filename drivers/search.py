"""Searching for what is at the end of a cable: which line speed, which protocol.

Nothing is written to the device unless that is asked for, and then only what a driver's row says is harmless.
A protocol is recognised by what its own codec can read; a scanner's codes have no check, so plain text counts
as a scanner only if nothing better is found.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from drivers.address import PortAddress, Rfc2217Address, SerialAddress
from drivers.driver import Driver
from drivers.line import LineSettings
from drivers.ports import Port, open_port
from drivers.registry import DRIVERS
from firmware_protocols import (
    AngelEyeOptions,
    AngelEyeReader,
    BccRange,
    Decoder,
    Heard,
    Hello,
    Noise,
    Reject,
)

SPEEDS: Final = (115200, 9600, 4800, 57600, 38400, 19200, 2400, 1200, 230400, 460800, 921600)
"""The likeliest first."""
LISTEN_S: Final = 2.5
"""At each speed: a table_link device beats every second."""
POLL_S: Final = 0.02
_MOSTLY: Final = 0.9
_TEXT: Final = frozenset(range(0x20, 0x7F)) | {0x0A, 0x0D}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What was seen at one line speed."""

    baud: int | None
    """None: the port has no line to set from here."""
    octets: int
    """Bytes that came."""
    protocol: str | None
    """The first whose codec could read it."""
    frames: int
    """Readable frames of it."""
    said: str
    """What the device said of itself, if it did; it names no card."""
    framing_errors: int | None
    """As the kernel counted them meanwhile."""
    configured: tuple[str, ...] = ()
    """Further lines of the device's section in the configuration: its kind and its options."""

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """What was recognised goes before what was only text, and that before what was not."""
        checked = self.protocol is not None and self.protocol != "barcode"
        return checked, self.protocol is not None, self.frames


def search(
    address: PortAddress,
    *,
    write: bool,
    speeds: tuple[int, ...] = SPEEDS,
    listen_s: float = LISTEN_S,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[Sight]:
    """Listen at each speed, until a protocol with a checksum is recognised. Blocks.

    Args:
        address: of the port. Where it says a speed, only that one is tried.
        write: send the probes that the drivers hold for harmless.
        speeds: to be tried, in this order.
        listen_s: seconds at each speed.
        monotonic: seconds, never backwards.

    Raises:
        DeviceLost: the port cannot be opened, or breaks.
    """
    for baud in _speeds(address, speeds):
        port = open_port(address, LineSettings(baud=baud or speeds[0]))
        try:
            sight = _listen(port, baud, write=write, until=monotonic() + listen_s, monotonic=monotonic)
        finally:
            port.close()
            port.wait_closed(2.0)
        yield sight
        if sight.rank[0]:
            return


def _speeds(address: PortAddress, speeds: tuple[int, ...]) -> tuple[int | None, ...]:
    if isinstance(address, SerialAddress | Rfc2217Address):
        return speeds if address.line.baud is None else (address.line.baud,)
    return (None,)


def _listen(
    port: Port, baud: int | None, *, write: bool, until: float, monotonic: Callable[[], float]
) -> Sight:
    before = port.line_errors()
    if write:
        for driver in DRIVERS:
            if driver.probe is not None:
                port.write(b"\0" + driver.probe)  # a frame that was begun by noise ends here
    came = bytearray()
    while monotonic() < until:
        octets = port.read()
        came += octets
        if not octets:
            time.sleep(POLL_S)
    after = port.line_errors()
    errors = None if before is None or after is None else after.frame - before.frame
    protocol, frames, said = recognise(bytes(came))
    return Sight(
        baud=baud,
        octets=len(came),
        protocol=protocol,
        frames=frames,
        said=said,
        framing_errors=errors,
        configured=configured(protocol, bytes(came)),
    )


def configured(protocol: str | None, octets: bytes) -> tuple[str, ...]:
    """What the configuration must say beside URL and protocol, where it is not what it says without."""
    match protocol:
        case "table_link":
            kind = _kind_said(octets)
            return () if kind is None else (f'kind = "{kind}"',)
        case "angel_eye":
            bcc = _bcc_of(octets)
            return () if bcc is None else (f'options = {{ bcc_from_shoe = "{bcc.value}" }}',)
        case "barcode":
            suffix = _suffix_of(octets)
            more = "" if suffix is None else f', suffix = "{suffix}"'
            return 'kind = "scanner"', f'options = {{ code_table = "/etc/table-edge/codes.toml"{more} }}'
        case "hid_pos":
            return 'kind = "scanner"', 'options = { code_table = "/etc/table-edge/codes.toml" }'
        case _:
            return ()


def _kind_said(octets: bytes) -> str | None:
    kinds = (each.kind for each in Decoder().receive(octets) if isinstance(each, Hello))
    return next((kind.name.lower() for kind in kinds if not isinstance(kind, int)), None)


def recognise(octets: bytes) -> tuple[str | None, int, str]:
    """The protocol whose codec reads these bytes, how many frames, and what the device said of itself."""
    for recogniser in (_table_link, _angel_eye, _hid_pos, _text):
        found = recogniser(octets)
        if found is not None:
            return found
    return None, 0, ""


def driver_of(protocol: str) -> Driver:
    """The row of a protocol that was recognised."""
    return next(driver for driver in DRIVERS if driver.name == protocol)


def _table_link(octets: bytes) -> tuple[str, int, str] | None:
    messages = [each for each in Decoder().receive(octets) if not isinstance(each, Noise | Reject)]
    if not messages:
        return None
    hello = next((each for each in messages if isinstance(each, Hello)), None)
    said = ""
    if hello is not None:
        kind = hello.kind if isinstance(hello.kind, int) else hello.kind.name.lower()
        firmware = ".".join(str(part) for part in hello.firmware)
        said = f"a {kind} with serial number {hello.serial}, firmware {firmware}"
    return "table_link", len(messages), said


def _angel_eye(octets: bytes) -> tuple[str, int, str] | None:
    bcc = _bcc_of(octets)
    if bcc is None:
        return None
    return "angel_eye", _angel_eye_frames(octets, bcc), f'its checksum is bcc_from_shoe = "{bcc.value}"'


def _bcc_of(octets: bytes) -> BccRange | None:
    return next((bcc for bcc in BccRange if _angel_eye_frames(octets, bcc)), None)


def _angel_eye_frames(octets: bytes, bcc: BccRange) -> int:
    read = AngelEyeReader(AngelEyeOptions(bcc_from_shoe=bcc)).receive(octets, 0.0)
    rejected = any(isinstance(each, Reject) for each in read[1:])
    return 0 if rejected else sum(isinstance(each, Heard) for each in read)


def _hid_pos(octets: bytes) -> tuple[str, int, str] | None:
    reports = [octets[at : at + 64] for at in range(0, len(octets) - 63, 64)]
    fitting = [each for each in reports if each[0] == 0x02 and each[2] == 0x5D]  # noqa: PLR2004 - as drawn
    return ("hid_pos", len(fitting), "") if fitting and len(fitting) == len(reports) else None


def _text(octets: bytes) -> tuple[str, int, str] | None:
    printable = sum(octet in _TEXT for octet in octets)
    lines = sum(bool(line.strip()) for line in octets.splitlines()[:-1]) + octets.endswith((b"\r", b"\n"))
    if not lines or printable < _MOSTLY * len(octets):
        return None
    return "barcode", lines, f'lines of text; suffix = "{_suffix_of(octets) or "none"}"'


def _suffix_of(octets: bytes) -> str | None:
    endings = {b"\r\n": "CRLF", b"\r": "CR", b"\n": "LF"}
    return next((name for ending, name in endings.items() if octets.endswith(ending)), None)
