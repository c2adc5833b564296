"""The whole house on the page of the rules is a house, and the page tells every key and every range."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.house_rules import HouseRules, Policy, check_house
from edge.irregular import Kind, Resolution, Stage

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_example_of_a_house_file_is_one() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    rules = check_house(example)

    assert (rules.name, rules.cards, rules.seats) == ("my-house", 312, 7)
    assert (rules.split.second_cards, rules.split.aces) == ("both_first", "one_card")
    assert rules.policy(Kind.PUSHED_BACK).house is Resolution.RETIRE_SHOE
    assert rules.policy(Kind.WRONG_PLACE).role == "manager"


def _keys(
    schema: dict[str, Any], table: dict[str, Any], above: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of the file with what its schema says of it; of a union of tables, each member's."""
    for name, field in table["properties"].items():
        members = [field, *field.get("anyOf", ()), *field.get("oneOf", ())]
        models = [schema["$defs"][each["$ref"].rpartition("/")[2]] for each in members if "$ref" in each]
        inner = [model for model in models if "properties" in model]
        yield from (found for model in inner for found in _keys(schema, model, f"{above}{name}."))
        if not inner:
            yield f"{above}{name}", field


def _rows() -> dict[str, str]:
    """The row that tells each key: of its own, or of the key that it stands beside."""
    page = PAGE.read_text(encoding="utf-8").partition("## The house file")[2]
    return {key: row for row, key in re.findall(r"^(\| `([a-z_.0-9]+)` \|.*)$", page, re.MULTILINE)}


BESIDE = {
    "burn.ace": "burn.by",
    "burn.ten_valued": "burn.by",
    "burn.first_card_counts": "burn.by",
    "burn.cards": "burn.by",
    "cut.after": "cut.by",
}


def test_the_page_tells_every_key_and_every_range_of_a_house_file() -> None:
    schema, rows = HouseRules.model_json_schema(), _rows()
    keys = dict(_keys(schema, schema))
    assert {"cut.overdue_after", "early_draw_ms", "irregularities", "dealer.hole_card"} <= keys.keys()
    for key, field in keys.items():
        if key == "name":
            continue
        row = rows[BESIDE.get(key, key)]
        assert f"`{key.rpartition('.')[2]}`" in row or f"`{key}`" in row
        for bound in (
            each[limit] for each in [field, *field.get("anyOf", ())] for limit in LIMITS if limit in each
        ):
            assert key == "cut.indicators" or re.search(rf"\b{bound}\b", row), (key, bound, row)


LIMITS = ("minimum", "maximum")


@pytest.mark.parametrize("key", Policy.model_fields)
def test_the_page_tells_every_key_of_a_kind(key: str) -> None:
    assert key in _rows()


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: str(stage.value))
def test_the_page_tells_every_stage(stage: Stage) -> None:
    assert f"`{stage.value}`" in PAGE.read_text(encoding="utf-8").partition("The stages:")[2]
