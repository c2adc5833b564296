"""What a run found, as a table on a terminal and as docs/performance.md."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.bench.figures import Machine
from tests.bench.parts import Part, Row

VERDICTS: Final = {True: "met", False: "missed", None: ""}

INTRODUCTION: Final = """\
# Performance

Written by `scripts/bench --update`; not to be edited. Figures compare within one run only: what one thing
takes beside another, on one machine, at the same time. `scripts/bench --quick` takes three minutes.

"""

METHOD: Final = """\
## How it is measured

* **Latency.** Each contender has a pty and a topic of its own; all share one Mosquitto and one
  subscriber, and take turns at random, a few milliseconds apart, so whatever else the machine does meets
  them alike. The clock runs from just before the last byte is written to the pty until the message is
  there to be read at the subscriber: reading it is the subscriber's own, and takes the longer in Python,
  the more properties it has. A card is dealt at a table of seven seats with everything on: link, ruling,
  journal with one synced commit, QoS 1. The contenders are `mosquitto_pub -l` on the port, a script of
  thirty lines with pyserial and paho (`tests/bench/pyserial_paho.py`) that keeps nothing, and one bare
  SQLite commit (WAL, `synchronous=FULL`).
* **Ruling.** A day of play is heard once; then every input is ruled again. Processor time of the best
  repeat: what others do on the machine at that time is not the ruling's.
* **Start-up.** From the start of the program to `READY=1`, without a broker. *Cold*: nothing of the
  journal in the page cache. *Long tail*: cold, and with as many records after the newest snapshot as
  there can be. The large journals were ruled and chained by the product itself, many records to a commit,
  and are kept in `~/.cache/table-edge-bench`.
* **Drain.** The daemon meets an empty broker with the whole journal still to be published;
  `mosquitto_sub` with QoS 1 dates each event. All must come, once and in order. An hour without a broker
  at one card a second is about 9,000 events.
* **Beside a prune.** Play goes on in a journal while all that was in it before is pruned, as the daemon does
  it once an hour: 20 records to a transaction, 50 ms apart, in a thread of its own.
* **Use of the machine.** The kernel's count of processor time, with broker, subscriber and a beating
  shoe. Idle: nothing has happened for some seconds. Most of what play takes are rehearsals: while a card is
  due, the daemon goes over the way of one every three milliseconds, a tenth of a core at most, because
  after ten milliseconds without it the ruling takes ten times as long.

The disk decides much of it: an SD card syncs ten times more slowly than the disk of a server.
"""


def shown(machine: Machine, parts: Sequence[Part], console: Console) -> None:
    """Print it."""
    table = Table(title=f"table-edge {machine.versions['table-edge']}, {machine.at:%Y-%m-%d %H:%M} UTC")
    for column in ("", "measured", "wanted", ""):
        table.add_column(column)
    for part in parts:
        table.add_section()
        table.add_row(f"[bold]{part.title}[/bold]", "", f"[dim]load {_loads(part.load)}[/dim]", "")
        for row in part.rows:
            table.add_row(row.what, row.measured, row.wanted, _coloured(row))
    console.print(table)
    console.print("\n".join(_circumstances(machine)), markup=False, highlight=False)


def written(machine: Machine, parts: Sequence[Part]) -> str:
    """The page."""
    lines = [INTRODUCTION + "\n".join(f"* {each}" for each in _circumstances(machine)), ""]
    for part in parts:
        lines += [f"## {part.title}", "", f"Load when it was over: {_loads(part.load)}.", ""]
        lines += ["| | measured | wanted | |", "|---|---|---|---|"]
        lines += [
            f"| {row.what} | {row.measured} | {row.wanted} | {VERDICTS[row.met]} |" for row in part.rows
        ]
        lines.append("")
    return "\n".join([*lines, METHOD])


def _circumstances(machine: Machine) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    return [
        f"{machine.at:%Y-%m-%d %H:%M} UTC, load {_loads(machine.load)} before the run",
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_gb:.0f} GB; {machine.disk}; {machine.system}",
        versions,
    ]


def _loads(load: tuple[float, float, float]) -> str:
    return " ".join(f"{each:.1f}" for each in load)


def _coloured(row: Row) -> str:
    colour = {True: "green", False: "red", None: "default"}[row.met]
    return f"[{colour}]{VERDICTS[row.met]}[/{colour}]"
