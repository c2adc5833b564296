"""The daemon: one table, one loop, one task group. If a task dies, the daemon ends and says so.

Who runs: a task a device (read, commit, acknowledge), the upstream (follow the journal, bring requests) and
the control socket (bring the pit's). None waits for another: they meet in :class:`edge.table.Table`, whose
commits are the order of the world. There is no queue of ours between a read and its commit; what cannot be
committed stays unread in the port and unacknowledged in the shoe. Beside them, a vigil tells systemd how it
goes (:mod:`edge.systemd_notify`).
"""

import asyncio
import contextlib
import gc
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import structlog

from drivers import Pump
from edge.clock import TableClock, monotonic, wall_ms
from edge.config import LoadedConfig
from edge.control import BrokerLook, Control, Sources, happened
from edge.deadlines import mind_deadlines
from edge.deaths import Deaths, death, for_ever, mortal
from edge.errors import JournalCorrupt, StorageFailed
from edge.following import follow_device
from edge.host import HostLook, follow_host
from edge.huge_pages import use_huge_pages
from edge.inputs import EdgeStarted, EdgeStopped, HouseRulesAdopted, Input, Patience
from edge.journal import Journal, OpenedJournal, distrust, open_journal, replace_corrupt
from edge.orders import give_orders
from edge.pumps import link_looks, make_pumps
from edge.rehearsing import rehearse
from edge.ruling import RULING_VERSION, TableState, evolve, new_table
from edge.status import StatusBoard
from edge.systemd_notify import Sign, Systemd, Vigil, table_sentence
from edge.table import Table, log_hold
from edge.upkeep import ask_the_disk, keep_log_short, keep_retention
from edge.upstream import ACKNOWLEDGED, PUBLISHED, Topics, Upstream

VERSION: Final = version("table-edge")

PATIENCE: Final = Patience(early_draw_ms=2_000, device_lost_ms=10_000, host_lost_ms=10_000)
"""How long the table waits for what is late, where its house does not say (docs/operations.md)."""
FLUSH_S: Final = 3.0
"""How long a stop waits for the broker to take what it has not (docs/operations.md, Stopping)."""

GARBAGE: Final = (10_000, 20, 20)
"""Objects made before they are collected, and so on: a card makes hundreds, which die by themselves."""

log = structlog.get_logger("edge.daemon")


async def serve(loaded: LoadedConfig) -> None:
    """Run the table until SIGTERM or SIGINT.

    Raises:
        EdgeError: the journal cannot be opened, or a part of the daemon died; no text of it names a card.
    """
    with contextlib.closing(Systemd.of_this_service()) as systemd, Deaths() as deaths:
        try:
            await _serve(loaded, systemd, deaths)
        except Exception as error:  # noqa: BLE001 - whatever it was is told, without its values
            raise death("daemon", error) from None


