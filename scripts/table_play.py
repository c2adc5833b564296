"""Random play at the pure ruling, recorded: which phase an input led to. The same for the same program.

Theory of operation: a play goes on by what the table waits for, with odd inputs in between. The ruling is
pure, so at the first visits of each phase every other input is tried as well, without following it. Only
``Random.random`` is asked, which gives the same numbers on every version of Python.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from drivers import Absence, Position, Signal
from edge.events import IrregularityRaised
from edge.house_rules import HouseRules, house_names, house_text, parse_house
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceFaultGone,
    DeviceFaultSeen,
    DeviceSpokeUnknown,
    DeviceWentOffline,
    EdgeStarted,
    EdgeStopped,
    HouseRulesAdopted,
    Input,
    RequestMade,
    ShoeSignalled,
)
from edge.irregular import Kind
from edge.requests import (
    COMMANDS,
    Action,
    Asked,
    CloseInsurance,
    DecideHand,
    InstallShoe,
    OpenRound,
    Request,
    RetireShoe,
    TimeOutHand,
    UnknownCommand,
    VoidRound,
)
from edge.ruling import TRANSITIONS, Phase, TableState, decide, new_table, phase, verify
from edge.ruling.decide import UNDUE
from firmware_protocols import DECK, Card, FaceDownCard, Rank

READ_AGAIN: Final = "card.drawn again"
"""A device's second reading of its last card: looked at before the phase is."""

