"""``table-edge run``: the daemon."""

import asyncio
import faulthandler
from pathlib import Path
from typing import Annotated

import typer

from edge.config import load_config
from edge.daemon import serve
from edge.logs import set_up_logs


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
