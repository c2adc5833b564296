"""``table-edge rules``: the list, the sheet, the check; and the same refusals at every other door."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from edge.cli.app import app
from edge.cli.irregular_sheet import AT_A_TABLE_MS, STAGES, WAYS
from edge.cli.sheet import sheet, title
from edge.daemon import PATIENCE
from edge.house_rules import HouseRules, Policy, house_names, house_text, parse_house
from edge.irregular import BY_ITSELF, Kind, Resolution, Stage

RUN: Final = CliRunner()


def test_the_list_has_a_line_for_each_house() -> None:
    told = RUN.invoke(app, ["rules", "list"])
    assert told.exit_code == 0
    lines = told.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(house_names())
    assert lines[0].endswith(
        "8 decks, 7 seats, burn by the first card, hole card, peek under ace and ten, pair bet of four kinds"
    )
    assert len({line.split(maxsplit=1)[1] for line in lines}) == 4


@pytest.mark.parametrize("house", house_names())
def test_the_sheet_is_plain_text_where_nobody_looks_at_a_terminal(house: str) -> None:
    told = RUN.invoke(app, ["rules", "show", house])
    assert told.exit_code == 0
    assert told.stdout.startswith(f"House {house}: ")
    assert max(len(line) for line in told.stdout.splitlines()) <= 96
    assert "\x1b" not in told.stdout
    assert all(section.heading in told.stdout for section in sheet(parse_house(house_text(house))))


SAYS: Final = {
    "deluxe": [
        "face down: ace one card, two to nine their number, ten to king ten cards.",
        "then one to yourself, face down.",
        "There is no even money",
        "not while you show an ace or a ten-valued card.",
        "on a split hand, too, but not on split aces.",
        "of equal value (king with ten counts)",
        "turn the hole card.",
        "A natural of yours is always found before play.",
        "suited triple 50:1",
        "from seat 1 upwards",
        "Shoe empty: the round is void.",
        "Foreign card, repeated card: the round is void and the shoe out of play; nothing else is allowed.",
    ],
    "sa-gaming": [
        "Nothing is burned",
        "none to yourself.",
        "drawn after the last seat",
        "on the first two cards, not on a split hand.",
        "takes the whole stake, doubled and split stakes included",
        "two of a rank pay 11:1",
        "none can be placed anew",
        "Unexpected draw, unread card, foreign card,",
    ],
    "ho-tram-strip": [
        "6 decks without jokers: 312 cards.",
        "Offer even money to every natural",
        "not while you show an ace.",
        "of equal rank (no king with ten)",
        "Split aces are played like any split hand.",
        "They may be placed anew on the two hands of a split",
        "Box skipped: that bet is void; among the first cards: the first cards are put in order.",
        "drawn for you and not seen: it goes out of play",
    ],
    "korean-floor": [
        "Burn two cards from a new shoe, face down and unseen",
        "Cut a card in with 50 cards behind it.",
        "A second cut card lies behind it; the first that comes out tells.",
        "Do not check the hole card before the end of play: naturals wait.",
        "Hand 1 gets its second card and is played out; only then hand 2",
        "If none does, it goes to the discards unseen.",
        "it pushes with every hand of 21",
        "from third base counter-clockwise to first base",
        "None.",
    ],
}


@pytest.mark.rule("KRF-1")
@pytest.mark.parametrize("house", house_names())
def test_the_sheet_says_what_the_house_chose(house: str) -> None:
    lines = [line for section in sheet(parse_house(house_text(house))) for line in section.lines]
    for said in SAYS[house]:
        assert [line for line in lines if said in line], said


# Every key has its say --------------------------------------------------------------------------------

CHANGES: Final[dict[str, tuple[str, Any]]] = {
    "decks": ("deluxe", 7),
    "seats": ("deluxe", 6),
    "burn.by": ("sa-gaming", {"by": "fixed", "cards": 2}),
    "burn.ace": ("deluxe", 11),
    "burn.ten_valued": ("deluxe", 1),
    "burn.cards": ("korean-floor", 1),
    "burn.first_card_counts": ("deluxe", True),
    "cut.by": ("sa-gaming", {"by": "none"}),
    "cut.indicators": ("korean-floor", 1),
    "cut.from_the_bottom": ("korean-floor", 60),
    "cut.not_before": ("korean-floor", 52),
    "cut.between_rounds": ("korean-floor", "closes"),
    "cut.after": ("sa-gaming", {"by": "count", "after": 300}),
    "continuous_shuffler": ("sa-gaming", True),
    "dealer.hole_card": ("sa-gaming", True),
    "dealer.first_card": ("korean-floor", "down"),
    "dealer.peek_under": ("deluxe", ("ace",)),
    "dealer.hole_card_turned": ("deluxe", "if_needed"),
    "dealer.natural_takes": ("sa-gaming", "original"),
    "dealer.natural_under_ten_pushes_21": ("korean-floor", False),
    "even_money": ("deluxe", True),
    "surrender_not_under": ("deluxe", ()),
    "double_after_split": ("deluxe", False),
    "split.by": ("deluxe", "rank"),
    "split.second_cards": ("deluxe", "hand_by_hand"),
    "split.aces": ("deluxe", "free"),
    "pair_bet.kinds": ("deluxe", "pair"),
    "pair_bet.on_split_hands": ("deluxe", True),
    "results": ("deluxe", "descending"),
    "automatic_hits_to": ("deluxe", 12),
    "cut.overdue_after": ("korean-floor", 10),
    "lock_policy": ("deluxe", True),
    "draw_is_hit": ("deluxe", True),
    "early_draw_ms": ("deluxe", 0),
    "device_lost_ms": ("deluxe", 5_000),
    "host_lost_ms": ("deluxe", 0),
    "min_draw_ms": ("deluxe", 200),
    "irregularities.house": ("sa-gaming", {Kind.PUSHED_BACK: Policy(house=Resolution.ACCEPT)}),
    "irregularities.at": ("sa-gaming", {Kind.PUSHED_BACK: Policy(at={Stage.PLAY: Resolution.ACCEPT})}),
    "irregularities.allowed": ("sa-gaming", {Kind.PUSHED_BACK: Policy(allowed=(Resolution.ACCEPT,))}),
    "irregularities.role": ("sa-gaming", {Kind.PUSHED_BACK: Policy(role="manager")}),
}
"""For each key a house and another choice, with which the sheet must change. A new key needs a line there."""


def _keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        members = [
            each for each in [field.annotation, *getattr(field.annotation, "__args__", ())] if _is_table(each)
        ]
        yield from (key for member in members for key in _keys(member, f"{above}{name}."))
        if not members:
            yield f"{above}{name}"


def _is_table(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def test_every_key_of_a_house_file_is_on_the_sheet() -> None:
    assert set(_keys(HouseRules)) - {"name"} == set(CHANGES)
    for key, (house, choice) in CHANGES.items():
        rules = parse_house(house_text(house))
        fields = rules.model_dump()
        *above, last = key.split(".")
        table = fields[above[0]] if above else fields
        if isinstance(choice, dict):
            fields[above[0]] = choice
        else:
            assert table[last] != choice
            table[last] = choice
        assert sheet(HouseRules.model_validate(fields)) != sheet(rules), key
    assert title(parse_house(house_text("deluxe"))) != title(parse_house(house_text("sa-gaming")))


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (Policy(house=Resolution.ACCEPT), "Pushed back, cut card missing: play goes on."),
        (
            Policy(at={Stage.BETWEEN: Resolution.RETIRE_SHOE, Stage.OPENING: Resolution.RETIRE_SHOE}),
            "Pushed back: a supervisor decides; between two rounds, before a shoe is ready: the round is",
        ),
        (
            Policy(allowed=(Resolution.RETRACT, Resolution.ACCEPT)),
            "Pushed back: a supervisor decides; nothing else is allowed but: the card goes back and is not",
        ),
        (
            Policy(house=Resolution.ACCEPT, allowed=(Resolution.ACCEPT,)),
            "Pushed back: play goes on; nothing else is allowed.",
        ),
        (Policy(role="manager"), "Pushed back: a supervisor decides; it takes the role manager."),
    ],
)
def test_what_a_house_does_where_play_goes_wrong_is_told(policy: Policy, says: str) -> None:
    rules = parse_house(house_text("deluxe"))
    policies = {**rules.irregularities, Kind.PUSHED_BACK: policy}
    lines = sheet(rules.model_copy(update={"irregularities": policies}))[-1].lines
    assert [line for line in lines if line.startswith(says)], lines


def test_a_table_waits_as_long_as_its_sheet_says() -> None:
    assert {key: getattr(PATIENCE, key) for key in AT_A_TABLE_MS} == AT_A_TABLE_MS


def test_there_are_words_for_every_way_and_every_stage() -> None:
    assert set(STAGES) == set(Stage)
    assert set(WAYS) == {"ask", *Resolution} - BY_ITSELF


def test_a_hole_card_that_is_never_checked_is_told() -> None:
    rules = parse_house(house_text("deluxe").replace('peek_under = ["ace", "ten"]', "peek_under = []"))
    assert "hole card, no peek" in title(rules)


# On a terminal ----------------------------------------------------------------------------------------


def test_the_sheet_on_a_terminal_fits_it(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60", "NO_COLOR": ""}
    environment.pop("NO_COLOR")
    with subprocess.Popen(
        [sys.executable, "-m", "edge.cli", "rules", "show", "deluxe"], stdout=theirs, env=environment
    ) as shown:
        os.close(theirs)
        told = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            told += more
    os.close(ours)
    assert shown.returncode == 0
    assert b"\x1b[1mThe shoe\x1b[0m" in told
    assert "•".encode() in told


# The check, and every other door ----------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(house_text("deluxe").replace('"deluxe"', '"mine"'), encoding="utf-8")
    return path


def spoilt(path: Path, *changes: tuple[str, str]) -> str:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_that_can_be_played_is_said_to_be(mine: Path) -> None:
    told = RUN.invoke(app, ["rules", "check", str(mine)])
    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout.startswith(f"{mine}: house mine can be played: 8 decks, 7 seats, burn by")
    assert RUN.invoke(app, ["rules", "show", str(mine)]).stdout.startswith("House mine: 8 decks")


def test_each_mistake_has_a_line_of_its_own(mine: Path) -> None:
    file = spoilt(mine, ("decks = 8 ", "dekcs = 8 "), ("hole_card = true", 'hole_card = "yes"'))
    told = RUN.invoke(app, ["rules", "check", file])
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr.splitlines() == [
        f"{file}: decks: is missing; it is a whole number from 1 to 12",
        f'{file}:5: dekcs: is no key here; did you mean "decks"?',
        f'{file}:17: dealer.hole_card: must be true or false, not "yes"',
        "docs/rules.md lists every key.",
    ]


def test_what_a_house_says_of_irregular_play_is_checked(mine: Path) -> None:
    text = mine.read_text(encoding="utf-8")
    last = len(text.splitlines())
    mine.write_text(f"{text}{IRREGULAR}", encoding="utf-8")
    told = RUN.invoke(app, ["rules", "check", str(mine)])
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr.splitlines() == [
        f'{mine}:{last + 1}: irregularities.pushed_bak: is no key here; did you mean "pushed_back"?',
        f'{mine}:{last + 4}: irregularities.lid_opened.at.betwen: is no key here; did you mean "between"?',
        (
            f'{mine}:{last + 6}: irregularities.lid_opened.allowed, item 2: must be "accept", "void_round" '
            'or "retire_shoe", not "shut"'
        ),
        "docs/rules.md lists every key.",
    ]


IRREGULAR: Final = """pushed_bak = { house = "accept" }

