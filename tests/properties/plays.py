"""Random plays: inputs chosen one by one at a table, from bytes that hypothesis makes and shrinks.

Each byte (or two) is one choice, and zero is always the dullest: what the table waits for. So a failing
play shrinks to few inputs, and most inputs move a round on, with refusals, gaps and signals in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from hypothesis import strategies as st

from drivers import Absence, Position, Signal
from edge.house_rules import house_text
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
    Operator,
    RequestMade,
    ShoeSignalled,
)
from edge.requests import (
    Action,
    Asked,
    CloseInsurance,
    DecideHand,
    Desk,
    InstallShoe,
    OpenRound,
    Request,
    RetireShoe,
    TimeOutHand,
    UnknownCommand,
    VoidRound,
)
from edge.ruling import Phase, TableState, decide, new_table, phase
from edge.ruling.state import Round
from firmware_protocols import DECK, FaceDownCard
from tests.edge.ruling.playing import JOURNAL, Step, nonce_of

HOUSES: Final = ("deluxe", "sa-gaming", "ho-tram-strip", "korean-floor")

OWN_HOUSE: Final = """
name = "own-house"
decks = {decks}
seats = {seats}
even_money = {even_money}
double_after_split = {double_after_split}
surrender_not_under = {surrender_not_under}
results = "{results}"
continuous_shuffler = {continuous}
[burn]
{burn}
[cut]
{cut}
[dealer]
hole_card = {hole_card}
first_card = "{first_card}"
peek_under = {peek_under}
hole_card_turned = "{hole_card_turned}"
natural_takes = "{natural_takes}"
natural_under_ten_pushes_21 = {natural_under_ten_pushes_21}
[split]
by = "{by}"
second_cards = "{second_cards}"
aces = "{aces}"
[pair_bet]
kinds = "{kinds}"
on_split_hands = {on_split_hands}
"""

_YES: Final = st.sampled_from(["false", "true"])
_UNDER: Final = st.sampled_from(["[]", '["ace"]', '["ten"]', '["ace", "ten"]'])

own_houses: Final = st.fixed_dictionaries(
    {
        "decks": st.integers(1, 8),
        "seats": st.integers(1, 7),
        "even_money": _YES,
        "double_after_split": _YES,
        "surrender_not_under": _UNDER,
        "results": st.sampled_from(["ascending", "descending"]),
        "continuous": _YES,
        "burn": st.sampled_from(
            [
                'by = "none"',
                'by = "fixed"\ncards = 3',
                'by = "first_card"',
                'by = "first_card"\nfirst_card_counts = true',
            ]
        ),
        "cut": st.sampled_from(
            [
                'by = "none"',
                'by = "count"\nafter = 20',
                'by = "card"\nindicators = 2',
                'by = "card"\nnot_before = 15\nbetween_rounds = "closes"',
            ]
        ),
        "hole_card": _YES,
        "first_card": st.sampled_from(["up", "down"]),
        "peek_under": _UNDER,
        "hole_card_turned": st.sampled_from(["always", "if_needed"]),
        "natural_takes": st.sampled_from(["all", "original"]),
        "natural_under_ten_pushes_21": _YES,
        "by": st.sampled_from(["value", "rank"]),
        "second_cards": st.sampled_from(["both_first", "hand_by_hand"]),
        "aces": st.sampled_from(["one_card", "free"]),
        "kinds": st.sampled_from(["none", "pair", "four"]),
        "on_split_hands": _YES,
    }
).map(lambda choices: OWN_HOUSE.format(**choices))
"""Houses that nobody plays, but a file may say."""

houses: Final = st.one_of(st.sampled_from(HOUSES).map(house_text), own_houses)


@dataclass
class Choices:
    """Bytes, taken one at a time."""

    octets: bytes
    place: int = field(default=0)

    @property
    def left(self) -> bool:
        return self.place < len(self.octets)

    def below(self, count: int) -> int:
        """A number from 0 to count - 1; 0 once the bytes are used up."""
        if not self.left:
            return 0
        self.place += 1
        return self.octets[self.place - 1] % count


OFTEN: Final = (*DECK, *(card for card in DECK if card.rank.value in "A8TK"))
"""Cards to draw from: pairs, naturals and copies come oftener than from a fair shoe."""

AT: Final = Position(boot=3, number=1)
STAFF: Final = (Operator(name="ada"), Operator(name="bob", roles=("technician",)))


@dataclass
class Chooser:
    """The next input at a table as it stands."""

    choices: Choices
    numbers: int = 0

    def next(self, state: TableState) -> Input:
        odd = self.choices.below(128)
        if odd < 110:
            return self._forward(state)
        if odd < 120:
            return self._asked(self._any_request(state), state)
        if odd < 124:
            return self._drawn()
        return self._beside()

    def _forward(self, state: TableState) -> Input:
        """What the table waits for."""
        match phase(state):
            case Phase.CARD_DUE | Phase.DECISION if state.round is not None and self.choices.below(10) == 9:
                return self._asked(self._early(state.round), state)
            case Phase.NO_SHOE:
                decks = 8 if state.setup.house is None else _decks(state.setup.house)
                return self._asked(InstallShoe(decks=decks), state)
            case Phase.READY:
                return self._asked(self._opening(state), state)
            case Phase.INSURANCE:
                return self._asked(self._insurance(state), state)
            case Phase.DECISION:
                return self._asked(self._decision(state), state)
            case Phase.HELD if self.choices.below(3) == 0:
                return replace(self._card(), reread=True)
            case Phase.HELD:
                kind = RetireShoe if state.round is None else VoidRound
                return self._asked(kind(operator="ada", reason="r"), state)
            case _:
                return self._card()

    def _card(self) -> CardDrawn:
        self.numbers += 1
        return CardDrawn(
            device="shoe",
            position=None,
            device_ms=None,
            card=FaceDownCard(OFTEN[self.choices.below(len(OFTEN))]),
            nonce=nonce_of(self.numbers),
        )

    def _drawn(self) -> Input:
        """A draw, due or not, sound or not."""
        card = self._card()
        match self.choices.below(8):
            case 0 | 1:
                return CutCardDrawn(device="shoe", position=AT, device_ms=4)
            case 2:
                return replace(card, card=None)
            case 3:
                return replace(card, foreign=True)
            case 4:
                return replace(card, device="shoe-b")
            case 5:
                return replace(card, reread=True)
            case 6:
                return replace(card, reread=True, card=None)
            case _:
                return replace(card, position=AT)

    def _beside(self) -> Input:
        kinds: list[Input] = [
            DeviceCameOnline(device="shoe", kind="shoe", serial="s", firmware="f", position=AT, skipped=0),
            DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="Gone: plug it in."),
            DeviceEventsMissed(device="shoe", boot=3, first=2, last=None, position=AT),
            DeviceEventsMissed(device="shoe-b", boot=3, first=2, last=4, position=AT),
            DeviceFaultSeen(device="shoe", position=AT, code=2),
            DeviceFaultGone(device="shoe", position=AT, code=2),
            DeviceSpokeUnknown(device="shoe", position=AT, code=99, body="00"),
            EdgeStarted(version="1", config_hash="c", operators=STAFF, shoes=None),
            EdgeStopped(reason="night"),
            HouseRulesAdopted(text=house_text(HOUSES[self.choices.below(4)])),
            *(ShoeSignalled(device="shoe", position=AT, signal=signal) for signal in Signal),
        ]
        return kinds[self.choices.below(len(kinds))]

    def _asked(self, request: Request, state: TableState) -> RequestMade:
        self.numbers += 1
        desk = Desk.SERVER if isinstance(request, UnknownCommand) else request.desk
        asked = Asked(id=f"a{self.numbers}", desk=desk, request=request, digest="d")
        match self.choices.below(40):
            case 37:
                asked = replace(asked, desk=Desk.SUPERVISOR)
            case 38:
                asked = replace(asked, if_sequence=max(0, state.sequence - self.choices.below(4)))
            case 39:
                asked = replace(asked, journal="another")
        return RequestMade(asked=asked, round_id_used=self.choices.below(40) == 39)

    def _opening(self, state: TableState) -> OpenRound:
        seats = state.shoe.rules.seats if state.shoe else 7
        mask = self.choices.below(2**seats if seats < 8 else 256) or 1
        chosen = tuple(seat for seat in range(1, seats + 1) if mask >> (seat - 1) & 1)
        return OpenRound(round_id=f"r{self.numbers}", seats=chosen)

    def _insurance(self, state: TableState) -> CloseInsurance:
        insurance = state.round.insurance if state.round else None
        offered = insurance.offered if insurance else ()
        even = insurance.even_money_offered if insurance else ()
        return CloseInsurance(
            insured=tuple(seat for seat in offered if self.choices.below(2)),
            even_money=tuple(seat for seat in even if self.choices.below(2)),
        )

    def _decision(self, state: TableState) -> Request:
        offer = state.round.offer if state.round else None
        assert offer is not None
        if self.choices.below(8) == 7:
            return TimeOutHand(seat=offer.spot.seat)
        legal = offer.actions + (Action.SPLIT,) * 3 * (Action.SPLIT in offer.actions)
        return DecideHand(
            seat=offer.spot.seat,
            hand=offer.spot.hand,
            action=legal[self.choices.below(len(legal))],
            funded=self.choices.below(4) != 3,
            offer=offer.sequence if self.choices.below(2) else None,
        )

    def _early(self, table_round: Round) -> Request:
        seat = table_round.seats[self.choices.below(len(table_round.seats))]
        if self.choices.below(6) == 5:
            return TimeOutHand(seat=seat)
        return DecideHand(
            seat=seat,
            hand=1 + self.choices.below(4) // 3,
            action=tuple(Action)[self.choices.below(5)],
            funded=self.choices.below(4) != 3,
        )

    def _any_request(self, state: TableState) -> Request:
        """A request, sensible here or not."""
        seat, below = self.choices.below(9), self.choices.below
        match below(12):
            case 0 | 1 | 2 | 3:
                return DecideHand(
                    seat=seat,
                    hand=1 + below(2),
                    action=tuple(Action)[below(5)],
                    funded=below(3) != 2,
                    offer=None if below(3) else max(1, state.sequence - below(6)),
                )
            case 4 | 5:
                return TimeOutHand(seat=seat)
            case 6:
                return OpenRound(round_id=f"r{self.numbers}", seats=(seat, below(9)))
            case 7:
                return CloseInsurance(insured=(seat,), even_money=(seat,) if below(2) else ())
            case 8:
                return InstallShoe(decks=below(9), device="shoe-b" if below(2) else None)
            case 9:
                return VoidRound(operator=("ada", "bob", "eve")[below(3)], reason="r")
            case 10:
                return RetireShoe(operator=("ada", "bob", "eve")[below(3)], reason="r")
            case _:
                return UnknownCommand(name="shoe.polish")


def _decks(text: str) -> int:
    return int(
        next(line for line in text.splitlines() if line.startswith("decks")).split("=")[1].split("#")[0]
    )


def ruled(inputs: Iterator[Input] | list[Input], start: TableState | None = None) -> list[Step]:
    """These inputs at a new table (or one that stands so), each with what was ruled on it."""
    state = new_table(JOURNAL) if start is None else start
    steps = []
    for heard in inputs:
        ruling = decide(state, heard)
        steps.append(Step(before=state, heard=heard, ruled=ruling.ruled, after=ruling.state))
        state = ruling.state
    return steps


class Play(list[Step]):
    """A play; shown is its house and its end, in one line."""

    def __repr__(self) -> str:
        shown = " ".join(repr(step) for step in self[-60:])
        return f"{len(self)} steps, {self[0].heard!r}: {shown}"[:8000]


def play(house: str, octets: bytes) -> Play:
    """A play at a table of this house, as long as the choices last."""
    start: list[Input] = [
        HouseRulesAdopted(text=house),
        EdgeStarted(version="1", config_hash="c", operators=None, shoes=None),
    ]
    steps = ruled(start)
    chooser = Chooser(Choices(octets))
    while chooser.choices.left:
        steps += ruled([chooser.next(steps[-1].after)], steps[-1].after)
    return Play(steps)


def _seeded(seed: int, length: int) -> bytes:
    return Random(seed).randbytes(length)


octets: Final = st.one_of(
    st.builds(_seeded, st.integers(0, 2**32 - 1), st.integers(40, 500)), st.binary(min_size=40, max_size=400)
)
"""Choices: long fair ones, and ones that hypothesis bends and shrinks."""

plays: Final = st.builds(play, houses, octets)
"""Plays at the four houses and at houses that only a file may say."""
