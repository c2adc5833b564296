"""A table to play at in tests: inputs in the trade's shorthand, and what came of them as short lines.

::

    table.draw("9h", None, "cut")     a card, one nobody could read, the cut card
    table.decide(3, "hit")            -> the answer's code
    table.told()                      -> the events since the last time, one line each

How an event is told stands in :func:`told_of`.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import TypeAdapter

from drivers import Absence, Position, Signal
from edge.concealed import seal
from edge.events import (
    EVENTS,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    CardRevealed,
    CutCardOut,
    DealerFinished,
    DealerPeeked,
    DecisionDropped,
    Event,
    HandFinished,
    HandSplit,
    HandVoided,
    InsuranceClosed,
    InsuranceOffered,
    IrregularityRaised,
    IrregularityResolved,
    Place,
    RoundOpened,
    RoundResult,
    RoundVoided,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReady,
    Spot,
    TableHeld,
    TableReleased,
    TurnActed,
    TurnOffered,
)
from edge.house_rules import house_text
from edge.inputs import (
    NO_PATIENCE,
    CardDrawn,
    CardsReturned,
    CutCardDrawn,
    DamagedCardSeen,
    DeadlineName,
    DeadlinePassed,
    DealerKey,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceFaultGone,
    DeviceFaultSeen,
    DeviceSpokeUnknown,
    DeviceWentOffline,
    EdgeStarted,
    EdgeStopped,
    HostLeft,
    HostReturned,
    HouseRulesAdopted,
    Input,
    KeyPressed,
    Operator,
    Patience,
    PatienceSet,
    RequestMade,
    ShoeSignalled,
    ShuffleBegan,
    ShuffleEnded,
    ShuffleProgressed,
)
from edge.irregular import Kind, Resolution
from edge.notes import RequestAnswered, Ruled
from edge.requests import (
    Action,
    Asked,
    ClearFault,
    CloseInsurance,
    DecideHand,
    Desk,
    DisputeRound,
    EnterCard,
    HoldTable,
    InstallShoe,
    OpenRound,
    ReconcileShoe,
    ReleaseTable,
    ReportIrregularity,
    Request,
    ResolveIrregularity,
    RetireShoe,
    Scan,
    TimeOutHand,
    UnknownCommand,
    VoidRound,
)
from edge.ruling import TableState, decide, evolve, new_table, phase
from firmware_protocols import Card, FaceDownCard

JOURNAL: Final = "0c3f6c1e-6f0e-4d53-9d6b-000000000001"
LETTERS: Final = {"hit": "H", "stand": "S", "double": "D", "split": "P", "surrender": "R"}
STATES: Final = TypeAdapter(TableState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One input and what was ruled on it."""

    before: TableState
    heard: Input
    ruled: tuple[Ruled, ...]
    after: TableState

    def __repr__(self) -> str:
        """What was heard, in a word: a play of hundreds of steps is read in one go."""
        match self.heard:
            case CardDrawn() as drawn:
                code = drawn.card.turned().value if drawn.card else "unread"
                flags = " again" * drawn.reread + " foreign" * drawn.foreign
                return f"<{code}{flags}{'' if drawn.device == 'shoe' else ' of ' + drawn.device}>"
            case RequestMade(asked=asked):
                return f"<{asked.request!r} {self.answer.code if self.answer else ''}>"
            case ShoeSignalled(signal=signal):
                return f"<{signal.value}>"
            case _:
                return f"<{self.heard.type}>"

    @property
    def events(self) -> tuple[Event, ...]:
        return published(self.ruled)

    @property
    def answer(self) -> RequestAnswered | None:
        return next((each for each in self.ruled if isinstance(each, RequestAnswered)), None)


def asking(house: str) -> str:
    """A house that plays as this one and asks about everything that is irregular."""
    return house_text(house).partition("[irregularities]")[0]


def published(ruled: tuple[Ruled, ...]) -> tuple[Event, ...]:
    return tuple(each for each in ruled if isinstance(each, EVENTS))


def nonce_of(number: int) -> str:
    return f"{number:032x}"


def hidden(code: str | None) -> FaceDownCard | None:
    return None if code is None else FaceDownCard(Card.parse(code))


def sealed(number: int, code: str) -> str:
    return seal(nonce_of(number), FaceDownCard(Card(code)))


