"""Scanners: codes on a serial line, and codes in USB HID POS reports."""

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocols import (
    REPORT_OCTETS,
    BarcodeOptions,
    Card,
    CardScan,
    CutCardScan,
    DeviceEvent,
    FaceDownCard,
    ForeignScan,
    Garbled,
    HidPosReader,
    HostNews,
    KeyStroke,
    Mark,
    NotEncodable,
    Opened,
    Said,
    Suffix,
    UnnumberedLink,
    WentSilent,
    barcode_link,
    encode_code,
    encode_hid_pos,
    hid_pos_link,
)
from tests.firmware_protocols.codes import plain_table, printed, serials_table

LINES: Final = [
    ("As", CardScan(card=FaceDownCard(Card.AS), face_up=False, reread=False, confidence=100)),
    ("Td", CardScan(card=FaceDownCard(Card.TD), face_up=False, reread=False, confidence=100)),
    ("CUT", CutCardScan()),
    ("DEAL", KeyStroke(key=1)),
    ("NOBODY KNOWS", ForeignScan(card=None)),
]


def serial_link(suffix: Suffix = Suffix.CR, prefix: bytes = b"") -> UnnumberedLink:
    return begun(barcode_link(BarcodeOptions(table=plain_table(), prefix=prefix, suffix=suffix)))


def usb_link() -> UnnumberedLink:
    return begun(hid_pos_link(plain_table()))


def begun(link: UnnumberedLink) -> UnnumberedLink:
    link.opened(0.0)
    assert link.receive(b"", 0.0) == (Opened(kind="scanner", serial=None, firmware=None),)
    return link


def hid(text: str) -> bytes:
    return b"".join(encode_hid_pos(text))


KINDS: Final = [
    pytest.param(serial_link, encode_code, id="serial"),
    pytest.param(usb_link, hid, id="usb"),
]


@pytest.mark.parametrize(("link_of", "encode"), KINDS)
@pytest.mark.parametrize(("text", "event"), LINES)
def test_each_code_four_ways(
    text: str, event: DeviceEvent, link_of: Callable[[], UnnumberedLink], encode: Callable[[str], bytes]
) -> None:
    octets = encode(text)
    assert said(link_of().receive(octets, 0.0)) == [event]
    link = link_of()
    assert said(tuple(news for octet in octets for news in link.receive(bytes((octet,)), 0.0))) == [event]
    assert said(link_of().receive(octets + octets[:2], 0.0)) == [event]
    noisy = said(link_of().receive(b"\x80\x1f" + octets + octets, 0.0))
    assert noisy in ([event], [event, event])


def test_pinned_bytes() -> None:
    assert encode_code("As", prefix=b"\x02", suffix=Suffix.CRLF) == bytes.fromhex("02 41 73 0D 0A")
    assert hid("As") == bytes.fromhex("02 02 5D 43 30 41 73" + " 00" * 57)


def test_a_published_pair_of_reports_is_one_code() -> None:
    """The example of the LSR118 manual: 60 characters in two reports."""
    first = b"\x02\x38]Q0M1GATHERGOOD/MICHAEL YABCDEF LHRDURAK 3542 052Y003D23  s\x00\x01"
    first = first[:61].ljust(61, b" ") + b"s\x00\x01"
    second = b"\x02\x04]Q0ABCD".ljust(61, b"\0") + b"s\x00\x00"
    assert len(first) == len(second) == REPORT_OCTETS
    link = usb_link()
    assert said(link.receive(first, 0.0)) == []
    assert said(link.receive(second, 0.0)) == [ForeignScan(card=None)]
    assert link.counts.rejects == link.counts.noise_bytes == 0


@pytest.mark.parametrize(("link_of", "encode"), KINDS)
def test_two_codes_in_one_read_are_two_cards_also_if_they_are_equal(
    link_of: Callable[[], UnnumberedLink], encode: Callable[[str], bytes]
) -> None:
    assert said(link_of().receive(encode("As") + encode("As") + encode("Td"), 0.0)) == [
        LINES[0][1],
        LINES[0][1],
        LINES[1][1],
    ]


@pytest.mark.parametrize("suffix", Suffix)
@pytest.mark.parametrize("prefix", [b"", b"\x02"])
def test_prefix_and_suffix(prefix: bytes, suffix: Suffix) -> None:
    link = serial_link(suffix, prefix)
    octets = encode_code("As", prefix=prefix, suffix=suffix)
    assert said(link.receive(octets * 2, 0.0)) == [LINES[0][1]] * 2
    if prefix:
        assert garbled(link.receive(encode_code("As", suffix=suffix), 0.0)) == 1


