"""The rule matrix: it reads every row of the page, knows what must be proven, and names what is not."""

import subprocess
import sys

import pytest

from scripts.rule_matrix import PAGE, ROOT, Rule, matrix, rules_on, unknown, unproven
from tests.edge.ruling.test_cases import read_cases

PAGE_TEXT = PAGE.read_text(encoding="utf-8")

SMALL = """
| id | rule | who |
|---|---|---|
| BJ-1 | Fifty-two cards | edge |
| BJ-2 | Money \\| and cards | both |
| DLX-3 | Seats | server |
| HTS-I4 | A foreign card | edge |
| BJ-6 | Pushes | edge |
"""
PROOFS = {"BJ-1": ["t.py::a[x]", "t.py::a[y]", "t.py::b"], "BJ-6": ["t.py::b"], "DLX-9": ["t.py::c"]}


def test_a_page_is_read_row_by_row() -> None:
    rules = rules_on(SMALL)
    assert [(rule.id, rule.who, rule.aside) for rule in rules] == [
        ("BJ-1", "edge", False),
        ("BJ-2", "both", False),
        ("DLX-3", "server", True),
        ("HTS-I4", "edge", False),
        ("BJ-6", "edge", False),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "| BJ-7 | No who |",
        "| BJ-7 | Whose? | nobody |",
        "| BJ-7 | Apart for what? | edge, irregular |",
        "| BJ-1 | Twice | edge |",
        "| BJ-7 to BJ-9 | x | edge |",
    ],
)
def test_a_row_that_cannot_be_read_is_no_row_left_out(row: str) -> None:
    with pytest.raises(
        ValueError, match=r"docs/rules\.md: BJ-\d cannot be read as a row, or stands there twice"
    ):
        rules_on(f"{SMALL}{row}\n")


def test_what_is_not_proven_and_what_is_not_on_the_page_is_named() -> None:
    rules = rules_on(SMALL)
    assert unproven(rules, PROOFS) == ["BJ-2", "HTS-I4"]
    assert unknown(rules, PROOFS) == ["DLX-9"]


def test_the_paper_names_each_test_with_its_cases() -> None:
    rule = Rule(id="BJ-1", says="Fifty-two cards", who="edge")
    assert matrix([rule], PROOFS, short=False).splitlines() == [
        "BJ-1     edge     3 tests  Fifty-two cards",
        "          t.py::a [2: x, y]",
        "          t.py::b",
    ]
    assert len(matrix([rule], PROOFS, short=True).splitlines()) == 1


def test_the_page_has_every_rule_of_the_houses() -> None:
    ids = [rule.id for rule in rules_on(PAGE_TEXT)]
    series = {"BJ": 13, "DLX": 33, "SAG": 16, "HTS": 6, "KRF": 10}
    expected = [f"{house}-{number}" for house, last in series.items() for number in range(1, last + 1)]
    expected += [f"HTS-I{number}" for number in range(1, 13)]
    assert sorted(ids) == sorted(expected)
    assert {each for case in read_cases() for each in case["covers"]} <= set(ids)


def test_the_script_collects_the_markers_and_prints_the_paper() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "scripts.rule_matrix", "KRF-8", "HTS-I1", "DLX-24"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert "test_a_case_causes_its_events_and_no_others [" in told.stdout
    assert "KRF-8-unseen" in told.stdout
    assert "ho-tram-strip/unexpected_draw" in told.stdout
    assert told.stdout.index("HTS-I1 ") < told.stdout.index("Apart: ") < told.stdout.index("DLX-24 ")
