"""The page for server developers: every example on it is run, in order, and says what it says there."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "settlement.md"
EXAMPLES = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_examples_on_the_page_are_true() -> None:
    page = "\n".join(EXAMPLES.findall(PAGE.read_text(encoding="utf-8")))
    examples = doctest.DocTestParser().get_doctest(page, {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    outcome = doctest.DocTestRunner().run(examples, out=told.append)
    assert not outcome.failed, "".join(told)
    assert outcome.attempted > 20
