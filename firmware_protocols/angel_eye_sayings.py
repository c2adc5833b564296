"""What an Angel Eye's messages say: one letter, then what that letter needs (docs/wire.md section 2).

::

    S / P       start of communication (it was switched on) / stand-by
    D b1 b2     drawn in game:  b1 bits 6-4: 0 player, 1 banker, 2 burn, 4 first card, 5 burn count; 3-0 index
    d b1 b2     drawn outside:  b1 bits 6-4: 0 locked, 1 error mode, 2 setting mode
                b2 bits 6-4 suit (0 none, 1 diamond, 2 club, 3 spade, 4 heart)
                   bits 3-0 rank (1 A .. 13 K, 0 none)
    R b1 b2     a draw sent again
    C           cutting card              G b1        its own baccarat result
    E b1, e b1  error, cleared: bit 6 in error mode; 1 cannot read, 2 overdraw, 3 button, 4 reversed at exit,
                5 reversed midway, 6 card code, 7 time-out
    L b1        bit 0: locked             M addr:2 value:4  a setting changed

Second-hand like the whole protocol. Laws:

* ``D`` and ``d`` are draws, whatever else they say. A draw whose card is not told, or told in bits that
  nobody defined, is an unread card: loud, and never a guess.
* ``R`` wipes nothing. The same bytes as the last draw are a repeat. Any other are the last card read again:
  the table takes them for an unread one, or calls the floor.
* An error is a fault of the device, and where the table has a word for what happened it says that too. In
  game mode the shoe judges overdraws by the rules of baccarat: there that error is recorded, nothing else.
* Everything else is passed on as it came.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_protocols.cards import Card, FaceDownCard, Rank, Suit
from firmware_protocols.messages import (
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CutCardScan,
    DeviceEvent,
    FaultCleared,
    FaultRaised,
    UnknownEvent,
    UnreadScan,
)

_SUITS: Final = {1: Suit.DIAMONDS, 2: Suit.CLUBS, 3: Suit.SPADES, 4: Suit.HEARTS}
_SUIT_BITS: Final = {suit: bits for bits, suit in _SUITS.items()}
_RANKS: Final = tuple(Rank)
_IN_GAME: Final = frozenset({0, 1, 2, 4, 5})
_OUTSIDE: Final = frozenset({0, 1, 2})
_OVERDRAW: Final = 2
_HAPPENED: Final[dict[int, DeviceEvent]] = {
    1: UnreadScan(),
    _OVERDRAW: CardOverdrawn(),
    4: CardPushedBack(),
    5: CardPushedBack(),
}
"""Errors that the table has a word for."""
_CONFIDENCE: Final = 100
_DRAW_OCTETS: Final = 3
_ERROR_OCTETS: Final = 2
_BIT_7: Final = 0x80


class AngelEyeMode(Enum):
    """Where the shoe stands."""

    OUTSIDE = "outside"
    """Outside its own game: draws come as ``d``."""
    GAME = "game"
    """In a game of its own, which it may judge."""


class Resent(Enum):
    """How ``R`` is read: public programs disagree."""

    REPEAT = "repeat"
    """A draw sent again."""
    DRAW = "draw"
    """A draw like any other."""
    RECORD = "record"
    """No draw; passed on as it came. (One program reads it as the round begun anew.)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a message comes to."""

    events: tuple[DeviceEvent, ...] = ()
    repeat: bool = False
    odd: bool = False


def events_of(octets: bytes, *, mode: AngelEyeMode, resent: Resent, drawn: bytes | None) -> Told:
    """What a message's data says. Never raises.

    Args:
        octets: the data, a letter first.
        mode: where the shoe is held to stand.
        resent: how ``R`` is read.
        drawn: the bytes of the last draw, None if there was none.
    """
    letter, rest = octets[:1], octets[1:]
    recorded = UnknownEvent(code=octets[0], body=rest)
    match letter:
        case b"D" | b"d":
            return _draw(octets, mode)
        case b"R" if resent is Resent.RECORD:
            return Told(events=(recorded,))
        case b"R" if resent is Resent.REPEAT and drawn == rest:
            return Told(repeat=True)
        case b"R":
            return Told(events=(_scan(rest, reread=resent is Resent.REPEAT),), odd=True)
        case b"C" if not rest:
            return Told(events=(CutCardScan(),))
        case b"E" | b"e" if len(octets) == _ERROR_OCTETS and octets[1] & _BIT_7:
            return _error(octets, mode, recorded)
        case b"S" | b"P" if not rest:
            return Told(events=(recorded,))
        case b"G" | b"L" | b"M":
            return Told(events=(recorded,))
        case _:
            return Told(events=(recorded,), odd=True)


def draw_told(octets: bytes, *, before: bytes | None) -> bytes | None:
    """The bytes of the last draw, after this message."""
    return octets[1:] if octets[:1] in {b"D", b"d", b"R"} else before


def encode_draw(card: Card | None, *, mode: AngelEyeMode, index: int = 0) -> bytes:
    """The data of a draw; None: the shoe could not read it."""
    place = index % 16 | (0x10 if mode is AngelEyeMode.GAME and index % 2 else 0)
    bits = 0 if card is None else _SUIT_BITS[card.suit] << 4 | _RANKS.index(card.rank) + 1
    return bytes((ord("D" if mode is AngelEyeMode.GAME else "d"), _BIT_7 | place, _BIT_7 | bits))


def _draw(octets: bytes, mode: AngelEyeMode) -> Told:
    in_game = octets[:1] == b"D"
    if len(octets) != _DRAW_OCTETS:
        return Told(events=(_scan(b"", reread=False),), odd=True)
    place = octets[1] >> 4 & 7
    defined = octets[1] & _BIT_7 and place in (_IN_GAME if in_game else _OUTSIDE)
    scan = _scan(octets[1:] if defined else b"", reread=False)
    expected = in_game is (mode is AngelEyeMode.GAME)
    return Told(events=(scan,), odd=not (defined and expected))


def _scan(octets: bytes, *, reread: bool) -> CardScan:
    card = _card(octets[1]) if len(octets) == _DRAW_OCTETS - 1 else None
    return CardScan(
        card=None if card is None else FaceDownCard(card),
        face_up=False,
        reread=reread,
        confidence=_CONFIDENCE,
    )


def _card(octet: int) -> Card | None:
    suit, rank = _SUITS.get(octet >> 4 & 7), octet & 0xF
    if not octet & _BIT_7 or suit is None or not 1 <= rank <= len(_RANKS):
        return None
    return Card.of(_RANKS[rank - 1], suit)


def _error(octets: bytes, mode: AngelEyeMode, recorded: UnknownEvent) -> Told:
    code = octets[1] & 0x3F
    if code == _OVERDRAW and mode is AngelEyeMode.GAME:
        return Told(events=(recorded,))
    if octets[:1] == b"e":
        return Told(events=(FaultCleared(code=code),))
    happened = _HAPPENED.get(code)
    fault = FaultRaised(code=code)
    return Told(events=(fault,) if happened is None else (happened, fault))