def test_the_end_of_a_code_is_no_foreign_card_when_the_line_was_opened_within_it() -> None:
    news = serial_link().receive(encode_code("s") + encode_code("s"), 0.0)
    assert [type(each) for each in news if isinstance(each, Garbled | Said)] == [Garbled, Said]
    link = begun(barcode_link(BarcodeOptions(table=serials_table())))
    news = link.receive(encode_code("-000001") + encode_code(printed(Card.AS, 1)), 0.0)
    assert [type(each) for each in news if isinstance(each, Garbled | Said)] == [Garbled, Said]


def test_a_code_that_does_not_go_on_is_given_up() -> None:
    link = serial_link()
    assert link.receive(b"A", 1.0) == ()
    assert link.deadline == 3.0
    assert garbled(link.tick(3.0)) == 1
    assert said(link.receive(b"s\rTd\r", 9.0)) == [LINES[1][1]]


def test_a_report_that_does_not_come_breaks_its_code_off() -> None:
    link = usb_link()
    link.receive(encode_hid_pos("x" * 60)[0], 1.0)
    assert garbled(link.tick(3.0)) == 1
    assert said(link.receive(hid("As"), 4.0)) == [LINES[0][1]]


def test_a_report_that_was_damaged_costs_one_code() -> None:
    link = usb_link()
    broken = bytearray(hid("As"))
    broken[40] = 0x55
    news = link.receive(bytes(broken) + hid("Td"), 0.0)
    assert said(news) == [LINES[1][1]]
    assert garbled(news) == 1
    news = link.receive(hid("As")[:50] + hid("As") + hid("Td"), 0.0)
    assert said(news) == [LINES[0][1], LINES[1][1]]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_suffix_in_a_report_is_no_part_of_the_code(end: str) -> None:
    report = bytearray(hid("As" + "x" * len(end)))
    report[7 : 7 + len(end)] = end.encode()
    assert said(usb_link().receive(bytes(report), 0.0)) == [LINES[0][1]]


def test_codes_too_long_or_unreadable_are_gaps() -> None:
    link = serial_link()
    assert garbled(link.receive(b"\x02As\r", 0.0)) == 1
    assert garbled(link.receive(b"x" * 129 + b"\r", 5.0)) == 1
    news = usb_link().receive(b"".join(encode_hid_pos("x" * 128)[:2]) * 2, 0.0)
    assert garbled(news) == 1


@pytest.mark.parametrize("size", [1, 3, 200])
def test_one_stretch_of_noise_is_one_gap_however_it_is_cut(size: int) -> None:
    link, noise = usb_link(), bytes(range(0x80, 0xF0))
    news = [each for at in range(0, 112, size) for each in link.receive(noise[at : at + size], 0.1)]
    assert garbled(tuple(news)) == 1
    assert garbled(link.receive(hid("As") + noise[:9], 0.2)) == 1
    assert garbled(link.receive(noise[:9], 2.0)) == 1


def test_bytes_without_end_are_garbage_and_cost_no_memory() -> None:
    link = serial_link()
    told: list[HostNews] = []
    for _ in range(100):
        told += link.receive(b"~" * 500, 0.0)
    assert sum(isinstance(each, WentSilent) for each in told) == 1
    assert not link.running
    assert said(link.receive(b"\rAs\r", 0.0)) == [LINES[0][1]]
    assert link.running


@pytest.mark.parametrize("text", ["", "\u00c4", "a\rb", "x" * 129])
def test_what_no_scanner_can_say_is_not_encoded(text: str) -> None:
    with pytest.raises(NotEncodable):
        encode_code(text)
    with pytest.raises(NotEncodable):
        encode_hid_pos(text)


def test_silence_is_idleness_and_a_mark_means_nothing() -> None:
    link = serial_link()
    assert link.deadline is None
    assert link.tick(1e6) == ()
    link.acknowledge(Mark(boot=1, number=1))
    assert link.data_to_send() == b""


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.binary(max_size=80) | st.sampled_from([encode_code("As"), hid("As")]), max_size=10))
def test_any_bytes_may_come_however_they_are_cut(pieces: list[bytes]) -> None:
    for link_of in (serial_link, usb_link):
        link, whole = link_of(), link_of()
        told = tuple(news for piece in pieces for news in link.receive(piece, 0.0))
        assert said(told) == said(whole.receive(b"".join(pieces), 0.0))
    reader = HidPosReader(plain_table())
    for piece in pieces:
        reader.receive(piece, 0.0)
    assert reader.held < 64 + 131


def said(news: tuple[HostNews, ...]) -> list[DeviceEvent]:
    return [each.what for each in news if isinstance(each, Said)]


def garbled(news: tuple[HostNews, ...]) -> int:
    return sum(isinstance(each, Garbled) for each in news)
