"""Session scripts: understood whole, or refused with file, line and column."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from edge.errors import ScriptInvalid
from edge.house_rules import house_text
from edge.replay import Published, Replayed, Unreadable, replay
from edge.requests import Reply
from edge.script import read_script

CASES = sorted((Path(__file__).parent / "cases").rglob("*.json"))

OPENED = [
    '{"shoe": {"install": {"decks": 8}}}',
    '{"draw": "Ac"}',
    '{"draw": "2d"}',
    '{"command": "round.open", "data": {"round_id": "r1", "seats": [1]}}',
]
DEALT = [*OPENED, '{"draw": "Th"}', '{"draw": "7d"}', '{"draw": "8c"}', '{"draw": "Kc"}']


def _replayed(lines: list[str], *, seed: int = 0) -> list[Replayed]:
    steps = read_script("\n".join(lines), source="s.jsonl", seed=seed)
    return list(replay(steps, house=house_text("deluxe")))


def _events(lines: list[str], *, seed: int = 0) -> list[dict[str, Any]]:
    return [json.loads(each.payload) for each in _replayed(lines, seed=seed) if isinstance(each, Published)]


def _last_reply(lines: list[str]) -> Reply:
    return [each for each in _replayed(lines) if isinstance(each, Reply)][-1]


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        ('{"draw": "9h"', 14, "not JSON"),
        ("[1]", 1, "not a JSON object"),
        ("nonsense", 1, "not JSON"),
        ('{"drow": "9h"}', 2, "none of draw, shoe"),
        ("{}", 1, "none of draw"),
        ('{"draw": "1x"}', 2, "'1x' is no card"),
        ('{"draw": 9}', 2, "must be a card"),
        ('{"draw": "9h", "colour": "red"}', 16, "'colour' does not belong"),
        ('{"draw": "9h", "device": 3}', 16, "'device' must be a text"),
        ('{"draw": "9h", "reread": "yes"}', 16, "true or false"),
        ('{"at": -1, "draw": "9h"}', 2, "seconds since the start"),
        ('{"at": "soon", "draw": "9h"}', 2, "seconds since the start"),
        ('{"shoe": {"remove": {}}}', 2, "install"),
        ('{"shoe": {"install": {"decks": 8}}, "data": {}}', 37, "'data' does not belong"),
        ('{"command": 3}', 2, "'command' must be a text"),
        ('{"device": "on_fire", "id": "shoe"}', 2, "does not 'on_fire'"),
        ('{"draw": ' + "[" * 100_000 + "}", 1, ""),
        ('{"draw": ' + "1" * 10_000 + "}", 1, "number"),
        ('{"draw": "9h", "device": "\\ud800"}', 1, "text"),
        ('{"at": 1e999, "draw": "9h"}', 1, "number"),
        ('{"draw": "9h", "draw": "8h"}', 2, "'draw' is there twice"),
    ],
)
def test_a_line_not_understood_names_file_line_and_column(line: str, column: int, says: str) -> None:
    with pytest.raises(ScriptInvalid) as caught:
        _replayed([*OPENED, "", line])

    assert f"s.jsonl, line 6, column {column}: " in str(caught.value)
    assert says in str(caught.value)


def test_time_does_not_go_back() -> None:
    with pytest.raises(
        ScriptInvalid, match="line 2, column 2: 'at' goes back: the line before it was at 100"
    ):
        _replayed(['{"at": 100, "draw": "9h"}', '{"at": 5, "draw": "8h"}'])


def test_replay_is_deterministic_to_the_byte() -> None:
    once = [each.payload for each in _replayed(DEALT) if isinstance(each, Published)]
    again = [each.payload for each in _replayed(DEALT) if isinstance(each, Published)]

    assert once == again


def test_another_seed_changes_seals_and_what_is_chained_to_them_only() -> None:
    def masked(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**event, "prevhash": "", "data": {k: v for k, v in event["data"].items() if k != "seal"}}
            for event in events
        ]

    one, other = _events(DEALT, seed=1), _events(DEALT, seed=2)

    assert one != other
    assert masked(one) == masked(other)


def test_time_comes_from_the_lines_and_stands_still_without_it() -> None:
    events = _events(
        ['{"at": 1.5, "shoe": {"install": {"decks": 8}}}', '{"draw": "Ac"}', '{"at": 61, "draw": "2d"}']
    )

    assert [event["time"] for event in events] == [
        "2026-01-01T00:00:01.500Z",
        "2026-01-01T00:00:01.500Z",
        "2026-01-01T00:01:01.000Z",
        "2026-01-01T00:01:01.000Z",
    ]


def test_a_refused_command_prints_nothing_and_the_replay_goes_on() -> None:
    lines = [OPENED[0], '{"shoe": {"install": {"decks": 8}}}', *OPENED[1:]]

    assert _events(lines) == _events(OPENED)


def test_a_malformed_request_is_answered_as_the_broker_would_be() -> None:
    lines = [*OPENED, '{"command": "hand.decide", "data": {"seat": "one"}}', '{"draw": "Th"}']

    [unreadable] = [each for each in _replayed(lines) if isinstance(each, Unreadable)]
    assert unreadable.line == 5
    assert len(_events(lines)) == len(_events([*OPENED, '{"draw": "Th"}']))


def test_the_same_id_gets_the_same_answer_and_another_content_is_refused() -> None:
    request = '{"command": "round.open", "id": "ID", "data": {"round_id": "r7", "seats": [1]}}'.replace(
        "ID", "7d2f7a2e-0000-4000-8000-000000000001"
    )
    refused = request.replace('"seats": [1]', '"seats": [2]')

    assert _last_reply([*OPENED[:3], request, request]) == _last_reply([*OPENED[:3], request])
    assert _last_reply([*OPENED[:3], request, refused]).code == "id_reused"


def test_a_signal_of_the_shoe_holds_the_table() -> None:
    types = [event["type"] for event in _events([*OPENED, '{"device": "lid_opened", "id": "shoe"}'])]

    assert types[-2:] == ["table-edge.irregularity.raised.v1", "table-edge.table.held.v1"]


def test_a_draw_from_another_shoe_is_unexpected() -> None:
    [raised, _held] = _events([*OPENED, '{"draw": "9h", "device": "shoe-b"}'])[-2:]

    assert raised["data"]["kind"] == "unexpected_draw"
    assert raised["data"]["device"] == "shoe-b"


def _run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edge.cli", *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_events_as_published_and_ends_with_0(tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text("\n".join(DEALT), encoding="utf-8")

    ended = _run("replay", str(script), "--rules", "deluxe", "--format", "jsonl")

    assert ended.returncode == 0, ended.stderr
    assert [json.loads(line) for line in ended.stdout.splitlines()] == _events(DEALT)


def test_the_command_ends_with_2_where_a_line_is_not_understood() -> None:
    ended = _run("replay", "-", "--rules", "deluxe", given="\n".join([*OPENED, '{"draw": "1x"}']))

    assert ended.returncode == 2
    assert "line 5, column 2" in ended.stderr
    assert len(ended.stdout.splitlines()) == len(_events(OPENED))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay", "/nowhere/s.jsonl", "--rules", "deluxe"), "/nowhere/s.jsonl cannot be read"),
        (("replay", "-", "--rules", "luxury"), "no house 'luxury'"),
        (("journal", "verify", "/nowhere/journal.db"), "/nowhere/journal.db"),
        (("journal", "show"), "No journal was named"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(arguments: tuple[str, ...], says: str) -> None:
    ended = _run(*arguments)

    assert ended.returncode in {1, 2}
    assert says in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_replies_are_printed_when_asked_for() -> None:
    ended = _run(
        "replay",
        "-",
        "--rules",
        "deluxe",
        "--replies",
        "--format",
        "text",
        given=OPENED[0] + "\n" + OPENED[0],
    )

    assert "accepted done" in ended.stdout
    assert "refused shoe_in" in ended.stdout


def _matches(got: object, expected: object) -> bool:
    """Every field that is given has the given value; absent and null are the same."""
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(_matches(got.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        same_length = isinstance(got, list) and len(got) == len(expected)
        return same_length and all(map(_matches, got if isinstance(got, list) else [], expected))
    return got == expected


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_case_through_the_door(path: Path) -> None:
    """The cases as a script's own lines: reader, door, table and envelope included."""
    case = json.loads(path.read_text(encoding="utf-8"))
    lines = "\n".join(json.dumps(line) for line in case["script"])
    steps = read_script(lines, source=path.name, seed=1)

    got = []
    for each in replay(steps, house=house_text(case["rules"])):
        if isinstance(each, Published):
            said = json.loads(each.payload)
            kind = said["type"].removeprefix("table-edge.").removesuffix(".v1")
            if not kind.startswith(("edge.", "device.", "table.")):
                got.append({**said["data"], "type": kind})

    for place, (event, expected) in enumerate(zip(got, case["expect"], strict=False)):
        assert _matches(event, expected), f"event {place}: {event} instead of {expected}"
    assert len(got) == len(case["expect"])
