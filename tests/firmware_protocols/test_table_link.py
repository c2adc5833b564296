from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols import (
    DECK,
    MAX_ENCODED,
    Ack,
    Card,
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CardsReturned,
    Command,
    CommandCode,
    CutCardScan,
    DamagedScan,
    Decoded,
    Decoder,
    DeviceEvent,
    DeviceKind,
    Event,
    FaceDownCard,
    FaultCleared,
    FaultRaised,
    ForeignHello,
    ForeignScan,
    Frame,
    HatchMoved,
    Heartbeat,
    Hello,
    KeyStroke,
    LidMoved,
    Message,
    Noise,
    NotEncodable,
    Ping,
    Reject,
    RejectReason,
    Reply,
    ReplyResult,
    Resume,
    ShoeEmptied,
    ShoeMoved,
    ShuffleFinished,
    ShuffleProgressed,
    ShufflerJammed,
    ShuffleStarted,
    UnknownEvent,
    UnknownMessage,
    UnreadScan,
    decode_event,
    decode_frame,
    encode,
    encode_event,
    encode_frame,
)

BOOT: Final = 0x1A2B3C4D
ACE_OF_SPADES: Final = FaceDownCard(Card.AS)


def _event(what: DeviceEvent) -> Event:
    return Event(number=258, at_ms=66051, what=what)


def _framed(kind: str, body: str) -> str:
    return encode_frame(Frame(type=int(kind, 16), body=bytes.fromhex(body))).hex()


PINNED: Final[list[tuple[Message, str]]] = [
    (Ping(), "04 84 30 FC 00"),
    (Resume(boot=BOOT, after=0), "06 81 1A 2B 3C 4D 01 01 01 03 D1 8F 00"),
    (Ack(boot=BOOT, number=1), "06 82 1A 2B 3C 4D 01 01 04 01 EC EA 00"),
    (
        Event(
            number=1,
            at_ms=1000,
            what=CardScan(card=ACE_OF_SPADES, face_up=False, reread=False, confidence=100),
        ),
        "02 02 01 01 02 01 01 05 03 E8 01 31 04 64 16 2B 00",
    ),
    (Event(number=2, at_ms=2500, what=CutCardScan()), "02 02 01 01 02 02 01 06 09 C4 02 D0 B0 00"),
    (
        Hello(kind=DeviceKind.SHOE, boot=BOOT, firmware=(1, 4, 2), oldest=1, newest=0, serial="TE-0042"),
        "0B 01 01 01 1A 2B 3C 4D 01 04 02 01 01 02 01 01 01 01 0A 54 45 2D 30 30 34 32 F9 33 00",
    ),
    (
        Heartbeat(newest=2, uptime_s=60, supply_mv=4987, lamp_percent=93),
        "02 03 01 01 02 02 01 01 07 3C 13 7B 5D 28 D3 00",
    ),
]
"""Written down in docs/wire.md section 1: they prove the codec, where pairs only prove consistency."""

