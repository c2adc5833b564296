"""Details: what a person has to say for each resolution and each report, beside who asks and why.

What is already known, because the irregularity has it, is not asked for again. The ruling is the judge of
what fits; here is only what is worth asking for before it judges.
"""

from dataclasses import dataclass
from typing import Final

from edge.inputs import RequestMade
from edge.irregular import REPORTABLE, Kind, Resolution
from edge.requests import Asked, Desk, ReportIrregularity
from edge.ruling import OpenIrregularity, TableState, policy_for, verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Fields of a request, by name."""

    needs: tuple[str, ...] = ()
    """Without them it is refused."""
    may: tuple[str, ...] = ()
    """They say more, where there is more to say."""


NONE: Final = Details()

SAYS: Final[dict[Resolution, str]] = {
    Resolution.ACCEPT: "It stays as it is, and play goes on.",
    Resolution.USE_AS_NEXT: "The card fills the next place that is due, before any new card.",
    Resolution.DISCARD: "The card goes to the discards, not played; it stays counted.",
    Resolution.MOVE: "The card is laid where it belongs.",
    Resolution.REBUILD: "The first cards are laid in their right order.",
    Resolution.DEAL_MISSING: "The place that lacks a card gets it with the next draw.",
    Resolution.VOID_HAND: "The bet of a seat is void; the others play on.",
    Resolution.ENTER: "You name the card that the shoe could not read.",
    Resolution.CORRECT: "You name what the card really is.",
    Resolution.RETRACT: "The card has gone back into the shoe: uncounted.",
    Resolution.CONFIRM: "You confirm which cards lie on the table, and play goes on.",
    Resolution.PEEK: "You looked at the hole card: a natural or not, and nothing else of it.",
    Resolution.VOID_ROUND: "The round is cancelled and every bet returned.",
    Resolution.RETIRE_SHOE: "The shoe is taken out of play; a round in progress is voided first.",
    Resolution.CLEAR: "What was latched is cleared under your name, and new shoes and rounds may begin.",
}
"""One sentence for each resolution that may be asked for."""

_RESOLVING: Final[dict[Resolution, Details]] = {
    Resolution.MOVE: Details(needs=("to",)),
    Resolution.REBUILD: Details(may=("places",)),
    Resolution.DEAL_MISSING: Details(needs=("seat",)),
    Resolution.VOID_HAND: Details(needs=("seat",)),
    Resolution.ENTER: Details(needs=("card",)),
    Resolution.CORRECT: Details(needs=("card",)),
    Resolution.CONFIRM: Details(may=("cards",)),
    Resolution.PEEK: Details(needs=("natural",)),
}

_CARD_AT_MOST: Final = Details(may=("draw",))
_REPORTING: Final[dict[Kind, Details]] = {
    Kind.MISREAD_CARD: Details(needs=("draw",), may=("card",)),
    Kind.EXPOSED_IN_SHOE: NONE,
    Kind.WRONG_PLACE: Details(needs=("draw",), may=("to",)),
    Kind.BOX_WITHOUT_BET: Details(needs=("draw",), may=("seat",)),
    Kind.BOX_SKIPPED: Details(needs=("seat",)),
    Kind.BOX_ONE_CARD: Details(needs=("seat",)),
    Kind.DEALER_SKIPPED: NONE,
    Kind.HOLE_CARD_SHOWN: NONE,
    Kind.DAMAGED_CARD: Details(may=("draw", "card")),
    Kind.FOREIGN_CARD: _CARD_AT_MOST,
    Kind.REPEATED_CARD: _CARD_AT_MOST,
    Kind.UNEXPECTED_DRAW: Details(needs=("draw",), may=("to", "exposed")),
    Kind.PUSHED_BACK: _CARD_AT_MOST,
    Kind.WRONG_BURN: _CARD_AT_MOST,
    Kind.SHOE_MOVED: NONE,
    Kind.LID_OPENED: NONE,
    Kind.UNSHUFFLED: NONE,
}


def of_resolving(opened: OpenIrregularity, resolution: Resolution) -> Details:
    """What resolving this irregularity so takes, beside what it knows of itself."""
    if resolution is Resolution.RETRACT and opened.kind is Kind.PUSHED_BACK:
        return Details(needs=("draw",) if opened.draw is None else ())
    details = _RESOLVING.get(resolution, NONE)
    known = [name for name in details.needs if getattr(opened, name, None) is not None]
    if opened.kind is Kind.DEALER_SKIPPED:
        known.append("seat")  # it is the dealer's place that lacks a card
    return Details(needs=tuple(name for name in details.needs if name not in known), may=details.may)


def of_reporting(state: TableState, kind: Kind) -> Details:
    """What reporting this kind takes; where the house has a way of its own, also whether it is to act."""
    details = _REPORTING[kind]
    policy = policy_for(state, kind)
    by_itself = {policy.house, *policy.at.values()} != {"ask"}
    return Details(needs=details.needs, may=(*details.may, *["by_hand"] * by_itself))


def reportable(state: TableState, operator: str) -> tuple[Kind, ...]:
    """The kinds that may be reported now, whatever details they take."""
    return tuple(kind for kind in REPORTABLE if _may_be_reported(state, kind, operator))


def _may_be_reported(state: TableState, kind: Kind, operator: str) -> bool:
    request = ReportIrregularity(kind=kind, operator=operator)
    asked = Asked(id="", desk=Desk.SUPERVISOR, request=request, digest="")
    refused = verify(state, RequestMade(asked=asked))
    return refused is None or refused.code == "does_not_fit"
