"""The ``state`` topic: everything a late joiner needs, and no card that lies face down."""

import json
from typing import Any

import pytest

from edge.house_rules import house_text
from edge.inputs import HouseRulesAdopted, Patience, RequestMade
from edge.public_state import written_state
from edge.replay import JOURNAL
from edge.requests import Asked
from edge.ruling import TableState, decide, new_table
from edge.script import EdgeRestarted, read_script
from edge.upstream import CursorAsked, Malformed

OPENED = [
    '{"shoe": {"install": {"decks": 8}}}',
    '{"draw": "Ac"}',
    '{"draw": "2d"}',
    '{"command": "round.open", "data": {"round_id": "r1", "seats": [1]}}',
]
DEALT = [*OPENED, '{"draw": "Th"}', '{"draw": "7d"}', '{"draw": "8c"}', '{"draw": "Kc"}']


def _state(lines: list[str]) -> TableState:
    state = decide(new_table(JOURNAL), HouseRulesAdopted(text=house_text("deluxe"))).state
    for step in read_script("\n".join(lines), source="s", seed=0):
        said = step.said
        assert not isinstance(said, Malformed | CursorAsked | EdgeRestarted | Patience)
        state = decide(state, RequestMade(asked=said) if isinstance(said, Asked) else said).state
    return state


def _shown(lines: list[str]) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(written_state(_state(lines), table="t1"))
    return shown


def test_an_empty_table() -> None:
    shown = _shown([])

    assert (shown["phase"], shown["shoe"], shown["round"], shown["expected"]) == ("no_shoe", None, None, None)
    assert (shown["house"], shown["table"], shown["as_of"]) == ("deluxe", "t1", 0)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (OPENED[:1], {"draw": 1, "to": "first_card", "face": "up"}),
        (OPENED[:2], {"draw": 2, "to": "burn", "face": "down"}),
        (OPENED[:3], None),
        (OPENED, {"draw": 3, "to": {"seat": 1, "hand": 1}, "face": "up"}),
        (DEALT[:5], {"draw": 4, "to": "dealer", "face": "up"}),
        (DEALT[:7], {"draw": 6, "to": "dealer", "face": "down"}),
        (DEALT, None),
        ([*DEALT, '{"device": "moved"}'], None),
    ],
)
def test_the_expected_draw(lines: list[str], expected: dict[str, Any] | None) -> None:
    assert _shown(lines)["expected"] == expected


def test_a_round_with_its_offer_and_the_hole_card_as_null() -> None:
    shown = _shown(DEALT)

    assert shown["round"]["dealer"] == {"cards": ["7d", None], "total": 7}
    assert shown["round"]["hands"] == [
        {
            "seat": 1,
            "hand": 1,
            "cards": ["Th", "8c"],
            "total": 18,
            "soft": False,
            "doubled": False,
            "how": None,
        }
    ]
    assert shown["offer"] == {
        "sequence": shown["as_of"],
        "seat": 1,
        "hand": 1,
        "actions": ["hit", "stand", "double", "surrender"],
    }


@pytest.mark.rule("DLX-6")
def test_two_tables_that_differ_in_the_hole_card_look_the_same() -> None:
    one, other = (
        written_state(_state([*DEALT[:-1], f'{{"draw": "{card}"}}']), table="t1") for card in ("Kc", "5h")
    )

    assert one == other


def test_a_held_table_says_why_and_counts_what_is_parked() -> None:
    shown = _shown([*DEALT, '{"draw": "9h"}', '{"draw": "3h"}'])

    assert (shown["phase"], shown["held"], shown["parked"]) == ("held", True, 2)
    assert shown["irregularities"] == [{"id": 1, "kind": "unexpected_draw", "draw": 7, "device": "shoe"}]
