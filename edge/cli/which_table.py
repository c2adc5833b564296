"""Which table a command is about: named by its configuration, by its id, or the only one there is.

A supervisor may not read the configuration: the id is enough for what systemd runs.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from edge import config as configuration
from edge.config import CONTROL_SOCKET, TABLE_ID, Config, load_config, served_at
from edge.errors import ConfigInvalid

ConfigOption: TypeAlias = Annotated[
    Path | None, typer.Option("-c", "--config", help="The table's configuration file.", show_default=False)
]
TableOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "-t", "--table", help="The table's id; left out: the only one running here.", show_default=False
    ),
]

_HINT: Final = "Name it with -t, or give its configuration with -c."


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A table, and where its daemon may listen."""

    table: str
    paths: tuple[Path, ...]
    config: Config | None = None
    """None: only its id is known."""


def chosen(config: Path | None, table: str | None) -> Chosen:
    """The table that is meant.

    Raises:
        ConfigInvalid: none is named and there is not exactly one, or the configuration cannot be used.
    """
    if config is not None:
        loaded = load_config(config).config
        return Chosen(table=loaded.table, paths=loaded.control_paths, config=loaded)
    if table is None:
        table = _only_one()
    if not re.match(TABLE_ID, table):
        raise ConfigInvalid(f"{table!r} is no id of a table.", hint=_HINT)
    return Chosen(table=table, paths=(served_at(table),))


def _only_one() -> str:
    running = sorted(path.parent.name for path in configuration.RUN_DIRECTORY.glob(f"*/{CONTROL_SOCKET}"))
    match running:
        case [table]:
            return table
        case []:
            raise ConfigInvalid("No table was named, and none runs here as a service.", hint=_HINT)
        case _:
            raise ConfigInvalid(f"Which table? {', '.join(running)} run here.", hint=_HINT)
