"""``sim-devices``: simulated devices and a simulated table, for whoever integrates without hardware.

Exit codes: 0 done; 1 it could not be done; 2 what was given cannot be used; 130 interrupted.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from firmware_protocols import CodeTableInvalid
from sim_devices.bench_options import (
    BrokerOption,
    CardsOption,
    CutAtOption,
    DecksOption,
    FaultsOption,
    LinkOption,
    LogOption,
    PaceOption,
    PrefixOption,
    RoundsOption,
    SeedOption,
    SerialOption,
    TableOption,
    contents_of,
    faults_of,
    run_bench,
    typed_lines,
)
from sim_devices.bench_shoe import HELP, ShoeBench
from sim_devices.broker import BrokerAddress
from sim_devices.dealer import CARDS_PER_SECOND, Dealer, Pace
from sim_devices.device_commands import angel_eye, play, scanner, shuffler
from sim_devices.errors import BadAddress, BadCapture, BadFaults, BadSequence, SimulationError
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import ForeignFirmware
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.mqtt_line import MqttLine
from sim_devices.play import Programme
from sim_devices.screen import Screen
from sim_devices.shoe import SERIAL, ShoeSettings, SimulatedShoe
from sim_devices.whole_table import NOT_OK, Show, run

BAD_INPUT: Final = 2

app = typer.Typer(
    name="sim-devices",
    help="Simulated devices and a whole simulated table, for integrating without hardware.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command(epilog=HELP)(shuffler)
app.command("angel-eye", epilog=HELP)(angel_eye)
app.command(epilog=HELP)(scanner)
app.command()(play)


@app.command(epilog=HELP)
def shoe(  # noqa: PLR0913 - a command line
    *,
    link: LinkOption = Path("shoe"),
    decks: DecksOption = 8,
    seed: SeedOption = 0,
    cut_at: CutAtOption = None,
    cards: CardsOption = None,
    serial: SerialOption = SERIAL,
    log: LogOption = None,
    pace: PaceOption = CARDS_PER_SECOND,
    faults: FaultsOption = None,
    wrong_firmware: Annotated[
        bool, typer.Option("--wrong-firmware", help="Speak a later version of table_link, and nothing else.")
    ] = False,
) -> None:
    """Be a shoe that speaks table_link behind a pseudo-terminal, and do what is typed."""
    contents = contents_of(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    settings = ShoeSettings(
        port=link.absolute(),
        log=log,
        serial=serial,
        faults=faults_of(faults),
        end=_later_firmware if wrong_firmware else None,
    )

    async def body() -> None:
        async with SimulatedShoe(settings, contents) as simulated:
            typer.echo(f"shoe {serial} on {settings.port}: serial:{settings.port}?baud=115200")
            await ShoeBench(simulated, typer.echo, cards_per_second=pace).obey(typed_lines())

    run_bench(body())


def _later_firmware(boot: int, now: float) -> FarEnd:
    return ForeignFirmware(boot=boot, now=now)


@app.command()
def dealer(  # noqa: PLR0913 - a command line
    *,
    link: LinkOption = Path("shoe"),
    decks: DecksOption = 8,
    seed: SeedOption = 0,
    cut_at: CutAtOption = None,
    cards: CardsOption = None,
    serial: SerialOption = SERIAL,
    log: LogOption = None,
    pace: PaceOption = CARDS_PER_SECOND,
    broker: BrokerOption = "127.0.0.1:1883",
    table: TableOption = "t1",
    prefix: PrefixOption = "tables",
) -> None:
    """Be a shoe and a dealer who pulls a card whenever the table's state says that one is due."""
    contents = contents_of(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    address = _address(broker)
    settings = ShoeSettings(port=link.absolute(), log=log, serial=serial)

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
                next_shoe=lambda number: contents_of(
                    decks=decks, seed=seed + number, cut_at=cut_at, cards=cards
                ),
                pulled=lambda draw: typer.echo(f"draw {draw}"),
            )
            tasks.create_task(hands.deal(), name="dealer")
            tasks.create_task(hands.watch(_screens(line)), name="screen")

    run_bench(body())


@app.command("game-server")
def game_server(  # noqa: PLR0913 - a command line
    *,
    book: Annotated[
        Path, typer.Option(help="Every event taken, as published (JSON Lines); it goes on from there.")
    ] = Path("events.jsonl"),
    broker: BrokerOption = "127.0.0.1:1883",
    table: TableOption = "t1",
    prefix: PrefixOption = "tables",
    decks: DecksOption = 8,
    seed: SeedOption = 0,
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
            f"{server.game.results_told}, {len(server.faults)} faults"
        )
        if server.faults:
            raise typer.Exit(NOT_OK)

    run_bench(body())


@app.command()
def table(
    *,
    rounds: RoundsOption = 10,
    seed: SeedOption = 7,
    pace: PaceOption = 8.0,
    mishaps: Annotated[
        float, typer.Option(min=0, max=1, help="Chance, per card, that something goes wrong at the table.")
    ] = 0.0,
    broker: Annotated[
        str | None, typer.Option(help="A broker that runs, host:port; one is started if not given.")
    ] = None,
) -> None:
    """Deal at a whole table: broker, shoe, dealer, the real daemon and a game server; then prove it."""
    show = Show(
        rounds=rounds,
        seed=seed,
        cards_per_second=pace,
        mishaps=mishaps,
        broker=None if broker is None else _address(broker),
    )
    raise typer.Exit(run(show))


def main() -> None:
    """Run a command; end with its exit code and, where it failed, a sentence."""
    try:
        app()
    except* (BadAddress, BadCapture, BadFaults, BadSequence, CodeTableInvalid) as group:
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


if __name__ == "__main__":
    main()
