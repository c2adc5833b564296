"""What cards are worth at blackjack: totals, naturals, pairs. Pure functions over cards (BJ-1 to BJ-3)."""

from collections.abc import Iterable
from typing import Final

from edge.events import Pair, PairKind
from edge.house_rules import UpCard
from firmware_protocols import DECK, Card, Rank

BLACKJACK: Final = 21
DEALER_STANDS: Final = 17
"""The dealer draws on less and stands on this and more, soft 17 included (BJ-7)."""

TENS: Final = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING})


def _worth(card: Card) -> int:
    if card.rank in TENS:
        return 10
    return 1 if card.rank is Rank.ACE else int(card.rank.value)


WORTH: Final = tuple(_worth(card) for card in DECK)
"""What each card counts, by ``Card.index``, an ace as 1."""


def worth(card: Card) -> int:
    """What the card counts, an ace as 1: its value for splitting and burning, too."""
    return WORTH[card.index]


def total(cards: Iterable[Card]) -> tuple[int, bool]:
    """The hand's total to its advantage, and whether an ace counts 11 in it (BJ-2)."""
    hard = 0
    ace = False
    for card in cards:
        points = WORTH[card.index]
        hard += points
        ace = ace or points == 1
    if ace and hard + 10 <= BLACKJACK:
        return hard + 10, True
    return hard, False


def natural(cards: tuple[Card, ...]) -> bool:
    """Two cards, an ace and a ten-valued one (BJ-3); that the hand is not from a split is the caller's."""
    return len(cards) == 2 and total(cards)[0] == BLACKJACK  # noqa: PLR2004 - "the first two cards"


def up_card_kind(card: Card | None) -> UpCard | None:
    """Whether a natural is possible under this up card, and which way; None: there is none."""
    if card is None:
        return None
    points = WORTH[card.index]
    return "ace" if points == 1 else "ten" if points == 10 else None  # noqa: PLR2004 - ten-valued


def any_pair(first: Card, second: Card) -> Pair | None:
    """The pair side bet at 11:1: two cards of a rank (SAG-10, HTS-5)."""
    return Pair(kind=PairKind.PAIR, odds=(11, 1)) if first.rank is second.rank else None


def graded_pair(first: Card, second: Card, up_card: Card | None) -> Pair | None:
    """The pair side bet of four kinds; only the highest pays (DLX-23)."""
    if first.rank is not second.rank:
        return None
    if first is second:
        if first is up_card:
            return Pair(kind=PairKind.SUITED_TRIPLE, odds=(50, 1))
        return Pair(kind=PairKind.PERFECT, odds=(30, 1))
    if first.suit.red is second.suit.red:
        return Pair(kind=PairKind.COLOURED, odds=(10, 1))
    return Pair(kind=PairKind.MIXED, odds=(5, 1))
