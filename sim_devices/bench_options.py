"""What the commands of ``sim-devices`` share: their options, and how a simulated device is run by hand."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from sim_devices.decks import ShoeContents
from sim_devices.faults import Faults
from sim_devices.whole_table import INTERRUPTED

LinkOption = Annotated[
    Path, typer.Option(help="The name the shoe's port appears under: a symlink to a pseudo-terminal.")
]
DecksOption = Annotated[int, typer.Option(min=1, max=16, help="Decks in the shoe.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same cards and the same players.")]
CutAtOption = Annotated[
    int | None,
    typer.Option(min=0, help="Cards behind the cut card; without it there is none.", show_default=False),
]
LogOption = Annotated[
    Path | None,
    typer.Option(help="Where the shoe writes what really left it (JSON Lines).", show_default=False),
]
CardsOption = Annotated[
    str | None,
    typer.Option(help='These cards instead, as in "As Kd CUT 9h 9h".', show_default=False),
]
PaceOption = Annotated[float, typer.Option(min=0.01, help="Cards per second.")]
BrokerOption = Annotated[str, typer.Option(help="The broker, host:port.")]
TableOption = Annotated[str, typer.Option(help="The table's id in the topics.")]
PrefixOption = Annotated[str, typer.Option(help="What the topics begin with.")]
SerialOption = Annotated[str, typer.Option(help="The shoe's serial number.")]
FaultsOption = Annotated[
    str | None,
    typer.Option(
        help="What the cable does, by chance: "
        "flip=0.01,drop=0.02,double=0.1,split=0.2,stall=0.01,burst=0.1,seed=7.",
        show_default=False,
    ),
]
RoundsOption = Annotated[int, typer.Option(min=1, help="Rounds to deal.")]


def run_bench(body: Coroutine[Any, Any, None]) -> None:
    """Run it; Ctrl-C ends it as a shell expects, and so does SIGTERM: the port's name goes with it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        asyncio.run(body)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def contents_of(*, decks: int, seed: int, cut_at: int | None, cards: str | None) -> ShoeContents:
    """What is in the shoe: what was written, or a seeded shuffle."""
    if cards is not None:
        return ShoeContents.written(cards)
    return ShoeContents.shuffled(decks=decks, seed=seed, cut_from_back=cut_at)


def faults_of(text: str | None) -> Faults | None:
    """The cable's faults, None: it is sound."""
    return None if text is None else Faults.written(text)


async def typed_lines() -> AsyncIterator[str]:
    """Lines typed on standard input, until its end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with contextlib.closing(transport):
        while line := await reader.readline():
            yield line.decode(errors="replace")