class Table:
    """A table with a house, and everything that was heard and ruled at it."""

    def __init__(
        self,
        house: str = "deluxe",
        *,
        text: str | None = None,
        operators: tuple[Operator, ...] | None = None,
        shoes: tuple[str, ...] | None = None,
        patience: Patience = NO_PATIENCE,
    ) -> None:
        self.state = new_table(JOURNAL)
        self.steps: list[Step] = []
        self._numbers = itertools.count(1)
        self._told = 0
        self.hear(HouseRulesAdopted(text=house_text(house) if text is None else text))
        self.hear(
            EdgeStarted(version="1", config_hash="c", operators=operators, shoes=shoes, patience=patience)
        )
        self.told()

    def hear(self, heard: Input) -> Step:
        before = self.state
        ruling = decide(before, heard)
        self.state = ruling.state
        self.steps.append(Step(before=before, heard=heard, ruled=ruling.ruled, after=ruling.state))
        return self.steps[-1]

    # -- what is heard ----------------------------------------------------------------------------

    def draw(self, *codes: str | None, device: str = "shoe", foreign: bool = False) -> "Table":
        for code in codes:
            if code == "cut":
                self.hear(CutCardDrawn(device=device, position=None, device_ms=None))
            else:
                self.hear(self.card(code, device=device, foreign=foreign))
        return self

    def reread(self, code: str | None, *, device: str = "shoe", foreign: bool = False) -> Step:
        return self.hear(replace(self.card(code, device=device, foreign=foreign), reread=True))

    def card(self, code: str | None, *, device: str = "shoe", foreign: bool = False) -> CardDrawn:
        return CardDrawn(
            device=device,
            position=None,
            device_ms=None,
            card=hidden(code),
            foreign=foreign,
            nonce=nonce_of(next(self._numbers)),
        )

    def signal(self, signal: Signal, device: str = "shoe") -> Step:
        return self.hear(ShoeSignalled(device=device, position=None, signal=signal))

    def miss(self, device: str = "shoe") -> Step:
        return self.hear(
            DeviceEventsMissed(device=device, boot=1, first=5, last=6, position=Position(boot=1, number=6))
        )

    def ask(
        self,
        request: Request,
        *,
        desk: Desk | None = None,
        used: bool = False,
        if_sequence: int | None = None,
        journal: str | None = None,
    ) -> RequestAnswered:
        own = Desk.SERVER if isinstance(request, UnknownCommand) else request.desk
        asked = Asked(
            id=f"ask-{len(self.steps)}",
            desk=own if desk is None else desk,
            request=request,
            digest="d",
            if_sequence=if_sequence,
            journal=journal,
        )
        answer = self.hear(RequestMade(asked=asked, round_id_used=used)).answer
        assert answer is not None
        return answer

    # -- what is asked; each gives the answer's code -----------------------------------------------

    def install(self, decks: int | None = None, device: str | None = None) -> str:
        if decks is None:
            decks = {"deluxe": 8, "sa-gaming": 8}.get(house_name(self.state), 6)
        return self.ask(InstallShoe(decks=decks, device=device)).code

    def open(self, *seats: int, round_id: str | None = None, used: bool = False) -> str:
        name = f"r{len(self.steps)}" if round_id is None else round_id
        return self.ask(OpenRound(round_id=name, seats=seats), used=used).code

    def decide(
        self, seat: int, action: str, *, hand: int = 1, funded: bool = True, offer: int | None = None
    ) -> str:
        return self.answer_to(seat, action, hand=hand, funded=funded, offer=offer).code

    def answer_to(
        self, seat: int, action: str, *, hand: int = 1, funded: bool = True, offer: int | None = None
    ) -> RequestAnswered:
        return self.ask(DecideHand(seat=seat, hand=hand, action=Action(action), funded=funded, offer=offer))

    def time_out(self, seat: int) -> str:
        return self.ask(TimeOutHand(seat=seat)).code

    def insure(self, *seats: int, even_money: tuple[int, ...] = ()) -> str:
        return self.ask(CloseInsurance(insured=seats, even_money=even_money)).code

    def void(self, operator: str = "ada", reason: str = "spilled drink") -> str:
        return self.ask(VoidRound(operator=operator, reason=reason)).code

    def retire(self, operator: str = "ada", reason: str = "worn cards") -> str:
        return self.ask(RetireShoe(operator=operator, reason=reason)).code

    def report(self, kind: str, **details: Any) -> str:
        return self.ask(ReportIrregularity(kind=Kind(kind), operator="ada", **details)).code

    def resolve(self, resolution: str, **details: Any) -> str:
        """Resolve an irregularity: ``id``, or the first that is open."""
        number = details.pop("id", None) or self.state.irregularities[0].id
        request = ResolveIrregularity(
            id=number, resolution=Resolution(resolution), operator=details.pop("operator", "ada"), **details
        )
        return self.ask(request).code

    def hold(self) -> str:
        return self.ask(HoldTable(operator="ada", reason="a quarrel")).code

    def release(self) -> str:
        return self.ask(ReleaseTable(operator="ada", reason="settled")).code

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step.events)

    def told(self) -> list[str]:
        """The events since the last call, one line each."""
        events = self.events
        lines = [told_of(event) for event in events[self._told :]]
        self._told = len(events)
        return lines

    @property
    def result(self) -> dict[str, Any]:
        """The last round's result, as published."""
        return next(as_published(event) for event in reversed(self.events) if isinstance(event, RoundResult))

    @property
    def outcomes(self) -> dict[str, str]:
        """The last result as ``{"3/1": "win 2"}``: the outcome and the units of each hand."""
        return {
            f"{seat['seat']}/{hand['hand']}": f"{hand['outcome']} {hand['units']}"
            for seat in self.result["seats"]
            for hand in seat["hands"]
        }


