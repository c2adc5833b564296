"""Deciding: what an input causes. One table, total over phases and inputs.

Laws:

1. What depends on the phase of the table is a row of :data:`TRANSITIONS`, and nowhere else.
2. An absent cell is an irregularity (a draw nobody awaited) or a refusal (a request out of turn); it
   never raises.
3. Every input ends with :func:`edge.ruling.course.proceed`, so that when ``decide`` returns exactly
   one party is waited for, or the table is held.
4. Pure: no clock, no chance, no I/O. What they would give is part of the input.

Theory of operation: a draw is looked up under (phase, kind of draw). A request meets its ``verify``,
and only if that has nothing against it the row of its phase; whatever comes of it is noted as its
answer, after the events it caused. What is heard beside the table is the same in every phase.
"""

from collections.abc import Callable
from typing import Any, Final

from edge import inputs, requests
from edge.inputs import CardDrawn, CutCardDrawn, Input, RequestMade
from edge.notes import DeviceHeard, RequestAnswered
from edge.requests import DecideHand, Outcome, Refusal, UnknownCommand
from edge.ruling.course import proceed
from edge.ruling.disputes import dispute_round
from edge.ruling.draws import due_card, held_card, read_again, undue_card
from edge.ruling.host import host_left, host_returned
from edge.ruling.insurance import close_insurance
from edge.ruling.keys import key_pressed
from edge.ruling.locking import lock_lost, order_answered
from edge.ruling.overdue import deadline_passed
from edge.ruling.reconcile import reconcile, scanned_card
from edge.ruling.reports import report
from edge.ruling.requests import verify
from edge.ruling.resolve import (
    clear_fault,
    enter_card,
    hold_table,
    release_table,
    resolve_irregularity,
    retire_shoe,
    void_round,
)
from edge.ruling.rounds import open_round
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import install
from edge.ruling.shuffles import cards_returned, damaged_card, shuffle_began, shuffle_ended
from edge.ruling.signals import cut_card_drawn, events_missed, signalled, spoke_unknown
from edge.ruling.state import TableState
from edge.ruling.station import (
    device_fault,
    device_fault_gone,
    device_offline,
    device_online,
    edge_came_up,
    edge_went_down,
    patience_set,
    rules_adopted,
)
from edge.ruling.turns import decide_hand, time_out
from edge.ruling.waiting import Phase, phase

RULING_VERSION: Final = "3"
"""Rises with every change that could rule an old record differently."""

Rule = Callable[[Ruling, Any], object]

IN_A_ROUND: Final = (Phase.CARD_DUE, Phase.INSURANCE, Phase.DECISION)
SHOE_IN: Final = (Phase.OPENING, Phase.BURNING, Phase.READY, *IN_A_ROUND, Phase.HELD)

TRANSITIONS: Final[dict[tuple[Phase, type], Rule]] = {
    **dict.fromkeys([(now, CardDrawn) for now in (Phase.OPENING, Phase.BURNING, Phase.CARD_DUE)], due_card),
    (Phase.HELD, CardDrawn): held_card,
    **dict.fromkeys([(now, CutCardDrawn) for now in (Phase.READY, *IN_A_ROUND, Phase.HELD)], cut_card_drawn),
    (Phase.NO_SHOE, requests.InstallShoe): install,
    **dict.fromkeys([(now, requests.ReconcileShoe) for now in (Phase.NO_SHOE, Phase.HELD)], reconcile),
    (Phase.READY, requests.OpenRound): open_round,
    (Phase.INSURANCE, requests.CloseInsurance): close_insurance,
    **dict.fromkeys([(now, DecideHand) for now in IN_A_ROUND], decide_hand),
    **dict.fromkeys([(now, requests.TimeOutHand) for now in IN_A_ROUND], time_out),
    **dict.fromkeys([(now, requests.ReportIrregularity) for now in Phase], report),
    **dict.fromkeys([(now, requests.ResolveIrregularity) for now in Phase], resolve_irregularity),
    (Phase.HELD, requests.EnterCard): enter_card,
    **dict.fromkeys([(now, requests.DisputeRound) for now in Phase], dispute_round),
    **dict.fromkeys([(now, requests.VoidRound) for now in (*IN_A_ROUND, Phase.HELD)], void_round),
    **dict.fromkeys([(now, requests.HoldTable) for now in Phase], hold_table),
    (Phase.HELD, requests.ReleaseTable): release_table,
    **dict.fromkeys([(now, requests.RetireShoe) for now in SHOE_IN], retire_shoe),
    **dict.fromkeys([(now, requests.ClearFault) for now in Phase], clear_fault),
}
"""What is done where. The state diagram of the documentation is drawn from it."""

