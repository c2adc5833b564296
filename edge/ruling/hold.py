"""The hold: what is irregular holds the table until a supervisor ends it (docs/irregularities.md).

While the table is held, draws are counted and parked, never dealt and never lost, and no decision is
taken. An irregularity says what was seen, never a card that may lie face down.
"""

from edge.concealed import seal
from edge.events import (
    IrregularityRaised,
    IrregularityResolved,
    Kind,
    Resolution,
    RoundVoided,
    TableHeld,
    TableReleased,
)
from edge.inputs import CardDrawn
from edge.notes import CardConcealed, DrawParked
from edge.requests import RetireShoe, VoidRound
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import close_shoe

SEEN: dict[Kind, str] = {
    Kind.UNEXPECTED_DRAW: "A card was drawn when none was due here.",
    Kind.UNREAD_CARD: "A card left the shoe and could not be read.",
    Kind.FOREIGN_CARD: "A card that cannot belong to this shoe.",
    Kind.REPEATED_CARD: "A card that had been read was read a second time.",
    Kind.DOUBLE_DRAW: "The shoe reports two cards drawn at once.",
    Kind.PUSHED_BACK: "A card was pushed back into the shoe.",
    Kind.CUT_CARD_TWICE: "A cut card came out more often than the shoe has cut cards.",
    Kind.CUT_CARD_EARLY: "The cut card came out before the first round, or before the house expects it.",
    Kind.SHOE_EMPTY: "The shoe is empty and a card is due.",
    Kind.SCAN_GAP: "The link lost what the shoe did for a while: cards may have passed unseen.",
    Kind.LID_OPENED: "The shoe's lid was opened with a shoe in play.",
    Kind.SHOE_MOVED: "The shoe was moved with a shoe in play.",
}
"""One sentence for each kind; a pit manager reads it."""


def raise_irregularity(
    ruling: Ruling, kind: Kind, *, device: str, draw: int | None = None, sealed: str | None = None
) -> None:
    """Publish an irregularity and hold the table."""
    state = ruling.state
    in_round = (Resolution.VOID_ROUND,) if state.round is not None else ()
    first = not state.irregularities
    where = {"shoe": ruling.shoe_number, "round": ruling.round_number}
    ruling.rule(
        IrregularityRaised(
            **where,
            id=state.irregularities_raised + 1,
            kind=kind,
            seen=SEEN[kind],
            device=device,
            draw=draw,
            seal=sealed,
            allowed=(*in_round, Resolution.RETIRE_SHOE),
            house="ask",
        )
    )
    if first:
        ruling.rule(TableHeld(**where, why=kind))


def park(ruling: Ruling, drawn: CardDrawn) -> int | None:
    """Count a draw without placing it; its number, or None where it left no shoe that is in play."""
    shoe = ruling.state.shoe
    if shoe is None or shoe.device != drawn.device:
        ruling.rule(DrawParked(draw=None, device=drawn.device))
        return None
    draw = shoe.drawn + 1
    ruling.rule(
        CardConcealed(draw=draw, card=drawn.card, nonce=drawn.nonce),
        DrawParked(draw=draw, device=drawn.device),
    )
    return draw


def park_irregular(ruling: Ruling, drawn: CardDrawn, kind: Kind) -> None:
    """Park a draw that has no rightful place, and hold the table for it."""
    draw = park(ruling, drawn)
    sealed = seal(drawn.nonce, drawn.card) if draw is not None and drawn.card is not None else None
    raise_irregularity(ruling, kind, device=drawn.device, draw=draw, sealed=sealed)


def resolve(
    ruling: Ruling, irregularity: int, resolution: Resolution, *, operator: str | None, reason: str | None
) -> None:
    """Close one irregularity; what it means for the table is the caller's."""
    opened = next(each for each in ruling.state.irregularities if each.id == irregularity)
    ruling.rule(
        IrregularityResolved(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            id=opened.id,
            kind=opened.kind,
            resolution=resolution,
            operator=operator,
            reason=reason,
            override=False,
        )
    )


def void_round(ruling: Ruling, request: VoidRound) -> None:
    """Cancel the round: its bets go back, its cards stay counted (DLX-32).

    A voided last round ends its shoe.
    """
    _end(ruling, Resolution.VOID_ROUND, operator=request.operator, reason=request.reason)


def retire_shoe(ruling: Ruling, request: RetireShoe) -> None:
    """Take the shoe out of play; a round in progress is voided with it."""
    _end(ruling, Resolution.RETIRE_SHOE, operator=request.operator, reason=request.reason)


def _end(ruling: Ruling, resolution: Resolution, *, operator: str, reason: str) -> None:
    held = bool(ruling.state.irregularities)
    for irregularity in ruling.state.irregularities:
        resolve(ruling, irregularity.id, resolution, operator=operator, reason=reason)
    last = False
    if ruling.state.round is not None:
        last = ruling.shoe.last_round == ruling.round.number
        ruling.rule(
            RoundVoided(
                shoe=ruling.shoe_number,
                round=ruling.round_number,
                reason=reason,
                operator=operator,
                parked=tuple(each.draw for each in ruling.state.parked if each.draw is not None) or None,
            )
        )
    if resolution is Resolution.RETIRE_SHOE:
        close_shoe(ruling, "retired")
    elif last:
        close_shoe(ruling, "cut_card")
    if held:
        ruling.rule(TableReleased(shoe=ruling.shoe_number, round=ruling.round_number, why=resolution))
