"""``sim-devices shuffler``, ``angel-eye`` and ``scanner``: devices behind a pty that do what is typed."""

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

from firmware_protocols import (
    AngelEyeMode,
    AngelEyeOptions,
    Card,
    CardScan,
    CodeTableForm,
    Command,
    CommandCode,
    CutCardCode,
    DeviceKind,
    ReplyResult,
    Suffix,
    encode_code,
    read_code_table,
)
from sim_devices.bench_options import (
    CardsOption,
    CutAtOption,
    DecksOption,
    FaultsOption,
    LinkOption,
    LogOption,
    PaceOption,
    SeedOption,
    SerialOption,
    contents_of,
    faults_of,
    run_bench,
    typed_lines,
)
from sim_devices.bench_shoe import ShoeBench
from sim_devices.dealer import CARDS_PER_SECOND
from sim_devices.decks import ShoeContents
from sim_devices.errors import BadSequence
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import AngelEyeShoe, Scanner
from sim_devices.player import CapturePlayer, load_capture
from sim_devices.shoe import ShoeSettings, SimulatedShoe
from sim_devices.shuffle import shuffle_events

_SERIAL_DIGITS: Final = 6


def shuffler(  # noqa: PLR0913 - a command line
    *,
    link: LinkOption = Path("shuffler"),
    decks: DecksOption = 8,
    seed: SeedOption = 0,
    cards: CardsOption = None,
    serial: SerialOption = "TE-S007",
    log: LogOption = None,
    pace: PaceOption = CARDS_PER_SECOND,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Be a continuous shuffler: it deals, and takes cards back.")
    ] = False,
    faults: FaultsOption = None,
) -> None:
    """Be a shuffler that speaks table_link behind a pseudo-terminal; it shuffles when it is told to."""
    contents = contents_of(decks=decks, seed=seed, cut_at=None, cards=cards)
    settings = ShoeSettings(
        port=link.absolute(),
        log=log,
        serial=serial,
        kind=DeviceKind.CONTINUOUS_SHUFFLER if continuous else DeviceKind.SHUFFLER,
        faults=faults_of(faults),
    )

    async def body() -> None:
        async with SimulatedShoe(settings, contents) as simulated:
            simulated.obey = lambda command: _shuffle_if_told(simulated, command, 1 / pace)
            typer.echo(f"shuffler {serial} on {settings.port}: serial:{settings.port}?baud=115200")
            await ShoeBench(simulated, typer.echo, cards_per_second=pace).obey(typed_lines())

    run_bench(body())


