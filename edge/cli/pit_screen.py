"""What a supervisor sees: the table, what is open, since when, and what may be done."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from rich.text import Text

from edge.cli.which_table import Chosen
from edge.cli.wording import ago, play, printable, read_view, screen, when
from edge.control import SUPERVISED, IrregularityLook, PitView, Question, look
from edge.events import Spot
from edge.irregular import Stage
from edge.public_state import PublicState
from edge.requests import KnownRequest, ResolveIrregularity

BY_CHOICE: Final = frozenset({"irregularity.resolve", "card.enter"})
"""Commands that need no line of their own: each way out of each irregularity has one."""


STAGES: Final = {
    Stage.NO_SHOE: "No shoe in",
    Stage.OPENING: "Before the shoe was ready",
    Stage.BETWEEN: "Between rounds",
    Stage.NEW_GAME: "Before the first card of the round",
    Stage.FIRST_CARDS: "Among the first cards",
    Stage.SECOND_CARDS: "Among the second cards",
    Stage.PLAY: "After the first deal",
    Stage.DEALER_COVERED: "Drawn for the dealer, not seen",
    Stage.DEALER_EXPOSED: "Drawn for the dealer, and seen",
}
"""Where the shoe and its round stood, in a person's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the table looked like when it was last looked at."""

    state: PublicState
    view: PitView

    def irregularity(self, number: object) -> IrregularityLook | None:
        """The open irregularity of this number."""
        return next((each for each in self.view.irregularities if each.id == number), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something that may be done now."""

    kind: type[KnownRequest]
    said: dict[str, Any]
    name: str
    says: str


def seen(which: Chosen) -> Seen:
    """Look at the table."""
    state, answer = look(which.paths, Question.STATE, Question.PIT, table=which.table)
    return Seen(state=read_view(PublicState, state), view=read_view(PitView, answer))


def show(now: Seen, choices: list[Choice]) -> None:
    """Show the table as it stands, and what may be done, numbered."""
    out = screen()
    out.print(f"Table {now.view.table}: {play(now.state)}")
    if now.state.pause is not None:
        pause = now.state.pause
        out.print(
            Text(f"  ! held by {printable(pause.operator)}: {printable(pause.reason)}", style="bold red")
        )
    if now.view.irregularities:
        for line in lying(now.state):
            out.print(line)
    numbered = {id(choice): number for number, choice in enumerate(choices, start=1)}
    for each in now.view.irregularities:
        out.print(opened(each))
        for choice in choices:
            if choice.said.get("id") == each.id:
                out.print(f"  {numbered[id(choice)]:>2}  {choice.name:<13} {choice.says}")
    out.print("What may be done beside" if now.view.irregularities else "What may be done now")
    for choice in choices:
        if not choice.said:
            out.print(f"  {numbered[id(choice)]:>2}  {choice.name:<13} {choice.says}")
    for each_command in now.view.commands:
        if each_command.refusal is not None and each_command.command not in BY_CHOICE:
            name = each_command.command.partition(".")[2]
            out.print(Text(f"   -  {name:<13} not now: {each_command.refusal}", style="dim"))


def choices_of(now: Seen) -> list[Choice]:
    """What may be done now: the ways out of each irregularity first, then the other commands."""
    ways = [
        Choice(
            kind=ResolveIrregularity,
            said={"id": each.id, "resolution": way.resolution.value},
            name=way.resolution.value,
            says=way.says,
        )
        for each in now.view.irregularities
        for way in each.resolutions
    ]
    others = [
        Choice(kind=kind, said={}, name=each.command.partition(".")[2], says=each.says)
        for each in now.view.commands
        for kind in SUPERVISED
        if kind.command == each.command and each.refusal is None and each.command not in BY_CHOICE
    ]
    return [*ways, *others]


def opened(each: IrregularityLook) -> Text:
    """An open irregularity, on two lines."""
    where = [f"draw {each.draw}"] * (each.draw is not None)
    where += [f"seat {each.seat}"] * (each.seat is not None)
    where += [f"to {place_told(each.to)}"] if each.to is not None else []
    where += [f"device {each.device}"] * (each.device is not None)
    told = f" ({', '.join(where)})" if where else ""
    latched = ", latched: nothing new begins" if each.latched else ""
    since = "" if each.since is None else f", since {when(each.since)}, {ago(each.since, _now())}"
    house = (
        "the house asks a supervisor" if each.house == "ask" else f"the house's own way: {each.house.value}"
    )
    return Text.assemble(
        "  ! ",
        (f"{each.id} {each.kind.value}", "bold red"),
        f": {each.seen}{told}\n",
        f"      {STAGES[each.stage]}{since}; {house}{latched}",
    )


def lying(state: PublicState) -> Iterator[Text]:
    """Every card on the table with its draw number, and what is set aside; one face down is ``??``."""
    if state.round is not None:
        for hand in state.round.hands:
            cards = zip(hand.draws, hand.cards, strict=True)
            ended = "" if hand.how is None else f"  {hand.how.value}"
            yield _line(place_told(Spot(seat=hand.seat, hand=hand.hand)), cards, ended)
        yield _line(
            place_told("dealer"), zip(state.round.dealer.draws, state.round.dealer.cards, strict=True)
        )
    for parked in state.parked:
        which = f"draw {parked.draw}" if parked.draw is not None else f"a card of {parked.device}"
        yield Text(f"    set aside: {which} ({parked.why.value})")


def place_told(place: Spot | str) -> str:
    """A place in words; of a seat's first hand, the seat."""
    if not isinstance(place, Spot):
        return f"the {place}"
    return f"seat {place.seat}" if place.hand == 1 else f"seat {place.seat}, hand {place.hand}"


def _line(place: str, cards: Any, ended: str = "") -> Text:  # noqa: ANN401 - pairs of draw and card
    told = "  ".join(f"{'??' if card is None else card} (draw {draw})" for draw, card in cards)
    return Text(f"    {place:<15} {told or '-'}{ended}")


def _now() -> datetime:
    return datetime.now(UTC)
