"""``table-edge capture``: write down what goes over a cable, and look at what was kept of a fault.

A capture names every card that passed, face down or not. Whoever may read its file may see them; this command
shows one only when the shoe it was made during is closed. Shoes are numbered within one journal: a capture
says of which table and which journal it is, and no other table can answer for it.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import random
from typing import Annotated, Final

import typer

from drivers import (
    CaptureFile,
    DeviceDisconnected,
    DeviceSettings,
    DriverError,
    Pump,
    Report,
    check_device,
    driver_named,
    for_once,
    unread,
)
from edge.cli.which_table import Chosen, ConfigOption, TableOption, chosen
from edge.cli.wording import read_view, screen
from edge.clock import monotonic, wall_ms
from edge.control import Question, look
from edge.errors import CaptureClosed, ControlDeaf, DeviceUnreadable, JournalError
from edge.fault_files import FOLDER, Whose, dated_at, made_during
from edge.journal import read_journal
from edge.public_state import PublicState
from edge.ruling import RULING_VERSION, evolve, new_table
from firmware_protocols import Cable, Capture, CaptureInvalid, Way, read_capture

capture_commands = typer.Typer(
    help="Write down what goes over a cable, and look at what was kept of a fault.", no_args_is_help=True
)

SHOE_CLOSED: Final = "--shoe-closed"
_ASIDE: Final = "Wait until the shoe is closed, or leave it to the supervisor who holds the table."
_AS_SERVICE: Final = "Ask as the service's user"
_SAY_SO: Final = f"If you know that the shoe of that time is closed, say so with {SHOE_CLOSED}."


@capture_commands.command()
def record(  # noqa: PLR0913 - a command line
    url: Annotated[str, typer.Argument(help="As in the configuration.")],
    *,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file; must not exist yet.")],
    protocol: Annotated[str, typer.Option(help="What the device speaks.")] = "table_link",
    kind: Annotated[
        str | None,
        typer.Option(
            help="What the device is; without it, the first that the protocol has.", show_default=False
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="NAME=TEXT, as in code_table=codes.csv.", show_default=False),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long.")] = 60.0,
) -> None:
    """Read a device that no daemon reads, and write everything down, both ways.

    Nothing is acknowledged: a shoe that numbers its events keeps them for the table, and stops after eight.
    """
    options = dict(_options(option or []))
    try:
        first = driver_named(protocol, url=url).kinds[0]
        settings = DeviceSettings(
            id="captured", url=url, protocol=protocol, kind=kind or first, options=options
        )
        check_device(settings)
        asyncio.run(_record(settings, output, seconds))
    except DriverError as error:
        raise DeviceUnreadable(f"{error.sentence}.", hint=f"{error.hint}.") from None
    except OSError as error:
        raise DeviceUnreadable(
            f"{output} cannot be made: {error.strerror}.", hint="Name a new file."
        ) from None


@capture_commands.command()
def faults(*, config: ConfigOption = None, table: TableOption = None) -> None:
    """List what was kept of faults: the last 200 reads and writes before each."""
    which = chosen(config, table)
    kept = _kept(_faults_folder(which))
    if not kept:
        typer.echo("Nothing was kept: no device of this table has had a fault since it said something.")
    for path in kept:
        try:
            notes = read_capture(path.read_text(encoding="utf-8"), source=str(path)).provenance.notes
        except (OSError, UnicodeDecodeError, CaptureInvalid) as error:
            notes = str(error)
        typer.echo(f"{path}  {notes}")


@capture_commands.command()
def show(
    file: Annotated[Path, typer.Argument(readable=False, help="A capture of this table.")],
    *,
    config: ConfigOption = None,
    table: TableOption = None,
    shoe_closed: Annotated[
        bool,
        typer.Option(SHOE_CLOSED, help="Answer for a capture of which no table here knows when it was made."),
    ] = False,
) -> None:
    """Show a capture, if the shoe during which it was made is closed."""
    which = chosen(config, table)
    try:
        text = file.read_text(encoding="utf-8")
        capture = read_capture(text, source=str(file))
    except OSError as error:
        raise DeviceUnreadable(
            f"{file} cannot be read: {error.strerror}.", hint=f"{unread(error, denied=_AS_SERVICE)}."
        ) from None
    except UnicodeDecodeError:
        raise DeviceUnreadable(f"{file} is not UTF-8 text.", hint="Name a capture.") from None
    except CaptureInvalid as error:
        raise DeviceUnreadable(str(error), hint="Name a capture.") from None
    _verify_closed(file, capture, which, answered_for=shoe_closed)
    typer.echo(text, nl=False)


def _verify_closed(file: Path, capture: Capture, which: Chosen, *, answered_for: bool) -> None:
    """See that the shoe of that time is closed.

    Raises:
        CaptureClosed: it is not, or nobody here knows.
    """
    made = capture.provenance
    if made.table and made.table != which.table:
        raise CaptureClosed(
            f"{file} is of table {made.table}, of whose shoes table {which.table} knows nothing.",
            hint=f"Ask table {made.table}: -t {made.table}, or -c with its configuration.",
        )
    now = _whose_now(which)
    same_journal = bool(made.table) and made.journal == now.journal
    during = made_during(capture) if same_journal or not made.journal else None
    if now.shoe is not None and during in {None, now.shoe}:
        raise CaptureClosed(f"{file} may name cards of shoe {now.shoe}, which is still in play.", hint=_ASIDE)
    if same_journal or answered_for:
        return
    if not made.table:
        raise CaptureClosed(f"{file} does not say which table it is of.", hint=_SAY_SO)
    raise CaptureClosed(
        f"{file} was made when table {made.table} wrote journal {made.journal or 'unknown'}; "
        f"it writes {now.journal} now, which does not know that shoe.",
        hint=_SAY_SO,
    )


async def _record(settings: DeviceSettings, output: Path, seconds: float) -> None:
    out = screen(stderr=True)
    tap = CaptureFile(
        output,
        settings.provenance("by table-edge capture record", date=dated_at(wall_ms())),
        since=monotonic(),
        failed=out.print,
    )
    begun = _Begun(lambda: out.print(f"Writing to {output} for {seconds:g} s; Ctrl-C ends it earlier."))
    pump = Pump(settings, resume_from=None, monotonic=monotonic, random=random, taps=(tap, begun))
    told: str | None = None

    def tell(reports: tuple[Report, ...]) -> bool:
        nonlocal told
        for report in reports:
            if not isinstance(report, DeviceDisconnected):
                continue
            if not pump.counters.opened:
                raise _never_open(report.detail, output)
            if report.detail != told:
                told = report.detail
                out.print(told, markup=False)
        return True

    with contextlib.closing(tap), contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await pump.run(tell)
    if not pump.counters.opened:
        raise _never_open(
            f"{settings.url} did not open within {seconds:g} s. Give it more --seconds.", output
        )
    counted = pump.counters
    out.print(f"{counted.bytes_read} bytes, {counted.frames} frames, {counted.noise_bytes} noise bytes.")


class _Begun:
    """A tap that tells once that the port is open: until then there is nothing to write down."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def moved(self, to: Cable, now: float) -> None:  # noqa: ARG002 - a tap's
        """The port was opened or closed."""
        if to is Cable.OPENED and self._tell is not None:
            tell, self._tell = self._tell, None
            tell()

    def carried(self, way: Way, octets: bytes, now: float) -> None:
        """Bytes went over it."""


