"""Cards: the one vocabulary every layer shares.

A card is written with two characters, rank then suit, as poker notation libraries write them:
``As``, ``Td``, ``9h``, ``2c``. Parsing accepts any case and ``10`` for the ten.

Law: **a card that has not been turned is a** :class:`FaceDownCard`. Whatever reads a card from a
wire wraps it at once, and only the ruling turns it, when it rules that the card lies face up.
Between the two, no ``repr``, ``str``, format, JSON dump or pickle can show what it is.
"""

from enum import Enum
from typing import Final, NoReturn, final


class Suit(Enum):
    """A suit, by its letter."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"

    @property
    def red(self) -> bool:
        """True for diamonds and hearts; "same colour" in pair bets compares this."""
        return self in {Suit.DIAMONDS, Suit.HEARTS}


class Rank(Enum):
    """A rank, by its letter. Rank is not value: K and Q are of one value and two ranks."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


class Card(Enum):
    """One of the 52 cards of a deck. The value is its two-character code; members are singletons."""

    # fmt: off
    AC = "Ac"; C2 = "2c"; C3 = "3c"; C4 = "4c"; C5 = "5c"; C6 = "6c"; C7 = "7c"
    C8 = "8c"; C9 = "9c"; TC = "Tc"; JC = "Jc"; QC = "Qc"; KC = "Kc"
    AD = "Ad"; D2 = "2d"; D3 = "3d"; D4 = "4d"; D5 = "5d"; D6 = "6d"; D7 = "7d"
    D8 = "8d"; D9 = "9d"; TD = "Td"; JD = "Jd"; QD = "Qd"; KD = "Kd"
    AH = "Ah"; H2 = "2h"; H3 = "3h"; H4 = "4h"; H5 = "5h"; H6 = "6h"; H7 = "7h"
    H8 = "8h"; H9 = "9h"; TH = "Th"; JH = "Jh"; QH = "Qh"; KH = "Kh"
    AS = "As"; S2 = "2s"; S3 = "3s"; S4 = "4s"; S5 = "5s"; S6 = "6s"; S7 = "7s"
    S8 = "8s"; S9 = "9s"; TS = "Ts"; JS = "Js"; QS = "Qs"; KS = "Ks"
    # fmt: on

    rank: Rank
    suit: Suit
    index: int

    def __init__(self, code: str) -> None:
        self.rank = Rank(code[0])
        self.suit = Suit(code[1])
        #: 0..51: clubs ace to king, diamonds, hearts, spades; the order of a composition.
        self.index = len(type(self).__members__)

    @classmethod
    def of(cls, rank: Rank, suit: Suit) -> "Card":
        """The card of this rank and suit."""
        return cls(rank.value + suit.value)

    @classmethod
    def parse(cls, text: str) -> "Card":
        """The card a person wrote: any case, ``10`` for the ten.

        Raises:
            ValueError: the text is no card; the message names it and the notation.
        """
        squeezed = text.strip().replace("10", "T")
        code = squeezed[:1].upper() + squeezed[1:].lower()
        try:
            return cls(code)
        except ValueError:
            raise ValueError(
                f"{text!r} is no card: write rank then suit, as in As, Td (or 10d), 9h, 2c"
            ) from None

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"Card({self.value})"


DECK: Final[tuple[Card, ...]] = tuple(Card)
"""One deck in index order."""


@final
class FaceDownCard:
    """A card whose identity must not be seen: it has been read, but not turned.

    Equality compares identities (the journal's own checks need it); the hash does not depend on them.
    """

    __slots__ = ("_card",)

    def __init__(self, card: Card) -> None:
        self._card: Final = card

    def turned(self) -> Card:
        """Turn the card. Only the ruling and a codec (of the journal, or of a wire) may call this."""
        return self._card

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FaceDownCard) and self._card is other._card

    def __hash__(self) -> int:
        return hash(FaceDownCard)

    def __repr__(self) -> str:
        return "FaceDownCard(??)"

    def __str__(self) -> str:
        return "??"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a face-down card cannot be pickled or copied out of the table's memory")
