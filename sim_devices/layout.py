"""A table as a person sees it: the layout, what is awaited, and what happened last."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sim_devices.audit import Taken
from sim_devices.screen import Screen

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED: Final = "dh"
_PLACES: Final = {"dealer": "the dealer", "burn": "the burn", "first_card": "the first card"}
LAST_EVENTS: Final = 8
ROUND_OVER: Final = "-"


def card_text(code: str | None) -> Text:
    """A card, or the back of one."""
    if code is None:
        return Text("▒▒", style="bold blue")
    rank = "10" if code[0] == "T" else code[0]
    return Text(rank + _SUITS[code[1]], style="bold red" if code[1] in _RED else "bold")


def cards_text(codes: Iterable[str | None]) -> Text:
    """Cards side by side."""
    return Text(" ").join(card_text(code) for code in codes)


def layout(screen: Screen | None, last: Sequence[Taken], *, title: str) -> RenderableType:
    """The whole table.

    Args:
        screen: the table's state; None: not heard yet.
        last: the events of late, oldest first.
        title: over it.
    """
    parts: list[RenderableType] = [_shoe(screen), _hands(screen), _awaited(screen)]
    parts.append(Panel(Text("\n").join(event_text(event) for event in last), title="events", height=10))
    return Panel(Group(*parts), title=title)


def _shoe(screen: Screen | None) -> Text:
    shoe = None if screen is None else screen.said["shoe"]
    if shoe is None:
        return Text("no shoe", style="dim")
    cut = "" if shoe["cut_after"] is None else "   cut card out"
    return Text(f"shoe {shoe['number']}   {shoe['drawn']} out   {shoe['remaining']} left{cut}", style="dim")


def _hands(screen: Screen | None) -> RenderableType:
    grid = Table(expand=True, show_edge=False, pad_edge=False)
    grid.add_column("", width=9)
    grid.add_column("cards", ratio=1)
    grid.add_column("total", width=9)
    grid.add_column("", width=12)
    played = None if screen is None else screen.said["round"]
    dealer: Mapping[str, Any] = {"cards": (), "total": 0} if played is None else played["dealer"]
    grid.add_row("dealer", cards_text(dealer["cards"]), str(dealer["total"] or ""), "", end_section=True)
    offer = None if screen is None else screen.said["offer"]
    for hand in () if played is None else played["hands"]:
        spot = f"seat {hand['seat']}" + ("" if hand["hand"] == 1 else f"/{hand['hand']}")
        turn = offer is not None and (offer["seat"], offer["hand"]) == (hand["seat"], hand["hand"])
        soft = "soft " if hand["soft"] else ""
        total = f"{soft}{hand['total']}" if hand["cards"] else ""
        end = (hand["how"] or ("to decide" if turn else "")).replace("_", " ")
        grid.add_row(spot, cards_text(hand["cards"]), total, end, style="reverse" if turn else None)
    return grid


def _awaited(screen: Screen | None) -> Text:
    return Text(awaited(screen), style="bold yellow")


def awaited(screen: Screen | None) -> str:
    """One line: what the table waits for."""
    if screen is None:
        return "waiting for the table"
    said = screen.said
    if screen.held:
        return "HELD: " + ", ".join(each["kind"] for each in said["irregularities"])
    if said["expected"] is not None:
        place = said["expected"]["to"]
        where = _PLACES.get(place) if isinstance(place, str) else f"seat {place['seat']}"
        return f"awaited: draw {said['expected']['draw']} for {where}, face {said['expected']['face']}"
    if said["offer"] is not None:
        return f"awaited: seat {said['offer']['seat']} decides: {', '.join(said['offer']['actions'])}"
    return "awaited: " + {
        "no_shoe": "a shoe",
        "ready": "a round",
        "insurance": "the last call for insurance",
    }.get(screen.phase, screen.phase)


def event_text(event: Taken) -> Text:
    """One event, one line."""
    return Text(f"{event.sequence:>5}  {event.type:<20} {_detail(event.type, event.content)}")


def _detail(kind: str, said: Mapping[str, Any]) -> str:
    match kind:
        case "card.dealt":
            card = said.get("card") or "face down"
            total = f" = {said['total']}" if "total" in said else ""
            return f"{card} to {_spot(said['to'])}{total}"
        case "card.burned":
            return f"draw {said['draw']}, face down"
        case "card.revealed":
            return f"{said['card']}: its seal fits"
        case "turn.offered":
            return f"{_spot(said)}: {', '.join(said['actions'])}"
        case "turn.acted":
            reason = f" ({said['reason'].replace('_', ' ')})" if "reason" in said else ""
            return f"{_spot(said)}: {said['action']}{reason}"
        case "hand.finished":
            return f"{_spot(said)}: {said['how'].replace('_', ' ')}, {said['total']}"
        case "dealer.finished":
            return f"{' '.join(said['cards'])} = {said['total']}"
        case "round.opened":
            return f"{said['round_id']}, seats {', '.join(map(str, said['seats']))}"
        case "round.result":
            return ", ".join(_result(seat) for seat in said["seats"])
        case "shoe.opened":
            return f"first card {said['first_card']}: {said['burn_due']} to burn"
        case "irregularity.raised":
            return str(said["seen"])
        case _:
            return ""


def _spot(place: str | Mapping[str, Any]) -> str:
    if isinstance(place, str):
        return place
    return f"seat {place['seat']}" + ("" if place["hand"] == 1 else f"/{place['hand']}")


def _result(seat: Mapping[str, Any]) -> str:
    return f"{seat['seat']} " + "/".join(hand["outcome"] for hand in seat["hands"])