def house_name(state: TableState) -> str:
    first = next(line for line in (state.setup.house or "").splitlines() if line.startswith("name"))
    return first.split('"')[1]


def ready(house: str = "deluxe", **setup: Any) -> Table:
    """A table whose shoe may be dealt from: deluxe has shown an ace (draw 1) and burned one (draw 2)."""
    table = Table(house, **setup)
    assert table.install() == "done"
    if house == "deluxe":
        table.draw("Ac", "2d")
    elif house == "korean-floor":
        table.draw("2c", "2d")
    table.told()
    return table


def dealt(house: str, seats: tuple[int, ...], *codes: str, **setup: Any) -> Table:
    """A round opened for these seats and these cards drawn; nothing told yet of what they caused."""
    table = ready(house, **setup)
    assert table.open(*seats) == "done"
    table.draw(*codes[:-1])
    table.told()
    table.draw(codes[-1])
    return table


_ADAPTERS: Final[dict[type, TypeAdapter[Any]]] = {}


def as_published(noun: object) -> dict[str, Any]:
    """The JSON of an event's data (or of any noun, as anybody may dump it)."""
    kind = type(noun)
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    dumped: dict[str, Any] = _ADAPTERS[kind].dump_python(noun, mode="json")
    return dumped


def refolded(steps: list[Step], start: TableState | None = None) -> TableState:
    """The state that folding everything ruled gives."""
    state = new_table(JOURNAL) if start is None else start
    for step in steps:
        for ruled in step.ruled:
            state = evolve(state, ruled)
    return state


# -- telling ------------------------------------------------------------------------------------------


def _total(total: int | None, soft: bool | None) -> str:  # noqa: FBT001 - as the event has it
    return f"soft {total}" if soft else f"{total}"


def _seats(seats: tuple[int, ...] | None) -> str:
    return ",".join(map(str, seats)) if seats else "-"


def _place(place: Place) -> str:
    return f"{place.seat}/{place.hand}" if isinstance(place, Spot) else "dealer"


def _dealt(event: CardDealt) -> str:
    if event.card is None:
        return f"{event.draw}: {_place(event.to)} down"
    return f"{event.draw}: {_place(event.to)} {event.card} = {_total(event.total, event.soft)}"


def _from(place: Place | None) -> str:
    return "" if place is None else f" from {_place(place)}"


def _parked(event: CardParked) -> str:
    number = "no number" if event.draw is None else f"{event.draw}"
    return f"{number}: parked{_from(event.taken_from)}, {event.why.value}"


def _moved(event: CardMoved) -> str:
    what = "down" if event.card is None else f"{event.card} = {_total(event.total, event.soft)}"
    return f"{event.draw}: moved{_from(event.taken_from)} to {_place(event.to)} {what}"


def _corrected(event: CardCorrected) -> str:
    now = f"{event.card} = {_total(event.total, event.soft)}"
    return f"{event.draw}: {_place(event.to)} {event.was} is {now}"


def _acted(event: TurnActed) -> str:
    asked = f" for {event.requested.value}" if event.requested else ""
    why = f", {event.reason.value}" if event.reason else ""
    return f"{event.seat}/{event.hand} {event.action.value}{asked}{why}"


