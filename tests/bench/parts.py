"""The parts of a run, each with its figures and what is demanded of them."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from edge.house_rules import house_names
from tests.bench import big_journal, drain, idling, latency, pruning, ruling, startup
from tests.bench.figures import Quantiles, load_now

TARGET_DRAWS_PER_S: Final = 30_000
TARGET_START_S: Final = 1.0
TARGET_EVENTS_PER_S: Final = 3_000
TARGET_RSS_MB: Final = 70
TARGET_IDLE_PERCENT: Final = 0.5
PACES: Final = (0.0, 1.0, 20.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    cards: int
    """Of the latency."""
    draws: int
    """Ruled by each house, each of ``repeats`` times."""
    repeats: int
    starts: int
    """Warm and as many cold, with each journal."""
    records: tuple[int, ...]
    """Of journals, for the start-up."""
    backlog: int
    """Records of the journal that is drained."""
    seconds: float
    """At each pace."""


WHOLE: Final = Size(
    cards=3_000,
    draws=4_000,
    repeats=15,
    starts=5,
    records=(100_000, 1_000_000, 5_000_000),
    backlog=20_000,
    seconds=60,
)
QUICK: Final = Size(
    cards=500, draws=2_000, repeats=7, starts=3, records=(10_000,), backlog=10_000, seconds=15
)
TINY: Final = Size(cards=5, draws=50, repeats=1, starts=1, records=(1_100,), backlog=300, seconds=0.2)
"""Measures nothing; shows that everything still runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure."""

    what: str
    measured: str
    wanted: str = ""
    met: bool | None = None
    """None: nothing is demanded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one part found."""

    title: str
    rows: tuple[Row, ...]
    load: tuple[float, float, float] = field(default_factory=load_now)
    """The machine's, when it was over."""


Told = Callable[[str], None]


def of_latency(size: Size, kept: Path, told: Told) -> Part:
    """(a)"""
    del kept
    told(f"latency, {size.cards} cards")
    with tempfile.TemporaryDirectory() as folder:
        found = latency.measure(Path(folder), samples=size.cards)
    table = found.of[latency.TABLE]
    rows = [
        Row(
            what=name,
            measured=f"{each.p50:.2f} / {each.p99:.2f} / {each.p999:.2f} ms",
            wanted=""
            if name == latency.TABLE
            else f"table-edge takes {table.p50 / each.p50:.2f} times its p50",
        )
        for name, each in found.of.items()
    ]
    rows += [
        _at_most("p50", table.p50, found.allowed_p50_ms, "the script's and two commits"),
        _at_most("p99", table.p99, found.allowed_p99_ms, "twice the script's and two commits"),
        _at_most("p50, the aim", table.p50, found.aim_ms, "1.3 times (mosquitto_pub -l and one commit)"),
    ]
    return Part(title="Latency, last byte at the port to subscriber: p50 / p99 / p99.9", rows=tuple(rows))


def _at_most(what: str, measured: float, allowed: float, why: str) -> Row:
    return Row(
        what=what,
        measured=f"{measured:.2f} ms, {measured / allowed:.2f} of what is allowed",
        wanted=f"at most {allowed:.2f} ms: {why}",
        met=measured <= allowed,
    )


def of_ruling(size: Size, kept: Path, told: Told) -> Part:
    """(b)"""
    del kept
    rows = []
    for house in house_names():
        told(f"the ruling of {house}")
        speed = ruling.measure(house, draws=size.draws, repeats=size.repeats)
        rows.append(
            Row(
                what=house,
                measured=f"{speed.draws_per_s:,.0f} draws/s; with requests, {speed.inputs_per_s:,.0f} inputs",
                wanted=f"{TARGET_DRAWS_PER_S:,} draws/s",
                met=speed.draws_per_s >= TARGET_DRAWS_PER_S,
            )
        )
    return Part(title="Draws ruled per second of one core, 7 seats, best of the repeats", rows=tuple(rows))


