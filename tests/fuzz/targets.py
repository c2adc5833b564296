"""What is fuzzed: each codec with any bytes, cut anywhere, with any time between the pieces.

A target raises if a codec does, if the cutting matters, if it holds more than it may, or if what it says
shows the bytes that it read.
"""

from collections.abc import Callable
from typing import Final, Protocol

from firmware_protocols import (
    AngelEyeFramer,
    AngelEyeOptions,
    BarcodeOptions,
    BccRange,
    CaptureInvalid,
    CodeTableForm,
    CodeTableInvalid,
    DeviceEnd,
    DeviceIdentity,
    DeviceKind,
    Event,
    HostEnd,
    HostNews,
    LinkCounts,
    Mark,
    Noise,
    Reject,
    Said,
    Suffix,
    UnknownEvent,
    UnknownMessage,
    angel_eye_link,
    barcode_link,
    hid_pos_link,
    read_capture,
    read_code_table,
    write_capture,
)
from tests.firmware_protocols.codes import plain_table, serials_table

_PIECES: Final = (1, 2, 7, 64)
_PAUSES_S: Final = (0.0, 0.1, 1.5, 12.0)
_MOST_TICKS: Final = 100
_PLAIN, _SERIALS = plain_table(), serials_table()


class _Link(Protocol):
    @property
    def deadline(self) -> float | None: ...
    @property
    def counts(self) -> LinkCounts: ...
    def opened(self, now: float) -> None: ...
    def closed(self) -> None: ...
    def receive(self, octets: bytes, now: float) -> tuple[HostNews, ...]: ...
    def tick(self, now: float) -> tuple[HostNews, ...]: ...
    def data_to_send(self) -> bytes: ...


def _link_target(make: Callable[[], _Link]) -> Callable[[bytes], None]:
    def target(octets: bytes) -> None:
        if not octets:
            return
        how, said = octets[0], octets[1:]
        size, pause_s = _PIECES[how & 3], _PAUSES_S[how >> 2 & 3]
        pieces = [said[at : at + size] for at in range(0, len(said), size)]
        whole = _events(_played(make(), [said], 0.0))
        assert _events(_played(make(), pieces, 0.0)) == whole, "the cutting matters"
        _played(make(), pieces, pause_s)

    return target


def _played(link: _Link, pieces: list[bytes], pause_s: float) -> list[HostNews]:
    now, news = 0.0, list[HostNews]()
    link.opened(now)
    link.data_to_send()
    for piece in pieces:
        news += link.receive(piece, now)
        for _ in range(_MOST_TICKS):
            if link.deadline is None or link.deadline > now + pause_s or not pause_s:
                break
            news += link.tick(max(now, link.deadline))
        now += pause_s
        link.data_to_send()
    link.closed()
    counts = link.counts
    assert counts.noise_bytes <= sum(map(len, pieces)), "noise out of nothing"
    for each in news:
        if isinstance(each, Noise | Reject | UnknownMessage):
            assert "b'" not in repr(each), "bytes are shown"
        if isinstance(each, Event | Said) and isinstance(each.what, UnknownEvent):
            assert "b'" not in repr(each), "bytes are shown"
    return news


def _events(news: list[HostNews]) -> list[HostNews]:
    return [each for each in news if isinstance(each, Event | Said)]


def _device_end(octets: bytes) -> None:
    identity = DeviceIdentity(kind=DeviceKind.SHOE, serial="X", firmware=(1, 0, 0))
    device = DeviceEnd(identity=identity, boot=1, now=0.0)
    device.opened(0.0)
    device.emit(UnknownEvent(code=0x40, body=b"\1"), 0.0)
    for at in range(0, len(octets), 16):
        device.receive(octets[at : at + 16], float(at))
        device.tick(float(at))
        device.data_to_send()
    assert 1 <= device.oldest <= device.newest + 1


def _angel_framer(octets: bytes) -> None:
    for bcc in BccRange:
        whole, pieces = AngelEyeFramer(bcc), AngelEyeFramer(bcc)
        frames = whole.receive(octets)
        cut = [frame for octet in octets for frame in pieces.receive(bytes((octet,)))]
        assert [each for each in cut if not isinstance(each, Noise)] == [
            each for each in frames if not isinstance(each, Noise)
        ]
        assert whole.held == pieces.held <= 64


def _capture(octets: bytes) -> None:
    try:
        found = read_capture(octets.decode("utf-8", errors="replace"), source="x.log")
    except CaptureInvalid:
        return
    if not found.torn:
        assert read_capture(write_capture(found), source="x.log") == found


def _code_table(octets: bytes) -> None:
    text = octets.decode("utf-8", errors="replace")
    for form in CodeTableForm:
        try:
            read_code_table(text, source="codes", form=form)
        except CodeTableInvalid as error:
            assert str(error).startswith("codes")  # noqa: PT017 - a target is no test


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "table_link": _link_target(
        lambda: HostEnd(kind=DeviceKind.SHOE, serial=None, resume_from=Mark(boot=0x1A2B3C4D, number=0))
    ),
    "device_end": _device_end,
    "angel_eye": _link_target(lambda: angel_eye_link(AngelEyeOptions())),
    "angel_eye_framer": _angel_framer,
    "barcode": _link_target(lambda: barcode_link(BarcodeOptions(table=_SERIALS))),
    "barcode_crlf": _link_target(
        lambda: barcode_link(BarcodeOptions(table=_PLAIN, prefix=b"\x02", suffix=Suffix.CRLF))
    ),
    "hid_pos": _link_target(lambda: hid_pos_link(_SERIALS)),
    "capture": _capture,
    "code_table": _code_table,
}
"""By the name of the codec; the corpus has a file of the same name."""
