"""The table of transitions is total: every input has an answer in every phase, and every row is reached."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from drivers import Signal
from edge.events import EVENTS
from edge.inputs import INPUTS, CardDrawn, CutCardDrawn, HouseRulesAdopted, RequestMade
from edge.notes import NOTES
from edge.requests import COMMANDS, ReconcileShoe, Scan, UnknownCommand
from edge.ruling import TRANSITIONS, Phase, TableState, decide, due, evolve, new_table, phase, verify
from edge.ruling.decide import BESIDE_THE_TABLE, UNDUE
from edge.ruling.evolve import FOLDS, OFF_TABLE, PUBLISHED
from tests.edge.ruling.playing import Table, asking, every_input


def _bare(house: str = "deluxe") -> Table:
    """A table that asks about everything and has closed a round and a shoe: there is something to dispute."""
    table = Table(text=asking("sa-gaming"))
    table.install(8)
    table.open(1)
    table.draw("Th", "7d", "8c")
    table.decide(1, "stand")
    table.draw("Kc")
    table.retire()
    table.hear(HouseRulesAdopted(text=asking(house)))
    return table


def _installed(*codes: str | None, house: str = "deluxe") -> Table:
    table = _bare(house)
    assert table.install() == "done"
    return table.draw(*codes)


BURNED: Final = {"deluxe": ("Ac", "2d"), "korean-floor": ("2c", "2d"), "sa-gaming": ()}


def _ready(house: str = "deluxe") -> Table:
    return _installed(*BURNED[house], house=house)


def _round(*codes: str | None, seats: tuple[int, ...] = (1, 2), house: str = "deluxe") -> Table:
    table = _ready(house)
    table.open(*seats)
    return table.draw(*codes)


def _insurance() -> Table:
    return _round("Tc", "5h", "Ad", "6c", "6h", "9c")


def _decision(house: str = "deluxe") -> Table:
    return _round("8c", "7d", "8h", *(("Kc",) if house != "sa-gaming" else ()), seats=(1,), house=house)


def _paused() -> Table:
    table = _decision()
    table.hold()
    return table


def _scanning() -> Table:
    table = _bare()
    table.ask(ReconcileShoe(step=Scan.START))
    return table


REACHED: Final[dict[Phase, list[Callable[[], Table]]]] = {
    Phase.NO_SHOE: [_bare, _scanning],
    Phase.OPENING: [_installed],
    Phase.BURNING: [lambda: _installed("5c")],
    Phase.READY: [_ready],
    Phase.CARD_DUE: [_round, lambda: _round("Tc"), lambda: _round("Tc", "5h", "7d")],
    Phase.INSURANCE: [_insurance],
    Phase.DECISION: [_decision, lambda: _decision("korean-floor"), lambda: _decision("sa-gaming")],
    Phase.HELD: [
        lambda: _bare().draw("9h"),
        lambda: _installed("9h", None),
        lambda: _ready().draw("9h"),
        lambda: _round("Tc", None),
        lambda: _round("Tc", "5h", None),
        lambda: _insurance().draw("9h"),
        lambda: _decision().draw("9h"),
        _paused,
    ],
}


def _latched(make: Callable[[], Table]) -> Table:
    table = make()
    table.signal(Signal.JAM, "shuffler")
    return table


def tables() -> Iterator[tuple[Phase, Table]]:
    for now, makers in REACHED.items():
        for make in makers:
            yield now, make()
            yield now, _latched(make)


def test_every_phase_is_reached() -> None:
    assert set(REACHED) == set(Phase)
    for now, table in tables():
        assert phase(table.state) is now


@pytest.mark.rule("BJ-13")
@pytest.mark.parametrize("now", list(Phase), ids=lambda each: str(each.value))
def test_every_input_has_an_answer_in_every_phase(now: Phase) -> None:
    for state in (table.state for phase_of_table, table in tables() if phase_of_table is now):
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
            if isinstance(heard, CardDrawn | CutCardDrawn) and table.state.scan is not None:
                continue  # of the rest of a closed shoe, which is scanned out
            if isinstance(heard, CardDrawn | CutCardDrawn) and (now, type(heard)) not in TRANSITIONS:
                ruling = decide(table.state, heard)
                assert phase(ruling.state) is Phase.HELD
                assert len(ruling.state.irregularities) == len(table.state.irregularities) + 1


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
        "shuffle.started", "shuffle.finished", "shuffle.failed",
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