def of_startup(size: Size, kept: Path, told: Told) -> Part:
    """(c)"""
    journals = big_journal.journals(
        size.records, kept=kept / "start", told=lambda said: told(f"journal: {said}")
    )
    pairs: list[tuple[int, Path | None]] = [*zip(size.records, journals, strict=True)]
    if size.starts > 1:
        pairs.insert(0, (0, None))
    rows = []
    for records, journal in pairs:
        told(f"start-up with {records:,} records")
        with tempfile.TemporaryDirectory(dir=kept) as folder:
            found = startup.measure(Path(folder), records=records, journal=journal, repeats=size.starts)
        rows.append(
            Row(
                what=f"{records:,} records, {found.journal_mb:,.0f} MB",
                measured=f"{found.warm_s:.2f} s, cold {found.cold_s:.2f} s, long tail {found.tail_s:.2f} s; "
                f"{found.cpu_s:.2f} s of a core, {found.rss_mb:.0f} MB",
                wanted=f"under {TARGET_START_S:g} s, {TARGET_RSS_MB} MB",
                met=max(found.warm_s, found.cold_s, found.tail_s) < TARGET_START_S
                and found.rss_mb < TARGET_RSS_MB,
            )
        )
    return Part(
        title="Start-up against the size of the journal: until the table reads its shoe", rows=tuple(rows)
    )


def of_drain(size: Size, kept: Path, told: Told) -> Part:
    """(d)"""
    told("draining a backlog")
    (journal,) = big_journal.journals([size.backlog], kept=kept / "drain")
    with tempfile.TemporaryDirectory() as folder:
        found = drain.measure(Path(folder), journal=journal)
    row = Row(
        what=f"{found.events:,} events",
        measured=f"{found.events_per_s:,.0f} events/s in order, {found.rss_mb:.0f} MB",
        wanted=f"{TARGET_EVENTS_PER_S:,} events/s",
        met=found.events_per_s >= TARGET_EVENTS_PER_S,
    )
    return Part(title="Drain of a backlog through the daemon and Mosquitto", rows=(row,))


def of_pruning(size: Size, kept: Path, told: Told) -> Part:
    """(f)"""
    told("commits beside a prune")
    (journal,) = big_journal.journals([size.backlog], kept=kept / "drain")
    with tempfile.TemporaryDirectory(dir=kept) as folder:
        found = pruning.measure(Path(folder), journal=journal, alone=min(size.cards, pruning.ALONE))
    rows = (
        _commits("alone", found.alone, found.longest_alone),
        _commits(f"while {found.pruned:,} records leave", found.pruning, found.longest_pruning),
    )
    return Part(title="Commit of a record beside a prune: p50 / p99 / longest", rows=rows)


def _commits(what: str, found: Quantiles, longest: float) -> Row:
    return Row(
        what=what, measured=f"{found.p50:.2f} / {found.p99:.2f} / {longest:.2f} ms, of {found.count:,}"
    )


def of_load(size: Size, kept: Path, told: Told) -> Part:
    """(e)"""
    del kept
    told(f"the daemon at rest and at work, {size.seconds * len(PACES):g} s")
    with tempfile.TemporaryDirectory() as folder:
        loads = idling.measure(Path(folder), paces=PACES, seconds=size.seconds)
    return Part(title="Use of the machine", rows=tuple(_load_row(each) for each in loads))


def _load_row(load: idling.Load) -> Row:
    idle = not load.cards_per_s
    lean = load.rss_mb < TARGET_RSS_MB
    return Row(
        what="idle" if idle else f"{load.cards_per_s:g} cards/s",
        measured=f"{load.cpu_percent:.2f} % of a core, {load.rss_mb:.0f} MB",
        wanted=f"under {TARGET_IDLE_PERCENT} %, {TARGET_RSS_MB} MB" if idle else f"under {TARGET_RSS_MB} MB",
        met=lean and (not idle or load.cpu_percent < TARGET_IDLE_PERCENT),
    )


PARTS: Final[dict[str, Callable[[Size, Path, Told], Part]]] = {
    "latency": of_latency,
    "ruling": of_ruling,
    "startup": of_startup,
    "drain": of_drain,
    "pruning": of_pruning,
    "load": of_load,
}


def measured(names: Sequence[str], size: Size, kept: Path, told: Told) -> list[Part]:
    """The parts of these names."""
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [PARTS[name](size, kept, told) for name in names]