def _never_open(why: str, output: Path) -> DeviceUnreadable:
    """Nothing can be written down of a port that does not open: no file is left."""
    output.unlink()
    sentence, _, hint = why.partition(". ")
    return DeviceUnreadable(f"{sentence}.", hint=f"{for_once(hint)}.")


def _options(given: list[str]) -> Iterator[tuple[str, str]]:
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise DeviceUnreadable(f"{each!r} is no option.", hint="Write NAME=TEXT.")
        yield name, value


def _faults_folder(which: Chosen) -> Path:
    if which.config is None:
        raise DeviceUnreadable("Where its journal is stands in its configuration.", hint="Name that with -c.")
    return which.config.journal_path.parent / FOLDER


def _kept(folder: Path) -> list[Path]:
    """The captures that lie there."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".log")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DeviceUnreadable(
            f"{folder} cannot be read: {error.strerror}.", hint=f"{unread(error, denied=_AS_SERVICE)}."
        ) from None


def _whose_now(which: Chosen) -> Whose:
    """The table's journal, and the shoe that is in play.

    Raises:
        ControlDeaf: neither the daemon nor the journal says.
    """
    try:
        (answer,) = look(which.paths, Question.STATE, table=which.table)
    except ControlDeaf as deaf:
        if which.config is None:
            raise
        try:
            with read_journal(which.config.journal_path) as reader:
                shoe = reader.folded(new_table, evolve, RULING_VERSION).shoe
                number = None if shoe is None else shoe.number
                return Whose(table=reader.table, journal=reader.id, shoe=number)
        except JournalError:
            raise deaf from None
    known = read_view(PublicState, answer)
    number = None if known.shoe is None else known.shoe.number
    return Whose(table=known.table, journal=known.journal, shoe=number)
