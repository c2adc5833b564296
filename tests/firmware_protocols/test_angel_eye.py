from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocols import (
    DECK,
    AngelEyeAnswer,
    AngelEyeEnd,
    AngelEyeFrame,
    AngelEyeFramer,
    AngelEyeMessage,
    AngelEyeMode,
    AngelEyeOptions,
    AngelEyeSignal,
    BccRange,
    Card,
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CutCardScan,
    DeviceEvent,
    FaceDownCard,
    FaultCleared,
    FaultRaised,
    Garbled,
    HostNews,
    Noise,
    NotEncodable,
    Opened,
    Reject,
    Resent,
    Said,
    UnknownEvent,
    UnnumberedLink,
    UnreadScan,
    WentSilent,
    angel_eye_bcc,
    angel_eye_link,
    encode_angel_eye,
    encode_draw,
)

EIGHT_OF_SPADES: Final = bytes.fromhex("05 31 44 81 B8 03 34 46")
SHOE: Final = AngelEyeOptions()
OPENED: Final = Opened(kind="shoe", serial=None, firmware=None)


def scan(card: Card | None, *, reread: bool = False) -> CardScan:
    return CardScan(
        card=None if card is None else FaceDownCard(card), face_up=False, reread=reread, confidence=100
    )


def message(octets: bytes, seq: str = "1") -> bytes:
    return encode_angel_eye(AngelEyeMessage(seq=ord(seq), octets=octets))


FRAMES: Final[list[tuple[AngelEyeFrame, bytes]]] = [
    (AngelEyeMessage(seq=0x31, octets=b"D\x81\xb8"), EIGHT_OF_SPADES),
    (AngelEyeMessage(seq=0x32, octets=b"S"), b"\x052S\x0362"),
    (AngelEyeMessage(seq=0x30, octets=b"C"), b"\x050C\x0370"),
    (AngelEyeMessage(seq=0x39, octets=b"M010005"), b"\x059M010005\x0373"),
    (AngelEyeAnswer(octets=b"LK02"), b"\x02LK02\x0306"),
    (AngelEyeSignal(code=0x06), b"\x06"),
    (AngelEyeSignal(code=0x15, detail=0x02), b"\x15\x02"),
    (AngelEyeSignal(code=0x15, detail=0x03), b"\x15\x03"),
]


def test_check_values() -> None:
    assert angel_eye_bcc(bytes.fromhex("31 44 81 B8 03")) == b"4F"
    assert angel_eye_bcc(bytes.fromhex("02 4F 50 4C 4B 30 32 03")) == b"1B"
    order = encode_angel_eye(AngelEyeAnswer(octets=b"OPLK02"), bcc=BccRange.WITH_START)
    assert order == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")


@pytest.mark.parametrize(("frame", "octets"), FRAMES)
def test_each_frame_four_ways(frame: AngelEyeFrame, octets: bytes) -> None:
    assert not isinstance(frame, Noise | Reject)
    assert encode_angel_eye(frame) == octets
    whole = AngelEyeFramer(BccRange.WITHOUT_START)
    assert whole.receive(octets) == (frame,)
    pieces = AngelEyeFramer(BccRange.WITHOUT_START)
    assert [each for octet in octets for each in pieces.receive(bytes((octet,)))] == [frame]
    noisy = AngelEyeFramer(BccRange.WITHOUT_START)
    assert noisy.receive(b"\x7f\x00x" + octets) == (Noise(raw=b"\x7f\x00x"), frame)
    followed = AngelEyeFramer(BccRange.WITHOUT_START)
    assert followed.receive(octets + b"\x051D") == (frame,)
    assert followed.held == 3


@pytest.mark.parametrize("bcc", BccRange)
def test_the_checksum_covers_what_it_is_set_to(bcc: BccRange) -> None:
    frame = AngelEyeMessage(seq=0x31, octets=b"d\x80\xb8")
    octets = encode_angel_eye(frame, bcc=bcc)
    assert AngelEyeFramer(bcc).receive(octets) == (frame,)
    (other,) = (each for each in BccRange if each is not bcc)
    assert isinstance(AngelEyeFramer(other).receive(octets)[0], Reject)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(st.binary(max_size=12) | st.sampled_from([octets for _, octets in FRAMES]), max_size=12))
def test_any_bytes_may_come_and_each_ends_up_in_one_value(pieces: list[bytes]) -> None:
    framer = AngelEyeFramer(BccRange.WITHOUT_START)
    got = 0
    for piece in pieces:
        for frame in framer.receive(piece):
            raw = frame.raw if isinstance(frame, Noise | Reject) else encode_angel_eye(frame)
            got += len(raw)
    assert got + framer.held == sum(map(len, pieces))
    assert framer.held < 60
    whole = AngelEyeFramer(BccRange.WITHOUT_START).receive(b"".join(pieces))
    assert all("bytes" in repr(frame) for frame in whole if not isinstance(frame, AngelEyeSignal))


