"""The doom of one episode: who dies when, all of it from one seed."""

import random
from dataclasses import dataclass

from tests.crash.fuses import WINDOWS, Fuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Doom:
    """What is to die in one episode, in seeded order, at seeded places."""

    seed: int
    kills: int
    """Of the daemon, dealt out evenly over the points of all windows."""
    broker_kills: int = 0
    power_cycles: int = 0
    """Of the shoe, every other one without memory."""

    def fuses(self) -> list[Fuse]:
        """One for each life."""
        chance = random.Random(f"fuses {self.seed}")
        windows = list(WINDOWS)
        begin = chance.randrange(len(windows))
        lit = [
            self._fuse(windows[(begin + number) % len(windows)], chance, number)
            for number in range(self.kills)
        ]
        chance.shuffle(lit)
        return lit

    @staticmethod
    def _fuse(window: str, chance: random.Random, number: int) -> Fuse:
        point = chance.choice(WINDOWS[window])
        nth = 1 if window == "start" else chance.choice((1, 1, 2, 3, 5))
        return Fuse(window=window, point=point, nth=nth, seed=number)

    def troubles(self) -> dict[int, list[str]]:
        """What else happens, by the number of the life in which it does."""
        chance = random.Random(f"troubles {self.seed}")
        kinds = ["broker"] * self.broker_kills
        kinds += ["power", "power, memory lost"] * (self.power_cycles // 2)
        happens: dict[int, list[str]] = {}
        for kind in kinds:
            happens.setdefault(chance.randrange(max(self.kills, 1)), []).append(kind)
        return happens
