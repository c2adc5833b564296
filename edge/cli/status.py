"""``table-edge status``: a technician's one look at a table, its cables first."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from edge.cli.which_table import Chosen, ConfigOption, TableOption, chosen
from edge.cli.wording import counted, play, printable, read_view, screen, when
from edge.control import DeviceLook, JournalLook, Question, StatusView, journal_look, look
from edge.errors import ControlDeaf, JournalError
from edge.inputs import DeadlineName
from edge.journal import read_journal
from edge.public_state import PublicState, written_state
from edge.ruling import RULING_VERSION, evolve, new_table
from edge.upstream import PUBLISHED, utc

NOT_RUNNING: Final = 1
_LABEL: Final = 10
_TELLING: Final = ("frames", "noise_bytes", "rejects", "reconnects")
"""Counters that show a bad cable; the others are in the telemetry and behind ``--json``."""
_OF_A_LINE: Final = ("gaps", "framing_errors", "parity_errors", "overruns")
"""Counters that are told where they count anything."""
WAITED_FOR: Final = {
    DeadlineName.EARLY_DRAW: "the command that an early card needs",
    DeadlineName.DEVICE_LOST: "the shoe",
    DeadlineName.HOST_LOST: "the game server",
}
_BAD: Final = "bold red"
_GOOD: Final = "green"


def status(
    *,
    config: ConfigOption = None,
    table: TableOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show how a table is: its devices, the broker, the journal, what is wrong. Exit 1: no daemon runs."""
    which = chosen(config, table)
    try:
        state, view = look(which.paths, Question.STATE, Question.STATUS, table=which.table)
    except ControlDeaf as deaf:
        _without_daemon(which, deaf, as_json=as_json)
        raise typer.Exit(NOT_RUNNING) from None
    if as_json:
        _print_json({"running": True, "state": json.loads(state), **json.loads(view)})
        return
    out = screen()
    for line in _lines(read_view(StatusView, view), read_view(PublicState, state)):
        out.print(line)


def _lines(view: StatusView, state: PublicState) -> Iterator[Text]:
    word = Text(view.status.upper(), style=_GOOD if view.status == "online" else _BAD)
    yield Text.assemble(f"Table {view.table}, version {view.version}: ", word, f" since {when(view.since)}")
    below = {f"device:{device.device}" for device in view.devices}
    for reason in (each for each in view.reasons if each.reason not in below):
        yield Text.assemble("  ", (reason.reason, _BAD), f"  {printable(reason.sentence)}")
    yield _line("Play", play(state))
    yield from _in_the_way(state)
    for device in view.devices:
        yield from _device(device)
    broker = view.broker
    connected = ("connected", _GOOD) if broker.connected else ("NOT CONNECTED", _BAD)
    yield Text.assemble(f"{'Broker':<{_LABEL}}", connected, f" to {broker.address}")
    yield _backlog(view.journal)
    yield _line("Server", f"{view.server} since {when(view.server_since)}")
    yield _journal(view.journal)


def _in_the_way(state: PublicState) -> Iterator[Text]:
    """What holds the table, what is latched, and who is waited for; nothing where play goes on."""
    holding = [f"{each.kind.value} (number {each.id})" for each in state.irregularities if not each.latched]
    latched = [f"{each.kind.value} (number {each.id})" for each in state.irregularities if each.latched]
    if holding:
        yield _line("Held", f"{', '.join(holding)}: table-edge pit -t {state.table}", style=_BAD)
    if state.pause is not None:
        pause = state.pause
        yield _line("Held", f"by {printable(pause.operator)}: {printable(pause.reason)}", style=_BAD)
    if latched:
        yield _line("Latched", f"{', '.join(latched)}: nothing new begins until it is cleared", style=_BAD)
    if not state.host.online:
        gone = "for longer than the table waits" if state.host.overdue else "the deal goes on for now"
        yield _line("Host", f"the game server is gone, {gone}", style=_BAD)
    for each in state.deadlines:
        yield _line("Waits", f"for {WAITED_FOR[each.name]}, {each.after_ms / 1000:g} s at most")
    if state.scan is not None:
        counts = f"{counted(state.scan.scanned, 'card')} read, {state.scan.unread} unread"
        yield _line("Scan-out", f"of shoe {state.scan.shoe}: {counts} so far")