BODIES: Final[list[tuple[Message, str]]] = [
    (Reply(id=0x0102, result=ReplyResult.BUSY), _framed("04", "01 02 02")),
    (Command(id=7, code=CommandCode.LAMP, args=b"\x05"), _framed("83", "00 07 03 05")),
    (Command(id=7, code=CommandCode.LOCK), _framed("83", "00 07 01")),
    (UnknownMessage(type=0x7F, body=b"\x31"), _framed("7F", "31")),
    (ForeignHello(version=2), _framed("01", "02")),
    *(
        (_event(what), _framed("02", f"00 00 01 02 00 01 02 03 {octets}"))
        for what, octets in (
            (CardScan(card=FaceDownCard(Card.KC), face_up=True, reread=False, confidence=0), "01 0D 01 00"),
            (CardScan(card=FaceDownCard(Card.TD), face_up=False, reread=True, confidence=255), "01 1A 02 FF"),
            (CardScan(card=None, face_up=True, reread=True, confidence=3), "01 FF 03 03"),
            (UnreadScan(), "03"),
            (CardPushedBack(), "04"),
            (CardOverdrawn(), "05"),
            (LidMoved(open=True), "06 01"),
            (LidMoved(open=False), "06 00"),
            (ShoeMoved(), "07"),
            (ShoeEmptied(), "08"),
            (KeyStroke(key=9), "09 09"),
            (FaultRaised(code=1), "0A 01"),
            (FaultCleared(code=1), "0B 01"),
            (ForeignScan(card=FaceDownCard(Card.H2)), "0C 22"),
            (ForeignScan(card=None), "0C FF"),
            (ShuffleStarted(decks=8), "20 08"),
            (ShuffleProgressed(cards=416), "21 01 A0"),
            (ShuffleFinished(cards=416, counts=(8,) * 52), "22 01 A0" + " 08" * 52),
            (ShufflerJammed(), "23"),
            (HatchMoved(open=True), "24 01"),
            (DamagedScan(card=FaceDownCard(Card.QS)), "25 3C"),
            (CardsReturned(cards=5), "26 05"),
            (UnknownEvent(code=0x7E, body=b"\x01\x02"), "7E 01 02"),
        )
    ),
]
CASES: Final = [(message, bytes.fromhex(octets)) for message, octets in PINNED + BODIES]


@pytest.mark.parametrize(("message", "octets"), CASES)
def test_a_message_is_encoded_as_written_down(message: Message, octets: bytes) -> None:
    assert encode(message) == octets


@pytest.mark.parametrize(("message", "octets"), CASES)
def test_a_message_is_read_whole(message: Message, octets: bytes) -> None:
    assert Decoder().receive(octets) == (message,)


@pytest.mark.parametrize(("message", "octets"), CASES)
def test_a_message_is_read_byte_by_byte(message: Message, octets: bytes) -> None:
    decoder = Decoder()
    assert [item for octet in octets for item in decoder.receive(bytes((octet,)))] == [message]


@pytest.mark.parametrize(("message", "octets"), CASES)
@pytest.mark.parametrize("noise", [b"\x00", b"\xff\x55\x00", b"\x7f" * 700 + b"\x00"])
def test_a_message_is_read_after_noise(message: Message, octets: bytes, noise: bytes) -> None:
    *before, last = Decoder().receive(noise + octets)
    assert last == message
    assert before
    assert all(isinstance(item, Noise | Reject) for item in before)


@pytest.mark.parametrize(("message", "octets"), CASES)
def test_a_message_is_read_with_bytes_after_it(message: Message, octets: bytes) -> None:
    decoder = Decoder()
    assert decoder.receive(octets + octets[:-1]) == (message,)
    assert decoder.receive(b"\x00") == (message,)


def test_every_card_has_its_byte() -> None:
    seen = set()
    for card in DECK:
        octets = encode_event(ForeignScan(card=FaceDownCard(card)))
        assert octets[1] == (card.index // 13) << 4 | (card.index % 13 + 1)
        assert decode_event(octets[0], octets[1:]) == ForeignScan(card=FaceDownCard(card))
        seen.add(octets[1])
    assert len(seen) == len(DECK)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (0x01, b"\x31\x04\x64"),  # a flag nobody defined
        (0x01, b"\x3e\x00\x64"),  # rank 14
        (0x01, b"\x30\x00\x64"),  # rank 0
        (0x01, b"\x41\x00\x64"),  # suit 4
        (0x01, b"\x31\x00"),
        (0x02, b"\x00"),
        (0x06, b"\x02"),
        (0x0C, b""),
        (0x22, b"\x01\xa0"),
        (0xEE, b"what?"),
    ],
)
def test_an_event_that_does_not_fit_is_kept_with_its_bytes(code: int, body: bytes) -> None:
    # It has a number: were it dropped, the device would send it for ever and the table would stand still.
    assert decode_event(code, body) == UnknownEvent(code=code, body=body)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("01", "01 01 00 00 00 00 01 04 02 00 00 00 01 00 00 00 00"),  # boot 0
        ("01", "01 01 1A 2B 3C 4D 01 04 02 00 00 00 05 00 00 00 03"),  # oldest beyond newest + 1
        ("01", "01 01 1A 2B 3C 4D 01 04 02 00 00 00 01 00 00 00 00 1B 5B 4A"),  # an escape as serial
        ("01", "01 01 1A 2B 3C 4D 01 04 02 00 00 00 01 00 00 00 00 C3 A9"),
        ("01", ""),
        ("02", "00 00 00 01 00 00 03"),
        ("02", "00 00 00 00 00 00 03 E8 02"),  # event number 0
        ("03", "00 00 00 02"),
        ("04", "00 01 09"),
        ("81", "1A 2B 3C 4D"),
        ("82", ""),
        ("83", "00 01"),
        ("84", "00"),
    ],
)
def test_a_known_type_with_a_body_that_does_not_fit_is_rejected(kind: str, body: str) -> None:
    (found,) = Decoder().receive(bytes.fromhex(_framed(kind, body)))
    assert isinstance(found, Reject)
    assert found.reason is RejectReason.BODY


