"""The page of phases is what the ruling does: generated, fresh, and complete."""

import pytest

from edge.inputs import INPUTS, RequestMade
from edge.ruling import TRANSITIONS, Phase
from scripts.state_diagram import KINDS, PAGE, page
from scripts.table_play import READ_AGAIN, Record, recorded


@pytest.fixture(scope="module")
def record() -> Record:
    return recorded()


def test_the_page_is_fresh(record: Record) -> None:
    stale = "run scripts/diagrams and commit what it writes"
    assert page(record) == PAGE.read_text(encoding="utf-8"), stale


def test_every_kind_of_input_was_heard_and_every_phase_reached(record: Record) -> None:
    heard = {name for _, name in record.led_to}
    assert heard == {*KINDS, READ_AGAIN, *(kind.type for kind in INPUTS if kind is not RequestMade)}
    assert {now for now, _ in record.led_to} == set(Phase)
    assert set(KINDS.values()) == {kind for _, kind in TRANSITIONS}


def test_an_absent_row_is_a_refusal_or_an_irregularity(record: Record) -> None:
    for name, kind in KINDS.items():
        for now in Phase:
            told = record.refused[now, name] or record.irregular[now, name]
            assert bool(told) is ((now, kind) not in TRANSITIONS), (now, name)


def test_a_row_that_was_never_seen_is_not_drawn_as_if_it_were() -> None:
    with pytest.raises(ValueError, match=r"never seen in play: opening x card\.drawn, "):
        page(Record())
