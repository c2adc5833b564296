"""``table-edge devices``: what is plugged in, under which names that stay, who reads it and who holds it.

No port is opened: what a daemon reads is asked of the daemon.
"""

import dataclasses
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from drivers import DriverError, Found, SerialAddress, UsbAddress, parse_url, plugged_in, told_holders, twins
from edge import config as configuration
from edge.cli.which_table import Chosen, ConfigOption, TableOption, chosen
from edge.cli.wording import printable, read_view, screen
from edge.config import CONTROL_SOCKET, served_at
from edge.control import DeviceLook, Question, StatusView, look
from edge.errors import ControlDeaf

SILENT: Final = 1
_BAD: Final = "bold red"
_GOOD: Final = "green"
_INDENT: Final = "    "
_UNKNOWN_HOLDER: Final = "This user cannot see who has it open; root can."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A table's device, and what its daemon says of it."""

    table: str
    look: DeviceLook


def devices(
    *,
    config: ConfigOption = None,
    table: TableOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List what is plugged in, its names that stay, which table reads it as what, and who holds it.

    Exit 1: a table's daemon did not say what it reads.
    """
    found = plugged_in()
    readers, silent = _readers(config, table)
    if as_json:
        typer.echo(json.dumps(_as_json(found, readers, silent), ensure_ascii=False))
    else:
        out = screen()
        for line in _lines(found, readers, silent):
            out.print(line)
    if silent:
        raise typer.Exit(SILENT)


def _lines(found: Sequence[Found], readers: Sequence[Reader], silent: Sequence[str]) -> Iterator[Text]:
    for sentence in silent:
        yield Text(sentence, style=_BAD)
    alike = twins(tuple(found))
    for each in found:
        yield from _device(each, [reader for reader in readers if _is_read_by(each, reader)], alike)
    if not found:
        yield Text("Nothing is plugged in that a table could read.")
    for reader in readers:
        if not any(_is_read_by(each, reader) for each in found):
            yield Text(f"{reader.look.url}")
            yield _reading(reader)


def _device(each: Found, readers: Sequence[Reader], alike: frozenset[str]) -> Iterator[Text]:
    usb = each.usb
    if usb is None:
        yield Text(f"{each.path}  a serial port of this computer")
    else:
        serial = f"serial number {usb.serial}" if usb.serial else "no serial number"
        name = usb.name or "USB device"
        yield Text(printable(f"{each.path or usb.ids}  {name}, {usb.ids}, {serial}, port {usb.port}"))
    yield Text(printable(f"{_INDENT}url {each.url}"))
    others = [name for name in each.stable if not each.url.endswith(name)]
    if others:
        yield Text(printable(f"{_INDENT}also {', '.join(others)}"))
    if each.path is not None and not each.stable:
        yield Text(f"{_INDENT}no name that stays: give it a role in 70-table-edge-roles.rules", style=_BAD)
    if usb is not None and usb.port in alike:
        yield Text(f"{_INDENT}another one is just like it: name it by its port, {usb.port}", style=_BAD)
    if each.drivers:
        yield Text(f"{_INDENT}known to speak {', '.join(each.drivers)}")
    for reader in readers:
        yield _reading(reader)
    yield from _held(each, readers)


def _reading(reader: Reader) -> Text:
    it = reader.look
    trouble = "" if it.trouble is None else f" ({it.trouble.replace('_', ' ')})"
    word = ("connected", _GOOD) if it.connected else ("NOT CONNECTED", _BAD)
    why = "" if it.why is None else f": {printable(it.why)}"
    return Text.assemble(f"{_INDENT}table {reader.table} reads it as {it.device}: ", word, f"{trouble}{why}")


def _held(each: Found, readers: Sequence[Reader]) -> Iterator[Text]:
    """Who has it open, unless that is the daemon which reads it."""
    if not each.holders:
        busy = any(reader.look.trouble == "busy" for reader in readers)
        if busy and os.geteuid():
            yield Text(f"{_INDENT}{_UNKNOWN_HOLDER}", style=_BAD)
        return
    told = told_holders(each.holders)
    yield Text(printable(f"{_INDENT}open in {told.names}"))
    if any(holder.remedy is not None for holder in each.holders):
        yield Text(f"{_INDENT}{told.remedy}", style=_BAD)


def _is_read_by(each: Found, reader: Reader) -> bool:
    try:
        address = parse_url(reader.look.url)
    except DriverError:
        return False
    match address:
        case SerialAddress():
            return each.path is not None and os.path.realpath(address.path) == os.path.realpath(each.path)
        case UsbAddress():
            usb = each.usb
            return (
                usb is not None
                and (address.vendor, address.product) == (usb.vendor, usb.product)
                and address.serial in {None, usb.serial}
                and address.port in {None, usb.port}
            )
        case _:
            return False  # a device server is plugged into a network


def _readers(config: Path | None, table: str | None) -> tuple[list[Reader], list[str]]:
    """What the daemons say of their devices, and sentences of those that did not answer."""
    readers, silent = [], []
    for each in _tables(config, table):
        try:
            (answer,) = look(each.paths, Question.STATUS, table=each.table)
        except ControlDeaf as deaf:
            silent.append(str(deaf))
            continue
        view = read_view(StatusView, answer)
        readers += [Reader(table=each.table, look=device) for device in view.devices]
    return readers, silent


def _tables(config: Path | None, table: str | None) -> list[Chosen]:
    """The one that is named, or every table that runs here as a service."""
    if config is not None or table is not None:
        return [chosen(config, table)]
    running = sorted(path.parent.name for path in configuration.RUN_DIRECTORY.glob(f"*/{CONTROL_SOCKET}"))
    return [Chosen(table=each, paths=(served_at(each),)) for each in running]


def _as_json(found: Sequence[Found], readers: Sequence[Reader], silent: Sequence[str]) -> dict[str, object]:
    return {
        "plugged_in": [
            dataclasses.asdict(each)
            | {
                "url": each.url,
                "read_by": [
                    {"table": reader.table, "device": reader.look.device}
                    for reader in readers
                    if _is_read_by(each, reader)
                ],
            }
            for each in found
        ],
        "read": [{"table": reader.table, **dataclasses.asdict(reader.look)} for reader in readers],
        "silent": list(silent),
    }
