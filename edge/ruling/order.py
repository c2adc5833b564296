"""The order of the cards of a shoe: does it look like the work of a shuffle.

Two orders give an unshuffled shoe away: that of new decks, and that of the shoe before. Each card is a
letter, so that a run is a text found in another.

The rate of false alarms: in a shuffled shoe of n decks the next card is a given one with probability n / (52
n - 1), about 1/52. A window of seven cards in the order of a new deck, rising or falling, begins at each of
at most 624 draws, two ways: 1248 x 52^-6 is 6.3 in 10^8 shoes. A window of seven cards that stood together in
the last shoe, in the same order, may lie at each of 618 x 618 places: 3.8 x 10^5 x 52^-7 is 3.7 in 10^7. Both
together are under one in 10^6 shoes.
"""

from typing import Final

from firmware_protocols import DECK, Card

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""By ``Card.index``."""
HIDDEN: Final = "."
"""A card that lay face down, or has no known place in the order: no run goes through it."""
WINDOW: Final = 7
"""Cards in a row that no shuffle leaves together."""

_SUITS: Final = tuple(LETTERS[first : first + 13] for first in range(0, len(DECK), 13))
_NEW_DECKS: Final = (
    "|".join(run for suit in _SUITS for run in (suit * 2, suit[::-1] * 2))
    + "|"
    + LETTERS
    + LETTERS[:WINDOW]
    + "|"
    + LETTERS[::-1]
)
"""Each suit rising and falling, an ace on either end; and the suits in the order of their names."""


def letter(card: Card) -> str:
    """The card in an order."""
    return LETTERS[card.index]


def unshuffled(order: str, last: str) -> bool:
    """Whether the last cards of this order stand as in new decks, or as in the last shoe."""
    window = order[-WINDOW:]
    if len(window) < WINDOW or HIDDEN in window:
        return False
    return window in _NEW_DECKS or window in last