def angel_eye(  # noqa: PLR0913 - a command line
    *,
    link: LinkOption = Path("shoe"),
    decks: DecksOption = 8,
    seed: SeedOption = 0,
    cut_at: CutAtOption = None,
    cards: CardsOption = None,
    log: LogOption = None,
    pace: PaceOption = CARDS_PER_SECOND,
    in_game: Annotated[
        bool, typer.Option("--in-game", help="Draw as in its own game, not outside of it.")
    ] = False,
    copies: Annotated[int, typer.Option(min=1, help="How often each message is said.")] = 3,
    gap: Annotated[float, typer.Option(min=0.01, help="Seconds between two copies.")] = 0.2,
    faults: FaultsOption = None,
) -> None:
    """Be a shoe that speaks as an Angel Eye II-EX does, behind a pseudo-terminal, and do what is typed."""
    contents = contents_of(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    mode = AngelEyeMode.GAME if in_game else AngelEyeMode.OUTSIDE
    options = AngelEyeOptions(mode=mode, copies=copies)

    def end(boot: int, now: float) -> FarEnd:
        return AngelEyeShoe(boot=boot, now=now, options=options, gap_s=gap)

    settings = ShoeSettings(port=link.absolute(), log=log, end=end, faults=faults_of(faults))
    _run(settings, contents, f"angel eye on {settings.port}: serial:{settings.port}?baud=4800", pace)


def scanner(  # noqa: PLR0913 - a command line
    *,
    link: LinkOption = Path("scanner"),
    codes: Annotated[Path, typer.Option(help="The code table, .toml or .csv.")],
    decks: DecksOption = 8,
    seed: SeedOption = 0,
    cut_at: CutAtOption = None,
    cards: CardsOption = None,
    log: LogOption = None,
    pace: PaceOption = CARDS_PER_SECOND,
    suffix: Annotated[str, typer.Option(help="What ends a code: CR, LF or CRLF.")] = "CR",
    faults: FaultsOption = None,
) -> None:
    """Be a scanner beside a shoe, behind a pseudo-terminal, and do what is typed."""
    contents = contents_of(decks=decks, seed=seed, cut_at=cut_at, cards=cards)
    print_on = CodePrinter(codes)
    if suffix not in Suffix.__members__:
        raise BadSequence(f"{suffix!r} ends no code: use {', '.join(Suffix.__members__)}")
    ending = Suffix[suffix]

    def end(boot: int, now: float) -> FarEnd:
        return Scanner(
            boot=boot, now=now, code_of=print_on, encode=lambda text: encode_code(text, suffix=ending)
        )

    settings = ShoeSettings(port=link.absolute(), log=log, end=end, faults=faults_of(faults))
    _run(settings, contents, f"scanner on {settings.port}: serial:{settings.port}?baud=9600", pace)


class CodePrinter:
    """Prints codes on cards as a code table has them: every card the next serial number, if it wants one.

    Args:
        file: the code table.

    Raises:
        BadSequence: it cannot be read, or has no code for the cut card.
        CodeTableInvalid: it cannot be used.
    """

    def __init__(self, file: Path) -> None:
        forms = {form.value: form for form in CodeTableForm}
        if file.suffix not in forms:
            raise BadSequence(f"{file} is no code table: its name ends in .toml or .csv")
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise BadSequence(f"The code table {file} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise BadSequence(f"The code table {file} is not UTF-8 text") from None
        self._table = read_code_table(text, source=str(file), form=forms[file.suffix])
        meanings = self._table.meanings.items()
        self._cut = next((code for code, meant in meanings if isinstance(meant, CutCardCode)), None)
        self._codes = {meant: code for code, meant in meanings if isinstance(meant, Card)}

    def __call__(self, scan: CardScan | None, passed: int) -> str:
        """What is printed on this card; None: the cut card."""
        if scan is None or scan.card is None:
            if self._cut is None:
                raise BadSequence(f"{self._table.source} has no code for the cut card")
            return self._cut
        code = self._codes[scan.card.turned()]
        template = self._table.template
        if template is None:
            return code
        return template.printed(code, scan.serial or f"{passed + 1:0{_SERIAL_DIGITS}}")


def _run(settings: ShoeSettings, contents: ShoeContents, said: str, pace: float) -> None:
    async def body() -> None:
        async with SimulatedShoe(settings, contents) as simulated:
            typer.echo(said)
            await ShoeBench(simulated, typer.echo, cards_per_second=pace).obey(typed_lines())

    run_bench(body())


def _shuffle_if_told(shuffler: SimulatedShoe, command: Command, pause_s: float) -> ReplyResult:
    """Shuffle at the pace of the bench, once the command has been answered."""
    if command.code == CommandCode.START_SHUFFLE:
        loop = asyncio.get_running_loop()
        for nth, event in enumerate(shuffle_events(shuffler.contents)):
            loop.call_later((nth + 1) * pause_s, shuffler.emit, event)
    return ReplyResult.DONE


def play(
    capture: Annotated[Path, typer.Argument(help="The capture (.log).")],
    *,
    link: LinkOption = Path("device"),
    speed: Annotated[float, typer.Option(min=0.01, help="How much faster than it was.")] = 1.0,
    linger: Annotated[float, typer.Option(min=0, help="Seconds that the port stays after the end.")] = 1.0,
) -> None:
    """Be the device of a capture, behind a pseudo-terminal: wait until its port is opened, and play."""
    player = CapturePlayer(load_capture(capture), port=link.absolute(), speed=speed)

    async def body() -> None:
        typer.echo(f"{capture} on {player.name}: serial:{player.name}")
        await player.play(linger_s=linger)
        typer.echo(f"played; the other side said {player.octets_heard} bytes")

    run_bench(body())
