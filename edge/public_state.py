"""What anyone may see of the table: the retained ``state`` topic (docs/contract.md, Topics).

A card that lies face down is ``null`` here; so is everything that would give it away.
"""

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter

from edge.events import Face, How, Spot
from edge.house_rules import parse_house
from edge.irregular import Kind
from edge.requests import Action
from edge.ruling import Phase, TableState, due, lies_face_down, phase
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeView:
    """The shoe in play."""

    number: int
    device: str
    decks: int
    ready: bool
    first_card: Card | None
    burn_due: int | None
    burned: int
    drawn: int
    remaining: int
    rounds: int
    cut_after: int | None
    last_round: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandView:
    """A player's hand."""

    seat: int
    hand: int
    cards: tuple[Card, ...]
    total: int
    soft: bool
    doubled: bool
    how: How | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerView:
    """The dealer's cards in drawing order, null where one lies face down; total of the seen ones."""

    cards: tuple[Card | None, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceView:
    """Insurance in this round."""

    open: bool
    seats: tuple[int, ...]
    even_money_seats: tuple[int, ...]
    insured: tuple[int, ...]
    even_money: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """The round in progress."""

    number: int
    round_id: str
    seats: tuple[int, ...]
    hands: tuple[HandView, ...]
    dealer: DealerView
    insurance: InsuranceView | None
    peeked: bool | None
    automatic: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The next card, if one is due."""

    draw: int
    to: Spot | Literal["dealer", "burn", "first_card"]
    face: Face


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferView:
    """The decision that is due; ``sequence`` is the offer's name."""

    sequence: int
    seat: int
    hand: int
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityView:
    """An open irregularity."""

    id: int
    kind: Kind
    draw: int | None
    device: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceView:
    """A device as it was last heard."""

    device: str
    kind: str
    serial: str
    firmware: str
    online: bool
    reason: str
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicState:
    """The table as anyone may see it, as of the event ``as_of``."""

    as_of: int
    journal: str
    table: str
    house: str | None
    phase: Phase
    held: bool
    shoe: ShoeView | None
    round: RoundView | None
    expected: Expected | None
    offer: OfferView | None
    irregularities: tuple[IrregularityView, ...]
    parked: int
    """Draws made while held: counted, not placed."""
    devices: tuple[DeviceView, ...]


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
        shoe=_shoe(state),
        round=_round(state),
        expected=_expected(state),
        offer=None
        if offer is None
        else OfferView(
            sequence=offer.sequence, seat=offer.spot.seat, hand=offer.spot.hand, actions=offer.actions
        ),
        irregularities=tuple(
            IrregularityView(id=each.id, kind=each.kind, draw=each.draw, device=each.device)
            for each in state.irregularities
        ),
        parked=len(state.parked),
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
                total=hand.total,
                soft=hand.soft,
                doubled=hand.doubled,
                how=hand.how,
            )
            for hand in played.hands
        ),
        dealer=DealerView(cards=tuple(dealt.card for dealt in played.dealer), total=played.dealer_total),
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