STEPS: Final = 2_500
"""Inputs for each house and seed: enough that other seeds find nothing new."""
VISITS: Final = 6
"""How often everything is tried in a phase, with and without a shoe, its last round known or not."""
SEEDS: Final = (1, 2)

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Record:
    """What was seen, over all plays."""

    led_to: dict[tuple[Phase, str], set[Phase]] = field(default_factory=lambda: defaultdict(set))
    """By phase and kind of input, taken and not refused: the phases after it."""
    refused: dict[tuple[Phase, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """By phase and command that has no row there: the codes of its refusals."""
    irregular: dict[tuple[Phase, str], set[Kind]] = field(default_factory=lambda: defaultdict(set))
    """By phase and draw that has no row there: what it was held for."""


def recorded(seeds: Sequence[int] = SEEDS) -> Record:
    """Plays at all houses, one for each seed."""
    record = Record()
    for house in house_names():
        for seed in seeds:
            play = _Play(house, Random(f"{house} {seed}"), record)  # noqa: S311 - seeded on purpose
            for _ in range(STEPS):
                play.step()
    return record


def kind_of(heard: Input) -> str:
    """What an input is called: a request by its command."""
    if isinstance(heard, RequestMade):
        request = heard.asked.request
        return request.name if isinstance(request, UnknownCommand) else request.command
    return READ_AGAIN if isinstance(heard, CardDrawn) and heard.reread else heard.type


class _Play:
    """One table."""

    def __init__(self, house: str, chance: Random, record: Record) -> None:
        self._rules: HouseRules = parse_house(house_text(house))
        self._chance, self._record = chance, record
        self._count = 0
        self._state = decide(new_table("journal"), HouseRulesAdopted(text=house_text(house))).state
        self._cards: list[Card] = []
        self._visits: Counter[tuple[Phase, bool, bool]] = Counter()

    def step(self) -> None:
        """One input: mostly what the table waits for."""
        state, now = self._state, phase(self._state)
        self._look_around(state, now)
        odd = self._below(100) >= 92  # noqa: PLR2004 - percent
        if now is Phase.NO_SHOE:
            self._cards = list(DECK) * self._rules.decks
        self._state = self._hear(state, self._one(self._odd()) if odd else self._forward(state, now))

    def _look_around(self, state: TableState, now: Phase) -> None:
        """At the first visits: where every input leads, and what comes next; how others are refused."""
        place = (now, state.shoe is None, state.shoe is not None and state.shoe.last_round is not None)
        self._visits[place] += 1
        if self._visits[place] > VISITS:
            return
        for heard in self._odd():
            after = self._hear(state, heard)
            self._hear(after, self._forward(after, phase(after)))
            if phase(after) is Phase.HELD:
                self._hear(after, self._card(reread=True))
        for request in self._each_request(state):
            if (now, type(request)) not in TRANSITIONS:
                refusal = verify(state, self._asked(request))
                if refusal is not None:
                    self._record.refused[now, request.command].add(refusal.code)

    def _hear(self, state: TableState, heard: Input) -> TableState:
        """What comes of an input, recorded unless it is refused."""
        now, kind = phase(state), kind_of(heard)
        ruling = decide(state, heard)
        if isinstance(heard, RequestMade):
            if verify(state, heard) is not None:
                return ruling.state
        elif kind != READ_AGAIN and (now, type(heard)) not in TRANSITIONS and type(heard) in UNDUE:
            raised = (each.kind for each in ruling.ruled if isinstance(each, IrregularityRaised))
            self._record.irregular[now, kind].update(raised)
        self._record.led_to[now, kind].add(phase(ruling.state))
        return ruling.state

    # -- what comes ---------------------------------------------------------------------------------

    def _forward(self, state: TableState, now: Phase) -> Input:
        match now:
            case Phase.NO_SHOE:
                return self._asked(InstallShoe(decks=self._rules.decks))
            case Phase.READY if self._below(8):
                return self._asked(
                    OpenRound(round_id=f"r{self._count}", seats=self._some(range(1, 5)) or (1,))
                )
            case Phase.INSURANCE:
                return self._asked(self._insurance(state))
            case Phase.DECISION if self._below(12):
                return self._asked(self._decision(state))
            case Phase.HELD if self._below(2):
                return self._card(reread=True)
            case Phase.HELD:
                leave = state.round is None or self._below(3) == 0
                return self._asked(self._retire() if leave else VoidRound(operator="o", reason="r"))
            case _ if self._below(30) == 0:
                return CutCardDrawn(device="shoe", position=None, device_ms=None)
            case _:
                return self._card()

    def _odd(self) -> tuple[Input, ...]:
        """One of everything that may be heard at any time."""
        cut = CutCardDrawn(device="shoe", position=None, device_ms=None)
        at = Position(boot=1, number=2)
        beside = (
            DeviceEventsMissed(device="shoe", boot=1, first=1, last=2, position=at),
            DeviceCameOnline(device="shoe", kind="shoe", serial="s", firmware="f", position=at, skipped=0),
            DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="d"),
            DeviceFaultSeen(device="shoe", position=at, code=1),
            DeviceFaultGone(device="shoe", position=at, code=1),
            DeviceSpokeUnknown(device="shoe", position=at, code=99, body=""),
            EdgeStarted(version="v", config_hash="c", operators=None, shoes=None),
            EdgeStopped(reason="r"),
            HouseRulesAdopted(text=house_text(self._rules.name)),
        )
        signals = (ShoeSignalled(device="shoe", position=None, signal=signal) for signal in Signal)
        requests = (self._asked(request) for request in self._each_request(self._state))
        cards = (self._card(), self._card(unread=True), self._card(foreign=True), self._card(reread=True))
        return (*cards, cut, *beside, *signals, *requests)

    def _card(self, *, unread: bool = False, foreign: bool = False, reread: bool = False) -> CardDrawn:
        self._count += 1
        return CardDrawn(
            device="shoe",
            position=None,
            device_ms=None,
            card=None if unread else FaceDownCard(self._taken()),
            foreign=foreign,
            reread=reread,
            nonce=f"{self._count:032x}",
        )

    def _taken(self) -> Card:
        """A card of the shoe; aces and tens come oftener than they should."""
        if not self._cards:
            return DECK[self._below(len(DECK))]
        places = [self._below(len(self._cards)) for _ in range(3)]
        wanted = (place for place in places if self._cards[place].rank in (Rank.ACE, Rank.TEN))
        return self._cards.pop(next(wanted, places[0]))

    def _each_request(self, state: TableState) -> tuple[Request, ...]:
        """A request of every command, as sensible as it can be here."""
        seats = state.round.seats if state.round else (1,)
        spot_seat = self._one(seats)
        requests = (
            InstallShoe(decks=self._rules.decks),
            OpenRound(round_id="odd", seats=(1,)),
            CloseInsurance(),
            DecideHand(seat=spot_seat, hand=1, action=self._one(tuple(Action))),
            TimeOutHand(seat=spot_seat),
            VoidRound(operator="o", reason="r"),
            self._retire(),
        )
        if {type(each) for each in requests} != set(COMMANDS.values()):
            raise ValueError("a command is not in the play: the diagram would not tell it")
        return requests

    def _retire(self) -> RetireShoe:
        return RetireShoe(operator="o", reason="r")

    def _insurance(self, state: TableState) -> CloseInsurance:
        offered = state.round.insurance if state.round else None
        if offered is None:
            return CloseInsurance()
        return CloseInsurance(
            insured=self._some(offered.offered), even_money=self._some(offered.even_money_offered)
        )

    def _decision(self, state: TableState) -> Request:
        offer = state.round.offer if state.round else None
        if offer is None:
            raise ValueError("the table awaits a decision that it has not offered")
        if self._below(8) == 0:
            return TimeOutHand(seat=offer.spot.seat)
        action = (
            Action.SPLIT if Action.SPLIT in offer.actions and self._below(2) else self._one(offer.actions)
        )
        return DecideHand(
            seat=offer.spot.seat, hand=offer.spot.hand, action=action, funded=self._below(8) > 0
        )

    def _asked(self, request: Request) -> RequestMade:
        if isinstance(request, UnknownCommand):
            raise TypeError("an unknown command has no desk")
        self._count += 1
        return RequestMade(asked=Asked(id=f"a{self._count}", desk=request.desk, request=request, digest="d"))

    # -- chance -------------------------------------------------------------------------------------

    def _below(self, count: int) -> int:
        return int(self._chance.random() * count)

    def _one(self, choices: Sequence[T]) -> T:
        return choices[self._below(len(choices))]

    def _some(self, choices: Sequence[T]) -> tuple[T, ...]:
        return tuple(each for each in choices if self._below(2))
