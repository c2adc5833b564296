"""Printed codes from a scanner on a serial line (docs/wire.md section 3).

::

    +--------+----------------------------+--------+
    | prefix | code: 1..128, printable    | suffix |      prefix: as configured, or none
    +--------+----------------------------+--------+      suffix: 0D, 0A, or 0D 0A

9600 8N1 by default. There is no checksum, no number and no acknowledgement: the scanner says a code once. Two
codes in one read are two cards, also if they are equal.

How it goes wrong: the line is opened within a code (its tail is told from a code if the table can tell); a
suffix that is lost glues two codes together, and a flipped bit makes another code: both are foreign cards
if the table does not know them. A flipped bit that makes one of the table's codes another cannot be noticed
here: codes should differ from each other in more than one bit, and carry a serial number.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_protocols.code_table import MAX_CODE, CodeTable
from firmware_protocols.errors import NotEncodable
from firmware_protocols.framing import Noise, Reject, RejectReason
from firmware_protocols.messages import ForeignScan
from firmware_protocols.unnumbered import Heard, Reading, Repetition, UnnumberedLink

_PRINTABLE: Final = range(0x20, 0x7F)


class Suffix(Enum):
    """What ends a code."""

    CR = b"\r"
    LF = b"\n"
    CRLF = b"\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarcodeOptions:
    """What has to be known of the scanner beside its line."""

    table: CodeTable
    prefix: bytes = b""
    suffix: Suffix = Suffix.CR


def encode_code(text: str, *, prefix: bytes = b"", suffix: Suffix = Suffix.CR) -> bytes:
    """The bytes that a scanner sends for a code.

    Raises:
        NotEncodable: it is empty, too long or not printable ASCII.
    """
    octets = text.encode("ascii", errors="replace")
    if not 1 <= len(text) <= MAX_CODE or not text.isascii() or not readable(octets):
        raise NotEncodable(field="code", limit=f"1..{MAX_CODE} printable ASCII characters")
    return prefix + octets + suffix.value


def readable(octets: bytes) -> bool:
    """Whether these bytes are printable ASCII, all of them."""
    return all(octet in _PRINTABLE for octet in octets)


class BarcodeReader:
    """Cuts a stream of bytes into codes and looks them up; holds at most one code between calls."""

    def __init__(self, options: BarcodeOptions) -> None:
        self._options = options
        self._most = len(options.prefix) + MAX_CODE
        self._run = bytearray()
        self._overlong = False
        #: Nothing says that the next code is heard from its beginning.
        self._afresh = True

    @property
    def held(self) -> int:
        """Bytes of an unfinished code."""
        return len(self._run)

    def reset(self) -> None:
        """Forget an unfinished code: the connection it came on is gone."""
        self._run.clear()
        self._overlong = False
        self._afresh = True

    def receive(self, octets: bytes, now: float) -> tuple[Reading, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        del now
        self._run += octets
        found: list[Reading] = []
        suffix = self._options.suffix.value
        while (end := self._run.find(suffix)) >= 0:
            line = bytes(self._run[:end])
            del self._run[: end + len(suffix)]
            found += self._line(line)
        while len(self._run) > self._most + len(suffix):
            piece = bytes(self._run[: self._most])
            del self._run[: self._most]
            found.append(Reject(reason=RejectReason.TOO_LONG, raw=piece))
            self._overlong = True
        return tuple(found)

    def give_up(self) -> tuple[Reading, ...]:
        """The unfinished code will not go on."""
        raw = bytes(self._run)
        self.reset()
        return (Reject(reason=RejectReason.BROKEN_OFF, raw=raw),) if raw else ()

    def _line(self, line: bytes) -> list[Reading]:
        prefix = self._options.prefix
        overlong, self._overlong = self._overlong, False
        afresh, self._afresh = self._afresh, False
        if not line:
            return [Noise(raw=self._options.suffix.value)]
        if overlong:
            return [Noise(raw=line)]
        if not line.startswith(prefix) or len(line) > self._most or not readable(line[len(prefix) :]):
            return [Reject(reason=RejectReason.BODY, raw=line)]
        text = line[len(prefix) :].decode("ascii")
        if not text:
            return [Reject(reason=RejectReason.TOO_SHORT, raw=line)]
        table = self._options.table
        event = table.event(text)
        doubtful = afresh and not prefix and isinstance(event, ForeignScan)
        if doubtful and table.may_be_a_tail(text):
            return [Reject(reason=RejectReason.BROKEN_OFF, raw=line)]
        return [Heard(events=(event,))]


def barcode_link(options: BarcodeOptions) -> UnnumberedLink:
    """The host's end of a link to a scanner on a serial line."""
    return UnnumberedLink(kind="scanner", reader=BarcodeReader(options), repetition=Repetition())
