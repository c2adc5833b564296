"""Random play at the pure ruling, recorded: which phase an input led to. The same for the same program.

Theory of operation: a play goes on by what the table waits for, with odd inputs in between. The ruling is
pure, so at the first visits of each phase every other input is tried as well, without following it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from drivers import Absence, CommandOutcome, Position, Signal
from edge.events import IrregularityRaised
from edge.house_rules import HouseRules, house_names, house_text, parse_house
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
    OrderAnswered,
    Patience,
    PatienceSet,
    RequestMade,
    ShoeSignalled,
    ShuffleBegan,
    ShuffleEnded,
    ShuffleProgressed,
)
from edge.irregular import Kind
from edge.requests import Asked, ClearFault, InstallShoe, OpenRound, Request, UnknownCommand
from edge.ruling import TRANSITIONS, Phase, TableState, decide, new_table, phase, verify
from edge.ruling.decide import UNDUE
from firmware_protocols import DECK, Card, FaceDownCard, Rank
from scripts.table_requests import Asking, Chance

READ_AGAIN: Final = "card.drawn again"
"""A device's second reading of its last card: looked at before the phase is."""

STEPS: Final = 2_500
"""Inputs for each house and seed: enough that other seeds find little new."""
VISITS: Final = 4
"""How often everything is tried in a phase: with and without a shoe, its last round known or not, a
supervisor holding the table or not."""
PATIENT: Final = Patience(early_draw_ms=2000, device_lost_ms=10_000, host_lost_ms=10_000)
SEEDS: Final = (1, 2)


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
            patience = PATIENT if seed % 2 else NO_PATIENCE
            play = _Play(house, Chance(f"{house} {seed}"), record, patience)
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

    def __init__(self, house: str, chance: Chance, record: Record, patience: Patience) -> None:
        self._rules: HouseRules = parse_house(house_text(house))
        self._chance, self._record = chance, record
        self._asking = Asking(chance, decks=self._rules.decks)
        self._count = 0
        self._patience = patience
        adopted = decide(new_table("journal"), HouseRulesAdopted(text=house_text(house))).state
        self._state = decide(adopted, self._started()).state
        self._cards: list[Card] = []
        self._visits: Counter[tuple[Phase, bool, bool, bool]] = Counter()

    def step(self) -> None:
        """One input: mostly what the table waits for."""
        state, now = self._state, phase(self._state)
        self._look_around(state, now)
        odd = self._chance.below(100) >= 92  # noqa: PLR2004 - percent
        if now is Phase.NO_SHOE:
            self._cards = list(DECK) * self._rules.decks
        self._state = self._hear(state, self._chance.one(self._odd()) if odd else self._forward(state, now))

    def _look_around(self, state: TableState, now: Phase) -> None:
        """At the first visits: where every input leads, and what comes next; how others are refused."""
        last_known = state.shoe is not None and state.shoe.last_round is not None
        place = (now, state.shoe is None, last_known, state.pause is not None)
        self._visits[place] += 1
        if self._visits[place] > VISITS:
            return
        for heard in self._odd():
            after = self._hear(state, heard)
            self._hear(after, self._forward(after, phase(after)))
            if phase(after) is Phase.HELD:
                self._hear(after, self._card(reread=True))
            if after.latches and not state.latches:
                for request in self._asking.clears(after):
                    self._hear(after, self._asked(request))
        for request in self._asking.each_request(state):
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
        if state.deadlines and self._chance.below(3) == 0:
            return self._late(state)
        match now:
            case Phase.NO_SHOE:
                return self._next_shoe(state)
            case Phase.READY if self._chance.below(8):
                return self._asked(
                    OpenRound(round_id=f"r{self._count}", seats=self._chance.some(range(1, 5)) or (1,))
                )
            case Phase.INSURANCE:
                return self._asked(self._asking.insurance(state))
            case Phase.DECISION if self._chance.below(12):
                return self._asked(self._asking.decision(state))
            case Phase.HELD if self._chance.below(2):
                return self._card(reread=True)
            case Phase.HELD:
                return self._back(state) or self._asked(self._asking.way_out(state))
            case _ if self._chance.below(30) == 0:
                return CutCardDrawn(device="shoe", position=None, device_ms=None)
            case _:
                return self._card(unread=self._chance.below(20) == 0)

    def _next_shoe(self, state: TableState) -> Input:
        """What is in the way of the next shoe, else the shoe."""
        if state.scan is not None and self._chance.below(3):
            return self._card()
        if state.scan is not None or (state.past.closed_shoe is not None and self._chance.below(4) == 0):
            return self._asked(self._asking.reconcile(state))
        if state.latches:
            return self._asked(ClearFault(operator="o", reason="r"))
        return self._asked(InstallShoe(decks=self._rules.decks))

    def _back(self, state: TableState) -> Input | None:
        """What was lost is back, where the table is held for it."""
        kinds = {each.kind for each in state.irregularities}
        if Kind.HOST_LOST in kinds:
            return HostReturned()
        if Kind.DEVICE_LOST in kinds:
            return self._online()
        return None

    def _odd(self) -> tuple[Input, ...]:
        """One of everything that may be heard at any time."""
        cut = CutCardDrawn(device="shoe", position=None, device_ms=None)
        signals = (ShoeSignalled(device="shoe", position=None, signal=signal) for signal in Signal)
        requests = (self._asked(request) for request in self._asking.each_request(self._state))
        cards = (self._card(), self._card(unread=True), self._card(foreign=True), self._card(reread=True))
        return (*cards, cut, *self._beside(), *self._shuffler(), *signals, *requests)

    def _beside(self) -> tuple[Input, ...]:
        """What a shoe, a server or the table's computer may do at any time."""
        at = Position(boot=1, number=2)
        return (
            DeviceEventsMissed(device="shoe", boot=1, first=1, last=2, position=at),
            self._online(),
            DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="d"),
            DeviceFaultSeen(device="shoe", position=at, code=1),
            DeviceFaultGone(device="shoe", position=at, code=1),
            DeviceSpokeUnknown(device="shoe", position=at, code=99, body=""),
            self._started(),
            EdgeStopped(reason="r"),
            HouseRulesAdopted(text=house_text(self._rules.name)),
            HostLeft(why="server_offline"),
            HostReturned(),
            PatienceSet(patience=self._patience),
            self._late(self._state),
            OrderAnswered(device="shoe", number=1, outcome=CommandOutcome.DONE),
            *(KeyPressed(device="shoe", position=None, key=key) for key in DealerKey),
        )

    def _started(self) -> EdgeStarted:
        return EdgeStarted(version="v", config_hash="c", operators=None, shoes=None, patience=self._patience)

    def _online(self) -> DeviceCameOnline:
        at = Position(boot=1, number=2)
        return DeviceCameOnline(device="shoe", kind="shoe", serial="s", firmware="f", position=at, skipped=0)

    def _late(self, state: TableState) -> DeadlinePassed:
        """What is waited for and has not come; else a deadline that is none any more."""
        if not state.deadlines:
            return DeadlinePassed(name=self._chance.one(tuple(DeadlineName)), number=0)
        opened = self._chance.one(state.deadlines)
        return DeadlinePassed(name=opened.name, number=opened.number)

    def _shuffler(self) -> tuple[Input, ...]:
        """What a shuffler may do at any time."""
        decks = self._rules.decks
        cards = decks * len(DECK)
        return (
            ShuffleBegan(device="shuffler", position=None, decks=decks),
            ShuffleProgressed(device="shuffler", position=None, cards=10),
            ShuffleEnded(device="shuffler", position=None, cards=cards, counts=(decks,) * len(DECK)),
            ShuffleEnded(device="shuffler", position=None, cards=cards - 1, counts=(decks,) * len(DECK)),
            DamagedCardSeen(device="shuffler", position=None, card=None),
            CardsReturned(device="shuffler", position=None, cards=10),
        )

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
            return DECK[self._chance.below(len(DECK))]
        places = [self._chance.below(len(self._cards)) for _ in range(3)]
        wanted = (place for place in places if self._cards[place].rank in (Rank.ACE, Rank.TEN))
        return self._cards.pop(next(wanted, places[0]))

    def _asked(self, request: Request) -> RequestMade:
        if isinstance(request, UnknownCommand):
            raise TypeError("an unknown command has no desk")
        self._count += 1
        return RequestMade(asked=Asked(id=f"a{self._count}", desk=request.desk, request=request, digest="d"))