async def _serve(loaded: LoadedConfig, systemd: Systemd, deaths: Deaths) -> None:
    board = StatusBoard(wall_ms=wall_ms)
    async with _opened_table(loaded, board, systemd) as (journal, table):
        stopped = _on_signals()
        pumps = make_pumps(loaded.config, lambda: table.state)
        upstream = Upstream(
            loaded.config.mqtt,
            table_id=loaded.config.table,
            version=VERSION,
            outbox=journal,
            table=table,
            status=board,
            telemetry=lambda: {id_: pump.counters.whole_numbers() for id_, pump in pumps.items()},
            monotonic=monotonic,
            wall_ms=wall_ms,
            random=random.Random(),  # noqa: S311 - jitter of reconnections, no secret
        )
        tries: Counter[str] = Counter()
        commit, take = partial(_committed, table, upstream), partial(_taken, table, upstream)
        control = _control(loaded, table, board, pumps, upstream, when=partial(happened, journal))
        vigil = Vigil(
            systemd,
            signs=_signs(pumps, tries, upstream, control),
            sentence=lambda: _sentence(loaded.config.table, pumps, upstream, board),
            monotonic=monotonic,
        )
        async with asyncio.TaskGroup() as tasks:

            def start(part: str, work: Awaitable[None]) -> asyncio.Task[None]:
                return tasks.create_task(for_ever(part, work), name=part)

            reading = [
                start(
                    f"device:{id_}",
                    follow_device(
                        id_, pump, commit, board, tries, tell=table.tell, keys=loaded.config.dealer_keys
                    ),
                )
                for id_, pump in pumps.items()
            ]
            sending = tasks.create_task(mortal("upstream", upstream.run()), name="upstream")
            watching = [start("callbacks", deaths.first()), start("vigil", vigil.run())]
            watching.append(start("control", control.run()))
            watching.append(start("deadlines", mind_deadlines(table, take, monotonic)))
            watching.append(start("orders", give_orders(table, pumps, take)))
            watching.append(start("host", follow_host(_host(loaded, table, upstream, board), take)))
            watching.append(start("upkeep", keep_log_short(journal)))
            watching.append(start("retention", _retention(loaded, journal)))
            rehearsing = mortal("rehearsing", rehearse(table, journal, monotonic))
            watching.append(tasks.create_task(rehearsing, name="rehearsing"))
            watching.append(start("disk", ask_the_disk(journal, board)))
            gc.freeze()  # what is here stays: no collection need ever look at it again, which takes 10 ms
            gc.set_threshold(*GARBAGE)
            use_huge_pages()
            reason = await stopped
            systemd.tell("STOPPING=1", f"STATUS=Table {loaded.config.table}: stopping on {reason}.")
            for task in (*reading, *watching):
                task.cancel()
            await _go_down(table, upstream, reason)
            sending.cancel()


@contextlib.asynccontextmanager
async def _opened_table(
    loaded: LoadedConfig, board: StatusBoard, systemd: Systemd
) -> AsyncIterator[tuple[Journal, Table]]:
    """The table as its journal left it, with what starts this life of the daemon committed."""
    with systemd.slow_start(f"Table {loaded.config.table}: opening the journal."):
        opened, state = _restored(loaded)
    journal = opened.journal
    try:
        if opened.quarantined is not None:
            _alarm(board, opened.quarantined, opened.why)
        for stray in journal.strays:
            log.warning(
                "journal.cursor_brought_back",
                cursor=stray.name,
                sentence=f"{stray} It was brought back to that one. Events that were never published are not "
                "repeated by themselves: let the game server ask for what it misses (events.replay).",
            )
        clock = TableClock(goes_on_from_ms=journal.last_at_ms)
        table = Table(journal=journal, state=state, now=clock.now, status=board, hold_told=log_hold)
        table.hear(_first_inputs(loaded, state))
        log.info(
            "table.started",
            table=loaded.config.table,
            version=VERSION,
            config=loaded.digest[:12],
            journal=journal.id,
            sequence=journal.last_sequence,
            devices=[each.id for each in loaded.config.device],
        )
        yield journal, table
    except* JournalCorrupt as found:
        why = death("journal", found).sentence
        distrust(journal.path, why)
        log.critical(
            "journal.distrusted",
            journal=journal.id,
            why=why,
            next="The next start sets it aside and begins anew.",
        )
        raise
    finally:
        journal.close()


def _restored(loaded: LoadedConfig) -> tuple[OpenedJournal, TableState]:
    """The journal and the state it tells; a journal found corrupt on reading is moved aside, too."""
    opened = open_journal(loaded.config.journal_path, table=loaded.config.table)
    try:
        return opened, opened.journal.restore(new_table, evolve, RULING_VERSION)
    except JournalCorrupt as fault:
        opened = replace_corrupt(opened.journal, fault.sentence)
        return opened, opened.journal.restore(new_table, evolve, RULING_VERSION)


def _alarm(board: StatusBoard, kept_as: Path, why: str) -> None:
    sentence = (
        f"The journal could not be trusted: it is kept as {kept_as.name}, and a new one was begun. "
        f"What was wrong: {why} Nothing known of the table before this moment is in force: call the "
        "supervisor, take a new shoe, and keep the old file; what is wrong in it is listed by "
        f"table-edge journal verify {kept_as}"
    )
    board.degrade("journal_replaced", sentence)
    log.critical("journal.quarantined", kept_as=kept_as.name, why=why, sentence=sentence)


