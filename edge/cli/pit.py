"""``table-edge pit``: what a supervisor may do at the table's own computer, broker or not.

There is a subcommand for every command of the supervisor's desk, made from the request itself: a command that
joins the desk joins here. What is missing is asked for at a terminal, and an error elsewhere.

Exit codes: 0 accepted, and on disk; 1 refused, or nobody answers; 2 something is missing or cannot be
understood, and nothing was done; 3 it was sent, and no answer came.
"""

import inspect
import json
import os
import pwd
import sys
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_type_hints
from uuid import uuid4

import typer

from edge.cli import pit_asking as asking
from edge.cli.pit_screen import Choice, Seen, choices_of, seen, show
from edge.cli.pit_spelling import Json, told, typed
from edge.cli.which_table import Chosen, ConfigOption, TableOption, chosen
from edge.cli.wording import play, printable, screen
from edge.control import SIGNATURE, SUPERVISED, ask, required, says, verb
from edge.requests import (
    DisputeRound,
    EnterCard,
    HoldTable,
    KnownRequest,
    ReconcileShoe,
    ReleaseTable,
    ReportIrregularity,
    ResolveIrregularity,
)
from firmware_protocols import Card

REFUSED: Final = 1
NOT_UNDERSTOOD: Final = 2
LEAVE: Final = "q"
HELP: Final = {
    SIGNATURE: "Who asks: an operator of the table; left out: your own name.",
    "reason": "Why; it is recorded and published.",
    "id": "The irregularity's number.",
    "resolution": "How it is resolved; table-edge pit shows what is allowed.",
    "kind": "What is irregular.",
    "draw": "The card it is about, by its draw number; left out: the irregularity's own.",
    "to": "A place: 3 for seat 3, 3/2 for its second hand, or dealer.",
    "seat": "The box it is about.",
    "card": "A card, such as 9h or 10d.",
    "exposed": "The card lies face up, for everybody to see.",
    "natural": "Whether the unread hole card makes a natural.",
    "override": "Also where a decision has been taken on what it changes.",
    "by_hand": "Keep the house's own rule from acting by itself.",
    "places": "Cards that lie elsewhere: draw=place, such as 4=dealer,5=3.",
    "cards": 'All that lies on the table: "1=10h 8c; dealer=7d x", x for a card face down.',
    "step": "Start the scan-out of the closed shoe's rest, or finish it.",
    "shoe": "The shoe's number; left out: that of the last result.",
    "round": "The round's number in its shoe; left out: the last that has a result.",
}
SURE: Final = frozenset(
    {
        DisputeRound,
        EnterCard,
        HoldTable,
        ReconcileShoe,
        ReleaseTable,
        ReportIrregularity,
        ResolveIrregularity,
    }
)
"""Requests that name what they are about, or end nothing: they cannot hit what came after. Any other is sent
from the screen of a held table only as long as nothing has happened since."""

pit_commands = typer.Typer(help="For supervisors: see what holds a table, and end it.")


@pit_commands.callback(invoke_without_command=True)
def pit(context: typer.Context, *, config: ConfigOption = None, table: TableOption = None) -> None:
    """Show what holds the table and what may be done; on a terminal, do it."""
    context.obj = (config, table)
    if context.invoked_subcommand is not None:
        return
    which = chosen(config, table)
    now = _shown(which)
    while _interactive():
        choice = _choice(choices_of(now))
        if choice is None:
            return
        _carried_out(which, choice.kind, choice.said, now)
        now = _shown(which)


def _shown(which: Chosen) -> Seen:
    """Show the table as it stands."""
    now = seen(which)
    show(now, choices_of(now))
    return now


def _choice(choices: list[Choice]) -> Choice | None:
    """What the supervisor chooses; None: nothing."""
    by_number = {str(number): choice for number, choice in enumerate(choices, start=1)}
    if not by_number:
        return None
    return by_number.get(
        asking.answer(f"Number, or {LEAVE} to leave", choices=[*by_number, LEAVE], default=LEAVE)
    )


def _carried_out(which: Chosen, kind: type[KnownRequest], given: dict[str, Json], now: Seen) -> int:
    """Ask for what is missing, show it, send it once it is confirmed; the exit code."""
    said = asking.completed(kind, given, now, own=_own_name())
    if not asking.confirmed(_summary(kind, said)):
        screen().print("Nothing was sent.")
        return REFUSED
    held = bool(now.view.irregularities) and kind not in SURE
    reply = _asked(which, kind, said, now if held else None)
    if reply.get("code") == "hand_acted" and kind is ResolveIrregularity:
        _tell(reply)
        if asking.confirmed("Change it all the same"):
            reply = _asked(which, kind, said | {"override": True}, None)
        else:
            return REFUSED
    return _tell(reply)