UNDUE: Final[dict[type, Rule]] = {CardDrawn: undue_card, CutCardDrawn: cut_card_drawn}
"""What an absent cell is for a draw; for a request it is the refusal that ``verify`` gives."""


def _only_recorded(_ruling: Ruling, _heard: Input) -> None:
    """Recorded and acknowledged, never guessed."""


BESIDE_THE_TABLE: Final[dict[type[Input], Rule]] = {
    inputs.EdgeStarted: edge_came_up,
    inputs.EdgeStopped: edge_went_down,
    inputs.HouseRulesAdopted: rules_adopted,
    inputs.DeviceCameOnline: device_online,
    inputs.DeviceWentOffline: device_offline,
    inputs.DeviceEventsMissed: events_missed,
    inputs.DeviceFaultSeen: device_fault,
    inputs.DeviceFaultGone: device_fault_gone,
    inputs.DeviceSpokeUnknown: spoke_unknown,
    inputs.PatienceSet: patience_set,
    inputs.ShoeSignalled: signalled,
    inputs.KeyPressed: key_pressed,
    inputs.ShuffleBegan: shuffle_began,
    inputs.ShuffleProgressed: _only_recorded,
    inputs.ShuffleEnded: shuffle_ended,
    inputs.DamagedCardSeen: damaged_card,
    inputs.CardsReturned: cards_returned,
    inputs.HostLeft: host_left,
    inputs.HostReturned: host_returned,
    inputs.OrderAnswered: order_answered,
    inputs.DeadlinePassed: deadline_passed,
}
"""What is ruled alike in every phase."""


def decide(state: TableState, heard: Input) -> Ruling:
    """What this input causes at this table: the events and notes, and the state after them."""
    ruling = Ruling(state)
    match heard:
        case CardDrawn() | CutCardDrawn():
            if heard.position is not None:
                ruling.rule(DeviceHeard(device=heard.device, position=heard.position))
            _draw(ruling, heard)
        case RequestMade():
            _ask(ruling, heard)
            return ruling
        case _:
            BESIDE_THE_TABLE[type(heard)](ruling, heard)
            _note_position(ruling, heard)
    proceed(ruling)
    return ruling


def _note_position(ruling: Ruling, heard: Input) -> None:
    """Note how far the device's numbering has been heard: the link resumes there."""
    match heard:
        case (
            inputs.EdgeStarted()
            | inputs.EdgeStopped()
            | inputs.HouseRulesAdopted()
            | inputs.DeviceWentOffline()
            | inputs.HostLeft()
            | inputs.HostReturned()
            | inputs.OrderAnswered()
            | inputs.DeadlinePassed()
            | inputs.PatienceSet()
            | RequestMade()
        ):
            return
        case _ if heard.position is not None:
            known = ruling.state.device(heard.device).position
            if known is not None and known.boot != heard.position.boot:
                lock_lost(ruling, heard.device)
            ruling.rule(DeviceHeard(device=heard.device, position=heard.position))
        case _:
            return


def _draw(ruling: Ruling, heard: CardDrawn | CutCardDrawn) -> None:
    if ruling.state.scan is not None:
        if isinstance(heard, CardDrawn):
            scanned_card(ruling, heard)
        return  # the cut card that was left in it is no card (KRF-10)
    if isinstance(heard, CardDrawn) and heard.reread:
        read_again(ruling, heard)
        return
    kind = type(heard)
    TRANSITIONS.get((phase(ruling.state), kind), UNDUE[kind])(ruling, heard)


def _ask(ruling: Ruling, heard: RequestMade) -> None:
    request = heard.asked.request
    refusal = verify(ruling.state, heard)
    code, message = "done", "Done."
    if refusal is None and not isinstance(request, UnknownCommand):
        taken = TRANSITIONS[phase(ruling.state), type(request)](ruling, request)
        proceed(ruling)
        if isinstance(request, DecideHand) and not taken:
            code, message = "held", "Held until this hand's turn."
    ruling.rule(_answered(heard, refusal, code, message))


def _answered(heard: RequestMade, refusal: Refusal | None, code: str, message: str) -> RequestAnswered:
    request = heard.asked.request
    return RequestAnswered(
        id=heard.asked.id,
        command=request.name if isinstance(request, UnknownCommand) else request.command,
        outcome=Outcome.ACCEPTED if refusal is None else Outcome.REFUSED,
        code=code if refusal is None else refusal.code,
        message=message if refusal is None else refusal.message,
    )
