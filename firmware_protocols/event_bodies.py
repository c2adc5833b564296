"""The bodies of table_link EVENTs: one code byte, then what that code needs (docs/wire.md section 1).

::

    shoe      01 CARD card:1 flags:1 confidence:1      02 CUT_CARD   03 UNREAD    04 PUSHED_BACK
              05 OVERDRAW   06 LID open:1              07 MOVED      08 EMPTY     09 KEY key:1
              0A FAULT code:1                          0B FAULT_CLEARED code:1    0C FOREIGN card:1
    shuffler  20 STARTED decks:1   21 PROGRESS cards:2   22 FINISHED cards:2 counts:52
              23 JAM   24 HATCH open:1   25 DAMAGED card:1   26 RETURNED cards:1

    card   high nibble suit (0 clubs, 1 diamonds, 2 hearts, 3 spades), low nibble rank (1 A .. 13 K);
           FF: not read
    flags  bit 0 the face-up side was read, bit 1 the same card read again; other bits must be 0

Laws: an event is numbered, so it may not be dropped. Whatever does not fit (a code from the future, a card
byte that is no card, a flag nobody defined) decodes to :class:`UnknownEvent` with its bytes, and whoever
rules decides; nothing is guessed. Only a known code whose body is **shorter** than it must be is no event: a
later version may add to a body, but not take from it, so this is the beginning of a frame that a corrupted
byte cut in two and whose checksum is right by chance. It comes again, whole.
"""

from collections.abc import Callable
from typing import Final, assert_never

from firmware_protocols.cards import DECK, Card, FaceDownCard
from firmware_protocols.errors import NotEncodable
from firmware_protocols.messages import (
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CardsReturned,
    CutCardScan,
    DamagedScan,
    DeviceEvent,
    FaultCleared,
    FaultRaised,
    ForeignScan,
    HatchMoved,
    KeyStroke,
    LidMoved,
    ShoeEmptied,
    ShoeMoved,
    ShuffleFinished,
    ShuffleProgressed,
    ShufflerJammed,
    ShuffleStarted,
    UnknownEvent,
    UnreadScan,
)

_UNREAD: Final = 0xFF
_RANKS: Final = 13
_FACE_UP: Final = 0b01
_REREAD: Final = 0b10
_CARD_BODY: Final = 3
_FINISHED_BODY: Final = 2 + len(DECK)

_CARD_OF_BYTE: Final[dict[int, Card]] = {
    card.index // _RANKS << 4 | card.index % _RANKS + 1: card for card in DECK
}
_BYTE_OF_CARD: Final[dict[Card, int]] = {card: octet for octet, card in _CARD_OF_BYTE.items()}


def unsigned(number: int, size: int, field: str) -> bytes:
    """``number`` in ``size`` big-endian bytes.

    Raises:
        NotEncodable: it does not fit; the message names ``field``, never the number (it may be a card).
    """
    if not 0 <= number < 1 << 8 * size:
        raise NotEncodable(field=field, limit=f"0..{(1 << 8 * size) - 1}")
    return number.to_bytes(size, "big")


def encode_event(what: DeviceEvent) -> bytes:
    """The code byte and body of an event.

    Raises:
        NotEncodable: a value does not fit its field.
    """
    match what:
        case CardScan():
            flags = (_FACE_UP if what.face_up else 0) | (_REREAD if what.reread else 0)
            confidence = unsigned(what.confidence, 1, "confidence")
            return b"\x01" + _card_byte(what.card) + bytes((flags,)) + confidence
        case CutCardScan():
            return b"\x02"
        case UnreadScan():
            return b"\x03"
        case CardPushedBack():
            return b"\x04"
        case CardOverdrawn():
            return b"\x05"
        case LidMoved():
            return b"\x06" + bytes((what.open,))
        case ShoeMoved():
            return b"\x07"
        case ShoeEmptied():
            return b"\x08"
        case KeyStroke():
            return b"\x09" + unsigned(what.key, 1, "key")
        case FaultRaised():
            return b"\x0a" + unsigned(what.code, 1, "fault code")
        case FaultCleared():
            return b"\x0b" + unsigned(what.code, 1, "fault code")
        case ForeignScan():
            return b"\x0c" + _card_byte(what.card)
        case ShuffleStarted():
            return b"\x20" + unsigned(what.decks, 1, "decks")
        case ShuffleProgressed():
            return b"\x21" + unsigned(what.cards, 2, "cards")
        case ShuffleFinished():
            return b"\x22" + unsigned(what.cards, 2, "cards") + _counts(what.counts)
        case ShufflerJammed():
            return b"\x23"
        case HatchMoved():
            return b"\x24" + bytes((what.open,))
        case DamagedScan():
            return b"\x25" + _card_byte(what.card)
        case CardsReturned():
            return b"\x26" + unsigned(what.cards, 1, "cards")
        case UnknownEvent():
            return unsigned(what.code, 1, "event code") + what.body
        case _:
            assert_never(what)