@pytest.mark.parametrize("at", range(len(EIGHT_OF_SPADES)))
def test_every_flipped_bit_is_noticed(at: int) -> None:
    for bit in range(8):
        broken = bytearray(EIGHT_OF_SPADES)
        broken[at] ^= 1 << bit
        frames = AngelEyeFramer(BccRange.WITHOUT_START).receive(bytes(broken) + b"\x06")
        assert not any(isinstance(frame, AngelEyeMessage) for frame in frames)


@pytest.mark.parametrize("octets", [b"", b"D\x03", b"x" * 49])
def test_what_is_no_frame_is_not_encoded(octets: bytes) -> None:
    with pytest.raises(NotEncodable):
        message(octets)


@pytest.mark.parametrize("mode", AngelEyeMode)
@pytest.mark.parametrize("card", [*DECK, None])
def test_every_card_is_drawn_in_and_out_of_game(card: Card | None, mode: AngelEyeMode) -> None:
    link = opened(AngelEyeOptions(mode=mode))
    assert said(link.receive(message(encode_draw(card, mode=mode)), 0.0)) == [scan(card)]
    assert link.counts.oddities == 0


SAYINGS: Final[list[tuple[bytes, tuple[DeviceEvent, ...]]]] = [
    (b"D\x81\xb8", (scan(Card.S8),)),
    (b"D\xb1\xb8", (scan(None),)),
    (b"D\x81\xd8", (scan(None),)),
    (b"D\x81\xbe", (scan(None),)),
    (b"d\xc0\xb8", (scan(None),)),
    (b"d\x80", (scan(None),)),
    (b"C", (CutCardScan(),)),
    (b"E\x81", (UnreadScan(), FaultRaised(code=1))),
    (b"E\xc2", (CardOverdrawn(), FaultRaised(code=2))),
    (b"E\x84", (CardPushedBack(), FaultRaised(code=4))),
    (b"E\x86", (FaultRaised(code=6),)),
    (b"E\xbf", (FaultRaised(code=63),)),
    (b"e\x81", (FaultCleared(code=1),)),
    (b"G\x81", (UnknownEvent(code=ord("G"), body=b"\x81"),)),
    (b"P", (UnknownEvent(code=ord("P"), body=b""),)),
    (b"L\x81", (UnknownEvent(code=ord("L"), body=b"\x81"),)),
    (b"Z!", (UnknownEvent(code=ord("Z"), body=b"!"),)),
    (b"R\x80\xb8", (scan(Card.S8, reread=True),)),
]


@pytest.mark.parametrize(("octets", "events"), SAYINGS)
def test_what_a_message_says(octets: bytes, events: tuple[DeviceEvent, ...]) -> None:
    assert said(opened(SHOE).receive(message(octets), 0.0)) == list(events)


def test_in_game_mode_its_own_overdraw_is_only_recorded() -> None:
    link = opened(AngelEyeOptions(mode=AngelEyeMode.GAME))
    told = said(link.receive(message(b"E\x82") + message(b"e\x82", "2"), 0.0))
    assert told == [UnknownEvent(code=ord("E"), body=b"\x82"), UnknownEvent(code=ord("e"), body=b"\x82")]


def test_three_copies_are_one_card_and_equal_cards_are_as_many_as_they_are() -> None:
    link = opened(SHOE)
    told: list[HostNews] = []
    for draw in range(7):
        for copy in range(3):
            told += link.receive(message(b"d\x80\xb8", str(draw)), draw + copy * 0.2)
    assert said(tuple(told)) == [scan(Card.S8)] * 7
    assert (link.counts.frames, link.counts.repeats) == (21, 14)


def test_the_same_seq_with_other_bytes_is_a_new_message_and_an_oddity() -> None:
    link = opened(SHOE)
    told = said(link.receive(message(b"d\x80\xb8") + message(b"d\x80\xb9"), 0.0))
    assert told == [scan(Card.S8), scan(Card.S9)]
    assert link.counts.oddities == 1


def test_the_same_message_after_a_while_is_a_new_one_unless_a_copy_of_it_is_still_due() -> None:
    link = opened(SHOE)
    for at in (0.0, 0.2, 20.0):
        link.receive(message(b"d\x80\xb8"), at)
    assert link.counts.repeats == 2
    assert said(link.receive(message(b"d\x80\xb8"), 25.1)) == [scan(Card.S8)]
    assert link.counts.oddities == 1
    assert said(link.receive(message(b"d\x80\xb8"), 86.0)) == [scan(Card.S8)]


@pytest.mark.parametrize(
    ("resent", "same", "other"),
    [
        (Resent.REPEAT, [], [scan(Card.S9, reread=True)]),
        (Resent.DRAW, [scan(Card.S8)], [scan(Card.S9)]),
        (
            Resent.RECORD,
            [UnknownEvent(code=ord("R"), body=b"\x80\xb8")],
            [UnknownEvent(code=ord("R"), body=b"\x80\xb9")],
        ),
    ],
)
def test_a_draw_sent_again(resent: Resent, same: list[DeviceEvent], other: list[DeviceEvent]) -> None:
    link = opened(AngelEyeOptions(resent=resent))
    link.receive(message(b"d\x80\xb8"), 0.0)
    assert said(link.receive(message(b"R\x80\xb8", "2"), 0.1)) == same
    assert said(link.receive(message(b"R\x80\xb9", "3"), 0.2)) == other


