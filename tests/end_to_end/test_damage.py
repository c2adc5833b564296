"""Damage that opening does not look for: the daemon dies of it once, and the table lives on a new journal.

The daemon is a program of its own and the broker a real one, so that the command which met the damage is
handed out again, and answered, without anybody sending it twice.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest

from edge.journal import read_journal
from sim_devices.daemon import program
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, assert_verifies, run

pytestmark = pytest.mark.mosquitto

DIES_WITHIN_S: Final = 20.0
QUIET_S: Final = 0.5

Damage = Callable[[sqlite3.Connection, Path], None]


def root_page_of(name: str) -> Damage:
    def damage(connection: sqlite3.Connection, path: Path) -> None:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.close()
        with path.open("r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)

    damage.__name__ = f"root page of {name}"
    return damage


def without(name: str) -> Damage:
    def damage(connection: sqlite3.Connection, _path: Path) -> None:
        connection.execute(f"DROP TABLE {name}")

    damage.__name__ = f"without {name}"
    return damage


DAMAGES: Final = [
    root_page_of("answers"),
    root_page_of("rounds"),
    root_page_of("sqlite_autoindex_rounds_1"),
    root_page_of("cursors"),
    root_page_of("snapshots"),
    root_page_of("events"),
    root_page_of("records"),
    without("answers"),
    without("rounds"),
    without("cursors"),
    without("snapshots"),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_after_one_restart_at_most_the_table_lives_on_a_new_journal(tmp_path: Path, damage: Damage) -> None:
    async def play(bench: Bench) -> None:
        await bench.open_shoe()
        first = journal_id(bench)
        assert await bench.daemon.stop() == 0
        path = bench.settings.journal
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            damage(connection, path)
        raw = path.read_bytes()
        await bench.daemon.start()
        asked = str(uuid4())
        said = {"id": asked, "command": "round.open", "data": {"round_id": "r1", "seats": [1]}}
        bench.publish("commands", json.dumps(said).encode())  # once
        ends = 0
        if not await answered(bench, asked):
            ends += 1
            await bench.daemon.kill()  # it is dead: only to be started again, as the service does
            await bench.daemon.start()
            assert await answered(bench, asked), bench.told
        await bench.until(lambda: "journal_replaced" in reasons(bench))
        sentence = reasons(bench)["journal_replaced"]
        assert "What was wrong: " in sentence
        assert "table-edge journal verify" in sentence
        assert journal_id(bench) != first
        (aside,) = (each for each in path.parent.glob("journal.db.corrupt-*Z"))
        assert aside.stat().st_size >= len(raw)
        assert '"journal.quarantined"' in bench.daemon.said
        assert ends == bench.daemon.said.count('"journal.distrusted"')
        await asyncio.sleep(QUIET_S)
        assert not bench.daemon.ended_by_itself, bench.told
        lives = bench.daemon.lives
        assert await bench.daemon.stop() == 0
        assert lives == 2 + ends
        await bench.daemon.start()  # and the new journal is a sound one
        installed = await bench.ask("shoe.install", decks=8)
        assert installed.accepted, installed
        assert await bench.daemon.stop() == 0
        assert len(list(path.parent.glob("journal.db.corrupt-*Z"))) == 1
        assert_verifies(bench)
        assert await unsound(aside)

    run(play, tmp_path, Plan(programme=Programme(rounds=0)))


@pytest.mark.parametrize("name", ["published", "acknowledged"])
def test_a_cursor_beyond_the_last_event_does_not_silence_the_table(tmp_path: Path, name: str) -> None:
    async def play(bench: Bench) -> None:
        bench.serve()
        await bench.open_first_card()
        assert await bench.daemon.stop() == 0
        await bench.until(lambda: bench.server.game.sequence == bench.journaled_sequence)
        with closing(sqlite3.connect(bench.settings.journal)) as connection, connection:
            connection.execute("INSERT OR REPLACE INTO cursors VALUES (?, 1000000)", (name,))
        assert await unsound(bench.settings.journal)
        before = bench.journaled_sequence
        await bench.daemon.start()
        await bench.until(lambda: bench.server.game.sequence > before)
        await bench.finish()
        assert f"The cursor '{name}' stood at event 1000000, and the last event is " in bench.daemon.said
        assert_verifies(bench)

    run(play, tmp_path, Plan(programme=Programme(rounds=0)))


def journal_id(bench: Bench) -> str:
    with read_journal(bench.settings.journal) as journal:
        return journal.id


def reasons(bench: Bench) -> dict[str, str]:
    said: dict[str, Any] = json.loads(bench.payloads("status")[-1])
    return {each["reason"]: each["sentence"] for each in said.get("reasons", ())}


async def answered(bench: Bench, asked: str) -> bool:
    """Wait for the answer, or the end of the daemon."""
    async with asyncio.timeout(DIES_WITHIN_S):
        while not bench.daemon.ended_by_itself:
            if any(json.loads(raw)["id"] == asked for raw in bench.payloads("replies")):
                return True
            await asyncio.sleep(0.01)
    return False


async def unsound(journal: Path) -> bool:
    verifying = await asyncio.create_subprocess_exec(
        program(), "journal", "verify", str(journal), stdout=asyncio.subprocess.PIPE
    )
    await verifying.communicate()
    return verifying.returncode == 1
