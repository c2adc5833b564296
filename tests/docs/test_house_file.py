"""The whole house on the page of the rules is a house."""

import re
from pathlib import Path

from edge.house_rules import check_house

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_example_of_a_house_file_is_one() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    rules = check_house(example)

    assert (rules.name, rules.cards, rules.seats) == ("my-house", 312, 7)
    assert (rules.split.second_cards, rules.split.aces) == ("both_first", "one_card")