[irregularities.lid_opened]
at.betwen = "accept"
allowed = ["accept",
  "shut"]
"""


CONTRADICTION: Final = ("hole_card = true", "hole_card = false")


def run_edge(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "edge.cli", *arguments], capture_output=True, text=True, check=False, input=""
    )


def test_every_door_refuses_a_house_that_cannot_be_played(mine: Path, tmp_path: Path) -> None:
    file = spoilt(mine, CONTRADICTION)
    config = tmp_path / "t1.toml"
    config.write_text(
        f'table = "t1"\nhouse = {json.dumps(file)}\njournal = "j.db"\n[mqtt]\nhost = "localhost"\n', "utf-8"
    )
    why = (
        "line 18: dealer.peek_under: there is no hole card to check (dealer.hole_card = false): leave it out"
    )
    for arguments in (
        ("rules", "show", file),
        ("replay", "-", "--rules", file),
        ("run", "-c", str(config)),
    ):
        told = run_edge(*arguments)
        assert told.returncode == 2, arguments
        assert f"{file}: {why}." in told.stderr
        assert told.stderr.startswith("table-edge: ")
        assert told.stderr.count("\n") == 1
        assert told.stdout == ""
    told = run_edge("rules", "check", file)
    assert told.returncode == 2
    assert told.stderr.startswith(f"{file}:18: dealer.peek_under: there is no hole card")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rules", "show", "baccarat"), "There is no house 'baccarat'."),
        (("rules", "check", "/nowhere/mine.toml"), "cannot be read: No such file"),
        (("rules", "check", "/nowhere/mine"), "There is no house '/nowhere/mine'."),
    ],
)
def test_what_is_no_house_ends_with_two(arguments: tuple[str, ...], said: str) -> None:
    told = run_edge(*arguments)
    assert told.returncode == 2
    assert said in told.stderr


def test_text_that_is_no_toml_ends_with_two(mine: Path) -> None:
    told = run_edge("rules", "check", spoilt(mine, ("decks = 8 ", "decks = ")))
    assert told.returncode == 2
    assert f"{mine} is not TOML: " in told.stderr
    assert "line 5" in told.stderr
