"""What lies on the layout, as a game server knows it: every card with its draw, where the events put it.

A repair takes cards from their places and puts them elsewhere, and a hand that had ended by its cards alone
takes part again until it is told to have ended anew. In a hand the cards lie in the order in which they were
drawn, except that a split parts them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Spot = tuple[int, int]
"""Seat and hand."""
Place = Spot | None
"""None: the dealer."""

BY_CARDS: Final = frozenset({"natural", "twenty_one", "bust", "double", "split_ace"})
"""Ends of a hand that its cards alone brought about."""


@dataclass(slots=True, kw_only=True)
class Lying:
    """One card."""

    draw: int
    card: str | None
    """None: face down."""
    down: bool = False
    """It was dealt face down, turned by now or not."""


@dataclass(slots=True, kw_only=True)
class Layout:
    """The cards of one round. Feed it what the round's events say of cards."""

    places: dict[Place, list[Lying]] = field(default_factory=dict)
    how: dict[Spot, str] = field(default_factory=dict)
    """How each hand ended, where it did."""

    @property
    def hands(self) -> dict[Spot, list[str]]:
        """The players' cards."""
        return {
            spot: [each.card or "" for each in cards]
            for spot, cards in self.places.items()
            if spot is not None and cards
        }

    @property
    def dealer(self) -> list[str | None]:
        """The dealer's cards in drawing order; None lies face down."""
        return [each.card for each in self.places.get(None, ())]

    @property
    def up_card(self) -> str | None:
        """The dealer's first card that was dealt face up."""
        return next((each.card for each in self.places.get(None, ()) if not each.down), None)

    def lay(self, draw: int, to: Place, card: str | None, *, down: bool = False) -> None:
        """A card comes to a place."""
        cards = self.places.setdefault(to, [])
        at = sum(1 for each in cards if each.draw < draw)
        cards.insert(at, Lying(draw=draw, card=card, down=down))

    def take(self, draw: int) -> Lying:
        """A card is taken from where it lies.

        Raises:
            KeyError: it lies nowhere.
        """
        for place, cards in self.places.items():
            for each in cards:
                if each.draw == draw:
                    cards.remove(each)
                    self.open_again(place)
                    return each
        raise KeyError(draw)

    def name(self, draw: int, card: str) -> None:
        """A card is turned, or is another than was read.

        Raises:
            KeyError: it lies nowhere.
        """
        taken = next(each for cards in self.places.values() for each in cards if each.draw == draw)
        taken.card = card

    def open_again(self, place: Place) -> None:
        """The cards there have changed: an end that they alone brought about is none any more."""
        if place is not None and self.how.get(place) in BY_CARDS:
            del self.how[place]

    def split(self, seat: int) -> None:
        """The two cards of the seat's hand become two hands."""
        first, second = self.places[seat, 1]
        self.places[seat, 1], self.places[seat, 2] = [first], [second]


def place_of(said: str | Mapping[str, Any]) -> Place:
    """A place as events name it."""
    return None if isinstance(said, str) else (said["seat"], said["hand"])
