"""Remedies: what may be done about an irregularity, and what the house does by itself.

Legality has one source: the event that raises it, the refusal of a resolution and the screens of the pit all
read what :func:`allowed_for` gave. The house's way is told as ``ask`` where its own resolution does not fit
the case.
"""

from typing import Final

from edge.house_rules import ASK, Policy, may_be_allowed
from edge.irregular import HouseWay, Kind, Resolution
from edge.ruling.left_out import may_be_left_out
from edge.ruling.stages import place_of, rules_in_force
from edge.ruling.state import OpenIrregularity, Parked, TableState
from edge.ruling.waiting import lies_face_down

ON_A_CARD: Final = frozenset(
    {Resolution.USE_AS_NEXT, Resolution.DISCARD, Resolution.RETRACT, Resolution.MOVE, Resolution.CORRECT}
)
"""Resolutions that are about one card."""
ALONE: Final = frozenset(
    {
        Resolution.ACCEPT,
        Resolution.USE_AS_NEXT,
        Resolution.DISCARD,
        Resolution.REBUILD,
        Resolution.DEAL_MISSING,
        Resolution.VOID_HAND,
        Resolution.VOID_ROUND,
        Resolution.RETIRE_SHOE,
    }
)
"""Resolutions that need nothing a person must say."""


GOES_BACK: Final = frozenset({Kind.PUSHED_BACK, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_TWICE})
"""Kinds in which something may have gone back into the shoe that no draw names."""


def policy_for(state: TableState, kind: Kind) -> Policy:
    """What the house says about this kind now."""
    rules = rules_in_force(state)
    return ASK if rules is None else rules.policy(kind)


def allowed_for(
    state: TableState, raised: OpenIrregularity, fitting: tuple[Resolution, ...] | None = None
) -> tuple[Resolution, ...]:
    """What a supervisor may do about it, in order; never empty.

    Args:
        state: the table.
        raised: what is irregular.
        fitting: what alone fits this case; None: whatever fits the kind.
    """
    policy = policy_for(state, raised.kind)
    fitting = fitting or may_be_allowed(raised.kind)
    if policy.allowed is not None:
        fitting = tuple(each for each in fitting if each in policy.allowed)
    if raised.latched:
        return (Resolution.CLEAR,)
    if raised.kind is Kind.UNEXPECTED_DRAW and raised.draw is None and not _set_aside(state, raised):
        fitting = (Resolution.ACCEPT, *fitting)  # a cut card that is none of this shoe's
    allowed = tuple(each for each in dict.fromkeys(fitting) if _applies(state, raised, each))
    if allowed:
        return allowed
    return (Resolution.RETIRE_SHOE,) if state.shoe is not None else (Resolution.ACCEPT,)


def house_way(state: TableState, raised: OpenIrregularity, allowed: tuple[Resolution, ...]) -> HouseWay:
    """The house's own resolution where it fits, else ``ask``."""
    way = policy_for(state, raised.kind).way(raised.stage)
    return way if way in allowed else "ask"


def acts_by_itself(raised: OpenIrregularity) -> bool:
    """Whether everything that the house's own resolution needs is known."""
    if raised.by_hand:
        return False
    match raised.house:
        case Resolution.CORRECT:
            return raised.card is not None
        case Resolution.MOVE:
            return raised.to is not None
        case _:
            return raised.house in ALONE


def parked_draw(state: TableState, draw: int | None) -> Parked | None:
    """The card set aside under this number."""
    return next((each for each in state.parked if draw is not None and each.draw == draw), None)


def _applies(state: TableState, raised: OpenIrregularity, resolution: Resolution) -> bool:
    match resolution:
        case Resolution.VOID_ROUND:
            return state.round is not None
        case Resolution.RETIRE_SHOE:
            return state.shoe is not None
        case Resolution.CLEAR:
            return raised.latched
        case Resolution.ENTER:
            return parked_draw(state, raised.draw) is None or not lies_face_down(state)
        case Resolution.PEEK:
            return parked_draw(state, raised.draw) is None
        case Resolution.ACCEPT:
            return _acceptable(state, raised)
        case Resolution.REBUILD:
            return state.round is not None and not state.round.decided
        case Resolution.VOID_HAND | Resolution.DEAL_MISSING:
            return may_be_left_out(state, raised, resolution)
        case _:
            return resolution not in ON_A_CARD or _about_a_card(state, raised, resolution)


def _about_a_card(state: TableState, raised: OpenIrregularity, resolution: Resolution) -> bool:
    if raised.kind is Kind.EXPOSED_IN_SHOE and raised.draw is None:
        return resolution is not Resolution.RETRACT
    if raised.kind is Kind.UNEXPECTED_DRAW and raised.draw is None:
        return resolution is Resolution.DISCARD and _set_aside(state, raised)
    if raised.draw is None:
        # the pit names the card when it decides; a cut card is none
        return resolution is Resolution.RETRACT and raised.kind in GOES_BACK
    parked = parked_draw(state, raised.draw) is not None
    placed = state.round is not None and place_of(state.round, raised.draw) is not None
    if resolution in {Resolution.MOVE, Resolution.CORRECT}:
        return placed
    return parked or placed


def _set_aside(state: TableState, raised: OpenIrregularity) -> bool:
    """A card without a number is set aside for it: one of a shoe that is not in play."""
    return any(each.draw is None and each.device == raised.device for each in state.parked)


def _acceptable(state: TableState, raised: OpenIrregularity) -> bool:
    match raised.kind:
        case Kind.UNREAD_CARD:
            return parked_draw(state, raised.draw) is not None and lies_face_down(state)
        case Kind.UNEXPECTED_DRAW | Kind.DOUBLE_DRAW:
            return raised.draw is None or parked_draw(state, raised.draw) is None
        case Kind.DAMAGED_CARD:
            return not raised.latched
        case Kind.DEALER_SKIPPED:
            return may_be_left_out(state, raised, Resolution.ACCEPT)
        case _:
            return True