def _dealer(event: DealerFinished) -> str:
    words = [f"dealer has {event.total}:", *(str(card) for card in event.cards)]
    words += ["natural"] * event.natural + ["bust"] * event.bust
    return " ".join(words) + (f" ({event.unseen} unseen)" if event.unseen else "")


def _raised(event: IrregularityRaised) -> str:
    draw = f" draw {event.draw}" if event.draw is not None else ""
    allowed = " or ".join(each.value for each in event.allowed)
    return f"irregularity {event.id}: {event.kind.value}{draw}, {allowed}"


def _resolved(event: IrregularityResolved) -> str:
    why = f" ({event.reason})" if event.reason else ""
    by = f" by {event.operator}{why}" if event.operator else ""
    return f"irregularity {event.id} resolved: {event.resolution.value}{by}"


def _voided(event: RoundVoided) -> str:
    parked = f", parked {_seats(event.parked)}" if event.parked else ""
    by = f" by {event.operator}" if event.operator else ""
    return f"round {event.round} voided{by} ({event.reason}){parked}"


def _why(event: TableHeld | TableReleased) -> str:
    return event.why if isinstance(event.why, str) else event.why.value


def _offered(event: TurnOffered) -> str:
    letters = "".join(LETTERS[action.value] for action in event.actions)
    return f"{event.seat}/{event.hand} may {letters} on {_total(event.total, event.soft)}"


def _split(event: HandSplit) -> str:
    halves = " | ".join(" ".join(str(card) for card in half.cards) for half in event.hands)
    return f"{event.seat} splits {halves}"


def _opened(event: ShoeOpened) -> str:
    return f"{event.draw}: first card {event.first_card}, burn {event.burn_due}"


def _even(seats: tuple[int, ...] | None) -> str:
    return "" if seats is None else f", even money {_seats(seats)}"


_TELL: Final[dict[type, Callable[[Any], str]]] = {
    ShoeInstalled: lambda e: f"shoe {e.number} installed: {e.decks} decks, {e.cards_expected} cards",
    ShoeOpened: _opened,
    CardBurned: lambda e: f"{e.draw}: burned",
    ShoeReady: lambda e: f"ready: {e.burned} burned, {e.remaining} remain",
    CutCardOut: lambda e: f"cut card after {e.drawn}, {e.during}, last round {e.last_round}",
    ShoeClosed: lambda e: f"shoe {e.shoe} closed: {e.reason}, {e.dealt} dealt, {e.remaining} remain",
    RoundOpened: lambda e: f"round {e.round}: {_seats(e.seats)}",
    CardDealt: _dealt,
    InsuranceOffered: lambda e: f"insurance? {_seats(e.seats)}{_even(e.even_money)}",
    InsuranceClosed: lambda e: f"insured {_seats(e.insured)}{_even(e.even_money)}",
    DealerPeeked: lambda e: f"peek: {'natural' if e.natural else 'no natural'}",
    TurnOffered: _offered,
    TurnActed: _acted,
    DecisionDropped: lambda e: f"{e.seat}/{e.hand} {e.action.value} dropped, {e.reason.value}",
    HandSplit: _split,
    HandFinished: lambda e: f"{e.seat}/{e.hand} done: {e.total} {e.how.value}",
    CardRevealed: lambda e: f"{e.draw}: turned {e.card}",
    DealerFinished: _dealer,
    RoundResult: lambda _: "result",
    RoundVoided: _voided,
    IrregularityRaised: _raised,
    IrregularityResolved: _resolved,
    TableHeld: lambda e: f"held: {_why(e)}",
    TableReleased: lambda e: f"released: {_why(e)}",
    CardParked: _parked,
    CardMoved: _moved,
    CardDiscarded: lambda e: f"{e.draw}: discarded{_from(e.taken_from)}",
    CardRetracted: lambda e: f"{e.draw}: retracted{_from(e.taken_from)}",
    CardCorrected: _corrected,
    HandVoided: lambda e: f"{e.seat}/{e.hand} voided",
}


def told_of(event: Event) -> str:
    """One line of an event; of one that has no line here, its type."""
    return _TELL.get(type(event), lambda each: str(each.type))(event)


# -- one of each ---------------------------------------------------------------------------------------

AT: Final = Position(boot=1, number=9)


