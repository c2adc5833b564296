"""``table-edge``: its commands, and how they end.

Exit codes: 0 done; 1 it could not be done; 2 what was given cannot be used (configuration, script,
house). Every error is one sentence on standard error that says what, where and what to do.
"""

import asyncio
import faulthandler
import sys
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from edge.cli.journal import journal_commands
from edge.cli.pit import pit_commands
from edge.cli.replay import replay_script
from edge.cli.rules import rules_commands
from edge.cli.status import status
from edge.config import load_config
from edge.daemon import VERSION, serve
from edge.errors import ConfigInvalid, EdgeError, HouseRulesInvalid, ScriptInvalid
from edge.logs import set_up_logs

BAD_INPUT: Final = 2
FAILED: Final = 1

app = typer.Typer(
    name="table-edge",
    help="Reads every card that leaves a table's shoe, rules on it, and tells the game server what is true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # tracebacks with variables could show a card
    rich_markup_mode=None,
)
app.add_typer(journal_commands, name="journal")
app.add_typer(rules_commands, name="rules")
app.add_typer(pit_commands, name="pit")
app.command("status")(status)
app.command("replay")(replay_script)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(VERSION)
        raise typer.Exit


@app.callback()
def _table_edge(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold what all commands share."""


@app.command()
def run(
    config: Annotated[
        Path, typer.Option("-c", "--config", readable=False, help="The table's configuration file.")
    ],
) -> None:
    """Run a table until SIGTERM."""
    loaded = load_config(config)
    set_up_logs(loaded.config.log_level)
    faulthandler.enable()  # a watchdog's SIGABRT then says where the loop was stuck; it shows no values
    asyncio.run(serve(loaded))


def main() -> None:
    """Run a command; end with its exit code and, where it failed, a sentence."""
    try:
        app()
    except (ConfigInvalid, HouseRulesInvalid, ScriptInvalid) as error:
        _complain(error)
        sys.exit(BAD_INPUT)
    except EdgeError as error:
        _complain(error)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(FAILED)


def _complain(error: EdgeError) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"table-edge: {error}", markup=False)
