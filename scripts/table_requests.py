"""What may be asked of a table in random play: every command, as sensible as it can be where it stands."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar, final

from edge.irregular import REPORTABLE, Kind, Resolution
from edge.requests import (
    COMMANDS,
    Action,
    ClearFault,
    CloseInsurance,
    DecideHand,
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
    Seat,
    Target,
    TimeOutHand,
    VoidRound,
)
from edge.ruling import TableState
from firmware_protocols import DECK

T = TypeVar("T")


@final
class Chance:
    """Chance that is the same on every version of Python: only ``Random.random`` is asked."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - seeded on purpose

    def below(self, count: int) -> int:
        """A whole number from 0, less than ``count``."""
        return int(self._random.random() * count)

    def one(self, choices: Sequence[T]) -> T:
        """One of these."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T]) -> tuple[T, ...]:
        """Any of these, in their order."""
        return tuple(each for each in choices if self.below(2))


@final
class Asking:
    """What is asked of one table."""

    def __init__(self, chance: Chance, *, decks: int) -> None:
        self._chance, self._decks = chance, decks

    def each_request(self, state: TableState) -> tuple[Request, ...]:
        """A request of every command, as sensible as it can be here."""
        seats = state.round.seats if state.round else (1,)
        spot_seat = self._chance.one(seats)
        requests: tuple[Request, ...] = (
            InstallShoe(decks=self._decks),
            OpenRound(round_id="odd", seats=(1,)),
            CloseInsurance(),
            DecideHand(seat=spot_seat, hand=1, action=self._chance.one(tuple(Action))),
            TimeOutHand(seat=spot_seat),
            VoidRound(operator="o", reason="r"),
            self._retire(),
            self.reconcile(state),
            *(self._report(state) for _ in range(4)),
            self._resolve(state),
            EnterCard(draw=self._irregular_draw(state), card=self._chance.one(DECK), operator="o"),
            DisputeRound(operator="o", reason="r"),
            HoldTable(operator="o", reason="r"),
            ReleaseTable(operator="o", reason="r"),
            ClearFault(operator="o", reason="r"),
        )
        if {type(each) for each in requests} != set(COMMANDS.values()):
            raise ValueError("a command is not in the play: the diagram would not tell it")
        return requests

    def _retire(self) -> RetireShoe:
        return RetireShoe(operator="o", reason="r")

    def reconcile(self, state: TableState) -> ReconcileShoe:
        """Start a scan-out, or finish the one under way."""
        return ReconcileShoe(step=Scan.START if state.scan is None else Scan.FINISH)

    def _report(self, state: TableState) -> ReportIrregularity:
        """A report that can be: of an exposed card, of a damaged one, or of the cards of a round."""
        if state.round is None or self._chance.below(2):
            kind = Kind.DAMAGED_CARD if state.shoe is None else Kind.EXPOSED_IN_SHOE
            return ReportIrregularity(kind=kind, operator="o")
        return ReportIrregularity(
            kind=self._chance.one(REPORTABLE),
            operator="o",
            draw=self._some_draw(state),
            to=self._target(state),
            seat=self._chance.one(state.round.seats),
            card=self._chance.one(DECK),
        )

    def _resolve(self, state: TableState) -> ResolveIrregularity:
        """An allowed resolution of an open irregularity, with the details that it may need."""
        opened = self._chance.one(state.irregularities) if state.irregularities else None
        how = Resolution.ACCEPT if opened is None else self._chance.one(opened.allowed)
        return ResolveIrregularity(
            id=1 if opened is None else opened.id,
            resolution=how,
            operator="o",
            draw=None if opened is None or opened.draw is not None else self._some_draw(state),
            to=self._target(state) if how is Resolution.MOVE else None,
            seat=None if opened is None else opened.seat,
            card=self._chance.one(DECK) if how in {Resolution.ENTER, Resolution.CORRECT} else None,
            natural=self._chance.below(2) > 0 if how is Resolution.PEEK else None,
        )

    def _irregular_draw(self, state: TableState) -> int:
        return next((each.draw for each in state.irregularities if each.draw is not None), 1)

    def _some_draw(self, state: TableState) -> int | None:
        """One of the last cards, if there is one."""
        drawn = 0 if state.shoe is None else state.shoe.drawn
        return None if drawn == 0 else max(drawn - self._chance.below(6), 1)

    def _target(self, state: TableState) -> Target:
        seats = () if state.round is None else state.round.seats
        return "dealer" if not seats or self._chance.below(4) == 0 else Seat(seat=self._chance.one(seats))

    def insurance(self, state: TableState) -> CloseInsurance:
        """The end of the last call, for some of the seats."""
        offered = state.round.insurance if state.round else None
        if offered is None:
            return CloseInsurance()
        return CloseInsurance(
            insured=self._chance.some(offered.offered),
            even_money=self._chance.some(offered.even_money_offered),
        )

    def decision(self, state: TableState) -> Request:
        """A decision on the open offer."""
        offer = state.round.offer if state.round else None
        if offer is None:
            raise ValueError("the table awaits a decision that it has not offered")
        if self._chance.below(8) == 0:
            return TimeOutHand(seat=offer.spot.seat)
        action = (
            Action.SPLIT
            if Action.SPLIT in offer.actions and self._chance.below(2)
            else self._chance.one(offer.actions)
        )
        return DecideHand(
            seat=offer.spot.seat, hand=offer.spot.hand, action=action, funded=self._chance.below(8) > 0
        )

    def clears(self, state: TableState) -> tuple[Request, ...]:
        """Both ways to clear what is latched."""
        return (ClearFault(operator="o", reason="r"), self._resolve(state))

    def way_out(self, state: TableState) -> Request:
        """What may end a hold: what is allowed, with all it may need, else the end of the round."""
        if state.pause is not None and self._chance.below(2):
            return ReleaseTable(operator="o", reason="r")
        down = [each for each in state.irregularities if each.kind is Kind.UNREAD_CARD]
        if down and Resolution.ACCEPT in down[0].allowed and self._chance.below(3):
            return ResolveIrregularity(id=down[0].id, resolution=Resolution.ACCEPT, operator="o")
        unread = [each.draw for each in state.irregularities if Resolution.ENTER in each.allowed]
        if unread and self._chance.below(2):
            return EnterCard(draw=unread[0] or 0, card=self._chance.one(DECK), operator="o")
        if self._chance.below(3):
            return self._resolve(state)
        leave = state.round is None or self._chance.below(3) == 0
        return self._retire() if leave else VoidRound(operator="o", reason="r")
