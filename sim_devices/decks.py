"""What is in a simulated shoe: seeded shuffles, and fixed sequences written by hand.

A fixed sequence is card codes with blanks between, and ``CUT`` for the cut card: ``As Kd CUT 9h 9h``.
"""

import random
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from firmware_protocols import DECK, Card
from sim_devices.errors import BadSequence

CUT: Final = "CUT"


class CutCard(Enum):
    """The cut card: it lies among the cards and is none."""

    CUT_CARD = "cut_card"


ShoeItem: TypeAlias = Card | CutCard


def shuffled(decks: int, seed: int) -> list[Card]:
    """``decks`` decks in the order that ``seed`` gives, the same on every machine and every day.

    Raises:
        BadSequence: fewer than one deck.
    """
    if decks < 1:
        raise BadSequence(f"A shoe of {decks} decks has no cards: use 1 or more")
    cards = list(DECK) * decks
    random.Random(seed).shuffle(cards)
    return cards


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeContents:
    """Cards in the order they leave, and where the cut card lies."""

    cards: tuple[Card, ...]
    cut_after: int | None = None
    """Cards that leave before the cut card, 0..len(cards); None: no cut card."""

    def __post_init__(self) -> None:
        if self.cut_after is not None and not 0 <= self.cut_after <= len(self.cards):
            raise BadSequence(f"The cut card cannot lie after {self.cut_after} of {len(self.cards)} cards")

    @classmethod
    def shuffled(cls, *, decks: int, seed: int, cut_from_back: int | None = None) -> "ShoeContents":
        """A seeded shoe whose cut card lies ``cut_from_back`` cards before the end (None: no cut card).

        Raises:
            BadSequence: fewer than one deck, or a cut card outside the shoe.
        """
        cards = tuple(shuffled(decks, seed))
        return cls(cards=cards, cut_after=None if cut_from_back is None else len(cards) - cut_from_back)

    @classmethod
    def written(cls, text: str) -> "ShoeContents":
        """A fixed sequence, as in ``As Kd CUT 9h``.

        Raises:
            BadSequence: a word is no card, or there is more than one cut card.
        """
        cards: list[Card] = []
        cut_after: int | None = None
        for word in text.split():
            if word.upper() == CUT:
                if cut_after is not None:
                    raise BadSequence("A shoe has one cut card, and this text has two")
                cut_after = len(cards)
                continue
            try:
                cards.append(Card.parse(word))
            except ValueError as error:
                raise BadSequence(str(error)) from None
        return cls(cards=tuple(cards), cut_after=cut_after)

    @property
    def items(self) -> tuple[ShoeItem, ...]:
        """Everything that leaves, in order, the cut card in its place."""
        if self.cut_after is None:
            return self.cards
        return (*self.cards[: self.cut_after], CutCard.CUT_CARD, *self.cards[self.cut_after :])

    @property
    def composition(self) -> tuple[int, ...]:
        """52 counts in the order of ``Card.index``."""
        counts = Counter(self.cards)
        return tuple(counts[card] for card in DECK)
