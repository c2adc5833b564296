"""``sim-devices``: simulated devices and a simulated table, for whoever integrates without hardware.

Exit codes: 0 done; 1 it could not be done; 2 what was given cannot be used; 130 interrupted.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from sim_devices.bench_shoe import HELP, ShoeBench
from sim_devices.broker import BrokerAddress
from sim_devices.dealer import CARDS_PER_SECOND, Dealer, Pace
from sim_devices.decks import ShoeContents
from sim_devices.errors import BadAddress, BadSequence, SimulationError
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.mqtt_line import MqttLine
from sim_devices.play import Programme
from sim_devices.screen import Screen
from sim_devices.shoe import SERIAL, ShoeSettings, SimulatedShoe
from sim_devices.whole_table import INTERRUPTED, NOT_OK, Show, run

BAD_INPUT: Final = 2

app = typer.Typer(
    name="sim-devices",
    help="Simulated devices and a whole simulated table, for integrating without hardware.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_Link = Annotated[
    Path, typer.Option(help="The name the shoe's port appears under: a symlink to a pseudo-terminal.")
]
_Decks = Annotated[int, typer.Option(min=1, max=16, help="Decks in the shoe.")]
_Seed = Annotated[int, typer.Option(help="The same seed gives the same cards and the same players.")]
_CutAt = Annotated[
    int | None,
    typer.Option(min=0, help="Cards behind the cut card; without it there is none.", show_default=False),
]
_Log = Annotated[
    Path | None,
    typer.Option(help="Where the shoe writes what really left it (JSON Lines).", show_default=False),
]
_Cards = Annotated[
    str | None,
    typer.Option(help='These cards instead, as in "As Kd CUT 9h 9h".', show_default=False),
]
_Pace = Annotated[float, typer.Option(min=0.01, help="Cards per second.")]
_Broker = Annotated[str, typer.Option(help="The broker, host:port.")]
_Table = Annotated[str, typer.Option(help="The table's id in the topics.")]
_Prefix = Annotated[str, typer.Option(help="What the topics begin with.")]
_Serial = Annotated[str, typer.Option(help="The shoe's serial number.")]
_Rounds = Annotated[int, typer.Option(min=1, help="Rounds to deal.")]


@app.command(epilog=HELP)
def shoe(  # noqa: PLR0913 - a command line
    *,
    link: _Link = Path("shoe"),
    decks: _Decks = 8,
    seed: _Seed = 0,
    cut_at: _CutAt = None,
    cards: _Cards = None,
    serial: _Serial = SERIAL,
    log: _Log = None,
    pace: _Pace = CARDS_PER_SECOND,
) -> None:
    """Be a shoe that speaks table_link behind a pseudo-terminal, and do what is typed."""
    contents = _contents(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    settings = ShoeSettings(port=link.absolute(), log=log, serial=serial, seed=seed)

    async def body() -> None:
        async with SimulatedShoe(settings, contents) as simulated:
            typer.echo(f"shoe {serial} on {settings.port}: serial:{settings.port}?baud=115200")
            await ShoeBench(simulated, typer.echo, cards_per_second=pace).obey(_typed())

    _run(body())


@app.command()
def dealer(  # noqa: PLR0913 - a command line
    *,
    link: _Link = Path("shoe"),
    decks: _Decks = 8,
    seed: _Seed = 0,
    cut_at: _CutAt = None,
    cards: _Cards = None,
    serial: _Serial = SERIAL,
    log: _Log = None,
    pace: _Pace = CARDS_PER_SECOND,
    broker: _Broker = "127.0.0.1:1883",
    table: _Table = "t1",
    prefix: _Prefix = "tables",
) -> None:
    """Be a shoe and a dealer who pulls a card whenever the table's state says that one is due."""
    contents = _contents(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    address = _address(broker)
    settings = ShoeSettings(port=link.absolute(), log=log, serial=serial, seed=seed)

    async def body() -> None:
        async with (
            SimulatedShoe(settings, contents) as simulated,
            MqttLine(address, topics=[f"{prefix}/{table}/state"]) as line,
            asyncio.TaskGroup() as tasks,
        ):
            typer.echo(f"shoe {serial} on {settings.port}, watching {prefix}/{table}/state on {address}")
            hands = Dealer(
                simulated,
                pace=Pace(cards_per_second=pace, seed=seed),
                next_shoe=lambda number: _contents(
                    decks=decks, seed=seed + number, cut_at=cut_at, cards=cards
                ),
                pulled=lambda draw: typer.echo(f"draw {draw}"),
            )
            tasks.create_task(hands.deal(), name="dealer")
            tasks.create_task(hands.watch(_screens(line)), name="screen")

    _run(body())


@app.command("game-server")
def game_server(  # noqa: PLR0913 - a command line
    *,
    book: Annotated[
        Path, typer.Option(help="Every event taken, as published (JSON Lines); it goes on from there.")
    ] = Path("events.jsonl"),
    broker: _Broker = "127.0.0.1:1883",
    table: _Table = "t1",
    prefix: _Prefix = "tables",
    decks: _Decks = 8,
    seed: _Seed = 0,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds to open; all the shoe has, if not given.")
    ] = None,
    shoes: Annotated[int, typer.Option(min=1, help="Shoes to install.")] = 1,
    think: Annotated[float, typer.Option(min=0, help="Seconds before a decision.")] = 0.0,
) -> None:
    """Be the reference game server: install the shoe, open rounds, decide, and check every event."""
    settings = ServerSettings(
        broker=_address(broker),
        table=table,
        log=book,
        prefix=prefix,
        programme=Programme(seed=seed, decks=decks, rounds=rounds, shoes=shoes),
        think_s=think,
    )

    async def body() -> None:
        typer.echo(f"game server for {settings.base} on {settings.broker}, its book is {settings.log}")
        server = GameServer(settings, told=lambda event: typer.echo(f"{event.sequence:>6}  {event.type}"))
        await _until_finished(server)
        for fault in server.faults:
            typer.echo(fault, err=True)
        typer.echo(
            f"{server.game.sequence} events, {server.game.closed} rounds, "
            f"{server.game.results_agreed} results as the book has them, {len(server.faults)} faults"
        )
        if server.faults:
            raise typer.Exit(NOT_OK)

    _run(body())