@pytest.mark.parametrize(
    "message",
    [
        Event(number=2**32, at_ms=0, what=CutCardScan()),
        Event(number=-1, at_ms=0, what=CutCardScan()),
        Event(number=1, at_ms=0, what=KeyStroke(key=256)),
        Event(number=1, at_ms=0, what=ShuffleFinished(cards=1, counts=(1,))),
        Command(id=1, code=1, args=bytes(300)),
        Hello(kind=DeviceKind.SHOE, boot=1, firmware=(1, 0, 0), oldest=1, newest=0, serial="é"),
        UnknownMessage(type=256, body=b""),
    ],
)
def test_what_does_not_fit_its_field_is_our_own_error(message: Message) -> None:
    with pytest.raises(NotEncodable) as caught:
        encode(message)
    assert caught.value.hint


@given(octets=st.binary(max_size=2000))
def test_random_bytes_never_raise_and_never_grow_memory(octets: bytes) -> None:
    decoder = Decoder()
    decoder.receive(octets)
    assert decoder.held <= MAX_ENCODED


@given(kind=st.integers(0, 255), body=st.binary(max_size=237))
def test_any_frame_with_a_right_checksum_is_a_value(kind: int, body: bytes) -> None:
    (found,) = Decoder().receive(encode_frame(Frame(type=kind, body=body)))
    assert not isinstance(found, Noise)
    if not isinstance(found, Reject | ForeignHello):
        assert encode(found) == encode_frame(Frame(type=kind, body=body))


def test_no_repr_shows_a_card() -> None:
    shown: list[Decoded] = [
        _event(CardScan(card=ACE_OF_SPADES, face_up=False, reread=False, confidence=100)),
        _event(UnknownEvent(code=1, body=b"\x31\x04\x64")),
        UnknownMessage(type=0x05, body=b"\x31"),
    ]
    for value in shown:
        assert "As" not in f"{value!r}{value}"
        assert "\\x" not in repr(value)
        assert "b'" not in repr(value)


@pytest.mark.parametrize(
    ("code", "length"),
    [
        (0x01, 3),
        (0x06, 1),
        (0x09, 1),
        (0x0A, 1),
        (0x0B, 1),
        (0x0C, 1),
        (0x20, 1),
        (0x21, 2),
        (0x22, 54),
        (0x26, 1),
    ],
)
def test_the_beginning_of_an_event_is_no_event_and_a_longer_one_is_unknown(code: int, length: int) -> None:
    head = b"\0\0\0\1\0\0\0\0" + bytes((code,))
    for short in range(length):
        found = decode_frame(Frame(type=0x02, body=head + bytes(short)))
        assert isinstance(found, Reject)
        assert found.reason is RejectReason.BODY
    longer = decode_frame(Frame(type=0x02, body=head + bytes(length + 1)))
    assert isinstance(longer, Event)
    assert isinstance(longer.what, UnknownEvent)
