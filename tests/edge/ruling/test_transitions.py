"""The table of transitions is total: every input has an answer in every phase, and every row is reached."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from edge.events import EVENTS
from edge.inputs import INPUTS, CardDrawn, CutCardDrawn, RequestMade
from edge.notes import NOTES
from edge.requests import COMMANDS, UnknownCommand
from edge.ruling import TRANSITIONS, Phase, TableState, decide, due, evolve, new_table, phase, verify
from edge.ruling.decide import BESIDE_THE_TABLE, UNDUE
from edge.ruling.evolve import FOLDS, OFF_TABLE, PUBLISHED
from tests.edge.ruling.playing import Table, dealt, every_input, ready


def _installed(*codes: str | None) -> Table:
    table = Table()
    table.install(8)
    return table.draw(*codes)


def _round(*codes: str | None) -> Table:
    table = ready()
    table.open(1, 2)
    return table.draw(*codes)


REACHED: Final[dict[Phase, list[Callable[[], Table]]]] = {
    Phase.NO_SHOE: [Table],
    Phase.OPENING: [_installed],
    Phase.BURNING: [lambda: _installed("5c")],
    Phase.READY: [ready],
    Phase.CARD_DUE: [_round, lambda: _round("Tc"), lambda: _round("Tc", "5h", "7d")],
    Phase.INSURANCE: [lambda: dealt("deluxe", (1, 2), "Tc", "5h", "Ad", "6c", "6h", "9c")],
    Phase.DECISION: [
        lambda: dealt("deluxe", (1,), "8c", "7d", "8h", "Kc"),
        lambda: dealt("korean-floor", (1,), "8c", "7d", "8h", "Kc"),
        lambda: dealt("sa-gaming", (1,), "8c", "7d", "8h"),
    ],
    Phase.HELD: [
        lambda: Table().draw("9h"),
        lambda: _installed("9h", None),
        lambda: ready().draw("9h"),
        lambda: _round("Tc", None),
        lambda: dealt("deluxe", (1, 2), "Tc", "5h", "Ad", "6c", "6h", "9c").draw("9h"),
        lambda: dealt("deluxe", (1,), "8c", "7d", "8h", "Kc").draw("9h"),
    ],
}


def tables() -> Iterator[tuple[Phase, Table]]:
    for now, makers in REACHED.items():
        for make in makers:
            yield now, make()


def test_every_phase_is_reached() -> None:
    assert set(REACHED) == set(Phase)
    for now, table in tables():
        assert phase(table.state) is now


@pytest.mark.rule("BJ-13")
@pytest.mark.parametrize("now", list(Phase), ids=lambda each: str(each.value))
def test_every_input_has_an_answer_in_every_phase(now: Phase) -> None:
    for make in REACHED[now]:
        state = make().state
        for heard in every_input():
            ruling = decide(state, heard)
            assert decide(state, heard).ruled == ruling.ruled
            if isinstance(heard, RequestMade):
                refusal = verify(state, heard)
                request = heard.asked.request
                assert refusal is not None or (now, type(request)) in TRANSITIONS
                assert len([each for each in ruling.ruled if isinstance(each, NOTES)]) >= 1


@pytest.mark.rule("BJ-13")
def test_without_a_round_no_card_is_due_in_one() -> None:
    for now, table in tables():
        if now in {Phase.NO_SHOE, Phase.OPENING, Phase.BURNING, Phase.READY}:
            assert due(table.state) is None


def test_every_row_is_reached() -> None:
    reached: set[tuple[Phase, type]] = set()
    for now, table in tables():
        for heard in every_input():
            if isinstance(heard, RequestMade):
                if verify(table.state, heard) is None:
                    reached.add((now, type(heard.asked.request)))
            elif (now, type(heard)) in TRANSITIONS:
                reached.add((now, type(heard)))
    assert reached == set(TRANSITIONS)


@pytest.mark.rule("BJ-13")
def test_an_absent_cell_of_a_draw_is_an_irregularity() -> None:
    for now, table in tables():
        for heard in every_input():
            if isinstance(heard, CardDrawn | CutCardDrawn) and (now, type(heard)) not in TRANSITIONS:
                ruling = decide(table.state, heard)
                assert phase(ruling.state) is Phase.HELD
                assert len(ruling.state.irregularities) == 1


def test_every_kind_of_input_has_a_rule() -> None:
    assert {CardDrawn, CutCardDrawn, RequestMade} | set(BESIDE_THE_TABLE) == set(INPUTS)
    assert set(UNDUE) == {CardDrawn, CutCardDrawn}
    kinds = {kind for _, kind in TRANSITIONS}
    assert kinds == {CardDrawn, CutCardDrawn, *COMMANDS.values()}
    assert UnknownCommand not in kinds


def test_every_event_and_note_has_a_fold() -> None:
    assert set(FOLDS) == {*EVENTS, *NOTES}
    assert set(EVENTS) == PUBLISHED
    assert {kind.type for kind in OFF_TABLE} == {
        "edge.started", "edge.stopped",
        "device.online", "device.offline", "device.fault", "device.fault_cleared",
    }  # fmt: skip


def test_only_events_are_counted() -> None:
    table = _round("Tc", "5h")
    state: TableState = new_table(table.state.journal)
    for step in table.steps:
        for ruled in step.ruled:
            before = state
            state = evolve(state, ruled)
            assert state.sequence == before.sequence + isinstance(ruled, EVENTS)
            off_table = not isinstance(ruled, EVENTS) or isinstance(ruled, tuple(OFF_TABLE))
            assert state.table_sequence == (before.table_sequence if off_table else state.sequence)