def _first_inputs(loaded: LoadedConfig, state: TableState) -> list[Input]:
    started = EdgeStarted(
        version=VERSION,
        config_hash=loaded.digest,
        operators=loaded.config.operators,
        shoes=loaded.config.shoes,
        patience=PATIENCE,
    )
    if state.setup.house == loaded.house:
        return [started]
    return [HouseRulesAdopted(text=loaded.house), started]


def _control(  # noqa: PLR0913 - what one socket shows
    loaded: LoadedConfig,
    table: Table,
    board: StatusBoard,
    pumps: Mapping[str, Pump],
    upstream: Upstream,
    *,
    when: Callable[[int], str | None],
) -> Control:
    config = loaded.config
    broker = f"{config.mqtt.host}:{config.mqtt.effective_port}"
    return Control(
        config.control_path,
        table=table,
        sources=Sources(
            table=config.table,
            version=VERSION,
            board=board,
            links=lambda: link_looks(config, pumps),
            broker=lambda: BrokerLook(
                address=broker, connected=upstream.connected, counters=upstream.counters
            ),
            published=lambda: upstream.published,
            happened=when,
        ),
        topics=Topics(prefix=config.mqtt.prefix, table=config.table),
        monotonic=monotonic,
    )


def _host(loaded: LoadedConfig, table: Table, upstream: Upstream, board: StatusBoard) -> HostLook:
    return HostLook(
        online=lambda: table.state.host.online,
        connected=lambda: upstream.connected,
        board=board,
        tells=loaded.config.mqtt.server_status,
    )


def _committed(table: Table, upstream: Upstream, inputs: Sequence[Input]) -> bool:
    """Commit, and publish at once: subscribers are in more of a hurry than anybody here.

    False if the disk refused. Until it takes them, the device keeps what it reported.
    """
    try:
        table.commit(inputs)
    except StorageFailed as failed:
        log.error("storage.failed", sentence=str(failed))  # noqa: TRY400 - no traceback: it says it all
        return False
    upstream.hurry()
    return True


def _taken(table: Table, upstream: Upstream, inputs: Sequence[Input]) -> bool:
    """The same, and tell whoever waits for it."""
    committed = _committed(table, upstream, inputs)
    if committed:
        table.tell()
    return committed


async def _go_down(table: Table, upstream: Upstream, reason: str) -> None:
    """Commit the stop, let the broker take what it will, say offline; the journal keeps the rest."""
    with contextlib.suppress(StorageFailed):  # it is on the board; the next start tells of no good order
        table.hear([EdgeStopped(reason=reason)])
    if upstream.connected:
        await upstream.drain(FLUSH_S)
    await upstream.stop(reason)
    log.info("table.stopped", reason=reason)


def _on_signals() -> asyncio.Future[str]:
    """Resolved with the reason once somebody wants the daemon to stop."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[str] = loop.create_future()

    def stop(name: str) -> None:
        if not stopped.done():
            stopped.set_result(name)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number.name)
    return stopped


def _retention(loaded: LoadedConfig, journal: Journal) -> Awaitable[None]:
    follower = ACKNOWLEDGED if loaded.config.mqtt.server_acknowledges else PUBLISHED
    return keep_retention(journal, days=loaded.config.retention_days, delivered=follower)


def _signs(
    pumps: Mapping[str, Pump], tries: Counter[str], upstream: Upstream, control: Control
) -> list[Sign]:
    """What shows that each part gets on: bytes and attempts of a device, the ticks of what only waits.

    A device may be quiet for hours and be well, as a scanner is: its pump then looks up every ten seconds.
    """

    def of_device(id_: str, pump: Pump) -> Sign:
        return Sign(part=f"device:{id_}", read=lambda: (pump.life, tries[id_]))

    devices = [of_device(id_, pump) for id_, pump in pumps.items()]
    return [
        *devices,
        Sign(part="upstream", read=lambda: upstream.ticks),
        Sign(part="control", read=lambda: control.ticks),
    ]


def _sentence(table: str, pumps: Mapping[str, Pump], upstream: Upstream, board: StatusBoard) -> str:
    return table_sentence(
        table,
        devices={id_: pump.connected for id_, pump in pumps.items()},
        broker=upstream.connected,
        reasons=[each.reason for each in board.reasons],
    )
