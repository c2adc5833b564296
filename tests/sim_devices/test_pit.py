"""The supervisor of the bench: of what the table allows, a way out that can be taken with what is known."""

import random
from typing import Any

import pytest

from sim_devices.pit import way_out


def opened(kind: str, *allowed: str, draw: int | None = None) -> dict[str, Any]:
    return {"id": 1, "kind": kind, "draw": draw, "allowed": list(allowed)}


@pytest.mark.parametrize(
    ("irregularity", "refused", "expected"),
    [
        (
            opened("unread_card", "enter", "discard", "void_round", draw=3),
            [],
            {"resolution": "enter", "card": "9d"},
        ),
        (
            opened("unread_card", "enter", "discard", "void_round", draw=3),
            ["enter"],
            {"resolution": "discard"},
        ),
        (opened("unread_card", "accept", "enter", "void_round", draw=3), [], {"resolution": "accept"}),
        (opened("shoe_moved", "accept", "void_round"), [], {"resolution": "accept"}),
        (opened("shoe_moved", "accept", "void_round"), ["accept"], {"resolution": "void_round"}),
        (opened("wrong_place", "move", "rebuild", "void_round"), [], {"resolution": "void_round"}),
        (opened("foreign_card", "retire_shoe"), [], {"resolution": "retire_shoe"}),
        (opened("count_mismatch", "clear"), [], {"resolution": "clear"}),
    ],
)
def test_a_way_out(irregularity: dict[str, Any], refused: list[str], expected: dict[str, str]) -> None:
    assert way_out(irregularity, refused, {3: "9d"}.__getitem__, random.Random(1)) == expected


def test_of_several_chance_takes_each_now_and_then() -> None:
    chance, extra = (
        random.Random(1),
        opened("unexpected_draw", "use_as_next", "discard", "retract", "void_round"),
    )
    taken = {way_out(extra, [], str, chance)["resolution"] for _ in range(50)}
    assert taken == {"use_as_next", "discard"}