def _refused_now(kind: type[KnownRequest], now: Seen) -> int:
    """Tell what would be refused whatever is said, before anything is asked; the exit code, 0: nothing."""
    for each in now.view.commands:
        if each.command == kind.command and each.refusal is not None:
            screen(stderr=True).print(f"table-edge: not now: {printable(each.refusal)}")
            return REFUSED
    return 0


def _asked(
    which: Chosen, kind: type[KnownRequest], said: dict[str, Json], shown: Seen | None
) -> dict[str, Any]:
    """Ask. Where ``shown``, only if nothing has happened at the table since."""
    request: dict[str, Json] = {"id": str(uuid4()), "command": kind.command, "data": said}
    if shown is not None:
        request |= {"if_sequence": shown.view.as_of, "journal": shown.view.journal}
    return ask(which.paths, json.dumps(request).encode(), table=which.table)


def _tell(reply: dict[str, Any]) -> int:
    """Tell what came of it; the exit code."""
    match reply:
        case {"outcome": "accepted", "command": command, "message": message, "sequence": sequence}:
            screen().print(f"{command}: accepted. {printable(str(message))} (event {sequence})")
            return 0
        case {"outcome": _, "code": code, "message": message} | {"error": {"code": code, "message": message}}:
            screen(stderr=True).print(f"table-edge: refused ({code}): {printable(str(message))}")
            return NOT_UNDERSTOOD if code == "malformed" else REFUSED
        case _:
            screen(stderr=True).print("table-edge: the daemon answered in words that this version has not.")
            return REFUSED


# One subcommand a command --------------------------------------------------------------------------


def _subcommand(kind: type[KnownRequest]) -> Callable[..., None]:
    """A function whose options are the request's fields."""
    hints = get_type_hints(kind)

    def carry_out(context: typer.Context, *, config: ConfigOption, table: TableOption, **given: Json) -> None:
        before_config, before_table = context.obj
        which = chosen(config or before_config, table or before_table)
        said = {name: _value(hints[name], name, value) for name, value in given.items() if value is not None}
        if _interactive() and asking.lacks(kind, said, now := seen(which)):
            show(now, choices_of(now))
            code = _refused_now(kind, now) or _carried_out(which, kind, said, now)
        else:
            code = _tell(_asked(which, kind, _signed(kind, said), None))
        if not code:
            screen().print(f"Table {which.table}: {play(seen(which).state)}")
        raise typer.Exit(code)

    options: dict[str, Any] = {"config": ConfigOption, "table": TableOption}
    for field in fields(kind):
        options[field.name] = Annotated[
            _shape(hints[field.name]) | None, typer.Option(help=HELP.get(field.name, ""), show_default=False)
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


def _shape(hint: Any) -> Any:  # noqa: ANN401 - types of types
    """What is typed for a field of this type: a number, a flag, one of a few words, else a text."""
    only = [each for each in get_args(hint) or (hint,) if each is not NoneType]
    if only in ([int], [bool]):
        return only[0]
    words = len(only) == 1 and isinstance(only[0], type) and issubclass(only[0], Enum)
    return only[0] if words and only[0] is not Card else str


def _value(hint: object, name: str, given: Json) -> Json:
    """What was typed, as the request has it.

    Raises:
        BadParameter: it cannot be understood.
    """
    if isinstance(given, Enum):
        return given.value
    if not isinstance(given, str):
        return given
    try:
        return typed(hint, given)
    except ValueError as error:
        raise typer.BadParameter(f"--{name.replace('_', '-')}: {error}") from None


def _signed(kind: type[KnownRequest], said: dict[str, Json]) -> dict[str, Json]:
    """The request with one's own name, where no other was given.

    Raises:
        BadParameter: something else is missing.
    """
    whole = {SIGNATURE: _own_name()} | said if SIGNATURE in required(kind) else said
    for name in required(kind):
        if name not in whole:
            raise typer.BadParameter(f"--{name.replace('_', '-')} is missing.")
    return whole


def _summary(kind: type[KnownRequest], said: dict[str, Json]) -> str:
    parts = ", ".join(f"{name} {printable(told(value))}" for name, value in said.items())
    return f"{kind.command}: {parts}. Do it?"


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


for _kind in SUPERVISED:
    pit_commands.command(verb(_kind), help=says(_kind))(_subcommand(_kind))