def test_a_damaged_copy_is_let_go_when_a_good_one_follows() -> None:
    link = opened(SHOE)
    octets = message(b"d\x80\xb8")
    told = link.receive(octets[:4] + octets + octets, 0.0)
    assert said(told) == [scan(Card.S8)]
    assert garbled(told + link.tick(10.0)) == 0


def test_as_much_damage_as_a_message_with_all_copies_is_a_gap() -> None:
    link = opened(SHOE)
    octets = message(b"d\x80\xb8")
    told = link.receive(octets[:6] * 3 + message(b"d\x80\xb9", "2"), 0.0)
    assert [type(each) for each in told if isinstance(each, Garbled | Said)] == [Garbled, Said]
    assert link.counts.gaps == 1


def test_damage_that_nothing_follows_is_a_gap() -> None:
    link = opened(SHOE)
    assert garbled(link.receive(message(b"d\x80\xb8")[:7] + b"\x06", 0.0)) == 0
    assert link.deadline == 1.0
    assert garbled(link.tick(1.0)) == 1


def test_an_unfinished_message_is_given_up() -> None:
    link = opened(SHOE)
    link.receive(message(b"d\x80\xb8")[:7], 0.0)
    assert link.deadline == 2.0
    link.tick(2.0)
    assert garbled(link.tick(3.0)) == 1
    assert link.counts.rejects == 1


def test_nothing_is_ever_written_unless_it_is_to_acknowledge() -> None:
    link = opened(SHOE)
    link.receive(EIGHT_OF_SPADES * 3, 0.0)
    link.receive(b"", 0.1)
    assert link.data_to_send() == b""


def test_a_message_is_acknowledged_only_when_whoever_was_told_comes_back() -> None:
    link = opened(AngelEyeOptions(acknowledge=True))
    assert len(said(link.receive(EIGHT_OF_SPADES, 1.0) + link.tick(1.0))) == 1
    assert link.data_to_send() == b""  # what the pump does before it hands the batch over
    assert link.data_to_send() == b""
    assert link.deadline == 1.0
    link.receive(b"", 1.0)
    link.tick(1.0)
    assert link.data_to_send() == b"\x06"
    assert link.deadline is None


def test_it_is_opened_once_and_again_when_it_was_switched_on() -> None:
    link = angel_eye_link(SHOE)
    link.opened(0.0)
    assert link.tick(0.0) == (OPENED,)
    assert link.receive(message(b"S"), 0.0) == (Said(at_ms=None, what=UnknownEvent(code=0x53, body=b"")),)
    link.receive(message(b"d\x80\xb8", "2"), 1.0)
    assert link.receive(message(b"S", "0"), 20.0)[:2] == (Garbled(octets=0), OPENED)


def test_garbage_is_told_once_and_what_can_be_read_again_opens_anew() -> None:
    link = opened(SHOE)
    told = link.receive(b"\x7f" * 300, 0.0) + link.receive(b"\x7f" * 300, 0.1)
    assert [each for each in told if isinstance(each, WentSilent)] == [WentSilent(octets=300)]
    assert not link.running
    assert link.receive(EIGHT_OF_SPADES, 0.2)[0] == OPENED
    assert link.running


def test_a_closed_link_hears_nothing() -> None:
    link = opened(SHOE)
    link.receive(EIGHT_OF_SPADES[:3], 0.0)
    link.closed()
    assert link.receive(EIGHT_OF_SPADES, 0.1) == link.tick(9.0) == ()
    assert link.deadline is None
    assert link.counts.noise_bytes == 3
    link.opened(1.0)
    assert said(link.receive(EIGHT_OF_SPADES, 1.0)) == [scan(Card.S8)]


def test_the_simulated_end_says_everything_three_times_or_until_it_is_acknowledged() -> None:
    end = AngelEyeEnd()
    end.opened(0.0)
    end.emit(b"C", 0.0)
    end.emit(b"P", 0.0)
    spoken = b""
    for step in range(20):
        end.tick(step * 0.1)
        spoken += end.data_to_send()
    assert spoken == message(b"C", "0") * 3 + message(b"P", "1") * 3
    end.emit(b"C", 3.0)
    assert end.data_to_send() == message(b"C", "2")
    end.receive(b"\x06", 3.1)
    assert end.deadline is None


def opened(options: AngelEyeOptions) -> UnnumberedLink:
    link = angel_eye_link(options)
    link.opened(0.0)
    assert link.receive(b"", 0.0) == (OPENED,)
    return link


def said(news: tuple[HostNews, ...]) -> list[DeviceEvent]:
    return [each.what for each in news if isinstance(each, Said)]


def garbled(news: tuple[HostNews, ...]) -> int:
    return sum(isinstance(each, Garbled) for each in news)
