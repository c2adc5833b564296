"""The rule matrix: each id of docs/rules.md with the tests that carry it, as a test laboratory asks for it.

The tests are those that pytest collects, each case by itself; a test says what it proves by
``@pytest.mark.rule``. What need not have a test in this project is listed apart: rules that only the game
server can keep.

Exit 1: an id that should have a test has none, or a test names an id that is not on the page.
"""

import argparse
import contextlib
import io
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "rules.md"
_ROW: Final = re.compile(
    r"^\| (?P<id>[A-Z]{2,3}-I?\d+) \| (?P<says>.+) "
    r"\| (?P<who>edge|server|both) \|$",
    re.MULTILINE,
)
_ID_FIRST: Final = re.compile(r"^\| *([A-Z]{2,3}-I?\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A row of the page."""

    id: str
    says: str
    who: str

    @property
    def aside(self) -> bool:
        """It needs no test here: only the game server can keep it."""
        return self.who == "server"


def rules_on(page: str) -> tuple[Rule, ...]:
    """The rules of the page, in its order.

    Raises:
        ValueError: a row begins with an id and cannot be read, or an id stands there twice.
    """
    rules = tuple(Rule(id=row["id"], says=row["says"], who=row["who"]) for row in _ROW.finditer(page))
    ids = [rule.id for rule in rules]
    if ids != _ID_FIRST.findall(page) or len(set(ids)) < len(ids):
        odd = sorted(set(_ID_FIRST.findall(page)) - set(ids)) or sorted(
            {each for each in ids if ids.count(each) > 1}
        )
        raise ValueError(f"docs/rules.md: {', '.join(odd)} cannot be read as a row, or stands there twice")
    return rules


class _Markers:
    """A pytest plugin that keeps what each collected test says it proves."""

    def __init__(self) -> None:
        self.proofs: dict[str, list[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for marker in item.iter_markers("rule"):
                for rule in marker.args:
                    tests = self.proofs.setdefault(rule, [])
                    if item.nodeid not in tests:
                        tests.append(item.nodeid)


def collected(places: Sequence[str] = ("tests",)) -> dict[str, list[str]]:
    """The tests of each id, as pytest collects them.

    Raises:
        ValueError: pytest could not collect; its own words are in it.
    """
    markers = _Markers()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        ended = pytest.main(
            ["--collect-only", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", *places],
            plugins=[markers],
        )
    if ended is not pytest.ExitCode.OK:
        raise ValueError(f"pytest could not collect the tests:\n{said.getvalue()}")
    return markers.proofs


def matrix(rules: Iterable[Rule], proofs: dict[str, list[str]], *, short: bool) -> str:
    """The paper: the rules with their tests, then those that need none here."""
    lines: list[str] = []
    for rule in rules:
        tests = proofs.get(rule.id, [])
        count = f"{len(tests)} {'test' if len(tests) == 1 else 'tests'}"
        lines.append(f"{rule.id:<8} {rule.who:<6} {count:>9}  {rule.says}")
        if not short:
            lines += [f"{'':<10}{line}" for line in _by_function(tests)]
    return "\n".join(lines)


def _by_function(tests: Iterable[str]) -> list[str]:
    """One line for a test, and one for all cases of a test with cases."""
    cases: dict[str, list[str]] = {}
    for test in tests:
        function, _, case = test.partition("[")
        cases.setdefault(function, [])
        if case:
            cases[function].append(case.removesuffix("]"))
    return [
        f"{function} [{len(each)}: {', '.join(each)}]" if each else function
        for function, each in cases.items()
    ]


def unproven(rules: Iterable[Rule], proofs: dict[str, list[str]]) -> list[str]:
    """The ids that should have a test and have none."""
    return [rule.id for rule in rules if not rule.aside and not proofs.get(rule.id)]


def unknown(rules: Iterable[Rule], proofs: dict[str, list[str]]) -> list[str]:
    """The ids that tests name and the page does not."""
    return sorted(set(proofs) - {rule.id for rule in rules})


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the matrix; 1 if a rule is unproven or a marker names none."""
    parser = argparse.ArgumentParser(
        prog="scripts/rules", description="Each rule with the tests that prove it."
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these, as DLX-8 or DLX")
    parser.add_argument("--short", action="store_true", help="without the tests' names")
    given = parser.parse_args(arguments)
    rules, proofs = rules_on(PAGE.read_text(encoding="utf-8")), collected()
    wanted = [
        rule for rule in rules if not given.ids or {rule.id, rule.id.partition("-")[0]} & set(given.ids)
    ]
    print(matrix([rule for rule in wanted if not rule.aside], proofs, short=given.short))
    apart = [rule for rule in wanted if rule.aside]
    if apart:
        print("\nApart: only the game server can keep it\n")
        print(matrix(apart, proofs, short=given.short))
    wrong = [f"{each}: no test proves it" for each in unproven(wanted, proofs)]
    wrong += [f"{each}: a test names it, docs/rules.md does not" for each in unknown(rules, proofs)]
    in_scope = [rule for rule in rules if not rule.aside]
    print(
        f"\n{len(in_scope) - len(unproven(rules, proofs))} of {len(in_scope)} rules in scope are proven; "
        f"{len(rules) - len(in_scope)} stand apart."
    )
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
