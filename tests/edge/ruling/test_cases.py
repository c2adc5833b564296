"""The cases of tests/edge/cases: a session script each, and exactly the events it must cause."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pytest

from edge.ruling import TableState
from tests.edge.ruling.playing import Table, as_published, refolded

CASES: Final = Path(__file__).parents[1] / "cases"
ASIDE: Final = ("edge.", "device.", "table.")
"""Events that no case speaks of."""


@lru_cache(maxsize=1)
def read_cases() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.rglob("*.json")))


def run_line(table: Table, line: dict[str, Any]) -> None:
    """One line of a session script, as the pure ruling hears it."""
    match line:
        case {"shoe": {"install": {"decks": decks}}}:
            table.install(decks)
        case {"draw": code}:
            table.draw(code)
        case {"command": "round.open", "data": {"round_id": round_id, "seats": seats}}:
            table.open(*seats, round_id=round_id)
        case {"command": "insurance.close", "data": data}:
            table.insure(*data["insured"], even_money=tuple(data.get("even_money", ())))
        case {"command": "hand.decide", "data": data}:
            table.decide(data["seat"], data["action"], hand=data["hand"], funded=data.get("funded", True))
        case {"command": "hand.timeout", "data": {"seat": seat}}:
            table.time_out(seat)
        case _:
            pytest.fail(f"a case has a line that this reader does not know: {line}")


def matches(expected: dict[str, Any], told: dict[str, Any]) -> bool:
    """Every field given has the same value; an absent field and null are the same."""
    return all(told.get(key) == value for key, value in expected.items())


def face_down_is_face_down(told: list[dict[str, Any]]) -> bool:
    """A card dealt face down or burned has nothing but its seal."""
    shown = ("card", "total", "soft", "nonce")
    lying = [each for each in told if each["type"] == "card.burned" or each.get("face") == "down"]
    return all(each["seal"] and not any(key in each for key in shown) for each in lying)


def _params() -> list[Any]:
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.rule(*case["covers"])) for case in read_cases()
    ]


@pytest.mark.parametrize("case", _params())
def test_a_case_causes_its_events_and_no_others(case: dict[str, Any]) -> None:
    table = Table(case["rules"])
    for line in case["script"]:
        run_line(table, line)
    told = [{"type": event.type, **as_published(event)} for event in table.events]
    told = [each for each in told if not each["type"].startswith(ASIDE)]
    for number, (expected, seen) in enumerate(zip(case["expect"], told, strict=False)):
        assert matches(expected, seen), f"event {number} should be {expected}, it is {seen}"
    assert len(told) == len(case["expect"])
    assert face_down_is_face_down(told)
    state: TableState = refolded(table.steps)
    assert state == table.state


def test_there_are_cases_of_all_four_houses() -> None:
    houses = [case["rules"] for case in read_cases()]
    assert len(houses) == 79
    assert set(houses) == {"deluxe", "sa-gaming", "ho-tram-strip", "korean-floor"}


def test_every_case_is_named_as_its_file() -> None:
    assert [path.stem for path in sorted(CASES.rglob("*.json"))] == [case["id"] for case in read_cases()]
