"""What a shuffler says of one shuffle, in order."""

from collections.abc import Iterator
from typing import Final

from firmware_protocols import (
    DECK,
    DeviceEvent,
    ShuffleFinished,
    ShuffleProgressed,
    ShuffleStarted,
)
from sim_devices.decks import ShoeContents

PROGRESS_CARDS: Final = 52
"""A shuffler says how far it is after each deck."""


def shuffle_events(contents: ShoeContents, *, every: int = PROGRESS_CARDS) -> Iterator[DeviceEvent]:
    """Start, progress, and the finish with its counts, of the cards that will be in the shoe.

    Args:
        contents: what the shuffle gives.
        every: cards between two words of progress, 1 or more.
    """
    cards = len(contents.cards)
    yield ShuffleStarted(decks=cards // len(DECK))
    for done in range(every, cards, every):
        yield ShuffleProgressed(cards=done)
    yield ShuffleFinished(cards=cards, counts=contents.composition)
