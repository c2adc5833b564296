"""Printed codes from a USB HID POS scanner: usage page 8C, bar code scanner (docs/wire.md section 3).

::

    +----+--------+----+-----+-----+---------------------------+------+----+-------+
    | 02 | length | 5D | id1 | id2 | code, filled up with 00   | more | 00 | flags |    64 bytes
    +----+--------+----+-----+-----+---------------------------+------+----+-------+
      report id     AIM symbology           56 bytes             a further     bit 0: the code goes on
            0..56   identifier, "].."                            identifier,   in the next report
                                                                 or 00

Source: the HID Point of Sale Usage Tables 1.02 name the fields; this layout of them is the one published in
scanner manuals (Access-IS LSR118 Product Manual, appendix B). Not tried on a scanner; another layout is
another codec. USB itself checks and repeats its packets, so a report arrives whole or not at all, and
nothing in it is checked again; all that is not code must be as drawn. At most 128 characters in as many
reports as that takes.

How it goes wrong: bytes that are no report are skipped up to the next head of one; a code whose next report
does not come is broken off; a report that never arrived leaves no trace.
"""

from typing import Final

from firmware_protocols.barcode import readable
from firmware_protocols.code_table import MAX_CODE, CodeTable
from firmware_protocols.errors import NotEncodable
from firmware_protocols.framing import Noise, Reject, RejectReason
from firmware_protocols.unnumbered import Heard, Reading, Repetition, UnnumberedLink

REPORT_OCTETS: Final = 64
_REPORT_ID: Final = 0x02
_ROOM: Final = 56
_AIM: Final = 0x5D
_HEAD: Final = 5
_TAIL: Final = 3
_GOES_ON: Final = 0x01
_ENDS: Final = (b"\r\n", b"\r", b"\n")
"""What some scanners put behind a code here as well."""


def encode_hid_pos(text: str, *, symbology: bytes = b"C0") -> tuple[bytes, ...]:
    """The reports that a scanner sends for a code.

    Args:
        text: the code.
        symbology: what follows the 5D of the AIM identifier, two characters; ``C0`` is Code 128.

    Raises:
        NotEncodable: the code is empty, too long or not printable ASCII.
    """
    octets = text.encode("ascii", errors="replace")
    if not 1 <= len(text) <= MAX_CODE or not text.isascii() or not readable(octets):
        raise NotEncodable(field="code", limit=f"1..{MAX_CODE} printable ASCII characters")
    parts = [octets[at : at + _ROOM] for at in range(0, len(octets), _ROOM)]
    return tuple(
        bytes((_REPORT_ID, len(part), _AIM))
        + symbology
        + part.ljust(_ROOM, b"\0")
        + bytes((0, 0, _GOES_ON if at < len(parts) else 0))
        for at, part in enumerate(parts, start=1)
    )


class HidPosReader:
    """Reports to codes; holds less than a report, and less than a code, between calls."""

    def __init__(self, table: CodeTable) -> None:
        self._table = table
        self._run = bytearray()
        self._code = bytearray()

    @property
    def held(self) -> int:
        """Bytes of an unfinished report and of an unfinished code."""
        return len(self._run) + len(self._code)

    def reset(self) -> None:
        """Forget what is unfinished: the connection it came on is gone."""
        self._run.clear()
        self._code.clear()

    def receive(self, octets: bytes, now: float) -> tuple[Reading, ...]:
        """Everything that ``octets`` completed, in order. Never raises."""
        del now
        self._run += octets
        found: list[Reading] = []
        while self._run:
            length = self._unreadable()
            if length:
                found += self._broken(bytes(self._run[:length]))
            elif len(self._run) < REPORT_OCTETS:
                break
            else:
                length = REPORT_OCTETS
                found += self._report(bytes(self._run[:length]))
            del self._run[:length]
        return tuple(found)

    def give_up(self) -> tuple[Reading, ...]:
        """What is unfinished will not go on."""
        raw = bytes(self._code + self._run)
        self.reset()
        return (Reject(reason=RejectReason.BROKEN_OFF, raw=raw),) if raw else ()

    def _unreadable(self) -> int:
        """How many bytes at the front are no report, nor the beginning of one."""
        run = self._run
        if not _may_begin(run, 0):
            return next((at for at in range(1, len(run)) if _may_begin(run, at)), len(run))
        if len(run) < REPORT_OCTETS or _as_drawn(bytes(run[:REPORT_OCTETS])):
            return 0
        return next(
            (at for at in range(1, REPORT_OCTETS) if run[at : at + 3][2:] == b"]" and _may_begin(run, at)),
            REPORT_OCTETS,
        )

    def _broken(self, raw: bytes) -> list[Reading]:
        lost = bytes(self._code)
        self._code.clear()
        found: list[Reading] = [Reject(reason=RejectReason.BROKEN_OFF, raw=lost)] if lost else []
        if len(raw) >= _HEAD and _may_begin(raw, 0):
            return [*found, Reject(reason=RejectReason.BODY, raw=raw)]
        return [*found, Noise(raw=raw)]

    def _report(self, report: bytes) -> list[Reading]:
        self._code += report[_HEAD : _HEAD + report[1]]
        if len(self._code) > MAX_CODE + max(map(len, _ENDS)):
            raw = bytes(self._code)
            self._code.clear()
            return [Reject(reason=RejectReason.TOO_LONG, raw=raw)]
        if report[-1] & _GOES_ON:
            return []
        code = bytes(self._code)
        self._code.clear()
        for end in _ENDS:
            if code.endswith(end):
                code = code.removesuffix(end)
                break
        if not code or not readable(code):
            return [Reject(reason=RejectReason.BODY, raw=report)]
        return [Heard(events=(self._table.event(code.decode("ascii")),))]


def hid_pos_link(table: CodeTable) -> UnnumberedLink:
    """The host's end of a link to a USB HID POS scanner."""
    return UnnumberedLink(kind="scanner", reader=HidPosReader(table), repetition=Repetition())


def _may_begin(run: bytes | bytearray, at: int) -> bool:
    """Whether a report may begin here, as far as its head has come."""
    head = run[at : at + _HEAD]
    return (
        head[0] == _REPORT_ID
        and (len(head) < 2 or head[1] <= _ROOM)  # noqa: PLR2004 - a head's second byte
        and (len(head) < 3 or head[2] == _AIM)  # noqa: PLR2004 - its third
        and readable(bytes(head[3:]))
    )


def _as_drawn(report: bytes) -> bool:
    filling = report[_HEAD + report[1] : -_TAIL]
    further, reserved, flags = report[-_TAIL:]
    return not any(filling) and (further == 0 or readable(bytes((further,)))) and not reserved and flags <= 1
