"""The pages of irregular play are what the house files say: generated, fresh, and complete."""

import re
from pathlib import Path

import pytest

from edge.house_rules import house_text, may_be_allowed, parse_house
from edge.irregular import BY_ITSELF, REPORTABLE, SEEN, Kind, Resolution, Stage
from scripts.irregularity_pages import FOLDER, page, pages
from scripts.remedy_words import OF_ITS_OWN, SEEN_BY, STAGES, remedy
from tests.architecture.source import ROOT

COMMON = (ROOT / "docs" / "irregularities.md").read_text(encoding="utf-8")
STALE = "run scripts/irregularities and commit what it writes"


def test_the_pages_are_fresh() -> None:
    fresh = pages()
    assert set(FOLDER.glob("*.md")) == fresh.keys(), STALE
    assert [path.name for path, text in fresh.items() if path.read_text("utf-8") != text] == [], STALE


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.stem))
def test_a_page_tells_every_kind_and_the_common_page_leads_there(path: Path) -> None:
    text = pages()[path]
    assert [kind.value for kind in Kind if f"\n## `{kind.value}`\n" not in text] == []
    assert f"(irregularities/{path.name})" in COMMON


def test_there_are_words_for_every_kind_stage_and_resolution() -> None:
    assert set(SEEN_BY) == set(SEEN) == set(Kind)
    assert set(STAGES) == set(Stage)
    for kind in Kind:
        assert all(remedy(kind, each).does for each in Resolution)


def test_words_of_their_own_are_for_what_fits() -> None:
    assert [(kind, each) for kind, each in OF_ITS_OWN if each not in may_be_allowed(kind)] == []


def test_every_stage_and_resolution_that_a_person_meets_is_on_the_common_page() -> None:
    assert [each.value for each in Resolution if f"| `{each.value}` |" not in COMMON] == []
    assert {each.value for each in BY_ITSELF} == {"reread", "resumed"}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('wrong_burn = { house = "accept" }', "* Always: `accept` by itself."),
        ('wrong_burn = { house = "ask", at = { opening = "discard" } }', "(`opening`): `discard` by itself."),
        ('wrong_burn = { allowed = ["retire_shoe"] }', "`supervisor`: `retire_shoe`, and nothing else."),
        ('wrong_burn = { role = "manager" }', "With the role `manager`, beside"),
        ('pushed_back = { house = "retract" }', "the house's way is `retract`, and somebody says the card."),
        ('unread_card = { house = "enter" }', "the house's way is `enter`, and somebody says the card."),
    ],
)
def test_what_a_house_file_says_is_on_its_page(entry: str, says: str) -> None:
    text = house_text("deluxe").partition("[irregularities]")[0]
    plain, changed = page(parse_house(text)), page(parse_house(f"{text}[irregularities]\n{entry}\n"))
    assert says in changed
    assert changed != plain


def test_the_pit_is_told_what_it_may_report_and_of_the_rest_who_sees_it() -> None:
    reports = COMMON.partition("## Telling the table")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| ([^|]+) \|", reports, re.MULTILINE))))
    assert told == {kind.value for kind in REPORTABLE}
    assert {kind for kind in Kind if "the pit" in SEEN_BY[kind]} == set(REPORTABLE)
    rows = dict(
        re.findall(r"^\| (`[^|]+) \| .* \| ([^|]+) \|$", COMMON.partition("## Telling")[0], re.MULTILINE)
    )
    seen = {kind: by for kinds, by in rows.items() for kind in re.findall(r"`(\w+)`", kinds)}
    assert {kind.value for kind in Kind if "the pit" in seen[kind.value]} == {
        each.value for each in REPORTABLE
    }
