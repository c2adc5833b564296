"""A table's state, as anyone may see it."""

from typing import Final

from pydantic import TypeAdapter

from edge.events import Face
from edge.house_rules import parse_house
from edge.public_state.views import (
    ClearsView,
    DeadlineView,
    DealerView,
    DeviceView,
    Expected,
    HandView,
    HostView,
    InsuranceView,
    IrregularityView,
    OfferView,
    ParkedView,
    PauseView,
    PublicState,
    RoundView,
    ScanView,
    ShoeView,
)
from edge.ruling import OpenIrregularity, Phase, TableState, due, lies_face_down, phase

_ADAPTER: Final = TypeAdapter(PublicState)


def written_state(state: TableState, *, table: str) -> bytes:
    """JSON of the ``state`` topic."""
    return _ADAPTER.dump_json(public_state(state, table=table))


def public_state(state: TableState, *, table: str) -> PublicState:
    """The table as anyone may see it."""
    offer = state.round.offer if state.round else None
    return PublicState(
        as_of=state.sequence,
        journal=state.journal,
        table=table,
        house=_house(state),
        phase=phase(state),
        held=state.held,
        latched=bool(state.latches),
        pause=None
        if state.pause is None
        else PauseView(operator=state.pause.operator, reason=state.pause.reason),
        shoe=_shoe(state),
        round=_round(state),
        expected=_expected(state),
        offer=None
        if offer is None
        else OfferView(
            sequence=offer.sequence, seat=offer.spot.seat, hand=offer.spot.hand, actions=offer.actions
        ),
        irregularities=tuple(_irregularity(each) for each in state.irregularities),
        parked=tuple(ParkedView(draw=each.draw, device=each.device, why=each.why) for each in state.parked),
        deadlines=tuple(
            DeadlineView(name=each.name, number=each.number, after_ms=each.after_ms)
            for each in state.deadlines
        ),
        host=HostView(online=state.host.online, overdue=state.host.overdue),
        clears=tuple(ClearsView(operator=each.operator, count=each.count) for each in state.past.clears),
        scan=_scan(state),
        devices=tuple(
            DeviceView(
                device=device.id,
                kind=device.kind,
                serial=device.serial,
                firmware=device.firmware,
                online=device.online,
                reason=device.reason,
                faults=device.faults,
            )
            for device in state.devices
        ),
    )


def _irregularity(opened: OpenIrregularity) -> IrregularityView:
    return IrregularityView(
        id=opened.id,
        kind=opened.kind,
        stage=opened.stage,
        draw=opened.draw,
        device=opened.device,
        seat=opened.seat,
        to=opened.to,
        allowed=opened.allowed,
        house=opened.house,
        latched=opened.latched,
        since=opened.raised,
    )


def _scan(state: TableState) -> ScanView | None:
    if state.scan is None or state.past.closed_shoe is None:
        return None
    return ScanView(
        shoe=state.past.closed_shoe.number, scanned=sum(state.scan.counts), unread=state.scan.unread
    )


def _house(state: TableState) -> str | None:
    if state.shoe is not None:
        return state.shoe.rules.name
    return None if state.setup.house is None else parse_house(state.setup.house).name


def _shoe(state: TableState) -> ShoeView | None:
    shoe = state.shoe
    if shoe is None:
        return None
    return ShoeView(
        number=shoe.number,
        device=shoe.device,
        decks=shoe.rules.decks,
        ready=shoe.ready,
        first_card=shoe.first_card,
        burn_due=shoe.burn_due,
        burned=shoe.burned,
        drawn=shoe.drawn,
        remaining=shoe.remaining,
        rounds=shoe.rounds,
        cut_after=shoe.cut_after,
        last_round=shoe.last_round,
        discarded=shoe.discarded,
        retracted=shoe.retracted,
    )


def _round(state: TableState) -> RoundView | None:
    played = state.round
    if played is None:
        return None
    insurance = played.insurance
    return RoundView(
        number=played.number,
        round_id=played.round_id,
        seats=played.seats,
        hands=tuple(
            HandView(
                seat=hand.spot.seat,
                hand=hand.spot.hand,
                cards=hand.cards,
                draws=hand.draws,
                total=hand.total,
                soft=hand.soft,
                doubled=hand.doubled,
                how=hand.how,
            )
            for hand in played.hands
        ),
        dealer=DealerView(
            cards=tuple(dealt.card for dealt in played.dealer),
            draws=tuple(dealt.draw for dealt in played.dealer),
            total=played.dealer_total,
        ),
        insurance=None
        if insurance is None
        else InsuranceView(
            open=not insurance.closed,
            seats=insurance.offered,
            even_money_seats=insurance.even_money_offered,
            insured=insurance.insured,
            even_money=insurance.even_money,
        ),
        peeked=played.peeked,
        automatic=played.timed_out,
    )


def _expected(state: TableState) -> Expected | None:
    if state.shoe is None:
        return None
    draw = state.shoe.drawn + 1
    match phase(state):
        case Phase.OPENING:
            return Expected(draw=draw, to="first_card", face=Face.UP)
        case Phase.BURNING:
            return Expected(draw=draw, to="burn", face=Face.DOWN)
        case Phase.CARD_DUE:
            place = due(state)
            face = Face.DOWN if lies_face_down(state) else Face.UP
            return None if place is None else Expected(draw=draw, to=place, face=face)
        case _:
            return None
