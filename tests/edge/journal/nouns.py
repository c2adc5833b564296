"""Strategies: any input, note and event of the vocabularies, made from their types."""

from typing import Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from edge.events import EVENTS, Event
from edge.inputs import INPUTS, Input
from edge.notes import NOTES, Note
from firmware_protocols import DECK, FaceDownCard

T = TypeVar("T")

st.register_type_strategy(FaceDownCard, st.sampled_from(DECK).map(FaceDownCard))


def any_of(kinds: tuple[type[T], ...]) -> SearchStrategy[T]:
    return st.one_of([st.from_type(kind) for kind in kinds])


EVENT: Final[SearchStrategy[Event]] = any_of(EVENTS)
INPUT: Final[SearchStrategy[Input]] = any_of(INPUTS)
NOTE: Final[SearchStrategy[Note]] = any_of(NOTES)
