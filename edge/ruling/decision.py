"""A decision about an irregularity: a supervisor's, or the house's own. One shape for both."""

from dataclasses import dataclass

from edge.events import Place, Spot
from edge.irregular import Resolution
from edge.requests import EnterCard, ResolveIrregularity, Target
from edge.ruling.state import OpenIrregularity
from firmware_protocols import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of an open irregularity."""

    resolution: Resolution
    operator: str | None = None
    """None: the house's own rule, by itself."""
    reason: str | None = None
    override: bool = False
    draw: int | None = None
    to: Place | None = None
    seat: int | None = None
    card: Card | None = None
    natural: bool | None = None
    places: tuple[tuple[int, Place], ...] = ()
    cards: tuple[tuple[Place, tuple[Card | None, ...]], ...] | None = None


def spot_of(target: Target) -> Place:
    """The place that a person named."""
    return "dealer" if target == "dealer" else Spot(seat=target.seat, hand=target.hand)


def decision_of(request: ResolveIrregularity, opened: OpenIrregularity) -> Decision:
    """What a supervisor decided; what is not said is the irregularity's own."""
    return Decision(
        resolution=request.resolution,
        operator=request.operator,
        reason=request.reason,
        override=request.override,
        draw=opened.draw if request.draw is None else request.draw,
        to=opened.to if request.to is None else spot_of(request.to),
        seat=opened.seat if request.seat is None else request.seat,
        card=opened.card if request.card is None else request.card,
        natural=request.natural,
        places=tuple((placed.draw, spot_of(placed.to)) for placed in request.places),
        cards=None
        if request.cards is None
        else tuple((spot_of(lying.to), lying.cards) for lying in request.cards),
    )


def entered(request: EnterCard, opened: OpenIrregularity) -> Decision:
    """``card.enter`` is the decision to enter."""
    return Decision(
        resolution=Resolution.ENTER, operator=request.operator, draw=opened.draw, card=request.card
    )


def house_decision(opened: OpenIrregularity, resolution: Resolution) -> Decision:
    """What the house's own rule decides."""
    return Decision(resolution=resolution, draw=opened.draw, to=opened.to, seat=opened.seat, card=opened.card)
