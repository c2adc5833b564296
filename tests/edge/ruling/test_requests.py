"""Requests: refusals that hold for every command, and the answers."""

import pytest

from drivers import Position
from edge.inputs import DeviceCameOnline, DeviceFaultSeen, EdgeStarted, Operator
from edge.notes import RequestAnswered
from edge.requests import (
    Desk,
    InstallShoe,
    OpenRound,
    Outcome,
    ReconcileShoe,
    Request,
    Scan,
    UnknownCommand,
    VoidRound,
    belongs,
)
from edge.ruling import verify
from tests.edge.ruling.playing import JOURNAL, Table, dealt, every_request, made, ready

AT = Position(boot=1, number=3)
KNOWN = [each for each in every_request() if not isinstance(each, UnknownCommand)]


def device_events(table: Table) -> None:
    """What happens beside the table: three events."""
    table.hear(DeviceCameOnline(device="shoe", kind="shoe", serial="s", firmware="f", position=AT, skipped=0))
    table.hear(DeviceFaultSeen(device="shoe", position=AT, code=7))
    table.hear(EdgeStarted(version="1", config_hash="c", operators=None, shoes=None))


def test_an_unknown_command_is_answered_and_does_nothing() -> None:
    table = ready()
    answer = table.ask(UnknownCommand(name="shoe.polish"))
    assert answer == RequestAnswered(
        id=answer.id,
        command="shoe.polish",
        outcome=Outcome.REFUSED,
        code="unknown_command",
        message="This version has no such command.",
    )
    assert table.told() == []


@pytest.mark.parametrize(
    "request_",
    [each for each in KNOWN if not all(belongs(type(each), desk) for desk in Desk)],
    ids=lambda each: str(each.command),
)
def test_a_command_on_the_other_desks_topic_is_refused(request_: Request) -> None:
    assert not isinstance(request_, UnknownCommand)
    table = dealt("deluxe", (1,), "Tc")
    other = next(desk for desk in Desk if desk is not request_.desk)
    before = table.state
    answer = table.ask(request_, desk=other)
    assert answer.code == "wrong_topic"
    assert answer.message == f"{request_.command} belongs on the topic {request_.desk.value}."
    assert table.state == before


def test_a_shoe_may_be_scanned_out_from_either_desk_and_is_signed_at_the_supervisors() -> None:
    start = ReconcileShoe(step=Scan.START)
    table = ready()
    assert [table.ask(start, desk=desk).code for desk in Desk] == ["shoe_in", "shoe_in"]
    table.hear(EdgeStarted(version="0", config_hash="c", operators=(Operator(name="ada"),), shoes=None))
    assert table.ask(start, desk=Desk.SERVER).code == "shoe_in"
    assert table.ask(start, desk=Desk.SUPERVISOR).message == "Say operator: who asks, by name."
    for operator, code in (("eve", "not_allowed"), ("ada", "shoe_in")):
        signed = ReconcileShoe(step=Scan.START, operator=operator)
        assert table.ask(signed, desk=Desk.SUPERVISOR).code == code


def test_if_sequence_is_stale_once_an_event_of_the_table_follows() -> None:
    table = ready()
    now = table.state.sequence
    assert table.ask(OpenRound(round_id="a", seats=(1,)), if_sequence=now - 1).code == "stale"
    assert table.ask(OpenRound(round_id="a", seats=(1,)), if_sequence=now).code == "done"
    assert table.ask(VoidRound(operator="ada", reason="r"), if_sequence=now).code == "stale"
    assert table.ask(VoidRound(operator="ada", reason="r"), if_sequence=now + 1).code == "done"


def test_events_of_devices_and_of_the_edge_do_not_make_it_stale() -> None:
    table = ready()
    now = table.state.sequence
    device_events(table)
    assert table.state.sequence == now + 3
    answer = table.ask(OpenRound(round_id="a", seats=(1,)), if_sequence=now, journal=JOURNAL)
    assert answer.code == "done"


def test_a_stale_request_is_told_what_came_after() -> None:
    table = ready()
    table.open(1)
    answer = table.ask(VoidRound(operator="ada", reason="r"), if_sequence=3)
    assert answer.message == f"Event {table.state.sequence} came after 3: read it, then ask again."


def test_another_journal_is_stale() -> None:
    table = ready()
    asked = OpenRound(round_id="a", seats=(1,))
    assert table.ask(asked, journal="another").code == "stale"
    assert table.ask(asked, journal="another", if_sequence=10**9).code == "stale"
    assert table.ask(asked, journal=JOURNAL).code == "done"


def test_a_refusal_changes_nothing_but_is_noted() -> None:
    table = ready()
    before = table.state
    answer = table.ask(InstallShoe(decks=8))
    assert answer.outcome is Outcome.REFUSED
    assert answer.message == "Shoe 1 is still in: it must close first."
    assert table.state == before
    assert table.steps[-1].ruled == (answer,)


def test_the_answer_follows_what_it_caused() -> None:
    table = ready()
    table.open(1)
    ruled = table.steps[-1].ruled
    assert [type(each).__name__ for each in ruled] == ["RoundOpened", "RequestAnswered"]
    answer = ruled[-1]
    assert isinstance(answer, RequestAnswered)
    assert (answer.outcome, answer.code, answer.command) == (Outcome.ACCEPTED, "done", "round.open")


def test_verify_asks_without_doing() -> None:
    table = ready()
    assert verify(table.state, made(OpenRound(round_id="a", seats=(1,)))) is None
    refusal = verify(table.state, made(UnknownCommand(name="x")))
    assert refusal is not None
    assert refusal.code == "unknown_command"
