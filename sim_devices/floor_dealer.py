"""A dealer of a floor table: no app, no game server's decisions, only cards and a few keys at the shoe.

The dealer looks at the table's screen. A card that is due is pulled; where the house has a draw count as a
hit, so is a player's; everything else is a key: the seats that bet, bets closed, stand, double, split,
insurance, even money. What is done is done once for each situation, so an old screen that comes again causes
nothing; after a hold it is done again, because a key pressed while the table is held does nothing.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from firmware_protocols import Card, KeyStroke
from sim_devices.dealer import Pace
from sim_devices.game import Turn
from sim_devices.play import Temper, about_best
from sim_devices.screen import Screen
from sim_devices.shoe import SimulatedShoe

SEATS: Final = tuple(range(1, 8))
AS_BEFORE: Final = 0.25
"""How often the same seats play again, and no seat is keyed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a dealer does in one situation."""

    occasion: str
    """Names the situation."""
    keys: tuple[str, ...] = ()
    pulls: bool = False
    """A card is pulled, and the cut card with it if it lies before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Who sits there: everything follows from the seed and the situation."""

    seed: int
    temper: Temper = field(default_factory=Temper)
    seats: Sequence[int] = SEATS

    def chance(self, occasion: str) -> random.Random:
        """Always the same for the same situation."""
        return random.Random(f"{self.seed} {occasion}")

    def decision(self, occasion: str, turn: Turn, cards: list[str], up_card: str | None) -> str:
        """What the hand does."""
        chance = self.chance(occasion)
        if chance.random() < self.temper.by_the_book:
            return about_best(turn, cards, up_card)
        return chance.choice(turn.actions)


class FloorDealer:
    """Deals and keys at one simulated shoe, from its installation to its close.

    Args:
        shoe: to pull from, and to press the keys of.
        codes: the code of each key, by its meaning in the configuration; with no ``hit`` a draw is one.
        players: who sits at the table.
        pace: cards and keys per second.
    """

    def __init__(
        self, shoe: SimulatedShoe, *, codes: Mapping[str, int], players: Players, pace: Pace | None = None
    ) -> None:
        self._shoe = shoe
        self._codes = codes
        self._players = players
        self._pause_s = 1 / (pace or Pace()).cards_per_second
        self._screen: Screen | None = None
        self._looked = asyncio.Event()
        self._done: set[str] = set()
        self.keys_pressed = 0

    def see(self, screen: Screen) -> None:
        """The screen shows this now."""
        self._screen = screen
        self._looked.set()

    async def deal(self) -> None:
        """Do what the screen calls for, until cancelled."""
        while True:
            await self._looked.wait()
            self._looked.clear()
            while (move := self._next()) is not None:
                self._done.add(move.occasion)
                await self._make(move)

    async def _make(self, move: Move) -> None:
        for key in move.keys:
            self._shoe.emit(KeyStroke(key=self._codes[key]))
            self.keys_pressed += 1
            await asyncio.sleep(self._pause_s)
        if move.pulls:
            while self._shoe.remaining and not isinstance(self._shoe.draw(), Card):
                pass
            await asyncio.sleep(self._pause_s)

    def _next(self) -> Move | None:
        screen = self._screen
        if screen is None or not screen.devices_online:
            return None
        if screen.held:
            self._done.clear()
            return None
        move = self._move(screen)
        return None if move is None or move.occasion in self._done else move

    def _move(self, screen: Screen) -> Move | None:
        said = screen.said
        if screen.expected_draw is not None:
            # a screen that names a draw which is out already is old
            due = screen.expected_draw == self._shoe.cards_drawn + 1
            return Move(occasion=f"draw {screen.shoe} {screen.expected_draw}", pulls=True) if due else None
        match screen.phase:
            case "no_shoe" if not self._shoe.drawn:
                return Move(occasion="install", keys=("install",))
            case "ready":
                return self._bets(said["shoe"])
            case "insurance":
                return self._insurance(screen, said["round"])
            case "decision":
                return self._decision(said)
            case _:
                return None

    def _bets(self, shoe: Mapping[str, Any]) -> Move:
        occasion = f"open {shoe['number']} {shoe['rounds']}"
        chance = self._players.chance(occasion)
        if shoe["rounds"] and chance.random() < AS_BEFORE:
            return Move(occasion=occasion, keys=("open",))
        seats = chance.sample(self._players.seats, chance.randint(1, len(self._players.seats)))
        return Move(occasion=occasion, keys=(*(f"seat_{seat}" for seat in seats), "open"))

    def _insurance(self, screen: Screen, played: Mapping[str, Any]) -> Move:
        occasion = f"insurance {screen.shoe} {played['number']}"
        chance, keys = self._players.chance(occasion), []
        offered = played["insurance"]
        for seat in offered["even_money_seats"] or ():
            if chance.random() < self._players.temper.insured:
                keys += ["even_money", f"seat_{seat}"]
        for seat in offered["seats"]:
            taken = f"seat_{seat}" in keys
            if not taken and chance.random() < self._players.temper.insured:
                keys.append(f"seat_{seat}")
        return Move(occasion=occasion, keys=(*keys, "close"))

    def _decision(self, said: Mapping[str, Any]) -> Move:
        offer, played = said["offer"], said["round"]
        hand = next(
            each for each in played["hands"] if (each["seat"], each["hand"]) == (offer["seat"], offer["hand"])
        )
        turn = Turn(
            sequence=offer["sequence"],
            seat=offer["seat"],
            hand=offer["hand"],
            total=hand["total"],
            soft=hand["soft"],
            actions=tuple(offer["actions"]),
        )
        occasion = f"turn {turn.sequence}"
        up_card = next((card for card in played["dealer"]["cards"] if card is not None), None)
        situation = f"{played['round_id']} {turn.seat} {turn.hand} {len(hand['cards'])}"
        action = self._players.decision(situation, turn, hand["cards"], up_card)
        if action == "hit" and "hit" not in self._codes:
            return Move(occasion=occasion, pulls=True)
        return Move(occasion=occasion, keys=(action,))
