"""The shoe's own log against the events: is every card that left it in exactly one event, in order?"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sim_devices.audit import Taken
from sim_devices.decks import CUT

_DRAWS: Final = frozenset({"shoe.opened", "card.burned", "card.dealt"})


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
        """How many of each card left."""
        return Counter(self.cards)


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


def _draws_told(events: Iterable[Taken]) -> tuple[dict[int, str | None], list[str]]:
    """Draw by draw in the order told, the card as far as it was shown; and draws told twice."""
    told: dict[int, str | None] = {}
    found: list[str] = []
    for event in events:
        said = event.content
        if event.type == "card.revealed":
            told[said["draw"]] = said["card"]
        elif event.type in _DRAWS:
            if said["draw"] in told:
                found.append(f"Draw {said['draw']} is in two events, the second is {event.sequence}")
            told[said["draw"]] = said.get("card", said.get("first_card"))
        elif event.type == "irregularity.raised" and "draw" in said:
            told.setdefault(said["draw"], None)
        elif event.type == "round.voided":
            told.update(dict.fromkeys(said.get("parked", ())))
    return told, found
