"""The part of a house's sheet about irregular play: how long is waited, and what the house does by itself."""

from collections.abc import Iterator
from typing import Final

from edge.house_rules import CutByCard, HouseRules, Policy
from edge.irregular import LATCHES, HouseWay, Kind, Resolution, Stage

WAYS: Final[dict[HouseWay, str]] = {
    "ask": "a supervisor decides",
    Resolution.ACCEPT: "play goes on",
    Resolution.USE_AS_NEXT: "it is the next card",
    Resolution.DISCARD: "it goes out of play",
    Resolution.MOVE: "the card goes where it belongs",
    Resolution.REBUILD: "the first cards are put in order",
    Resolution.DEAL_MISSING: "the missing card is dealt next",
    Resolution.VOID_HAND: "that bet is void",
    Resolution.ENTER: "a supervisor names the card",
    Resolution.CORRECT: "it is corrected as the pit says",
    Resolution.RETRACT: "the card goes back and is not counted",
    Resolution.CONFIRM: "a supervisor confirms the cards on the table",
    Resolution.PEEK: "a supervisor looks whether it makes a natural",
    Resolution.VOID_ROUND: "the round is void",
    Resolution.RETIRE_SHOE: "the round is void and the shoe out of play",
    Resolution.CLEAR: "a supervisor clears it by name",
}
"""What a house may do, as it stands on the sheet."""
STAGES: Final[dict[Stage, str]] = {
    Stage.NO_SHOE: "without a shoe",
    Stage.OPENING: "before a shoe is ready",
    Stage.BETWEEN: "between two rounds",
    Stage.NEW_GAME: "before a round's first card",
    Stage.FIRST_CARDS: "among the first cards",
    Stage.SECOND_CARDS: "among the second cards",
    Stage.PLAY: "after the deal",
    Stage.DEALER_COVERED: "drawn for you and not seen",
    Stage.DEALER_EXPOSED: "drawn for you and seen",
}
AT_A_TABLE_MS: Final = {"early_draw_ms": 2_000, "device_lost_ms": 10_000, "host_lost_ms": 10_000}
"""How long a table waits where its house does not say."""
_NO_CUT_CARD: Final = frozenset({Kind.CUT_CARD_TWICE, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_MISSING})


def irregular_lines(rules: HouseRules) -> Iterator[str]:
    """What stands on the sheet under "When play goes wrong"."""
    yield (
        "Stop and call. The table is held; who decides is on record with name and reason. Whatever it is, a "
        "supervisor may void the round, or take the shoe out of play."
    )
    yield from _waits(rules)
    yield "Counts that do not match, a failed shuffle: no new shoe before a supervisor clears it by name."
    groups: dict[str, list[str]] = {}
    for kind in Kind:
        if kind not in LATCHES and _can_be(rules, kind):
            groups.setdefault(_told(rules.policy(kind)), []).append(kind.value.replace("_", " "))
    for told, kinds in groups.items():
        yield f"{', '.join(kinds).capitalize()}: {told}."


def _waits(rules: HouseRules) -> Iterator[str]:
    if rules.draw_is_hit:
        yield "A card drawn while a player decides is his hit."
    early = _seconds(rules.early_draw_ms, "early_draw_ms")
    yield (
        f"A card drawn before its command waits {early} for it; it is no decision."
        if early
        else "A card drawn before its command has no place."
    )
    lost = _seconds(rules.device_lost_ms, "device_lost_ms")
    yield (
        f"A shoe that is unplugged in a round has {lost} to come back."
        if lost
        else "A shoe that is unplugged in a round stops it."
    )
    host = _seconds(rules.host_lost_ms, "host_lost_ms")
    yield (
        f"A game server that is gone in a round has {host} to come back."
        if host
        else "A game server that is gone in a round is missed at once."
    )
    if rules.min_draw_ms:
        yield f"Two cards within {rules.min_draw_ms} ms are one too many."


def _seconds(said: int | None, key: str) -> str:
    """How long; empty: not at all."""
    waits = AT_A_TABLE_MS[key] if said is None else said
    return f"{waits / 1000:g} s" if waits else ""


def _can_be(rules: HouseRules, kind: Kind) -> bool:
    if kind is Kind.HOLE_CARD_SHOWN:
        return rules.dealer.hole_card
    if kind is Kind.WRONG_BURN:
        return rules.burn.by != "none"
    return kind not in _NO_CUT_CARD or isinstance(rules.cut, CutByCard)


def _told(policy: Policy) -> str:
    """One policy in words: its way, where it has another, and what it allows."""
    elsewhere: dict[HouseWay, list[str]] = {}
    for stage, way in policy.at.items():
        if way != policy.house:
            elsewhere.setdefault(way, []).append(STAGES[stage])
    parts = [WAYS[policy.house]]
    parts += [f"{', '.join(stages)}: {WAYS[way]}" for way, stages in elsewhere.items()]
    if policy.allowed is not None:
        others = [each for each in policy.allowed if each not in {policy.house, *policy.at.values()}]
        parts.append(
            f"nothing else is allowed but: {', '.join(WAYS[each] for each in others)}"
            if others
            else "nothing else is allowed"
        )
    if policy.role != "supervisor":
        parts.append(f"it takes the role {policy.role}")
    return "; ".join(parts)