def decode_event(code: int, body: bytes) -> DeviceEvent:
    """The event with this code and body. Never raises: what does not fit is an ``UnknownEvent``."""
    read = _DECODERS.get(code)
    found = None if read is None else read(body)
    return UnknownEvent(code=code, body=body) if found is None else found


def cut_short(code: int, body: bytes) -> bool:
    """Whether this is only the beginning of an event's body."""
    return len(body) < _LENGTHS.get(code, 0)


def _card_byte(card: FaceDownCard | None) -> bytes:
    return bytes((_UNREAD if card is None else _BYTE_OF_CARD[card.turned()],))


def _counts(counts: tuple[int, ...]) -> bytes:
    if len(counts) != len(DECK):
        raise NotEncodable(field="counts", limit=f"{len(DECK)} numbers, one per card")
    return b"".join(unsigned(count, 1, "count of one card") for count in counts)


def _card_scan(body: bytes) -> CardScan | None:
    if len(body) != _CARD_BODY or body[1] & ~(_FACE_UP | _REREAD):
        return None
    octet, flags, confidence = body
    card = _CARD_OF_BYTE.get(octet)
    if card is None and octet != _UNREAD:
        return None
    return CardScan(
        card=None if card is None else FaceDownCard(card),
        face_up=bool(flags & _FACE_UP),
        reread=bool(flags & _REREAD),
        confidence=confidence,
    )


def _shuffle_finished(body: bytes) -> ShuffleFinished | None:
    if len(body) != _FINISHED_BODY:
        return None
    return ShuffleFinished(cards=int.from_bytes(body[:2], "big"), counts=tuple(body[2:]))


def _bare(event: DeviceEvent) -> Callable[[bytes], DeviceEvent | None]:
    return lambda body: None if body else event


def _number(make: Callable[[int], DeviceEvent], size: int = 1) -> Callable[[bytes], DeviceEvent | None]:
    return lambda body: make(int.from_bytes(body, "big")) if len(body) == size else None


def _open(make: Callable[[bool], DeviceEvent]) -> Callable[[bytes], DeviceEvent | None]:
    return lambda body: make(body == b"\x01") if body in {b"\x00", b"\x01"} else None


def _one_card(make: Callable[[FaceDownCard | None], DeviceEvent]) -> Callable[[bytes], DeviceEvent | None]:
    def read(body: bytes) -> DeviceEvent | None:
        if len(body) != 1:
            return None
        if body[0] == _UNREAD:
            return make(None)
        card = _CARD_OF_BYTE.get(body[0])
        return None if card is None else make(FaceDownCard(card))

    return read


_DECODERS: Final[dict[int, Callable[[bytes], DeviceEvent | None]]] = {
    0x01: _card_scan,
    0x02: _bare(CutCardScan()),
    0x03: _bare(UnreadScan()),
    0x04: _bare(CardPushedBack()),
    0x05: _bare(CardOverdrawn()),
    0x06: _open(lambda is_open: LidMoved(open=is_open)),
    0x07: _bare(ShoeMoved()),
    0x08: _bare(ShoeEmptied()),
    0x09: _number(lambda key: KeyStroke(key=key)),
    0x0A: _number(lambda code: FaultRaised(code=code)),
    0x0B: _number(lambda code: FaultCleared(code=code)),
    0x0C: _one_card(lambda card: ForeignScan(card=card)),
    0x20: _number(lambda decks: ShuffleStarted(decks=decks)),
    0x21: _number(lambda cards: ShuffleProgressed(cards=cards), size=2),
    0x22: _shuffle_finished,
    0x23: _bare(ShufflerJammed()),
    0x24: _open(lambda is_open: HatchMoved(open=is_open)),
    0x25: _one_card(lambda card: DamagedScan(card=card)),
    0x26: _number(lambda cards: CardsReturned(cards=cards)),
}

_LENGTHS: Final[dict[int, int]] = {
    0x01: _CARD_BODY,
    0x06: 1,
    0x09: 1,
    0x0A: 1,
    0x0B: 1,
    0x0C: 1,
    0x20: 1,
    0x21: 2,
    0x22: _FINISHED_BODY,
    0x24: 1,
    0x25: 1,
    0x26: 1,
}
"""Bytes of a body, where it has any."""
