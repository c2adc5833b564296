"""Resolving: what becomes of an open irregularity, whoever decides it (docs/irregularities.md).

Law: what is carried out was verified, and what is allowed was told by the event that raised it. The first who
resolves an irregularity wins; whoever comes second is told that it is resolved.
"""

from typing import Final

from edge.events import RoundVoided, TableHeld, TableReleased, Why
from edge.house_rules import CutByCard
from edge.irregular import BY_ITSELF, Kind, Resolution
from edge.notes import CardEntered, DrawUnparked, DrawWaits, HostHeard
from edge.requests import (
    ClearFault,
    EnterCard,
    HoldTable,
    Refusal,
    ReleaseTable,
    ResolveIrregularity,
    RetireShoe,
    VoidRound,
)
from edge.ruling import confirming, repairs
from edge.ruling.changing import changed
from edge.ruling.decision import Decision, decision_of, entered
from edge.ruling.hold import release
from edge.ruling.layout import does_not_fit
from edge.ruling.left_out import left_out, verify_left_out
from edge.ruling.remedies import parked_draw
from edge.ruling.resolved import rule_resolved
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import burn_card, close_shoe, cut_card
from edge.ruling.state import OpenIrregularity, TableState
from firmware_protocols import FaceDownCard

UNNUMBERED: Final = frozenset({Kind.UNEXPECTED_DRAW, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_TWICE})
"""Kinds that are about a cut card, or a card of another shoe, where no draw is named."""
GONE: Final = frozenset({Resolution.DISCARD, Resolution.RETRACT})
"""What takes a card out of the round."""
FOLLOWS: Final = frozenset({Resolution.CONFIRM, Resolution.ENTER, Resolution.PEEK})
"""What names cards, so that play goes on with them once the table is released."""


DETAILS: Final[dict[Resolution, tuple[str, ...]]] = {
    Resolution.MOVE: ("to",),
    Resolution.REBUILD: ("places",),
    Resolution.ENTER: ("card",),
    Resolution.CORRECT: ("card",),
    Resolution.PEEK: ("natural",),
    Resolution.CONFIRM: ("cards",),
}
"""What a resolution must or may be told beside the card and the box it is about."""


def open_one(state: TableState, number: int) -> OpenIrregularity | None:
    """The open irregularity of this number."""
    return next((each for each in state.irregularities if each.id == number), None)


# Asking ----------------------------------------------------------------------------------------------


def verify_resolve(state: TableState, request: ResolveIrregularity) -> Refusal | None:
    """Why this irregularity cannot be resolved so, or None."""
    opened = open_one(state, request.id)
    if opened is None:
        return _not_open(state, request.id)
    if request.resolution not in opened.allowed or request.resolution in BY_ITSELF:
        listed = ", ".join(each.value for each in opened.allowed)
        return Refusal(
            code="resolution_not_allowed",
            message=f"Irregularity {opened.id} ({opened.kind.value}) allows: {listed}.",
        )
    return _verify_details(request) or verify_decision(state, opened, decision_of(request, opened))


def _verify_details(request: ResolveIrregularity) -> Refusal | None:
    """A detail that the resolution has no use for was meant for another one."""
    given = {
        "to": request.to is not None,
        "card": request.card is not None,
        "natural": request.natural is not None,
        "places": bool(request.places),
        "cards": request.cards is not None,
    }
    takes = DETAILS.get(request.resolution, ())
    for name in (name for name, said in given.items() if said and name not in takes):
        needed = f"it takes {', '.join(takes)}" if takes else "it takes no such detail"
        return does_not_fit(f"{request.resolution.value} has no use for {name}: {needed}.")
    return None


def _not_open(state: TableState, number: int) -> Refusal:
    if 1 <= number <= state.past.irregularities_raised:
        return Refusal(
            code="already_resolved", message=f"Irregularity {number} has been resolved: somebody was first."
        )
    listed = ", ".join(str(each.id) for each in state.irregularities) or "none"
    return Refusal(
        code="no_such_irregularity", message=f"No irregularity {number} was raised; open: {listed}."
    )


