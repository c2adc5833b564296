"""One page a house: what it does where play goes wrong, from its file and the words of edge.irregular.

For each kind: what was seen and by whom, what the house does at each stage, what is allowed, what each
resolution does to the cards, what the pit has to say for it, and who may. The ids beside a kind are those of
the rules that its hand-written cases were written from.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from edge.house_rules import HouseRules, Policy, house_names, house_text, may_be_allowed, parse_house
from edge.house_rules.policies import ENDS
from edge.irregular import LATCHES, SEEN, HouseWay, Kind, Resolution
from edge.ruling.remedies import ALONE
from scripts.remedy_words import BY_ITSELF_AS_WELL, SEEN_BY, STAGES, remedy

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "docs" / "irregularities"
CASES: Final = ROOT / "tests" / "edge" / "irregular_cases"
SERIES: Final = ("BJ", "DLX", "SAG", "HTS", "KRF")

NEEDS: Final = {
    Resolution.CORRECT: "if the report says what the card really is",
    Resolution.MOVE: "if the report says where the card belongs",
}
"""The house's own ways that act by themselves only if a report said enough."""

HEAD: Final = """\
# {name}: when play goes wrong

*Made by `scripts/irregularities` from the house file; a test fails while this page is stale.*

What is the same in every house stands in [irregularities.md](../irregularities.md). What this house does *by
itself* it does at once; where that does not fit the cards on the table, a supervisor is asked. A supervisor
may always void the round and retire the shoe, by name and with a reason. Another way than the house's own is
an override, and on record as such. The rules are those of [rules.md](../rules.md).

| what goes wrong | what the house does | rules |
|---|---|---|
"""


def pages() -> dict[Path, str]:
    """Every page by its path."""
    return {FOLDER / f"{house}.md": page(parse_house(house_text(house))) for house in house_names()}


def page(rules: HouseRules) -> str:
    """The page of one house that comes with the product."""
    ids = {kind: _rules_of(rules.name, kind) for kind in Kind}
    rows = (
        f"| [`{kind.value}`](#{kind.value}) | {_never(rules, kind) or _in_short(rules, kind)} "
        f"| {', '.join(ids[kind])} |\n"
        for kind in Kind
    )
    sections = ("\n".join(["", *_section(rules, kind, ids[kind]), ""]) for kind in Kind)
    return "".join([HEAD.format(name=rules.name), *rows, *sections])


def _rules_of(house: str, kind: Kind) -> tuple[str, ...]:
    """The rules that the cases of this kind at this house were written from."""
    found: set[str] = set()
    for path in (CASES / house).glob("*.json"):
        if path.stem.partition("-")[0] == kind.value:
            found |= set(json.loads(path.read_text(encoding="utf-8"))["covers"])
    return tuple(sorted(found, key=_place))


def _place(rule: str) -> tuple[int, bool, int]:
    """HTS-1 before HTS-I1, and I2 before I10."""
    series, number = rule.split("-")
    return SERIES.index(series), number.startswith("I"), int(number.removeprefix("I"))


def _section(rules: HouseRules, kind: Kind, ids: tuple[str, ...]) -> Iterator[str]:
    yield f"## `{kind.value}`"
    yield ""
    never = _never(rules, kind)
    if never:
        yield f"{SEEN[kind]} At this house {never}."
        return
    of = f" {', '.join(ids)}." if ids else ""
    yield f"{SEEN[kind]} Seen by {SEEN_BY[kind]}.{of}"
    yield ""
    yield from _ways(rules, kind)
    yield ""
    yield from _choice(rules, kind)


def _never(rules: HouseRules, kind: Kind) -> str:
    """Why this cannot happen at this house; empty: it can."""
    if kind is Kind.HOLE_CARD_SHOWN and not rules.dealer.hole_card:
        return "it cannot be: there is no hole card"
    if kind is Kind.WRONG_BURN and rules.burn.by == "none":
        return "it cannot be: nothing is burned"
    if kind in {Kind.CUT_CARD_TWICE, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_MISSING} and rules.cut.by != "card":
        return "it cannot be: no card is cut in, and one that comes is an `unexpected_draw`"
    return ""


# What the house does ---------------------------------------------------------------------------------


def _in_short(rules: HouseRules, kind: Kind) -> str:
    """In a few words, for the table on top: what it does at most stages comes first."""
    if kind in LATCHES:
        return "latches"
    policy = rules.policy(kind)
    stages: dict[HouseWay, list[str]] = {policy.house: []}
    for stage, way in policy.at.items():
        stages.setdefault(way, []).append(f"`{stage.value}`")
    stages[policy.house] = []
    return "; ".join(
        f"at {', '.join(where)}: {_named(way)}" if where else _named(way) for way, where in stages.items()
    )


def _named(way: HouseWay) -> str:
    return "asks a supervisor" if way == "ask" else f"`{way.value}`"


def _ways(rules: HouseRules, kind: Kind) -> Iterator[str]:
    if kind in LATCHES:
        yield (
            "* It latches: nothing in progress is held, and no shoe goes in before a supervisor clears it "
            "by name."
        )
        return
    policy = rules.policy(kind)
    others = {stage: way for stage, way in policy.at.items() if way != policy.house}
    for stage, way in others.items():
        yield f"* {STAGES[stage].capitalize()} (`{stage.value}`): {_way(kind, way)}"
    yield f"* {'Otherwise' if others else 'Always'}: {_way(kind, policy.house)}"
    if kind is Kind.DAMAGED_CARD and rules.continuous_shuffler:
        yield (
            "* In a round: it latches. The round goes on, and no other opens before the card is replaced and "
            "a supervisor clears it by name."
        )
    if kind in BY_ITSELF_AS_WELL and policy.house is not Resolution.RETIRE_SHOE:
        yield f"* {BY_ITSELF_AS_WELL[kind]}"


def _way(kind: Kind, way: HouseWay) -> str:
    if way == "ask":
        return "the table is held, and a supervisor decides."
    if way in NEEDS:
        return f"`{way.value}` by itself, {NEEDS[way]}; else a supervisor decides."
    if way not in ALONE:
        return (
            f"the table is held; the house's way is `{way.value}`, and somebody says {remedy(kind, way).say}."
        )
    return f"`{way.value}` by itself."


# What a supervisor may do ----------------------------------------------------------------------------


def _choice(rules: HouseRules, kind: Kind) -> Iterator[str]:
    policy = rules.policy(kind)
    allowed = _allowed(rules, policy, kind)
    details = [each for each in allowed if each not in ENDS]
    ends = " and ".join(f"`{each.value}`" for each in allowed if each in ENDS)
    who = f"With the role `{policy.role}`"
    if not details:
        yield f"{who}: {ends}{', and nothing else' if policy.allowed is not None else ''}."
        return
    yield f"{who}{f', beside {ends}' if ends else ''}:"
    yield ""
    yield "| resolution | what it does | what to say |"
    yield "|---|---|---|"
    for each in details:
        told = remedy(kind, each)
        yield f"| `{each.value}` | {told.does} | {told.say or 'nothing'} |"


def _allowed(rules: HouseRules, policy: Policy, kind: Kind) -> tuple[Resolution, ...]:
    """What may be offered; a latch is cleared and nothing else."""
    if kind in LATCHES:
        return (Resolution.CLEAR,)
    fitting = may_be_allowed(kind)
    if policy.allowed is not None:
        fitting = tuple(each for each in fitting if each in policy.allowed)
    if not rules.continuous_shuffler:
        fitting = tuple(each for each in fitting if each is not Resolution.CLEAR)
    return fitting or (Resolution.RETIRE_SHOE,)


def main() -> int:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
