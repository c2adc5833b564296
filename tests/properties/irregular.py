"""Random irregular play: what goes wrong at a table, and what the pit makes of it, chosen from bytes.

As in :mod:`tests.properties.plays` each byte is a choice and zero the dullest, so that a play shrinks. Here
about one input in ten is irregular, and a held table is resolved in every way that is allowed, with details
that fit and with details that do not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from drivers import Absence, Signal
from edge.events import Place, Spot
from edge.house_rules import house_text, may_be_allowed
from edge.inputs import (
    CardDrawn,
    CardsReturned,
    CutCardDrawn,
    DamagedCardSeen,
    DeadlineName,
    DeadlinePassed,
    DealerKey,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceWentOffline,
    EdgeStarted,
    HostLeft,
    HostReturned,
    HouseRulesAdopted,
    Input,
    KeyPressed,
    Patience,
    RequestMade,
    ShoeSignalled,
    ShuffleBegan,
    ShuffleEnded,
)
from edge.irregular import REPORTABLE, Kind, Resolution, Stage
from edge.requests import (
    ClearFault,
    DisputeRound,
    EnterCard,
    HoldTable,
    InstallShoe,
    Lying,
    Placed,
    ReconcileShoe,
    ReleaseTable,
    ReportIrregularity,
    Request,
    ResolveIrregularity,
    RetireShoe,
    Scan,
    Seat,
    Target,
    VoidRound,
)
from edge.ruling import Phase, TableState, due, lies_face_down, phase
from edge.ruling.stages import draws_of
from edge.ruling.state import OpenIrregularity, Round
from firmware_protocols import DECK, FaceDownCard
from tests.edge.ruling.playing import asking
from tests.properties.plays import AT, HOUSES, OFTEN, Choices, Chooser, Play, ruled

CONTINUOUS: Final = (
    asking("ho-tram-strip").replace("even_money = true", "even_money = true\ncontinuous_shuffler = true")
    + '[cut]\nby = "none"\n'
)
KEYS: Final = "draw_is_hit = true\nearly_draw_ms = 900\n"
FIXED: Final = (
    *(house_text(house) for house in HOUSES),
    *(asking(house) for house in HOUSES),
    CONTINUOUS,
    KEYS + asking("deluxe"),
    asking("deluxe").replace("hole_card = true", 'hole_card = true\nfirst_card = "down"'),
)
"""The four houses, houses that ask about everything, a continuous shuffler, keys, the hole card first."""

END: Final = (Resolution.VOID_ROUND, Resolution.RETIRE_SHOE)


def houses(chance: Random) -> str:
    """A house: one of the above, or one of them that does at random what a file may say."""
    text = chance.choice(FIXED)
    if chance.random() < 0.6:
        return text
    lines = [text.partition("[irregularities]")[0]]
    for kind in Kind:
        ways = ["ask", *(each.value for each in may_be_allowed(kind))]
        at = f'{chance.choice(tuple(Stage)).value} = "{chance.choice(ways)}"'
        lines.append(f'[irregularities.{kind.value}]\nhouse = "{chance.choice(ways)}"\nat = {{ {at} }}')
    return "\n".join(lines) + "\n"


def places(table_round: Round) -> tuple[Place, ...]:
    return (*(hand.spot for hand in table_round.hands), "dealer")


def target(place: Place) -> Target:
    return Seat(seat=place.seat, hand=place.hand) if isinstance(place, Spot) else "dealer"


def lying(state: TableState) -> tuple[Lying, ...]:
    """What lies on the table, as the pit would say it."""
    table_round = state.round
    if table_round is None:
        return ()
    hands = tuple(Lying(to=target(hand.spot), cards=hand.cards) for hand in table_round.hands)
    return (*hands, Lying(to="dealer", cards=tuple(each.card for each in table_round.dealer)))


def known(state: TableState) -> tuple[int, ...]:
    """Draws that lie on the table or are set aside."""
    parked = [each.draw for each in state.parked if each.draw is not None]
    return (*parked, *(draws_of(state.round) if state.round is not None else ()))


@dataclass
class Pit(Chooser):
    """The next input at a table where much goes wrong."""

    clock: int = 0

    def next(self, state: TableState) -> Input:
        if state.held and self.choices.below(8):
            mended = self._mended(state) if self.choices.below(4) == 3 else None
            return mended or self._asked(self._way_out(state), state)
        if state.latches and not self.choices.below(6):
            return self._asked(ClearFault(operator="ada", reason="r"), state)
        odd = self.choices.below(100)
        if odd < 83:
            return self._plain(state)
        if odd < 88:
            return self._wrong_draw(state)
        if odd < 93:
            return self._asked(self._report(state), state)
        if odd < 96:
            return self._goings_on(state)
        if odd < 97:
            return self._asked(self._any_request(state), state)
        return self._asked(self._of_the_pit(state), state)

    # -- in order ---------------------------------------------------------------------------------

    def _plain(self, state: TableState) -> Input:
        if state.scan is not None and not self.choices.below(3):
            return self._asked(ReconcileShoe(step=Scan.FINISH), state)
        if state.held or state.scan is not None:
            return self._timed(self._card())
        if (
            phase(state) is Phase.NO_SHOE
            and state.past.closed_shoe is not None
            and self.choices.below(6) == 5
        ):
            return self._asked(ReconcileShoe(step=Scan.START), state)
        heard = self._forward(state)
        if isinstance(heard, RequestMade) and isinstance(heard.asked.request, InstallShoe):
            cut_at = (None, None, 12, 80)[self.choices.below(4)]
            request = replace(heard.asked.request, cut_at=cut_at)
            return replace(heard, asked=replace(heard.asked, request=request))
        if isinstance(heard, CardDrawn):
            unread = state.round is not None and lies_face_down(state) and self.choices.below(6) == 5
            return self._timed(replace(heard, card=None) if unread else heard)
        return heard

    def _timed(self, card: CardDrawn) -> CardDrawn:
        self.clock += 20 if self.choices.below(40) == 39 else 400
        return replace(card, device_ms=self.clock)

    # -- out of order -----------------------------------------------------------------------------

    def _wrong_draw(self, state: TableState) -> Input:
        card = self._timed(self._card())
        match self.choices.below(13):
            case 0 | 1:
                return card
            case 2 | 3:
                return replace(card, card=None)
            case 4:
                return replace(card, exposed=True)
            case 5:
                return replace(card, reread=True)
            case 6:
                return replace(card, serial=f"s{self.choices.below(3)}")
            case 7:
                return (
                    replace(card, foreign=True) if self.choices.below(2) else replace(card, device="shoe-b")
                )
            case 8:
                return replace(card, reread=True, card=None)
            case _:
                return CutCardDrawn(device="shoe", position=AT, device_ms=self.clock)

    def _goings_on(self, state: TableState) -> Input:
        below = self.choices.below
        passed = [DeadlinePassed(name=each.name, number=each.number) for each in state.deadlines]
        counts = tuple(8 - (index == below(60)) for index in range(52))
        kinds: list[Input] = [
            *passed,
            *(ShoeSignalled(device="shoe", position=AT, signal=signal) for signal in Signal),
            self._online(),
            replace(self._online(), numbered=False),
            DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="Gone: plug it in."),
            DeviceEventsMissed(device="shoe", boot=3, first=2, last=None, position=AT),
            self._restart(),
            HouseRulesAdopted(text=FIXED[below(len(FIXED))]),
            HostLeft(why="no_broker"),
            HostLeft(why="server_offline"),
            HostReturned(),
            KeyPressed(device="shoe", position=AT, key=tuple(DealerKey)[below(len(DealerKey))]),
            ShuffleBegan(device="shuffler", position=AT, decks=8),
            ShuffleEnded(device="shuffler", position=AT, cards=sum(counts), counts=counts),
            DamagedCardSeen(device="shuffler", position=AT, card=FaceDownCard(DECK[below(52)])),
            CardsReturned(device="shuffler", position=AT, cards=3),
            DeadlinePassed(name=tuple(DeadlineName)[below(3)], number=below(9)),
        ]
        return kinds[below(len(kinds))]

    def _mended(self, state: TableState) -> Input | None:
        """What ends a hold by itself, where something can."""
        match {each.kind for each in state.irregularities}:
            case kinds if Kind.UNREAD_CARD in kinds:
                return replace(self._card(), reread=True)
            case kinds if Kind.DEVICE_LOST in kinds:
                return self._online()
            case kinds if Kind.HOST_LOST in kinds:
                return HostReturned()
            case _:
                return None

    @staticmethod
    def _online() -> DeviceCameOnline:
        return DeviceCameOnline(device="shoe", kind="shoe", serial="s", firmware="f", position=AT, skipped=0)

    def _restart(self) -> EdgeStarted:
        below = self.choices.below
        patience = Patience(
            early_draw_ms=2000 * below(2),
            device_lost_ms=900 * below(2),
            host_lost_ms=900 * below(2),
            min_draw_ms=100 * below(2),
        )
        return EdgeStarted(version="1", config_hash="c", operators=None, shoes=None, patience=patience)

    # -- the pit ----------------------------------------------------------------------------------

    def _draw_of(self, state: TableState) -> int | None:
        draws = known(state)
        return draws[self.choices.below(len(draws))] if draws and self.choices.below(12) else None

    def _place_of(self, state: TableState) -> Target:
        if state.round is None or self.choices.below(20) == 19:
            return Seat(seat=1 + self.choices.below(7), hand=1 + self.choices.below(2))
        every = places(state.round)
        return target(every[self.choices.below(len(every))])

    def _seat_of(self, state: TableState) -> int:
        if state.round is None or self.choices.below(20) == 19:
            return self.choices.below(9)
        return state.round.seats[self.choices.below(len(state.round.seats))]

    def _report(self, state: TableState) -> ReportIrregularity:
        below = self.choices.below
        return ReportIrregularity(
            kind=REPORTABLE[below(len(REPORTABLE)) if not below(3) else below(8)],
            operator="ada",
            draw=self._draw_of(state) if below(6) else None,
            to=self._place_of(state) if below(3) else None,
            seat=self._seat_of(state) if below(3) else None,
            card=OFTEN[below(len(OFTEN))] if below(3) else None,
            exposed=not below(3),
        )

    def _way_out(self, state: TableState) -> Request:
        """One of the things that end a hold, mostly one that is allowed."""
        below = self.choices.below
        opened = [each for each in state.irregularities if not each.latched]
        if state.pause is not None and not (opened and below(2)):
            return ReleaseTable(operator="ada", reason="r")
        if not opened or below(30) == 29:
            return (
                VoidRound(operator="ada", reason="r") if below(2) else RetireShoe(operator="ada", reason="r")
            )
        one = opened[below(len(opened))]
        mild = [each for each in one.allowed if each not in END]
        listed = mild if mild and below(8) else list(one.allowed)
        return self.resolution(state, one, listed[below(len(listed))])

    def resolution(self, state: TableState, one: OpenIrregularity, how: Resolution) -> Request:
        """A resolution with details that may fit."""
        below = self.choices.below
        return ResolveIrregularity(
            id=one.id,
            resolution=how,
            operator="ada",
            override=not below(4),
            draw=self._draw_of(state) if one.draw is None or not below(10) else None,
            to=self._place_of(state) if how is Resolution.MOVE and below(2) else None,
            seat=self._seat_of(state) if one.seat is None and below(2) else None,
            card=OFTEN[below(len(OFTEN))] if how in {Resolution.ENTER, Resolution.CORRECT} else None,
            natural=bool(below(2)) if how is Resolution.PEEK else None,
            places=self._places(state) if how is Resolution.REBUILD and below(2) else (),
            cards=self._cards(state) if how is Resolution.CONFIRM and below(3) else None,
        )

    def _places(self, state: TableState) -> tuple[Placed, ...]:
        draws = draws_of(state.round) if state.round is not None else ()
        if not draws:
            return ()
        chosen = {draws[self.choices.below(len(draws))] for _ in range(1 + self.choices.below(3))}
        return tuple(Placed(draw=draw, to=self._place_of(state)) for draw in sorted(chosen))

    def _cards(self, state: TableState) -> tuple[Lying, ...]:
        """The cards that lie there, and now and then one more, where it is due or not."""
        there = list(lying(state))
        if not there or self.choices.below(2):
            return tuple(there)
        at = due(state)
        place = target(at) if at is not None and self.choices.below(4) else self._place_of(state)
        card = None if lies_face_down(state) else OFTEN[self.choices.below(len(OFTEN))]
        return tuple(replace(each, cards=(*each.cards, card)) if each.to == place else each for each in there)

    def _of_the_pit(self, state: TableState) -> Request:
        match self.choices.below(6):
            case 0:
                return HoldTable(operator="ada", reason="r")
            case 1:
                return ReleaseTable(operator="ada", reason="r")
            case 2:
                return DisputeRound(operator="ada", reason="r")
            case 3:
                return EnterCard(
                    draw=self._draw_of(state) or 1, card=OFTEN[self.choices.below(60)], operator="ada"
                )
            case 4:
                return ReconcileShoe(step=tuple(Scan)[self.choices.below(2)])
            case _:
                number = self.choices.below(4)
                return ResolveIrregularity(
                    id=max(0, state.past.irregularities_raised - number),
                    resolution=tuple(Resolution)[self.choices.below(len(Resolution))],
                    operator="ada",
                )


def irregular_play(house: str, octets: bytes, patience: Patience) -> Play:
    """A play at a table of this house, as long as the choices last."""
    start: list[Input] = [
        HouseRulesAdopted(text=house),
        EdgeStarted(version="1", config_hash="c", operators=None, shoes=None, patience=patience),
    ]
    steps = ruled(start)
    pit = Pit(Choices(octets))
    while pit.choices.left:
        steps += ruled([pit.next(steps[-1].after)], steps[-1].after)
    return Play(steps)


PATIENCE: Final = (
    Patience(),
    Patience(early_draw_ms=2000, device_lost_ms=900, host_lost_ms=900, min_draw_ms=100),
    Patience(min_draw_ms=100),
)


def seeded_play(seed: int, length: int = 700) -> Play:
    """The play of a seed: its house, its patience and its choices."""
    chance = Random(seed)
    return irregular_play(houses(chance), chance.randbytes(length), chance.choice(PATIENCE))


def seeded_plays(first: int) -> Iterator[Play]:
    """Plays for ever, one seed after another."""
    while True:
        yield seeded_play(first)
        first += 1