def verify_enter_card(state: TableState, request: EnterCard) -> Refusal | None:
    """Why this card cannot be entered by hand, or None."""
    opened = _unread(state, request.draw)
    if opened is None:
        unread = [str(each.draw) for each in state.irregularities if Resolution.ENTER in each.allowed]
        return Refusal(
            code="already_resolved" if state.past.irregularities_raised else "no_such_irregularity",
            message=f"Draw {request.draw} does not wait to be named; "
            f"those that do: {', '.join(unread) or 'none'}.",
        )
    return repairs.verify_enter(state, entered(request, opened))


def _unread(state: TableState, draw: int) -> OpenIrregularity | None:
    return next(
        (each for each in state.irregularities if each.draw == draw and Resolution.ENTER in each.allowed),
        None,
    )


def verify_decision(state: TableState, opened: OpenIrregularity, decision: Decision) -> Refusal | None:
    """Why a resolution that is allowed does not fit what lies on the table, or None."""
    if opened.draw is not None and decision.draw != opened.draw:
        return does_not_fit(
            f"Irregularity {opened.id} is about draw {opened.draw}: leave draw out, report the other card."
        )
    if opened.kind in UNNUMBERED and opened.draw is None and decision.draw is not None:
        return does_not_fit(f"Irregularity {opened.id} is about no card with a number: leave draw out.")
    if opened.seat is not None and decision.seat != opened.seat:
        return does_not_fit(
            f"Irregularity {opened.id} is about seat {opened.seat}: leave seat out, report the other box."
        )
    match decision.resolution:
        case Resolution.USE_AS_NEXT if opened.kind is Kind.EXPOSED_IN_SHOE and decision.draw is None:
            return None
        case Resolution.USE_AS_NEXT:
            return repairs.verify_on_table(state, decision)
        case Resolution.DISCARD:
            return repairs.verify_discard(state, opened, decision)
        case Resolution.RETRACT if decision.draw is None and opened.kind is not Kind.PUSHED_BACK:
            return None
        case Resolution.RETRACT:
            return repairs.verify_on_table(state, decision)
        case Resolution.MOVE:
            return repairs.verify_move(state, decision)
        case Resolution.REBUILD:
            return repairs.verify_rebuild(state, decision)
        case Resolution.VOID_HAND | Resolution.DEAL_MISSING:
            for_good = decision.resolution is Resolution.VOID_HAND
            return verify_left_out(state, opened, decision.seat, for_good=for_good)
        case Resolution.ACCEPT if opened.kind is Kind.DEALER_SKIPPED:
            return verify_left_out(state, opened, decision.seat, for_good=True)
        case Resolution.ENTER:
            return repairs.verify_enter(state, decision)
        case Resolution.PEEK:
            return repairs.verify_peek(state, decision)
        case Resolution.CORRECT:
            return repairs.verify_correct(state, decision)
        case Resolution.CONFIRM:
            return confirming.verify_confirm(state, decision)
        case _:
            return None


def verify_hold(state: TableState) -> Refusal | None:
    """Why the table cannot be held, or None."""
    if state.pause is not None:
        return Refusal(code="already_held", message="A supervisor holds the table already.")
    return None


def verify_release(state: TableState) -> Refusal | None:
    """Why the table cannot be released, or None."""
    if state.pause is not None:
        return None
    if state.holding:
        listed = ", ".join(
            f"{each.id} ({each.kind.value})" for each in state.irregularities if not each.latched
        )
        return Refusal(code="not_held", message=f"An irregularity holds it, which is resolved: {listed}.")
    return Refusal(code="not_held", message="No supervisor holds the table.")


def verify_clear(state: TableState, request: ClearFault) -> Refusal | None:
    """Why no latch can be cleared so, or None."""
    if request.id is None:
        return None if state.latches else Refusal(code="nothing_latched", message="Nothing is latched.")
    opened = open_one(state, request.id)
    if opened is None:
        return _not_open(state, request.id)
    if opened.latched:
        return None
    return Refusal(code="nothing_latched", message=f"Irregularity {opened.id} is not latched: resolve it.")


# Doing -----------------------------------------------------------------------------------------------


def resolve_irregularity(ruling: Ruling, request: ResolveIrregularity) -> None:
    """Carry out what a supervisor decided."""
    opened = open_one(ruling.state, request.id)
    if opened is not None:
        carry_out(ruling, opened, decision_of(request, opened))


