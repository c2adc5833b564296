"""The shoe's own log against the events: does every card that left it have exactly one place, in order?

A card that was set aside gets its place later, and a repair may take one from its place again; the events say
each step. What counts is that each draw is told first in its order, is never in two places, and is the card
that left.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from sim_devices.audit import Taken
from sim_devices.decks import CUT

_PLACED: Final = frozenset({"shoe.opened", "card.burned", "card.dealt"})
_GONE: Final = frozenset({"card.discarded", "card.retracted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Departed:
    """What left a simulated shoe, by its own log."""

    cards: tuple[str, ...]
    """In order; the first is draw 1."""
    unread: frozenset[int]
    """Draws its reader missed."""
    cut_after: int | None
    """Cards that left before the cut card."""

    @property
    def composition(self) -> Counter[str]:
        """How many of each card left and were read."""
        return Counter(card for draw, card in enumerate(self.cards, start=1) if draw not in self.unread)


def departed(log: Path) -> Departed:
    """Read a shoe's log; a log is of one shoe."""
    cards: list[str] = []
    unread: set[int] = set()
    cut_after = None
    for line in log.read_text(encoding="utf-8").splitlines():
        said: dict[str, Any] = json.loads(line)
        if "left" not in said:
            continue
        if said["left"] == CUT:
            cut_after = len(cards)
            continue
        cards.append(said["left"])
        if not said.get("read", True):
            unread.add(len(cards))
    return Departed(cards=tuple(cards), unread=frozenset(unread), cut_after=cut_after)


def differences(shoe: Departed, events: Sequence[Taken], *, number: int = 1) -> list[str]:
    """Where the events of shoe ``number`` tell another story than the shoe; one sentence each."""
    told, found = _draws_told(event for event in events if event.content.get("shoe") == number)
    for draw, card in enumerate(shoe.cards, start=1):
        if draw not in told:
            found.append(f"Draw {draw} ({card}) left the shoe and is in no event")
        elif told[draw] is not None and told[draw] != card:
            found.append(f"Draw {draw} was {card}, and the events say {told[draw]}")
    found.extend(f"Draw {draw} is in an event and never left" for draw in told if draw > len(shoe.cards))
    if list(told) != sorted(told):
        found.append("The events do not tell the draws in their order")
    cuts = [event.content["drawn"] for event in events if event.type == "shoe.cut_card"]
    if cuts != ([] if shoe.cut_after is None else [shoe.cut_after]):
        found.append(f"The cut card left after {shoe.cut_after} cards, and the events say {cuts}")
    return found


class _Where(Enum):
    """Where a card is, as far as the events say."""

    PLACED = "in its place"
    ASIDE = "set aside"
    GONE = "out of play"


def _draws_told(events: Iterable[Taken]) -> tuple[dict[int, str | None], list[str]]:
    """Draw by draw in the order first told, the card as far as it was shown; and what cannot be."""
    told: dict[int, str | None] = {}
    where: dict[int, _Where] = {}
    found: list[str] = []
    for event in events:
        draw = event.content.get("draw")
        if draw is None:
            continue
        goes = _goes(event, where.get(draw))
        if goes is not None:
            if where.get(draw) in _FROM_NOWHERE[goes] or "taken_from" in event.content:
                where[draw] = goes
            else:
                found.append(
                    f"Draw {draw} is {where[draw].value} already, and event {event.sequence} is {event.type}"
                )
            told.setdefault(draw, None)
        if event.type in _NAMES:
            card = event.content.get("card", event.content.get("first_card"))
            told[draw] = card or told.get(draw)
    return told, found


_FROM_NOWHERE: Final = {
    _Where.PLACED: (None, _Where.ASIDE),
    _Where.ASIDE: (None, _Where.ASIDE),  # told again once it is known what becomes of it
    _Where.GONE: (None, _Where.ASIDE),
}
"""Where a card may come from that is not taken from a place."""
_NAMES: Final = _PLACED | {"card.revealed", "card.corrected", "card.moved"}


def _goes(event: Taken, now: _Where | None) -> _Where | None:
    """Where this event puts its draw; None: nowhere."""
    if event.type in _PLACED:
        return _Where.PLACED
    if event.type == "card.moved":
        return _Where.PLACED if now is not None else None
    if event.type == "card.parked":
        return _Where.ASIDE
    return _Where.GONE if event.type in _GONE else None
