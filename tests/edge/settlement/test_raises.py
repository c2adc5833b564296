"""Raises from a round's events: what they add up to, and the histories that no table has."""

from typing import Any

import pytest

from edge.events import Spot
from edge.settlement import Raises, RaisesDiffer, raises_of

Events = list[tuple[str, dict[str, Any]]]

OPENED = ("round.opened", {"round_id": "r", "seats": [1, 3]})


def acted(seat: int, action: str, hand: int = 1) -> tuple[str, dict[str, Any]]:
    return "turn.acted", {"seat": seat, "hand": hand, "action": action}


def split(seat: int) -> tuple[str, dict[str, Any]]:
    return "hand.split", {"seat": seat, "hands": []}


@pytest.mark.parametrize(
    "told",
    [
        [acted(1, "split"), split(1), acted(1, "double", 2)],
        [acted(1, "split"), acted(1, "double", 2)],
        [split(1), acted(1, "double", 2)],
        [acted(1, "split"), split(1), acted(1, "stand"), acted(1, "double", 2), acted(3, "hit")],
    ],
)
def test_a_split_is_told_by_either_event_or_by_both(told: Events) -> None:
    doubled = (Spot(seat=1, hand=2),)
    assert raises_of([OPENED, *told]) == Raises(seats=(1, 3), split=(1,), doubled=doubled)


def test_a_round_may_end_between_a_split_and_its_event() -> None:
    events = [OPENED, acted(1, "split"), split(1), acted(3, "split")]
    assert raises_of(events) == Raises(seats=(1, 3), split=(1, 3))


def test_only_the_last_round_counts_even_if_the_one_before_came_in_part() -> None:
    assert raises_of([acted(7, "double"), split(6), OPENED, acted(3, "double")]) == Raises(
        seats=(1, 3), doubled=(Spot(seat=3, hand=1),)
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([acted(1, "double", 2)], "hand 2 of seat 1 was doubled, and there is no such hand"),
        ([acted(1, "split"), acted(1, "double", 3)], "hand 3 of seat 1 was doubled, and there is no such"),
        ([acted(1, "double"), acted(1, "double")], "hand 1 of seat 1 was doubled, and then doubled"),
        ([acted(1, "double"), acted(1, "split")], "hand 1 of seat 1 was doubled, and then split"),
        ([acted(1, "double"), split(1)], "hand 1 of seat 1 was doubled, and then split"),
        ([acted(2, "double")], "seat 2 was doubled, and dealt in were seats 1, 3"),
        ([acted(2, "split")], "seat 2 was split, and dealt in were seats 1, 3"),
        ([split(2)], "seat 2 was split, and dealt in were seats 1, 3"),
        ([acted(1, "split"), acted(1, "split")], "hand 1 of seat 1 was split, which only an unsplit hand 1"),
        ([acted(1, "split", 2)], "hand 2 of seat 1 was split, which only an unsplit hand 1"),
        ([split(1), split(1)], "hand 1 of seat 1 was split, and then split"),
        ([acted(1, "split"), split(3)], "seats 1 were split by turn.acted, seats 3 by hand.split"),
        (
            [acted(1, "split"), split(1), acted(3, "split"), acted(3, "stand")],
            "seats 1, 3 were split by turn.acted, seats 1 by hand.split",
        ),
    ],
)
def test_a_history_that_cannot_be_is_refused(told: Events, said: str) -> None:
    with pytest.raises(RaisesDiffer) as refused:
        raises_of([OPENED, *told])
    assert said in str(refused.value)
    assert refused.value.hint


def test_a_raise_without_a_round_is_refused() -> None:
    with pytest.raises(RaisesDiffer, match="dealt in were seats none"):
        raises_of([acted(1, "double")])
