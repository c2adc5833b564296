"""Captures: everything that went over one cable, both ways, with its time, as text (docs/wire.md section 4).

::

    # table-edge capture 1
    # protocol: table_link            who made it, of what, where, when; a protocol is always named
    # line: 115200 8N1
    # option code_table: codes.toml   what the driver was told of the device
    0.000000 opened                   the port was opened
    0.000210 > 048430fc00             bytes to the device, hex
    0.012873 < 0b0101011a2b3c4d01     bytes from the device, as they were read
    7.250000 closed                   the port was closed, or failed

Seconds since the beginning with six digits, never backwards. One format for the tap of a daemon, for
``sim-devices play`` and for regression tests. A capture names every card that passed, face down or not: its
file belongs to the service's user alone, and nothing here shows its bytes.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from firmware_protocols.errors import CaptureInvalid

TITLE: Final = "# table-edge capture 1"
_US: Final = 1_000_000
_HEAD: Final = re.compile(r"# ([a-z]+)(?: ([a-z_]+))?: ?(.*)")
_ENTRY: Final = re.compile(r"(\d{1,9}\.\d{6}) (?:(opened|closed)|([<>]) ((?:[0-9a-f]{2})+))", re.ASCII)
_KNOWN: Final = (
    "protocol",
    "kind",
    "line",
    "model",
    "serial",
    "firmware",
    "site",
    "table",
    "journal",
    "date",
    "notes",
)


class Way(Enum):
    """Where bytes went."""

    FROM_DEVICE = "<"
    TO_DEVICE = ">"


class Cable(Enum):
    """What happened to the port."""

    OPENED = "opened"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a capture comes from. Each text is one line; empty: not known."""

    protocol: str
    """The driver's name, as in ``table_link``."""
    kind: str = "shoe"
    line: str = ""
    """``115200 8N1``, ``usb 1209:0001``, ``pty``."""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    site: str = ""
    table: str = ""
    """The id of the table whose daemon made it."""
    journal: str = ""
    """The id of the journal that the daemon wrote then."""
    date: str = ""
    notes: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the driver was told of the device."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Carried:
    """Bytes went over the cable, as one write or one read. They may be a card: only their number is shown."""

    at_us: int
    """Microseconds since the beginning."""
    way: Way
    octets: bytes
    """At least one."""

    def __repr__(self) -> str:
        return f"Carried(at_us={self.at_us}, way={self.way.value!r}, {len(self.octets)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CableMoved:
    """The port was opened or closed."""

    at_us: int
    to: Cable


Entry: TypeAlias = Carried | CableMoved


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A whole capture."""

    provenance: Provenance
    entries: tuple[Entry, ...] = field(repr=False)
    torn: bool = False
    """The last line was cut short, as by a power cut, and is left out."""

    @property
    def ends_us(self) -> int:
        """When the last thing happened."""
        return self.entries[-1].at_us if self.entries else 0

    def carried(self, way: Way) -> bytes:
        """All bytes of one way, in order."""
        return b"".join(each.octets for each in self.entries if isinstance(each, Carried) and each.way is way)


def capture_head(provenance: Provenance) -> str:
    """The lines that a capture begins with.

    Raises:
        ValueError: a text is not of one line.
    """
    known = [(name, getattr(provenance, name)) for name in _KNOWN]
    known += [(f"option {name}", value) for name, value in sorted(provenance.options.items())]
    for name, value in known:
        if not _one_line(value):
            raise ValueError(f"{name} of a capture is one line of text, without blanks at its ends")
    return "".join(f"{line}\n" for line in (TITLE, *(f"# {name}: {value}" for name, value in known if value)))


def capture_line(entry: Entry) -> str:
    """The line of one entry."""
    at = f"{entry.at_us // _US}.{entry.at_us % _US:06}"
    match entry:
        case Carried():
            return f"{at} {entry.way.value} {entry.octets.hex()}\n"
        case CableMoved():
            return f"{at} {entry.to.value}\n"


def write_capture(capture: Capture) -> str:
    """The text of a capture."""
    return capture_head(capture.provenance) + "".join(map(capture_line, capture.entries))


def read_capture(text: str, *, source: str) -> Capture:
    """The capture that this text is.

    Args:
        text: what stands in the file.
        source: what to call the file in an error.

    Raises:
        CaptureInvalid: a line is neither; the error names file, line and what is allowed.
    """
    lines = text.split("\n")
    torn = lines[-1] != ""
    if not torn:
        lines.pop()
    if lines[:1] != [TITLE]:
        raise CaptureInvalid(source=source, line=1, why="it is no capture", hint=f"It begins with {TITLE!r}")
    heads = sum(1 for _ in _head_lines(lines))
    provenance = _provenance(lines[:heads], source)
    entries: list[Entry] = []
    for number, line in enumerate(lines[heads:], start=heads + 1):
        if not line.strip() or (torn and number == len(lines)):
            continue
        entry = _entry(line)
        if entry is None:
            raise CaptureInvalid(
                source=source,
                line=number,
                why="it is no entry",
                hint="Write seconds with six digits, then opened, closed, or < or > and bytes in hex",
            )
        if entries and entry.at_us < entries[-1].at_us:
            raise CaptureInvalid(source=source, line=number, why="its time goes back", hint="Sort by time")
        entries.append(entry)
    return Capture(provenance=provenance, entries=tuple(entries), torn=torn)


def _head_lines(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("#"):
            return
        yield line


def _provenance(lines: list[str], source: str) -> Provenance:
    said: dict[str, str] = {}
    options: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        found = _HEAD.fullmatch(line)
        if found is None or (found[2] is not None) != (found[1] == "option"):
            raise _bad_head(source, number, "it is no line of a capture's head")
        into, name = (options, found[2]) if found[2] is not None else (said, found[1])
        if into is said and name not in _KNOWN:
            raise _bad_head(source, number, f"there is no {name!r} in a capture's head")
        if name in into:
            raise _bad_head(source, number, f"{name} is there twice")
        if not _one_line(found[3]):
            raise _bad_head(source, number, f"{name} is not one line of text, without blanks at its ends")
        if found[3]:  # a line without a text says nothing
            into[name] = found[3]
    if not said.get("protocol"):
        raise _bad_head(source, 1, "it does not say which protocol it is of")
    return Provenance(**said, options=options)


def _one_line(text: str) -> bool:
    return f"{text}x".isprintable() and text == text.strip()


def _bad_head(source: str, line: int, why: str) -> CaptureInvalid:
    allowed = ", ".join((*_KNOWN, "option NAME"))
    return CaptureInvalid(source=source, line=line, why=why, hint=f"'# NAME: TEXT' with one of {allowed}")


def _entry(line: str) -> Entry | None:
    found = _ENTRY.fullmatch(line)
    if found is None:
        return None
    at_us = int(found[1].replace(".", ""))
    if found[2] is not None:
        return CableMoved(at_us=at_us, to=Cable(found[2]))
    return Carried(at_us=at_us, way=Way(found[3]), octets=bytes.fromhex(found[4]))
