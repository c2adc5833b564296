import itertools
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_protocols import (
    CRC16_CCITT_FALSE_CHECK,
    MAX_CONTENT,
    MAX_ENCODED,
    Frame,
    Framer,
    Noise,
    NotEncodable,
    Reject,
    RejectReason,
    crc16_ccitt_false,
    encode_frame,
)

ANY_FRAME = st.builds(Frame, type=st.integers(0, 255), body=st.binary(max_size=MAX_CONTENT - 3))


def test_the_checksum_gives_its_published_check_value() -> None:
    assert crc16_ccitt_false(b"123456789") == CRC16_CCITT_FALSE_CHECK == 0x29B1


@given(frames=st.lists(ANY_FRAME, max_size=5))
def test_what_was_encoded_is_read_again(frames: list[Frame]) -> None:
    assert Framer().receive(b"".join(map(encode_frame, frames))) == tuple(frames)


@given(
    stream=st.lists(st.one_of(st.binary(max_size=600), ANY_FRAME.map(encode_frame)), max_size=6).map(
        b"".join
    ),
    cuts=st.lists(st.integers(0, 4000), max_size=20),
)
@example(stream=b"\x01" * 1000 + b"\x00", cuts=[MAX_ENCODED])
def test_chunking_never_matters(stream: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    framer = Framer()
    pieces = [item for a, b in itertools.pairwise(places) for item in framer.receive(stream[a:b])]
    assert tuple(pieces) == Framer().receive(stream)


@given(octets=st.binary(max_size=3000))
def test_random_bytes_never_raise_and_never_grow_memory(octets: bytes) -> None:
    framer = Framer()
    for _ in range(3):
        framer.receive(octets)
        assert framer.held <= MAX_ENCODED


def test_every_byte_is_accounted_for() -> None:
    rng = random.Random(7)
    stream = bytes(rng.choice((0, 1, 2, 255, rng.randrange(256))) for _ in range(20_000)) + b"\x00"
    raw = 0
    for item in Framer().receive(stream):
        assert not isinstance(item, Frame)
        raw += len(item.raw)
    delimiters_of_rejects = stream.count(0) - sum(
        item == Noise(raw=b"\x00") for item in Framer().receive(stream)
    )
    assert raw + delimiters_of_rejects == len(stream)


def test_a_megabyte_without_a_delimiter_is_one_reject_and_noise() -> None:
    framer = Framer()
    found = framer.receive(b"\x55" * 1_000_000)
    assert isinstance(found[0], Reject)
    assert found[0].reason is RejectReason.TOO_LONG
    assert all(isinstance(item, Noise) for item in found[1:])
    assert framer.held <= MAX_ENCODED
    framer.receive(b"\x00")
    good = Frame(type=0x84, body=b"")
    assert framer.receive(encode_frame(good)) == (good,)


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        (b"\x05\x01\x00", RejectReason.NOT_COBS),
        (b"\x02\x84\x00", RejectReason.TOO_SHORT),
        (bytes.fromhex("04 84 30 FD 00"), RejectReason.CHECKSUM),
        (b"\x01" * (MAX_ENCODED + 1) + b"\x00", RejectReason.TOO_LONG),
    ],
)
def test_what_is_no_frame_says_why(octets: bytes, reason: RejectReason) -> None:
    (found, *_) = Framer().receive(octets)
    assert isinstance(found, Reject)
    assert found.reason is reason


def test_the_longest_frame_passes_and_one_byte_more_does_not() -> None:
    longest = Frame(type=1, body=bytes(MAX_CONTENT - 3))
    assert Framer().receive(encode_frame(longest)) == (longest,)
    with pytest.raises(NotEncodable):
        encode_frame(Frame(type=1, body=bytes(MAX_CONTENT - 2)))


def test_one_corrupted_byte_costs_two_frames_at_most() -> None:
    frames = [Frame(type=2, body=bytes((number, 0x31, 0, 100))) for number in range(8)]
    stream = b"".join(map(encode_frame, frames))
    for place in range(len(stream)):
        for bit in range(8):
            broken = bytearray(stream)
            broken[place] ^= 1 << bit
            read = [item for item in Framer().receive(bytes(broken)) if isinstance(item, Frame)]
            assert len(read) >= len(frames) - 2
            assert all(frame in frames for frame in read)


def test_no_repr_shows_bytes_that_may_be_a_card() -> None:
    card = bytes.fromhex("02 02 01 01 02 01 01 05 03 E8 01 31 04 64 16 2B")
    for value in (Frame(type=2, body=card), Noise(raw=card), Reject(reason=RejectReason.CHECKSUM, raw=card)):
        shown = f"{value!r} {value} {value!s}"
        assert "31" not in shown
        assert "\\x" not in shown
        assert f"{len(card)} bytes" in shown
