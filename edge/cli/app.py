"""``table-edge``: its commands, and how they end.

Exit codes: 0 done; 1 it could not be done; 2 what was given cannot be used (configuration, script, house);
3 it was asked of a running daemon, and whether it was done is not known. Every error is one sentence on
standard error that says what, where and what to do.
"""

import sys
from importlib.metadata import version
from typing import Annotated, Final

import typer

from edge.cli.late import late
from edge.errors import ConfigInvalid, ControlUnsure, EdgeError, HouseRulesInvalid, ScriptInvalid

BAD_INPUT: Final = 2
FAILED: Final = 1
UNSURE: Final = 3

COMMANDS: Final = {
    "run": "edge.cli.run:run",
    "status": "edge.cli.status:status",
    "pit": "edge.cli.pit:pit_commands",
    "devices": "edge.cli.devices:devices",
    "probe": "edge.cli.probe:probe",
    "capture": "edge.cli.capture:capture_commands",
    "journal": "edge.cli.journal:journal_commands",
    "rules": "edge.cli.rules:rules_commands",
    "replay": "edge.cli.replay:replay_script",
}
"""In the order of the help."""

app = typer.Typer(
    cls=late(COMMANDS),
    name="table-edge",
    help="Reads every card that leaves a table's shoe, rules on it, and tells the game server what is true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # tracebacks with variables could show a card
    rich_markup_mode=None,
)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(version("table-edge"))
        raise typer.Exit


@app.callback()
def _table_edge(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold what all commands share."""


def main() -> None:
    """Run a command; end with its exit code and, where it failed, a sentence."""
    try:
        app()
    except (ConfigInvalid, HouseRulesInvalid, ScriptInvalid) as error:
        _complain(error)
        sys.exit(BAD_INPUT)
    except ControlUnsure as error:
        _complain(error)
        sys.exit(UNSURE)
    except EdgeError as error:
        _complain(error)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(FAILED)


def _complain(error: EdgeError) -> None:
    typer.echo(f"table-edge: {error}", err=True)
