"""The cases of tests/edge/irregular_cases: what each house does where play went wrong.

As the cases of tests/edge/cases, each is a session script and exactly the events it must cause, but here
nothing of the table is left aside: irregularities, holds, parked cards, devices and shuffles are what they
are about. Only ``edge.*`` is. All were written from the rules before the code that passes them.

Beside the format of tests/edge/cases a case may have ``refusals``, the codes of the refused replies in
their order, and ``house_before`` and ``house_after``, lines put around the house file.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from edge.house_rules import house_text
from edge.replay import Published, Replayed, replay
from edge.requests import Reply
from edge.script import read_script

CASES: Final = Path(__file__).parent / "irregular_cases"
PATHS: Final = sorted(CASES.rglob("*.json"))
HOUSES: Final = ("deluxe", "ho-tram-strip", "korean-floor", "sa-gaming")
KINDS: Final = (
    "unexpected_draw",
    "unread_card",
    "foreign_card",
    "repeated_card",
    "misread_card",
    "double_draw",
    "pushed_back",
    "exposed_in_shoe",
    "wrong_place",
    "box_without_bet",
    "box_skipped",
    "box_one_card",
    "dealer_skipped",
    "hole_card_shown",
    "damaged_card",
    "wrong_burn",
    "cut_card_twice",
    "cut_card_early",
    "cut_card_missing",
    "shoe_empty",
    "count_mismatch",
    "scan_gap",
    "device_lost",
    "lid_opened",
    "shoe_moved",
    "shuffle_failed",
    "unshuffled",
    "host_lost",
    "power_lost",
)
BEFORE: Final = 3
"""Events told of a difference's past."""


def read_case(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def replayed(case: dict[str, Any]) -> list[Replayed]:
    house = case.get("house_before", "") + house_text(case["rules"]) + case.get("house_after", "")
    lines = "\n".join(json.dumps(line) for line in case["script"])
    return list(replay(read_script(lines, source=f"{case['id']}.jsonl", seed=1), house=house))


def events_told(said: list[Replayed]) -> Iterator[dict[str, Any]]:
    """Every event but ``edge.*``, as the data that was published, with its type."""
    for each in said:
        if isinstance(each, Published):
            event = json.loads(each.payload)
            kind = event["type"].removeprefix("table-edge.").removesuffix(".v1")
            if not kind.startswith("edge."):
                yield {"type": kind, **event["data"]}


def differences(expected: object, told: object, at: str = "") -> Iterator[str]:
    """Where a given field has another value; absent and null are the same."""
    if isinstance(expected, dict) and isinstance(told, dict):
        for key, value in expected.items():
            yield from differences(value, told.get(key), f"{at}.{key}" if at else key)
    elif isinstance(expected, list) and isinstance(told, list) and len(expected) == len(told):
        for place, (one, other) in enumerate(zip(expected, told, strict=True)):
            yield from differences(one, other, f"{at}[{place}]")
    elif expected != told:
        yield f"{at}: {json.dumps(told)} instead of {json.dumps(expected)}"


def first_difference(expected: list[dict[str, Any]], told: list[dict[str, Any]]) -> str:
    """A report for whoever mends it: what came before, what differs, what each side says next; or nothing."""
    for place in range(max(len(expected), len(told))):
        due = expected[place] if place < len(expected) else None
        came = told[place] if place < len(told) else None
        wrong = list(differences(due, came)) if due and came else ["one side has ended"]
        if wrong:
            past = [f"    {json.dumps(each)}" for each in told[max(0, place - BEFORE) : place]]
            return "\n".join(
                [
                    f"event {place + 1} of {len(expected)} ({len(told)} came):",
                    *past,
                    f"  - {json.dumps(due)}",
                    f"  + {json.dumps(came)}",
                    *(f"    {each}" for each in wrong),
                    "  due after it:  " + " ".join(each["type"] for each in expected[place + 1 :][:8]),
                    "  came after it: " + " ".join(each["type"] for each in told[place + 1 :][:8]),
                ]
            )
    return ""


def lies_open(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What tells of a card that nobody may see yet: burned, parked or dealt face down."""
    hidden = ("card.burned", "card.parked")
    secret = ("card", "total", "soft", "nonce")
    return [
        each
        for each in told
        if (each["type"] in hidden or each.get("face") == "down") and any(key in each for key in secret)
    ]


def _params() -> list[Any]:
    return [
        pytest.param(path, id=f"{path.parent.name}/{path.stem}", marks=pytest.mark.rule(*covers))
        for path, covers in ((path, read_case(path)["covers"]) for path in PATHS)
    ]


@pytest.mark.parametrize("path", _params())
def test_a_case_causes_its_events_and_no_others(path: Path) -> None:
    case = read_case(path)
    said = replayed(case)
    told = list(events_told(said))
    refusals = [each.code for each in said if isinstance(each, Reply) and each.outcome.value == "refused"]

    difference = first_difference(case["expect"], told)
    assert not difference, f"{case['why']}\n{difference}\nrefused: {refusals}"
    assert refusals == case.get("refusals", [])
    assert not lies_open(told)


@pytest.mark.parametrize("house", HOUSES)
def test_there_is_a_case_of_every_kind_in_every_house(house: str) -> None:
    named = {path.stem.partition("-")[0] for path in PATHS if path.parent.name == house}

    assert set(KINDS) <= named
    assert named - set(KINDS) <= {"incident", "supervisor"}


def test_every_case_is_named_as_its_file() -> None:
    for path in PATHS:
        case = read_case(path)
        assert (case["id"], case["rules"]) == (f"{path.parent.name}-{path.stem}", path.parent.name)


def test_every_rule_of_irregular_play_has_its_case() -> None:
    covered = {rule for path in PATHS for rule in read_case(path)["covers"]}

    assert {f"HTS-I{number}" for number in range(1, 13)} | {"SAG-13", "SAG-14", "DLX-32"} <= covered


@pytest.mark.parametrize(
    ("expected", "told", "says"),
    [
        ([{"type": "a", "card": None}], [{"type": "a", "more": 1}], ""),
        ([{"type": "a", "draw": 1}], [{"type": "a", "draw": 2}], "draw: 2 instead of 1"),
        ([{"type": "a", "to": {"seat": 1}}], [{"type": "a", "to": "dealer"}], "to: "),
        ([{"type": "a", "seats": [1]}], [{"type": "a", "seats": [1, 2]}], "seats: [1, 2] instead of [1]"),
        ([{"type": "a"}], [], "one side has ended"),
        ([], [{"type": "a"}], "one side has ended"),
    ],
)
def test_a_difference_is_told(expected: list[dict[str, Any]], told: list[dict[str, Any]], says: str) -> None:
    difference = first_difference(expected, told)

    assert says in difference
    assert bool(difference) == bool(says)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "card.parked", "draw": 3, "card": "9h"},
        {"type": "card.burned", "draw": 2, "nonce": "00"},
        {"type": "card.dealt", "face": "down", "total": 17},
    ],
)
def test_a_hidden_card_told_is_seen(event: dict[str, Any]) -> None:
    assert lies_open([event]) == [event]
