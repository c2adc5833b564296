"""The hold: what is irregular holds the table, is told with what may be done, and sets cards aside.

While the table is held, draws are counted and parked, never dealt and never lost, and no decision is taken.
An irregularity says what was seen, never a card that may lie face down. What the house does by itself is not
done here but in :mod:`edge.ruling.course`, once everything about the input is ruled.
"""

from edge.concealed import seal
from edge.events import CardParked, IrregularityRaised, Place, TableHeld, TableReleased, Why
from edge.inputs import CardDrawn
from edge.irregular import LATCHES, SEEN, Kind, Resolution, Stage
from edge.notes import CardConcealed
from edge.ruling.remedies import allowed_for, house_way
from edge.ruling.ruling import Ruling
from edge.ruling.stages import rules_in_force, stage_now
from edge.ruling.state import OpenIrregularity
from firmware_protocols import Card


def raise_irregularity(  # noqa: PLR0913 - an irregularity has as many facts as there are
    ruling: Ruling,
    kind: Kind,
    *,
    device: str | None = None,
    draw: int | None = None,
    sealed: str | None = None,
    stage: Stage | None = None,
    seat: int | None = None,
    to: Place | None = None,
    card: Card | None = None,
    operator: str | None = None,
    by_hand: bool = False,
    fitting: tuple[Resolution, ...] | None = None,
) -> None:
    """Publish an irregularity; it holds the table, or is latched. ``fitting``: what alone fits this case."""
    state = ruling.state
    candidate = OpenIrregularity(
        id=state.past.irregularities_raised + 1,
        kind=kind,
        stage=stage or stage_now(state),
        allowed=(),
        house="ask",
        raised=state.sequence + 1,
        draw=draw,
        device=device,
        seat=seat,
        to=to,
        card=card,
        latched=_latches(ruling, kind),
    )
    allowed = allowed_for(state, candidate, fitting)
    held = state.held
    ruling.rule(
        IrregularityRaised(
            **ruling.where,
            id=candidate.id,
            kind=kind,
            stage=candidate.stage,
            seen=SEEN[kind],
            device=device,
            draw=draw,
            seal=sealed,
            seat=seat,
            to=to,
            card=card,
            rounds=_suspect(ruling, kind),
            operator=operator,
            by_hand=True if by_hand else None,
            latched=True if candidate.latched else None,
            allowed=allowed,
            house=house_way(state, candidate, allowed),
        )
    )
    if not held and not candidate.latched:
        ruling.rule(TableHeld(**ruling.where, why=kind))


def _latches(ruling: Ruling, kind: Kind) -> bool:
    """A count or a shuffle that is not right; a damaged card in a continuous shuffler's round (HTS-I11)."""
    rules = rules_in_force(ruling.state)
    continuous = rules is not None and rules.continuous_shuffler
    in_round = ruling.state.round is not None
    return kind in LATCHES or (kind is Kind.DAMAGED_CARD and continuous and in_round)


def _suspect(ruling: Ruling, kind: Kind) -> tuple[int, ...] | None:
    """The rounds dealt from a shoe that holds a card it cannot hold: the whole shoe is suspect."""
    shoe = ruling.state.shoe
    if (
        shoe is None
        or not shoe.rounds
        or kind not in {Kind.FOREIGN_CARD, Kind.REPEATED_CARD, Kind.UNSHUFFLED}
    ):
        return None
    return tuple(range(1, shoe.rounds + 1))


def park(ruling: Ruling, drawn: CardDrawn, why: Why) -> int | None:
    """Count a draw without placing it; its number, or None where it left no shoe that is in play."""
    shoe = ruling.state.shoe
    if shoe is None or shoe.device != drawn.device:
        ruling.rule(CardParked(**ruling.where, device=drawn.device, why=why))
        return None
    draw = shoe.drawn + 1
    ruling.rule(
        CardConcealed(draw=draw, card=drawn.card, nonce=drawn.nonce),
        CardParked(**ruling.where, draw=draw, device=drawn.device, seal=_sealed(drawn), why=why),
    )
    return draw


def park_irregular(ruling: Ruling, drawn: CardDrawn, kind: Kind) -> None:
    """Park a draw that has no rightful place, and hold the table for it."""
    stage = stage_now(ruling.state)
    draw = park(ruling, drawn, Why.IRREGULAR)
    sealed = _sealed(drawn) if draw is not None else None
    raise_irregularity(ruling, kind, device=drawn.device, draw=draw, sealed=sealed, stage=stage)


def _sealed(drawn: CardDrawn) -> str | None:
    return None if drawn.card is None else seal(drawn.nonce, drawn.card)


def release(ruling: Ruling, why: Resolution) -> None:
    """End the hold, unless something else holds the table."""
    if ruling.state.holding or ruling.state.pause is not None:
        return
    ruling.rule(TableReleased(**ruling.where, why=why))
