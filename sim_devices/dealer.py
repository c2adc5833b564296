"""A dealer: looks at the table's screen and pulls a card exactly when one is due.

A card is due when the state names the draw that comes next from this shoe. A state that names a draw which
is out already is old, and is not acted upon; so a dealer cannot pull twice for one state, whatever the
broker repeats. The cut card has no number: it is pulled where it lies, and then the card behind it.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from firmware_protocols import CardOverdrawn, ShoeMoved
from sim_devices.decks import ShoeContents
from sim_devices.screen import Screen
from sim_devices.shoe import SimulatedShoe

CARDS_PER_SECOND: Final = 2.0
"""About what a hand does that shows each card to the camera."""


class Mishap(Enum):
    """What goes wrong with a card."""

    UNREAD = "unread"
    TWO = "two"
    OVERDRAWN = "overdrawn"
    MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a dealer is."""

    cards_per_second: float = CARDS_PER_SECOND
    jitter: float = 0.2
    """Share of the time between two cards by which it varies, 0 up to 1."""
    seed: int = 0
    careless: float = 0.0
    """Chance, per look at the screen, of pulling a card although none is due."""
    mishaps: float = 0.0
    """Chance, per card, that something goes wrong with it: it is not read, a second one comes along with it,
    the shoe reports an overdraw, or is moved."""

    def __post_init__(self) -> None:
        if self.cards_per_second <= 0 or not 0 <= self.jitter < 1 or not 0 <= self.careless <= 1:
            raise ValueError("a pace has more than 0 cards per second, jitter in 0..1, carelessness in 0..1")
        if not 0 <= self.mishaps <= 1:
            raise ValueError("a pace has a chance of mishaps in 0..1")


@dataclass(slots=True, kw_only=True)
class _Rhythm:
    pace: Pace
    chance: random.Random = field(init=False)
    due_at: float = 0.0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.pace.seed)

    def pulled(self, now: float) -> None:
        swing = self.chance.uniform(1 - self.pace.jitter, 1 + self.pace.jitter)
        self.due_at = now + swing / self.pace.cards_per_second

    def mishap(self) -> Mishap | None:
        if not self.pace.mishaps or self.chance.random() >= self.pace.mishaps:
            return None
        return self.chance.choice(list(Mishap))


class Dealer:
    """Deals from one simulated shoe.

    Args:
        shoe: to pull from.
        pace: how fast.
        next_shoe: what to fill it with when the table goes on to another shoe; None: it is not refilled.
        pulled: told of everything pulled, right before it leaves the shoe.
    """

    def __init__(
        self,
        shoe: SimulatedShoe,
        *,
        pace: Pace | None = None,
        next_shoe: Callable[[int], ShoeContents] | None = None,
        pulled: Callable[[int], None] | None = None,
    ) -> None:
        self._shoe = shoe
        self._rhythm = _Rhythm(pace=pace or Pace())
        self._next_shoe = next_shoe
        self._told = pulled
        self._number: int | None = None
        self._screen: Screen | None = None
        self._looked = asyncio.Event()
        self.pulled = 0
        """Items pulled, the cut card included."""
        self.blunders = 0
        """Of these, pulled although none was due."""

    def see(self, screen: Screen) -> None:
        """The screen shows this now."""
        self._screen = screen
        if screen.shoe is not None and screen.shoe != self._number:
            if self._number is not None and self._next_shoe is not None:
                self._shoe.load(self._next_shoe(screen.shoe))
            self._number = screen.shoe
        self._looked.set()

    @property
    def due(self) -> bool:
        """A card is due, and it is in the shoe."""
        screen = self._screen
        return (
            screen is not None
            and not screen.held
            and screen.expected_draw == self._shoe.cards_drawn + 1
            and self._shoe.remaining > 0
        )

    async def watch(self, screens: AsyncIterator[Screen]) -> None:
        """See what comes, until it ends."""
        async for screen in screens:
            self.see(screen)

    async def deal(self) -> None:
        """Pull what is due, in the rhythm of the pace, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._looked.wait()
            if not self.due:
                self._looked.clear()
                self._blunder(loop.time())
                continue
            await asyncio.sleep(max(0.0, self._rhythm.due_at - loop.time()))
            if self.due:
                self._pull(loop.time())

    def _pull(self, now: float) -> None:
        if self._told is not None:
            self._told(self._shoe.cards_drawn + 1)
        mishap = self._rhythm.mishap()
        self._shoe.draw(read=mishap is not Mishap.UNREAD)
        self.pulled += 1
        self._rhythm.pulled(now)
        match mishap:
            case Mishap.TWO if self._shoe.remaining:
                self._shoe.draw()
                self.pulled += 1
            case Mishap.OVERDRAWN:
                self._shoe.emit(CardOverdrawn())
            case Mishap.MOVED:
                self._shoe.emit(ShoeMoved())
            case _:
                pass

    def _blunder(self, now: float) -> None:
        careless = self._rhythm.pace.careless
        if careless and self._shoe.remaining and self._rhythm.chance.random() < careless:
            self.blunders += 1
            self._pull(now)
