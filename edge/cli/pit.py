"""``table-edge pit``: what a supervisor may do at the table's own computer, broker or not.

There is a subcommand for every command of the supervisor's desk, made from the request itself: a command that
joins the desk joins here.
"""

import inspect
import json
import os
import pwd
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, Final, get_type_hints
from uuid import uuid4

import typer
from rich.prompt import Confirm, Prompt
from rich.text import Text

from edge.cli.which_table import Chosen, ConfigOption, TableOption, chosen
from edge.cli.wording import play, printable, read_view, screen
from edge.control import SIGNATURE, SUPERVISED, PitView, Question, ask, look, required, says, verb
from edge.public_state import PublicState
from edge.requests import KnownRequest

REFUSED: Final = 1
LEAVE: Final = "q"
HELP: Final = {
    SIGNATURE: "Who asks: an operator of the table; left out: your own name.",
    "reason": "Why; it is recorded and published.",
}

pit_commands = typer.Typer(help="For supervisors: see what holds a table, and end it.")


@pit_commands.callback(invoke_without_command=True)
def pit(context: typer.Context, *, config: ConfigOption = None, table: TableOption = None) -> None:
    """Show what holds the table and what may be done; on a terminal, do it."""
    context.obj = (config, table)
    if context.invoked_subcommand is not None:
        return
    which = chosen(config, table)
    view = _shown(which)
    while _interactive():
        kind = _choice(view)
        if kind is None:
            return
        said = _completed(kind, {}, view)
        if Confirm.ask(Text(_summary(kind, said)), default=False):
            _tell(_asked(which, kind, said, view if view.irregularities else None))
        view = _shown(which)


def _shown(which: Chosen) -> PitView:
    """Show the table as it stands."""
    state, answer = look(which.paths, Question.STATE, Question.PIT, table=which.table)
    view = read_view(PitView, answer)
    out = screen()
    out.print(f"Table {view.table}: {play(read_view(PublicState, state))}")
    for each in view.irregularities:
        where = [f"draw {each.draw}"] * (each.draw is not None)
        where += [f"device {each.device}"] * (each.device is not None)
        told = f" ({', '.join(where)})" if where else ""
        out.print(Text.assemble("  ! ", (each.kind, "bold red"), f": {each.seen}{told}"))
    out.print("What may be done now")
    for number, each_command in enumerate(view.commands, start=1):
        name = each_command.command.partition(".")[2]
        if each_command.refusal is None:
            out.print(f"  {number}  {name:<8} {each_command.says}")
        else:
            out.print(Text(f"  -  {name:<8} not now: {each_command.refusal}", style="dim"))
    return view


def _choice(view: PitView) -> type[KnownRequest] | None:
    """What the supervisor chooses; None: nothing."""
    by_number = {
        str(number): kind
        for number, each in enumerate(view.commands, start=1)
        for kind in SUPERVISED
        if each.refusal is None and kind.command == each.command
    }
    if not by_number:
        return None
    return by_number.get(_answer(f"Number, or {LEAVE} to leave", choices=[*by_number, LEAVE], default=LEAVE))


def _completed(kind: type[KnownRequest], given: dict[str, Any], view: PitView | None) -> dict[str, Any]:
    """What is said in the request: what was given, and what a person at a terminal is asked for.

    Raises:
        BadParameter: something is missing, and there is nobody to ask.
    """
    said = {name: value for name, value in given.items() if value is not None}
    for name in required(kind):
        if name in said:
            continue
        if name == SIGNATURE:
            said[name] = _signature(view)
        elif view is None:
            raise typer.BadParameter(f"--{name.replace('_', '-')} is missing.")
        else:
            said[name] = _value(kind, name, _answer(name.replace("_", " ").capitalize()))
    return said


def _signature(view: PitView | None) -> str:
    own = _own_name()
    if view is None or not view.operators or own in view.operators:
        return own
    return _answer("Who are you", choices=list(view.operators))


def _asked(
    which: Chosen, kind: type[KnownRequest], said: dict[str, Any], shown: PitView | None
) -> dict[str, Any]:
    """Ask. Where ``shown``, only if nothing has happened at the table since."""
    request: dict[str, Any] = {"id": str(uuid4()), "command": kind.command, "data": said}
    if shown is not None:
        request |= {"if_sequence": shown.as_of, "journal": shown.journal}
    return ask(which.paths, json.dumps(request).encode(), table=which.table)


def _tell(reply: dict[str, Any]) -> bool:
    """Tell what came of it; False: nothing did."""
    match reply:
        case {"outcome": "accepted", "command": command, "message": message, "sequence": sequence}:
            screen().print(f"{command}: accepted. {message} (event {sequence})")
            return True
        case {"outcome": _, "code": code, "message": message} | {"error": {"code": code, "message": message}}:
            screen(stderr=True).print(f"table-edge: refused ({code}): {printable(str(message))}")
        case _:
            screen(stderr=True).print("table-edge: the daemon answered in words that this version has not.")
    return False


# One subcommand a command --------------------------------------------------------------------------


def _subcommand(kind: type[KnownRequest]) -> Callable[..., None]:
    """A function whose options are the request's fields."""
    hints = get_type_hints(kind)

    def carry_out(
        context: typer.Context, *, config: ConfigOption, table: TableOption, **given: str | int | None
    ) -> None:
        before_config, before_table = context.obj
        which = chosen(config or before_config, table or before_table)
        said = {name: _value(kind, name, value) for name, value in given.items() if value is not None}
        missing = set(required(kind)) - said.keys()
        view = _shown(which) if missing and _interactive() else None
        if not _tell(_asked(which, kind, _completed(kind, said, view), None)):
            raise typer.Exit(REFUSED)

    options: dict[str, Any] = {"config": ConfigOption, "table": TableOption}
    for field in fields(kind):
        shape = int if hints[field.name] in (int, int | None) else str
        options[field.name] = Annotated[
            shape | None, typer.Option(help=HELP.get(field.name, ""), show_default=False)
        ]
    by_keyword = inspect.Parameter.KEYWORD_ONLY
    carry_out.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # what typer reads
        [
            inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
            *(
                inspect.Parameter(name, by_keyword, default=None, annotation=option)
                for name, option in options.items()
            ),
        ]
    )
    carry_out.__annotations__ = {"context": typer.Context, **options, "return": None}
    return carry_out


def _value(kind: type[KnownRequest], name: str, given: str | int) -> Any:  # noqa: ANN401 - JSON
    """What was typed, as the request has it: a text, a number, or where it is neither, JSON."""
    hint = get_type_hints(kind)[name]
    if isinstance(given, int) or hint in (str, str | None):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


def _summary(kind: type[KnownRequest], said: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {printable(str(value))}" for name, value in said.items())
    return f"{kind.command}: {told}. Do it?"


def _answer(question: str, *, choices: list[str] | None = None, default: str | None = None) -> str:
    """What a person answers; an empty answer is asked for again."""
    try:
        while not (
            said := (Prompt.ask(question, choices=choices, default=default or "", show_default=False) or "")
        ):
            pass
    except EOFError:
        raise typer.Abort from None
    return said


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


for _kind in SUPERVISED:
    pit_commands.command(verb(_kind), help=says(_kind))(_subcommand(_kind))
