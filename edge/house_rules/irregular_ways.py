"""Ways with irregular play that cannot be: what a house says of a kind does not fit it, or this house."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from edge.house_rules.model import CutByCard, HouseRules
from edge.house_rules.policies import Policy, ways_of
from edge.irregular import BY_ITSELF, LATCHES, HouseWay, Kind, Resolution, Stage

ABOUT_A_ROUND: Final = frozenset(
    {
        Kind.MISREAD_CARD,
        Kind.WRONG_PLACE,
        Kind.BOX_WITHOUT_BET,
        Kind.BOX_SKIPPED,
        Kind.BOX_ONE_CARD,
        Kind.DEALER_SKIPPED,
        Kind.HOLE_CARD_SHOWN,
        Kind.DEVICE_LOST,
        Kind.HOST_LOST,
        Kind.POWER_LOST,
    }
)
"""Kinds that there are in a round only."""
ROUND: Final = (Stage.NEW_GAME, Stage.FIRST_CARDS, Stage.SECOND_CARDS, Stage.PLAY)
FOR_THE_DEALER: Final = (Stage.DEALER_COVERED, Stage.DEALER_EXPOSED)


def contradicting_ways(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """Key and reason of everything a house says of irregular play that could never be done."""
    for kind, policy in rules.irregularities.items():
        key = f"irregularities.{kind.value}"
        never = _never(rules, kind)
        if never:
            yield key, never
            continue
        yield from _allowed(kind, policy, key)
        yield from _way(kind, policy, policy.house, f"{key}.house")
        for stage, way in policy.at.items():
            yield from _at(kind, stage, way, f"{key}.at.{stage.value}")
            yield from _way(kind, policy, way, f"{key}.at.{stage.value}")


def _never(rules: HouseRules, kind: Kind) -> str:
    """Why this house cannot meet this kind; empty: it can."""
    if kind is Kind.HOLE_CARD_SHOWN and not rules.dealer.hole_card:
        return "there is no hole card (dealer.hole_card = false): leave it out"
    if kind is Kind.WRONG_BURN and rules.burn.by == "none":
        return 'nothing is burned (burn.by = "none"): leave it out'
    cut_cards = {Kind.CUT_CARD_TWICE, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_MISSING}
    if kind in cut_cards and not isinstance(rules.cut, CutByCard):
        return f'no card is cut in (cut.by = "{rules.cut.by}"): leave it out'
    return ""


def _allowed(kind: Kind, policy: Policy, key: str) -> Iterator[tuple[str, str]]:
    if policy.allowed is None:
        return
    if not policy.allowed:
        yield f"{key}.allowed", f"nothing could end it: {_listed(ways_of(kind))}, or leave it out"
    strange = [each for each in policy.allowed if each not in ways_of(kind)]
    if strange:
        yield f"{key}.allowed", _misfit(kind, strange[0])
    twice = [each.value for each, count in Counter(policy.allowed).items() if count > 1]
    if twice:
        yield f"{key}.allowed", f'"{twice[0]}" stands there twice: once is enough'


def _way(kind: Kind, policy: Policy, way: HouseWay, key: str) -> Iterator[tuple[str, str]]:
    if way == "ask":
        return
    if way not in ways_of(kind):
        yield key, _misfit(kind, way)
    elif policy.allowed is not None and way not in policy.allowed:
        yield (
            key,
            f'"{way.value}" is not among its allowed: {_listed(policy.allowed)}, "ask", or allow it as well',
        )


def _at(kind: Kind, stage: Stage, way: HouseWay, key: str) -> Iterator[tuple[str, str]]:
    possible = _stages(kind)
    if stage not in possible:
        where = ", ".join(f'"{each.value}"' for each in possible)
        told = f"it can at {where}" if where else "it latches at whatever stage: leave it out"
        yield key, f"{kind.value} cannot be there; {told}"
    elif way is Resolution.VOID_ROUND and stage not in (*ROUND, *FOR_THE_DEALER):
        yield key, 'there is no round to void: "retire_shoe", "ask", or another that fits'
    elif way is Resolution.RETIRE_SHOE and stage is Stage.NO_SHOE:
        yield key, 'there is no shoe to retire: "ask"'


def _stages(kind: Kind) -> tuple[Stage, ...]:
    """Where there can be such a thing, as far as a house distinguishes it."""
    if kind in LATCHES:
        return ()
    if kind in ABOUT_A_ROUND:
        return ROUND
    everywhere = (Stage.NO_SHOE, Stage.OPENING, Stage.BETWEEN, *ROUND)
    return (*everywhere, *FOR_THE_DEALER) if kind is Kind.UNEXPECTED_DRAW else everywhere


def _misfit(kind: Kind, way: Resolution) -> str:
    why = "it comes by itself and is nobody's choice" if way in BY_ITSELF else f"it does not fit {kind.value}"
    return f'"{way.value}": {why}; what fits: {_listed(ways_of(kind))}'


def _listed(ways: tuple[Resolution, ...]) -> str:
    return ", ".join(f'"{each.value}"' for each in ways)