def enter_card(ruling: Ruling, request: EnterCard) -> None:
    """An unread card, by hand."""
    opened = _unread(ruling.state, request.draw)
    if opened is not None:
        carry_out(ruling, opened, entered(request, opened))


def carry_out(ruling: Ruling, opened: OpenIrregularity, decision: Decision) -> None:
    """End an irregularity: what was decided, what it changed, and the end of the hold."""
    resolution = decision.resolution
    if resolution in {Resolution.VOID_ROUND, Resolution.RETIRE_SHOE}:
        reason = decision.reason or opened.kind.value
        _end(ruling, resolution, operator=decision.operator, reason=reason, first=opened)
        return
    rule_resolved(
        ruling,
        opened,
        resolution,
        operator=decision.operator,
        reason=decision.reason,
        override=decision.override and _forced(ruling.state, opened, decision),
    )
    if resolution not in FOLLOWS:
        _change(ruling, opened, decision)
    _settle_card(ruling, opened, decision)
    if not opened.latched:
        release(ruling, resolution)
    if resolution in FOLLOWS:
        _change(ruling, opened, decision)


def _settle_card(ruling: Ruling, opened: OpenIrregularity, decision: Decision) -> None:
    """A card that is gone is no longer irregular otherwise; one that is left aside waits for its place."""
    draw = opened.draw if decision.draw is None else decision.draw
    parked = parked_draw(ruling.state, draw)
    others = [each for each in ruling.state.irregularities if draw is not None and each.draw == draw]
    if parked is None and decision.resolution in GONE:
        for each in others:
            if decision.resolution in each.allowed:
                rule_resolved(
                    ruling, each, decision.resolution, operator=decision.operator, reason=decision.reason
                )
    elif parked is not None and parked.why is Why.IRREGULAR and not others:
        ruling.rule(DrawWaits(draw=parked.draw or 0, why=Why.HELD))


def _forced(state: TableState, opened: OpenIrregularity, decision: Decision) -> bool:
    """Whether it is done only because a supervisor said override."""
    return verify_decision(state, opened, changed(decision, override=False)) is not None


def _change(ruling: Ruling, opened: OpenIrregularity, decision: Decision) -> None:
    match decision.resolution:
        case Resolution.ACCEPT:
            _accept(ruling, opened, decision)
        case Resolution.USE_AS_NEXT:
            if decision.draw is not None:
                repairs.use_as_next(ruling, decision.draw)
        case Resolution.DISCARD:
            repairs.discard(ruling, opened, decision.draw)
        case Resolution.RETRACT:
            repairs.retract(ruling, decision.draw)
        case Resolution.MOVE if decision.draw is not None and decision.to is not None:
            repairs.move_cards(ruling, [(decision.draw, decision.to)])
        case Resolution.REBUILD:
            repairs.move_cards(ruling, decision.places)
        case Resolution.DEAL_MISSING:
            layout = left_out(ruling.state, opened, decision.seat, for_good=False)
            if layout is not None:
                repairs.carry_out(ruling, layout)
        case Resolution.VOID_HAND:
            repairs.void_hand(ruling, opened, decision)
        case Resolution.ENTER if decision.draw is not None and decision.card is not None:
            _enter(ruling, decision)
        case Resolution.PEEK if decision.natural is not None:
            repairs.peek(ruling, found=decision.natural)
        case Resolution.CORRECT if decision.draw is not None and decision.card is not None:
            repairs.correct(ruling, decision.draw, decision.card, decision.operator or opened.operator)
        case Resolution.CONFIRM:
            confirming.confirm(ruling, decision)
        case _:
            return


def _enter(ruling: Ruling, decision: Decision) -> None:
    draw, card = decision.draw, decision.card
    if draw is None or card is None:
        return
    parked = parked_draw(ruling.state, draw)
    if parked is None:
        repairs.turn_entered(ruling, draw, card, decision.operator)
        return
    ruling.rule(
        CardEntered(draw=draw, card=FaceDownCard(card), operator=decision.operator or ""),
        DrawWaits(draw=draw, why=Why.HELD),
    )


