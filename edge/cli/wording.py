"""A table in a person's words, for the commands; made of its public state and of nothing else."""

from datetime import datetime
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from edge.errors import ControlDeaf
from edge.events import Spot
from edge.public_state import PublicState
from edge.ruling import Phase

T = TypeVar("T")

PHASES: Final = {
    Phase.NO_SHOE: "no shoe is in",
    Phase.OPENING: "the first card of the shoe is due",
    Phase.BURNING: "cards are being burned",
    Phase.READY: "ready for a round",
    Phase.CARD_DUE: "a card is due",
    Phase.INSURANCE: "the last call for insurance is open",
    Phase.DECISION: "a decision is due",
    Phase.HELD: "HELD",
}


def screen(*, stderr: bool = False) -> Console:
    """Where a command writes: nothing in a text is taken for layout, and no line is broken."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)


def printable(text: str) -> str:
    """A text that others may have written, as a terminal may show it."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def when(moment: str) -> str:
    """A time of the contract, for eyes."""
    return f"{moment[:19].replace('T', ' ')} UTC"


def ago(moment: str, now: datetime) -> str:
    """How long ago a time of the contract was, roughly."""
    seconds = max(int((now - datetime.fromisoformat(moment)).total_seconds()), 0)
    for length, noun in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            return f"{counted(seconds // length, noun)} ago"
    return "just now"


def counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def read_view(kind: type[T], answer: bytes) -> T:
    """What the daemon answered.

    Raises:
        ControlDeaf: it is not what this version asks for.
    """
    try:
        return TypeAdapter(kind).validate_json(answer)
    except ValidationError:
        raise ControlDeaf(
            "The daemon answers in another version's words.",
            hint="It was installed anew and not started anew: restart its service.",
        ) from None


def play(state: PublicState) -> str:
    """What the table waits for, and what is in."""
    parts = [_waits(state), "no house" if state.house is None else f"house {state.house}"]
    if state.shoe is not None:
        shoe = state.shoe
        parts.append(
            f"shoe {shoe.number} in {shoe.device}, {counted(shoe.drawn, 'card')} out, {shoe.remaining} left, "
            f"{counted(shoe.rounds, 'round')}"
        )
    if state.round is not None:
        seats = ", ".join(str(seat) for seat in state.round.seats)
        parts.append(f"round {state.round.number} ({printable(state.round.round_id)}), seats {seats}")
    if state.parked:
        parts.append(f"{counted(len(state.parked), 'card')} set aside")
    return "; ".join(parts)


def _waits(state: PublicState) -> str:
    if state.phase is Phase.CARD_DUE and state.expected is not None:
        return f"a card is due for {place_told(state.expected.to)}"
    if state.phase is Phase.DECISION and state.offer is not None:
        return f"seat {state.offer.seat}, hand {state.offer.hand} decides"
    return PHASES[state.phase]


def place_told(place: Spot | str) -> str:
    """A place in words."""
    return f"seat {place.seat}, hand {place.hand}" if isinstance(place, Spot) else f"the {place}"
