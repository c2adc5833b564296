"""How fast the pure ruling rules: a day of each house heard once, then ruled again against the clock."""

import gc
import time
from dataclasses import dataclass

from edge.inputs import CardDrawn, Input
from edge.ruling import TableState, decide, new_table
from tests.bench.play import Day


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingSpeed:
    """One house."""

    house: str
    draws: int
    inputs: int
    draws_per_s: float
    """Cards ruled on in a second when nothing but cards is counted."""
    inputs_per_s: float
    """Everything a round takes, requests included."""


def measure(house: str, *, draws: int, repeats: int) -> RulingSpeed:
    """Rule on so many draws, so many times over; the best of each."""
    start, heard = recorded(house, draws)
    drawn = sum(isinstance(each, CardDrawn) for each in heard)
    states = _before_each(start, heard)
    cards = [(state, each) for state, each in zip(states, heard, strict=True) if isinstance(each, CardDrawn)]
    per_draw, per_input = [], []
    for _ in range(repeats):
        gc.collect()
        began = time.process_time()
        for state, card in cards:
            decide(state, card)
        middle = time.process_time()
        state = start
        for each in heard:
            state = decide(state, each).state
        per_draw.append((middle - began) / drawn)
        per_input.append((time.process_time() - middle) / len(heard))
    return RulingSpeed(
        house=house,
        draws=drawn,
        inputs=len(heard),
        draws_per_s=1 / min(per_draw),
        inputs_per_s=1 / min(per_input),
    )


def recorded(house: str, draws: int) -> tuple[TableState, list[Input]]:
    """A table that is set up, and what it heard until so many cards were out."""
    day = Day(house, seed=1)
    state = new_table("0c3f6c1e-6f0e-4d53-9d6b-000000000001")
    start, heard, drawn = state, list[Input](), 0
    while drawn < draws:
        each = day.next(state)
        heard.append(each)
        drawn += isinstance(each, CardDrawn)
        state = decide(state, each).state
    return start, heard


def _before_each(start: TableState, heard: list[Input]) -> list[TableState]:
    states = [start]
    for each in heard[:-1]:
        states.append(decide(states[-1], each).state)
    return states