@app.command()
def table(
    *,
    rounds: _Rounds = 10,
    seed: _Seed = 7,
    pace: _Pace = 8.0,
    broker: Annotated[
        str | None, typer.Option(help="A broker that runs, host:port; one is started if not given.")
    ] = None,
) -> None:
    """Deal at a whole table: broker, shoe, dealer, the real daemon and a game server; then prove it."""
    show = Show(
        rounds=rounds,
        seed=seed,
        cards_per_second=pace,
        broker=None if broker is None else _address(broker),
    )
    raise typer.Exit(run(show))


def main() -> None:
    """Run a command; end with its exit code and, where it failed, a sentence."""
    try:
        app()
    except* (BadAddress, BadSequence) as group:
        _complain(group)
        sys.exit(BAD_INPUT)
    except* (SimulationError, OSError) as group:
        _complain(group)
        sys.exit(NOT_OK)


def _complain(group: BaseExceptionGroup[Exception]) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            _complain(error)
        else:
            console.print(f"sim-devices: {error}", markup=False)


def _run(body: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(body)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _contents(*, decks: int, seed: int, cut_at: int | None, cards: str | None) -> ShoeContents:
    if cards is not None:
        return ShoeContents.written(cards)
    return ShoeContents.shuffled(decks=decks, seed=seed, cut_from_back=cut_at)


def _address(text: str) -> BrokerAddress:
    return BrokerAddress.parse(text)


async def _until_finished(server: GameServer) -> None:
    serving = asyncio.create_task(server.run(), name="server")
    finishing = asyncio.create_task(server.until(lambda: server.finished), name="finish")
    try:
        await asyncio.wait({serving, finishing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (serving, finishing):
            task.cancel()
        ended = await asyncio.gather(serving, finishing, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


async def _screens(line: MqttLine) -> AsyncIterator[Screen]:
    async for heard in line:
        yield Screen.read(heard.payload)


async def _typed() -> AsyncIterator[str]:
    """Lines typed on standard input, until its end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with contextlib.closing(transport):
        while line := await reader.readline():
            yield line.decode(errors="replace")


if __name__ == "__main__":
    main()