def every_input() -> Iterator[Input]:
    """One input of every kind, and one request of every command."""
    yield HouseRulesAdopted(text=house_text("deluxe"))
    yield EdgeStarted(version="1", config_hash="c", operators=None, shoes=None)
    yield EdgeStopped(reason="night")
    yield DeviceCameOnline(
        device="shoe", kind="shoe", serial="s", firmware="f", position=Position(boot=1, number=0), skipped=0
    )
    yield DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="Gone: plug it in.")
    yield DeviceEventsMissed(device="shoe", boot=1, first=1, last=None, position=AT)
    yield DeviceFaultSeen(device="shoe", position=AT, code=3)
    yield DeviceFaultGone(device="shoe", position=AT, code=3)
    for signal in Signal:
        yield ShoeSignalled(device="shoe", position=AT, signal=signal)
    yield DeviceSpokeUnknown(device="shoe", position=AT, code=99, body="00")
    for key in DealerKey:
        yield KeyPressed(device="shoe", position=AT, key=key)
    yield ShuffleBegan(device="shuffler", position=AT, decks=8)
    yield ShuffleProgressed(device="shuffler", position=AT, cards=9)
    yield ShuffleEnded(device="shuffler", position=AT, cards=416, counts=(8,) * 52)
    yield ShuffleEnded(device="shuffler", position=AT, cards=415, counts=(7, *(8,) * 51))
    yield DamagedCardSeen(device="shuffler", position=AT, card=hidden("9h"))
    yield CardsReturned(device="shuffler", position=AT, cards=4)
    yield HostLeft(why="server_offline")
    yield HostReturned()
    yield PatienceSet(patience=Patience(early_draw_ms=1))
    for name in DeadlineName:
        yield DeadlinePassed(name=name, number=1)
    for reread in (False, True):
        for code in ("9h", None):
            yield CardDrawn(
                device="shoe", position=AT, device_ms=5, card=hidden(code), nonce=nonce_of(7), reread=reread
            )
    yield CutCardDrawn(device="shoe", position=AT, device_ms=5)
    for request in every_request():
        own = Desk.SERVER if isinstance(request, UnknownCommand) else request.desk
        for desk in (own, next(each for each in Desk if each is not own)):
            yield RequestMade(asked=Asked(id="x", desk=desk, request=request, digest="d"))


def every_request() -> Iterator[Request]:
    yield InstallShoe(decks=8)
    yield InstallShoe(decks=6)
    yield OpenRound(round_id="r", seats=(1, 2))
    yield OpenRound(round_id="r", seats=())
    yield CloseInsurance()
    yield CloseInsurance(insured=(9,))
    for action in Action:
        yield DecideHand(seat=1, hand=1, action=action)
    yield DecideHand(seat=1, hand=2, action=Action.HIT)
    yield TimeOutHand(seat=1)
    yield TimeOutHand(seat=9)
    yield VoidRound(operator="ada", reason="r")
    yield RetireShoe(operator="ada", reason="r")
    for step in Scan:
        yield ReconcileShoe(step=step)
    for kind in Kind:
        yield ReportIrregularity(kind=kind, operator="ada")
        yield ReportIrregularity(kind=kind, operator="ada", draw=4, seat=1, card=Card("9h"))
    for resolution in Resolution:
        for number in (0, 1, 9):
            yield ResolveIrregularity(id=number, resolution=resolution, operator="ada")
        yield ResolveIrregularity(
            id=1, resolution=resolution, operator="ada", draw=4, seat=1, card=Card("9h"), natural=False
        )
    yield EnterCard(draw=4, card=Card("9h"), operator="ada")
    yield DisputeRound(operator="ada", reason="r")
    yield HoldTable(operator="ada", reason="r")
    yield ReleaseTable(operator="ada", reason="r")
    yield ClearFault(operator="ada", reason="r")
    yield ClearFault(operator="ada", reason="r", id=1)
    yield UnknownCommand(name="shoe.polish")


def phase_now(table: Table) -> str:
    return phase(table.state).value


def shown(table: Table) -> str:
    """Everything heard, ruled and known, as text."""
    return repr([(step.heard, step.ruled, step.after) for step in table.steps])


def made(request: Request) -> RequestMade:
    """A request as its own desk makes it."""
    desk = Desk.SERVER if isinstance(request, UnknownCommand) else request.desk
    return RequestMade(asked=Asked(id="x", desk=desk, request=request, digest="d"))
