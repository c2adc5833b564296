"""``table-edge journal``: look at a journal, prove it, prune it."""

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress

from edge.config import load_config
from edge.errors import ConfigInvalid
from edge.journal import Verdict, read_journal, shown
from edge.journal import prune as prune_journal
from edge.journal import verify as verify_journal
from edge.ruling import RULING_VERSION, decide, evolve, new_table
from edge.upkeep import DAY_MS
from edge.upstream import ACKNOWLEDGED, PUBLISHED

NOT_SOUND: Final = 1

journal_commands = typer.Typer(help="Look at a table's journal, prove it, prune it.", no_args_is_help=True)

JournalPath = Annotated[
    Path | None,
    typer.Argument(
        metavar="[JOURNAL]", readable=False, help="The journal's file; or give -c.", show_default=False
    ),
]
ConfigPath = Annotated[
    Path | None,
    typer.Option(
        "-c",
        "--config",
        readable=False,
        help="The table's configuration file, which says where its journal is.",
    ),
]


@journal_commands.command()
def show(
    journal: JournalPath = None,
    *,
    config: ConfigPath = None,
    first: Annotated[int, typer.Option("--from", min=1, help="The first record to show.")] = 1,
    count: Annotated[int | None, typer.Option(min=1, help="How many records; all by default.")] = None,
) -> None:
    """Show records: what was heard, what was ruled. Never a card that lies face down."""
    with read_journal(_path(journal, config)) as reader:
        pruned = reader.pruned
        if pruned is not None and first <= pruned.number:
            typer.echo(
                f"The records up to {pruned.number} and the events up to {pruned.sequence} have been pruned.",
                err=True,
            )
        for number, record in enumerate(reader.records(first), start=1):
            if count is not None and number > count:
                break
            typer.echo(shown(record))


@journal_commands.command()
def verify(journal: JournalPath = None, *, config: ConfigPath = None) -> None:
    """Prove a journal: both chains, every stored byte, and every record ruled again. Exit 1 if not sound."""
    path = _path(journal, config)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Ruling every record again", total=None)
        verdict = verify_journal(
            path,
            new_table=new_table,
            decide=decide,
            evolve=evolve,
            ruling=RULING_VERSION,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    _tell(verdict)
    if not verdict.ok:
        raise typer.Exit(NOT_SOUND)


@journal_commands.command()
def prune(
    config: Annotated[
        Path, typer.Option("-c", "--config", readable=False, help="The table's configuration.")
    ],
) -> None:
    """Take away what was delivered and is older than the retention, as the daemon does once an hour."""
    loaded = load_config(config).config
    follower = ACKNOWLEDGED if loaded.mqtt.server_acknowledges else PUBLISHED
    with read_journal(loaded.journal_path) as reader:
        now_ms, through = reader.at_ms, reader.stored_cursor(follower)
    before_ms = now_ms - loaded.retention_days * DAY_MS
    pruned = prune_journal(loaded.journal_path, before_ms=before_ms, through=through, pause_s=0.01)
    typer.echo(
        f"{pruned.records} records pruned. Gone are the records up to {pruned.number} and the events up to "
        f"{pruned.sequence}."
    )


def _tell(verdict: Verdict) -> None:
    for finding in verdict.findings:
        typer.echo(f"NOT AS WRITTEN  {finding}")
    for difference in verdict.differences:
        typer.echo(f"ruled otherwise today  {difference}")
    sound = "sound" if verdict.ok else f"NOT sound: {len(verdict.findings)} findings"
    typer.echo(
        f"Journal {verdict.journal or 'unreadable'}: {verdict.records} records, {verdict.events} events, "
        f"{f'after record {verdict.pruned}, up to which it was pruned, ' if verdict.pruned else ''}"
        f"ruling {RULING_VERSION}: {sound}."
    )


def _path(journal: Path | None, config: Path | None) -> Path:
    if journal is not None:
        return journal
    if config is None:
        raise ConfigInvalid("No journal was named.", hint="Give its file, or the configuration with -c.")
    return load_config(config).config.journal_path
