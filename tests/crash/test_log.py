"""SQLite's log: cut short it is read as far as it goes; damaged in its middle it is set aside."""

import os
import random
import shutil
from pathlib import Path
from typing import Final

import pytest

from edge.errors import JournalCorrupt
from edge.journal import open_journal, read_journal
from edge.journal.wal import check_log
from edge.ruling import RULING_VERSION, evolve, new_table
from tests.edge.journal.play import Player

TABLE: Final = "bj-07"
FRAME: Final = 24 + 4096
HEADER: Final = 32


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A journal as SIGKILL leaves it: 60 commits in the log, none in the file."""
    path = tmp_path / "living" / "journal.db"
    journal = open_journal(path, table=TABLE).journal
    Player(journal).play(60)
    shutil.copytree(path.parent, tmp_path / "killed")
    journal.close()
    log = log_of(tmp_path / "killed" / "journal.db")
    used = -(-len(log.read_bytes().rstrip(b"\0")) // FRAME) * FRAME + HEADER
    os.truncate(log, used)  # the rest is the room it was given
    return tmp_path / "killed" / "journal.db"


def opened(path: Path) -> tuple[int, Path | None]:
    found = open_journal(path, table=TABLE)
    found.journal.restore(new_table, evolve, RULING_VERSION)
    number = found.journal.last_number
    found.journal.close()
    return number, found.quarantined


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def test_a_whole_log_is_read_to_its_end(killed: Path) -> None:
    assert opened(killed) == (60, None)


def test_a_log_that_was_damaged_in_its_middle_is_set_aside(killed: Path) -> None:
    octets = bytearray(log_of(killed).read_bytes())
    octets[HEADER + FRAME * (len(octets) // FRAME // 2) + 100] ^= 1
    log_of(killed).write_bytes(octets)
    number, aside = opened(killed)
    assert number == 0
    assert aside is not None
    assert log_of(aside).read_bytes() == octets


@pytest.mark.parametrize("seed", range(8))
def test_a_log_that_the_power_cut_short_is_read_as_far_as_it_goes(killed: Path, seed: int) -> None:
    chance = random.Random(seed)
    octets = log_of(killed).read_bytes()
    end = chance.randrange(HEADER, len(octets))
    log_of(killed).write_bytes(octets[:end] + chance.randbytes(chance.choice([0, 300, 9_000])))
    number, aside = opened(killed)
    assert aside is None
    assert number < 60


def test_a_last_commit_of_which_a_page_is_missing_was_never_made(killed: Path) -> None:
    octets = bytearray(log_of(killed).read_bytes())
    octets[-FRAME - 100] ^= 1  # in the page before the last, which ends the commit
    log_of(killed).write_bytes(octets)
    number, aside = opened(killed)
    assert aside is None
    assert number == 59


def test_what_an_earlier_use_of_the_log_left_behind_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = open_journal(path, table=TABLE).journal
    player = Player(journal).play(60)
    connection = journal._connection  # noqa: SLF001 - SQLite's own word for it
    connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
    player.play(3)
    assert log_of(path).stat().st_size > 100 * FRAME
    with read_journal(path) as reader:
        assert reader.last_number == 63
        check_log(path)
    journal.close()


def test_where_there_is_no_log_there_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    check_log(path)
    path.with_name("journal.db-shm").write_bytes(b"short")
    log_of(path).write_bytes(b"short")
    check_log(path)
    with pytest.raises(JournalCorrupt):
        _damage_behind(path)


def _damage_behind(path: Path) -> None:
    salt = b"saltsalt"
    commit = bytes(4) + (7).to_bytes(4, "big") + salt + bytes(8) + bytes(4096)
    log_of(path).write_bytes(bytes(8) + (4096).to_bytes(4, "big") + bytes(4) + salt + bytes(8) + commit * 2)
    path.with_name("journal.db-shm").write_bytes(bytes(136))
    check_log(path)