def _device(device: DeviceLook) -> Iterator[Text]:
    connected = ("connected", _GOOD) if device.connected else ("NOT CONNECTED", _BAD)
    since = "" if device.since is None else f" since {when(device.since)}"
    trouble = "" if device.trouble is None else f" ({device.trouble.replace('_', ' ')})"
    yield Text.assemble(f"{device.device:<{_LABEL}}", connected, (trouble, _BAD), since)
    indent = " " * (_LABEL + 2)
    yield Text(f"{indent}{device.url}")
    if device.why is not None:
        yield Text(f"{indent}{printable(device.why)}", style=_BAD)
    elif not device.connected:
        yield Text(f"{indent}It has not answered yet.")
    if device.serial or device.firmware:
        who = f"serial number {printable(device.serial)}, firmware {printable(device.firmware)}"
        yield Text(f"{indent}{'' if device.connected else 'last known as '}{who}")
    for fault in device.faults:
        yield Text(f"{indent}fault {fault}", style=_BAD)
    told = [f"{device.counters.get(name, 0)} {name.replace('_', ' ')}" for name in _TELLING]
    told += [
        f"{number} {name.replace('_', ' ')}" for name in _OF_A_LINE if (number := device.counters.get(name))
    ]
    yield Text(f"{indent}{', '.join(told)}")


def _without_daemon(which: Chosen, deaf: ControlDeaf, *, as_json: bool) -> None:
    """Tell that nobody answers, and what the journal last knew."""
    state, journal, told = _last_known(which)
    if as_json:
        kept = None if journal is None else dataclasses.asdict(journal)
        known = None if state is None else json.loads(state)
        _print_json({"running": False, "why": str(deaf), "state": known, "journal": kept})
        return
    screen(stderr=True).print(f"table-edge: {deaf}")
    out = screen()
    if state is None or journal is None:
        out.print(told)
        return
    out.print(f"When it last wrote its journal{told}:")
    known = read_view(PublicState, state)
    out.print(_line("Play", play(known)))
    for line in _in_the_way(known):
        out.print(line)
    for device in known.devices:
        out.print(_line(device.device, "connected" if device.online else f"not connected: {device.reason}"))
    out.print(_backlog(journal))
    out.print(_journal(journal))


def _last_known(which: Chosen) -> tuple[bytes | None, JournalLook | None, str]:
    """Public state and journal, and when that was; or neither, and why."""
    if which.config is None:
        return None, None, "What its journal knows is shown with -c and its configuration."
    try:
        with read_journal(which.config.journal_path) as reader:
            state = reader.folded(new_table, evolve, RULING_VERSION)
            journal = journal_look(state, published=reader.stored_cursor(PUBLISHED))
            last = [utc(record.wall_ms) for record in reader.records(max(reader.last_number, 1))]
            at = f", {when(last[0])}" if last else ""
            return written_state(state, table=reader.table), journal, at
    except JournalError as error:
        return None, None, str(error)


def _backlog(journal: JournalLook) -> Text:
    waiting = counted(journal.backlog, "event") if journal.backlog else "no event"
    return _line("Backlog", f"{waiting} waiting for the broker")


def _journal(journal: JournalLook) -> Text:
    return _line("Journal", f"{journal.id}, last event {journal.sequence}")


def _line(label: str, text: str, *, style: str = "") -> Text:
    return Text.assemble(f"{label:<{_LABEL}}", (text, style))


def _print_json(said: dict[str, Any]) -> None:
    typer.echo(json.dumps(said, ensure_ascii=False))