def _accept(ruling: Ruling, opened: OpenIrregularity, decision: Decision) -> None:
    """It stays as it is; what that means for the cards and the shoe."""
    match opened.kind:
        case Kind.UNREAD_CARD if opened.draw is not None:
            parked = parked_draw(ruling.state, opened.draw)
            if parked is not None:
                ruling.rule(
                    CardEntered(draw=opened.draw, card=None, operator=decision.operator or ""),
                    DrawWaits(draw=opened.draw, why=Why.HELD),
                )
        case Kind.WRONG_BURN if opened.draw is not None:
            kept = next((each for each in ruling.shoe.concealed if each.draw == opened.draw), None)
            if kept is not None and parked_draw(ruling.state, opened.draw) is not None:
                ruling.rule(DrawUnparked(draw=opened.draw))
                burn_card(ruling, opened.draw, kept.card, kept.nonce)
        case Kind.CUT_CARD_EARLY if isinstance(ruling.shoe.rules.cut, CutByCard):
            cut_card(ruling)
        case Kind.DEALER_SKIPPED:
            layout = left_out(ruling.state, opened, decision.seat, for_good=True)
            if layout is not None:
                repairs.carry_out(ruling, layout, dealer_later=True)
        case Kind.HOST_LOST:
            ruling.rule(HostHeard(online=ruling.state.host.online, overdue=False))
        case _:
            return


def hold_table(ruling: Ruling, request: HoldTable) -> None:
    """A supervisor's own hold."""
    ruling.rule(TableHeld(**ruling.where, why="supervisor", operator=request.operator, reason=request.reason))


def release_table(ruling: Ruling, request: ReleaseTable) -> None:
    """The end of a supervisor's own hold; what is irregular holds the table on."""
    ruling.rule(TableReleased(**ruling.where, why="supervisor", operator=request.operator))
    still = next((each for each in ruling.state.irregularities if not each.latched), None)
    if still is not None:
        ruling.rule(TableHeld(**ruling.where, why=still.kind))


def clear_fault(ruling: Ruling, request: ClearFault) -> None:
    """Clear what is latched, by name: clears are counted."""
    for latch in ruling.state.latches:
        if request.id in {None, latch.id}:
            rule_resolved(ruling, latch, Resolution.CLEAR, operator=request.operator, reason=request.reason)


def void_round(ruling: Ruling, request: VoidRound) -> None:
    """Cancel the round: its bets go back, its cards stay counted (DLX-32).

    A voided last round ends its shoe.
    """
    _end(ruling, Resolution.VOID_ROUND, operator=request.operator, reason=request.reason)


def retire_shoe(ruling: Ruling, request: RetireShoe) -> None:
    """Take the shoe out of play; a round in progress is voided with it."""
    _end(ruling, Resolution.RETIRE_SHOE, operator=request.operator, reason=request.reason)


def _end(
    ruling: Ruling,
    resolution: Resolution,
    *,
    operator: str | None,
    reason: str,
    first: OpenIrregularity | None = None,
) -> None:
    """Void the round, or take the shoe out with it; every irregularity that this resolves is resolved."""
    held = ruling.state.holding
    mine = () if first is None else (first,)
    others = [each for each in ruling.state.irregularities if each not in mine and not each.latched]
    for each in (*mine, *others):
        if each is first or resolution is Resolution.RETIRE_SHOE or resolution in each.allowed:
            rule_resolved(ruling, each, resolution, operator=operator, reason=reason if operator else None)
    last = _void(ruling, operator, reason) if ruling.state.round is not None else False
    if resolution is Resolution.RETIRE_SHOE:
        close_shoe(ruling, "retired")
    elif last:
        close_shoe(ruling, "cut_card")
    if held:
        release(ruling, resolution)


def _void(ruling: Ruling, operator: str | None, reason: str) -> bool:
    """Void the round; whether it was the shoe's last."""
    last = ruling.shoe.last_round == ruling.round.number
    ruling.rule(
        RoundVoided(
            **ruling.where,
            reason=reason,
            operator=operator,
            parked=tuple(each.draw for each in ruling.state.parked if each.draw is not None) or None,
        )
    )
    return last
