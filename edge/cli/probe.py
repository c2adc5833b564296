"""``table-edge probe URL``: which line speed, which protocol. It listens, and writes only when told."""

from collections.abc import Iterator
from typing import Annotated, Final

import typer
from rich.text import Text

from drivers import LISTEN_S, DriverError, Sight, for_once, parse_url, search
from edge.cli.wording import counted, printable, screen
from edge.errors import DeviceUnreadable

NOTHING: Final = 1
_GOOD: Final = "green"


def probe(
    url: Annotated[str, typer.Argument(help="As in the configuration, serial:/dev/NAME for one.")],
    *,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Ask who is there as well. Only what each protocol holds for harmless is sent.",
        ),
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to listen at each speed.")] = LISTEN_S,
) -> None:
    """Find out what is at the end of a cable. Exit 1: nothing was recognised."""
    sights: list[Sight] = []
    out = screen()
    try:
        address = parse_url(url)
        for sight in search(address, write=write, listen_s=seconds):
            out.print(_seen(sight))
            sights.append(sight)
    except DriverError as error:
        raise DeviceUnreadable(f"{error.sentence}.", hint=f"{for_once(error.hint)}.") from None
    best = max(sights, key=lambda sight: sight.rank)
    if best.protocol is None:
        for line in _advice(sights, write=write):
            out.print(line)
        raise typer.Exit(NOTHING)
    for said in (f'url = "{_found(url, best)}"', f'protocol = "{best.protocol}"', *best.configured):
        out.print(Text(printable(said), style=_GOOD))


def _found(url: str, best: Sight) -> str:
    """The URL to configure: with the speed that was found, unless it says one."""
    scheme = "serial:" if url.startswith("/") else ""
    if best.baud is None or "baud=" in url:
        return f"{scheme}{url}"
    return f"{scheme}{url}{'&' if '?' in url else '?'}baud={best.baud}"


def _seen(sight: Sight) -> Text:
    speed = "" if sight.baud is None else f"{sight.baud:>7} baud: "
    if not sight.octets:
        return Text(f"{speed}nothing came")
    errors = f", {counted(sight.framing_errors, 'framing error')}" if sight.framing_errors else ""
    came = f"{counted(sight.octets, 'byte')}{errors}"
    if sight.protocol is None:
        return Text(f"{speed}{came}, nothing readable")
    said = f": {sight.said}" if sight.said else ""
    return Text(printable(f"{speed}{came}, {counted(sight.frames, 'frame')} of {sight.protocol}{said}"))


def _advice(sights: list[Sight], *, write: bool) -> Iterator[Text]:
    if any(sight.octets for sight in sights):
        yield Text("Bytes came, and no protocol of this version reads them: another device, or a bad cable.")
        return
    yield Text(
        "Nothing came. A scanner or a shoe without heartbeat only speaks when a card passes: pass one."
    )
    if not write:
        yield Text("With --write it is asked who it is, where that is known to be harmless.")
