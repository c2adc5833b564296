"""A supervisor of the pit, for a table on the bench: looks at what holds it, and decides by a seed.

An unread card is named, as somebody who looks at the table can. Where more than one way out fits, chance
takes one; the round is voided when nothing else is left, and the shoe retired when not even that is.
"""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sim_devices.desk import Desk
from sim_devices.screen import Screen

WITHOUT_DETAILS: Final = ("accept", "confirm", "use_as_next", "discard", "clear")
"""Ways out that need no more than their name."""
LAST_RESORTS: Final = ("void_round", "retire_shoe")


def way_out(
    opened: Mapping[str, Any], refused: Sequence[str], card_of: Callable[[int], str], chance: random.Random
) -> dict[str, str]:
    """What to resolve an irregularity with: the request's content beside id, operator and reason.

    Args:
        opened: the irregularity, as the table's state has it.
        refused: ways that the table has refused for it.
        card_of: the card of a draw, face up for whoever stands there.
        chance: takes one of several.
    """
    open_ways = [way for way in opened["allowed"] if way not in refused]
    unread = opened["kind"] == "unread_card" and opened["draw"] is not None
    if unread and "accept" not in open_ways and "enter" in open_ways:
        return {"resolution": "enter", "card": card_of(opened["draw"])}
    simple = [way for way in open_ways if way in WITHOUT_DETAILS]
    if unread and "accept" in simple:
        return {"resolution": "accept"}  # it lies face down, and stays so
    if simple:
        return {"resolution": chance.choice(simple)}
    return {"resolution": next((way for way in LAST_RESORTS if way in open_ways), LAST_RESORTS[-1])}


class Pit:
    """Ends every hold of one table.

    Args:
        desk: to ask with.
        operator: who signs.
        card_of: the card of a draw.
        seed: of the choices.
    """

    def __init__(self, desk: Desk, *, operator: str, card_of: Callable[[int], str], seed: int = 0) -> None:
        self._desk = desk
        self._operator = operator
        self._card_of = card_of
        self._chance = random.Random(seed)
        self._screen: Screen | None = None
        self._looked = asyncio.Event()
        self._refused: dict[int, list[str]] = {}
        self.resolved = 0
        """Irregularities that it ended."""

    def see(self, screen: Screen) -> None:
        """The screen shows this now."""
        self._screen = screen
        self._looked.set()

    async def stand_by(self) -> None:
        """Resolve what is open, until cancelled."""
        answered = 0
        while True:
            await self._looked.wait()
            self._looked.clear()
            screen = self._screen
            if screen is not None and screen.as_of >= answered and screen.said["irregularities"]:
                answered = await self._resolve(screen.said["irregularities"][0])

    async def _resolve(self, opened: Mapping[str, Any]) -> int:
        number = opened["id"]
        refused = self._refused.setdefault(number, [])
        content = way_out(opened, refused, self._card_of, self._chance)
        answer = await self._desk.ask(
            "irregularity.resolve",
            {"id": number, "operator": self._operator, "reason": "seen at the table", **content},
            topic="supervisor",
        )
        if answer.accepted:
            self.resolved += 1
        else:
            refused.append(content["resolution"])
            self._looked.set()
        return answer.sequence
