"""A damaged journal under the real daemon: kept, replaced by one with a new id, and play can begin again."""

import sqlite3
from pathlib import Path

import pytest

from tests.crash.sickbed import Sickbed, nurse
from tests.end_to_end.harness import assert_verifies

pytestmark = pytest.mark.mosquitto

PAGE = 4096


def root_page(journal: Path, table: str) -> int:
    """Where a table begins in the file."""
    connection = sqlite3.connect(journal)
    try:
        row = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    finally:
        connection.close()
    return int(row[0])


def damage(journal: Path, page: int) -> bytes:
    """Zero a page; returns the file as it is then."""
    octets = bytearray(journal.read_bytes())
    octets[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    journal.write_bytes(octets)
    return bytes(octets)


async def in_the_middle_of_a_round(bench: Sickbed) -> str:
    """Stopped there. Returns the journal's id."""
    await bench.open_shoe()
    assert (await bench.ask("round.open", round_id="r1", seats=[1])).accepted
    await bench.pull(2)
    await bench.settle()
    assert await bench.daemon.stop() == 0
    assert bench.screen is not None
    return bench.screen.journal


async def is_open_again(bench: Sickbed, before: str, octets: bytes) -> None:
    await bench.until(lambda: "journal_replaced" in bench.reasons)
    assert "call the supervisor" in bench.reasons["journal_replaced"]
    await bench.until(lambda: bench.screen is not None and bench.screen.journal != before)
    (kept,) = bench.settings.journal.parent.glob("journal.db.corrupt-*Z")
    assert kept.read_bytes() == octets
    await bench.until(lambda: bench.screen is not None and bench.screen.devices_online > 0)
    assert (await bench.ask("shoe.install", decks=8)).accepted
    bench.shoe.draw()
    await bench.until(lambda: "shoe.opened" in bench.journaled_types)
    assert await bench.daemon.stop() == 0
    assert_verifies(bench)


def test_damage_that_opening_sees_is_set_aside_at_once(tmp_path: Path) -> None:
    async def play(bench: Sickbed) -> None:
        before = await in_the_middle_of_a_round(bench)
        octets = damage(bench.settings.journal, 1)
        await bench.daemon.start()
        await is_open_again(bench, before, octets)

    nurse(play, tmp_path)


def test_damage_that_is_met_in_use_ends_one_life_and_is_set_aside_by_the_next(tmp_path: Path) -> None:
    async def play(bench: Sickbed) -> None:
        before = await in_the_middle_of_a_round(bench)
        damage(bench.settings.journal, root_page(bench.settings.journal, "answers"))
        await bench.daemon.start()
        await bench.until(lambda: bench.screen is not None and "journal_replaced" not in bench.reasons)
        asked = bench.chore(_ask_for_ever(bench), "server")
        assert await bench.daemon.dead() == 1
        asked.cancel()
        assert "table-edge: The journal" in bench.daemon.said
        assert "cannot be trusted" in bench.daemon.said
        assert "Traceback" not in bench.daemon.said
        await bench.daemon.kill()
        octets = bench.settings.journal.read_bytes()
        await bench.daemon.start()
        await is_open_again(bench, before, octets)
        (why,) = bench.settings.journal.parent.glob("journal.db.corrupt-*-distrusted")
        assert "cannot be trusted" in why.read_text()

    nurse(play, tmp_path)


async def _ask_for_ever(bench: Sickbed) -> None:
    await bench.ask("hand.decide", seat=1, hand=1, action="stand")
