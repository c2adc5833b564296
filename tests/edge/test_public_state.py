"""The ``state`` topic: everything a late joiner needs, and no card that lies face down."""

import json
from typing import Any

import pytest

from edge.house_rules import house_text
from edge.inputs import EdgeStarted, HostLeft, HouseRulesAdopted, Patience, RequestMade
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


def supervisor(command: str, said: dict[str, Any]) -> str:
    return json.dumps({"supervisor": command, "data": said})


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

    assert shown["round"]["dealer"] == {"cards": ["7d", None], "draws": [4, 6], "total": 7}
    assert shown["round"]["hands"] == [
        {
            "seat": 1,
            "hand": 1,
            "cards": ["Th", "8c"],
            "draws": [3, 5],
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


def test_a_held_table_says_why_and_what_is_set_aside() -> None:
    shown = _shown([*DEALT, '{"draw": "9h"}', '{"draw": "3h"}'])

    assert (shown["phase"], shown["held"], shown["latched"]) == ("held", True, False)
    assert shown["parked"] == [
        {"draw": 7, "device": "shoe", "why": "irregular"},
        {"draw": 8, "device": "shoe", "why": "held"},
    ]
    (raised,) = shown["irregularities"]
    assert raised == {
        "id": 1,
        "kind": "unexpected_draw",
        "stage": "play",
        "draw": 7,
        "device": "shoe",
        "seat": None,
        "to": None,
        "allowed": ["use_as_next", "discard", "retract", "void_round", "retire_shoe"],
        "house": "ask",
        "latched": False,
        "since": shown["as_of"] - 2,  # raised, held, and the second card parked
    }


def test_what_the_pit_reported_is_told_with_its_place() -> None:
    report = {"kind": "unexpected_draw", "operator": "ada", "draw": 4, "to": "dealer", "seat": 1}
    shown = _shown([*DEALT, supervisor("irregularity.report", report)])

    (raised,) = shown["irregularities"]
    assert (raised["draw"], raised["to"], raised["seat"]) == (4, "dealer", 1)
    assert raised["stage"] == "dealer_covered"
    assert (shown["round"]["hands"][0]["draws"], shown["round"]["dealer"]["draws"]) == ([3, 5], [4, 6])


def test_a_pause_says_who_and_why_until_it_is_released() -> None:
    held = [*DEALT, supervisor("table.hold", {"operator": "ada", "reason": "a spilt drink"})]

    assert _shown(held)["pause"] == {"operator": "ada", "reason": "a spilt drink"}
    assert _shown(held)["held"] is True
    shown = _shown([*held, supervisor("table.release", {"operator": "ada", "reason": "wiped"})])
    assert (shown["pause"], shown["held"]) == (None, False)


def test_cards_that_were_taken_out_of_play_are_counted() -> None:
    def shoe(resolution: str) -> tuple[int, int, int]:
        resolve = {"id": 1, "resolution": resolution, "operator": "ada"}
        shown = _shown([*DEALT, '{"draw": "9h"}', supervisor("irregularity.resolve", resolve)])["shoe"]
        return shown["discarded"], shown["retracted"], shown["remaining"]

    assert (shoe("discard"), shoe("retract")) == ((1, 0, 409), (0, 1, 410))


def test_a_scan_out_is_told_by_its_counts_and_what_it_finds_is_latched_and_cleared_by_name() -> None:
    scanning = [
        *OPENED[:3],
        supervisor("shoe.retire", {"operator": "ada", "reason": "worn"}),
        '{"command": "shoe.reconcile", "data": {"step": "start"}}',
        '{"draw": "9h"}',
        '{"draw": null}',
    ]
    assert _shown(scanning)["scan"] == {"shoe": 1, "scanned": 1, "unread": 1}
    latched = [*scanning, '{"command": "shoe.reconcile", "data": {"step": "finish"}}']
    shown = _shown(latched)
    assert (shown["scan"], shown["latched"], shown["held"]) == (None, True, False)
    assert [each["allowed"] for each in shown["irregularities"]] == [["clear"]]
    shown = _shown([*latched, supervisor("fault.clear", {"operator": "ada", "reason": "counted by hand"})])
    assert (shown["latched"], shown["clears"]) == (False, [{"operator": "ada", "count": 1}])


def test_whoever_is_waited_for_is_told() -> None:
    state = _state(DEALT)
    started = EdgeStarted(
        version="0", config_hash="c", operators=None, shoes=None, patience=Patience(host_lost_ms=5000)
    )
    for heard in (started, HostLeft(why="no_broker")):
        state = decide(state, heard).state
    shown = json.loads(written_state(state, table="t1"))
    assert shown["host"] == {"online": False, "overdue": False}
    assert shown["deadlines"] == [{"name": "host_lost", "number": 1, "after_ms": 5000}]


@pytest.mark.rule("DLX-6")
@pytest.mark.parametrize(
    "after",
    [
        [],
        ['{"draw": "9h"}'],
        [supervisor("irregularity.report", {"kind": "hole_card_shown", "operator": "ada"})],
        [supervisor("table.hold", {"operator": "ada", "reason": "-"}), '{"draw": "9h"}'],
    ],
)
def test_what_holds_a_table_gives_no_card_away(after: list[str]) -> None:
    def shown(hole: str, parked: str) -> bytes:
        lines = [*DEALT[:-1], f'{{"draw": "{hole}"}}', *after, f'{{"draw": "{parked}"}}']
        return written_state(_state(lines), table="t1")

    assert shown("Kc", "4d") == shown("5h", "As")
