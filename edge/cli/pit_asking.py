"""What a person at a terminal is asked, one detail at a time; each answer is seen before anything is sent.

Every question is asked again until its answer can be understood; whether it fits the table the ruling judges.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, get_type_hints

from rich.prompt import Confirm, Prompt
from rich.text import Text
from typer import Abort

from edge.cli.pit_screen import Seen, lying, place_told
from edge.cli.pit_spelling import Json, cards, place
from edge.cli.wording import screen
from edge.control import SIGNATURE, IrregularityLook, required
from edge.events import Spot
from edge.irregular import Resolution
from edge.requests import EnterCard, KnownRequest, ReportIrregularity, ResolveIrregularity
from firmware_protocols import Card

QUESTIONS: Final = {
    "draw": "Which card, by its draw number",
    "to": "To which place: a seat such as 3, its second hand as 3/2, or dealer",
    "seat": "Which seat",
    "card": "Which card is it, such as 9h or 10d",
    "natural": "Is it a natural with the dealer's other card",
    "exposed": "Does it lie face up, for everybody to see",
    "by_hand": "Will you decide yourself, and not the house's rule",
    "step": "Start the scan-out, or finish it",
}


def lacks(kind: type[KnownRequest], said: Mapping[str, Json], now: Seen) -> bool:
    """Whether there is something to ask for."""
    if not said.keys() >= set(required(kind)):
        return True
    opened = now.irregularity(said.get("id")) if kind is ResolveIrregularity else None
    ways = () if opened is None else opened.resolutions
    return any(
        not said.keys() >= set(way.needs) for way in ways if way.resolution.value == said["resolution"]
    )


def completed(kind: type[KnownRequest], given: Mapping[str, Json], now: Seen, *, own: str) -> dict[str, Json]:
    """What is said in the request: what was given, and what a person is asked for.

    Args:
        kind: the request.
        given: its fields so far.
        now: the table as it was shown.
        own: who is logged in.
    """
    said = dict(given)
    if kind is ResolveIrregularity:
        _choose_way(said, now)
    elif kind is ReportIrregularity:
        _choose_report(said, now)
    elif kind is EnterCard and "draw" not in said:
        said["draw"] = _choose_unread(now)
    for name in required(kind):
        if name not in said and name != SIGNATURE:
            said[name] = value(kind, name)
    if SIGNATURE in required(kind) and SIGNATURE not in said:
        said[SIGNATURE] = _signature(now, now.irregularity(said.get("id")), own)
    if "reason" in get_type_hints(kind) and "reason" not in said:
        reason = answer("Reason (empty: none)", may_be_empty=True)
        said |= {"reason": reason} if reason else {}
    return said


def _choose_way(said: dict[str, Json], now: Seen) -> None:
    """Which irregularity, which way out, and what that takes."""
    if "id" not in said:
        numbers = [str(each.id) for each in now.view.irregularities]
        said["id"] = int(numbers[0] if len(numbers) == 1 else answer("Which irregularity", choices=numbers))
    opened = now.irregularity(said["id"])
    if opened is None:
        return  # it has been resolved: whoever asks for it is told so
    ways = {way.resolution.value: way for way in opened.resolutions}
    if "resolution" not in said:
        said["resolution"] = answer("How is it resolved", choices=[*ways])
    way = ways.get(str(said["resolution"]))
    if way is not None:
        _details(ResolveIrregularity, said, now, way.needs, way.may)


def _choose_report(said: dict[str, Json], now: Seen) -> None:
    """What is reported, and what that takes."""
    known = {each.kind.value: each for each in now.view.reports}
    if "kind" not in said:
        for number, each in enumerate(now.view.reports, start=1):
            screen().print(f"  {number:>2}  {each.kind.value:<16} {each.says}")
        words = [*known]
        chosen_number = answer("What is it", choices=[str(each) for each in range(1, len(words) + 1)])
        said["kind"] = words[int(chosen_number) - 1]
    chosen = known.get(str(said["kind"]))
    if chosen is not None:
        _details(ReportIrregularity, said, now, chosen.needs, chosen.may)


def _choose_unread(now: Seen) -> Json:
    draws = [
        str(each.draw)
        for each in now.view.irregularities
        if any(way.resolution is Resolution.ENTER for way in each.resolutions)
    ]
    return int(draws[0] if len(draws) == 1 else answer("Which draw", choices=draws))


def _details(
    kind: type[KnownRequest], said: dict[str, Json], now: Seen, needs: tuple[str, ...], may: tuple[str, ...]
) -> None:
    on_the_table = {"draw", "seat", "to", "places", "cards"} - said.keys()
    if not now.view.irregularities and on_the_table.intersection((*needs, *may)):
        for line in lying(now.state):
            screen().print(line)
    for name in (*needs, *may):
        if name in said:
            continue
        if name == "places":
            said |= _places()
        elif name == "cards":
            said |= _cards(now)
        elif name in needs:
            said[name] = value(kind, name)
        else:
            told = value(kind, name, may_be_empty=True)
            said |= {} if told in (None, False) else {name: told}


def _places() -> dict[str, Json]:
    """The cards that lie elsewhere than the table has them; none: they were laid in that order."""
    moved: list[Json] = []
    while True:
        question = "Which card lies elsewhere, by its draw number (empty: no further one)"
        draw = _read(question, _whole, may_be_empty=True)
        if draw is None:
            return {"places": moved} if moved else {}
        moved.append({"draw": draw, "to": _read("Where does it belong", place)})


def _cards(now: Seen) -> dict[str, Json]:
    """What lies on the table where that differs: cards that came out unseen; none: as it is shown."""
    played = now.state.round
    if played is None:
        return {}
    spots = [Spot(seat=hand.seat, hand=hand.hand) for hand in played.hands]
    known: dict[str, list[Json]] = {
        place_told(spot): [card.value for card in hand.cards]
        for spot, hand in zip(spots, played.hands, strict=True)
    }
    dealers = place_told("dealer")
    known[dealers] = [None if card is None else card.value for card in played.dealer.cards]
    wheres: dict[str, Json] = {place_told(each): {"seat": each.seat, "hand": each.hand} for each in spots}
    wheres[dealers] = "dealer"
    differs = False
    screen().print("This is the table as it is known. Cards that came out unseen are added at their place.")
    while True:
        where = _read(
            "Which place has more cards than shown (empty: none)",
            lambda text: _one_of(wheres, place(text)),
            may_be_empty=True,
        )
        if where is None:
            break
        name = next(name for name, each in wheres.items() if each == where)
        known[name] += _read(f"Which cards lie at {name} after those, x for one face down", _codes)
        differs = True
        screen().print(f"    {name:<15} {' '.join('??' if card is None else card for card in known[name])}")
    if not differs:
        return {}
    return {"cards": [{"to": wheres[name], "cards": lies} for name, lies in known.items()]}


def _one_of(wheres: dict[str, Json], said: Json) -> Json:
    where = said if said == "dealer" else {"hand": 1} | said
    if where not in wheres.values():
        raise ValueError(f"In this round there are {', '.join(wheres)}.")
    return where


def value(kind: type[KnownRequest], name: str, *, may_be_empty: bool = False) -> Json:
    """A field of a request, asked for; None: left empty."""
    hint = get_type_hints(kind)[name]
    question = QUESTIONS.get(name, name.replace("_", " ").capitalize())
    if bool in (hint, *getattr(hint, "__args__", ())):
        return confirmed(question)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return answer(question, choices=[str(each.value) for each in hint])
    reader = _READERS.get(name, _whole if hint in (int, int | None) else _text)
    left_empty = " (empty: nothing to say)" if may_be_empty else ""
    return _read(f"{question}{left_empty}", reader, may_be_empty=may_be_empty)


def _signature(now: Seen, opened: IrregularityLook | None, own: str) -> str:
    """Who asks: whoever is logged in, if that is an operator, else whoever they say."""
    names = now.view.operators if opened is None else opened.operators
    if not names or own in names:
        return own
    return answer("Who are you", choices=list(names) or None)


def confirmed(question: str) -> bool:
    """Yes or no; no, where nothing is said.

    Raises:
        Abort: there is nobody at the terminal any more.
    """
    try:
        return bool(Confirm.ask(Text(question), console=screen(), default=False))
    except EOFError:
        raise Abort from None


def answer(
    question: str,
    *,
    choices: list[str] | None = None,
    default: str | None = None,
    may_be_empty: bool = False,
) -> str:
    """What a person answers; an empty answer is asked for again, unless it may be.

    Raises:
        Abort: there is nobody at the terminal any more.
    """
    try:
        while True:
            said: str = Prompt.ask(
                Text(question), console=screen(), choices=choices, default=default or "", show_default=False
            )
            if said or may_be_empty:
                return said
    except EOFError:
        raise Abort from None


def _read(question: str, reader: Callable[[str], Json], *, may_be_empty: bool = False) -> Json:
    """An answer that can be understood; None: it was left empty."""
    while True:
        said = answer(question, may_be_empty=may_be_empty).strip()
        if not said and may_be_empty:
            return None
        try:
            return reader(said)
        except ValueError as error:
            screen().print(str(error))


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("Say a whole number.") from None


def _card(text: str) -> str:
    return str(Card.parse(text))


def _codes(text: str) -> list[Any]:
    return [None if code is None else _card(code) for code in cards(text)]


def _text(text: str) -> str:
    return text


_READERS: Final[dict[str, Callable[[str], Json]]] = {"card": _card, "to": place}
