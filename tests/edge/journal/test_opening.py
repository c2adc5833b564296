import contextlib
import os
import random
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from edge.errors import JournalCorrupt, JournalError, JournalMisplaced, JournalNewer, JournalTaken
from edge.journal import Journal, checkpoint, open_journal, read_journal, replace_corrupt, verify
from edge.journal.schema import TABLES
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.edge.journal.play import Player


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def masked(umask: int) -> Iterator[None]:
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


def opened(path: Path) -> tuple[Journal, Path | None]:
    """Open, prove that it can be played on, and say what was set aside."""
    found = open_journal(path, table="bj-07")
    state: TableState = found.journal.restore(new_table, evolve, RULING_VERSION)
    Player(found.journal, state).play(3)
    return found.journal, found.quarantined


def played(path: Path, records: int = 60, *, at_once: int = 1) -> str:
    """Make a journal with a life in it, closed; its id."""
    journal = open_journal(path, table="bj-07").journal
    Player(journal).play(records, at_once=at_once)
    journal.close()
    return journal.id


def edit(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


# Privacy --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777], ids=oct)
def test_every_file_is_private_whatever_the_umask(path: Path, umask: int) -> None:
    with masked(umask):
        journal, _ = opened(path)
    names = {each.name: mode(each) for each in path.parent.iterdir()}
    assert names == dict.fromkeys(
        ["journal.db", "journal.db-wal", "journal.db-shm", "journal.db.lock"], 0o600
    )
    journal.close()


def test_a_journal_that_was_made_readable_is_made_private_again(path: Path) -> None:
    played(path)
    path.chmod(0o644)
    journal, _ = opened(path)
    assert {mode(each) for each in path.parent.iterdir()} == {0o600}
    journal.close()


def test_a_missing_directory_is_made_private(tmp_path: Path) -> None:
    with masked(0o022):
        journal, _ = opened(tmp_path / "state" / "journal.db")
    assert mode(tmp_path / "state") == 0o700
    journal.close()


# One daemon -----------------------------------------------------------------------------------------


def test_a_second_daemon_is_refused_and_told_who_has_it(path: Path) -> None:
    journal, _ = opened(path)
    with pytest.raises(JournalTaken, match=f"process {os.getpid()}"):
        open_journal(path, table="bj-07")
    journal.close()
    opened(path)[0].close()


def test_another_name_for_the_same_file_is_the_same_journal(path: Path) -> None:
    journal, _ = opened(path)
    link = path.with_name("link.db")
    link.symlink_to(path)
    with pytest.raises(JournalTaken):
        open_journal(link, table="bj-07")
    journal.close()


def test_a_lock_dies_with_whoever_held_it(path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from edge.journal import open_journal
open_journal(Path({str(path)!r}), table="bj-07")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    journal, aside = opened(path)
    assert aside is None
    journal.close()


# Whose it is ----------------------------------------------------------------------------------------


def test_another_table_s_journal_is_refused(path: Path) -> None:
    played(path)
    with pytest.raises(JournalError, match="that of table bj-07, not of bj-08"):
        open_journal(path, table="bj-08")
    journal, aside = opened(path)  # and it is no longer locked
    assert aside is None
    journal.close()


@pytest.mark.parametrize("in_log", [False, True])
def test_a_newer_journal_is_refused_and_untouched(path: Path, *, in_log: bool) -> None:
    played(path)
    statements = ["PRAGMA user_version = 7", "UPDATE meta SET value = '7' WHERE name = 'schema'"]
    if in_log:
        connection = sqlite3.connect(path, isolation_level=None)
        for statement in ["BEGIN", *statements, "COMMIT"]:
            connection.execute(statement)
        for side in ("", "-wal"):  # as a power cut leaves them
            shutil.copy(f"{path}{side}", f"{path}2{side}")
        connection.close()
        path = Path(f"{path}2")
    else:
        edit(path, *statements)
    before = {
        side: Path(f"{path}{side}").read_bytes() for side in ("", "-wal") if Path(f"{path}{side}").exists()
    }
    with pytest.raises(JournalNewer, match="schema 7; this version reads up to 2"):
        open_journal(path, table="bj-07")
    assert {side: Path(f"{path}{side}").read_bytes() for side in before} == before
    with pytest.raises(JournalNewer):
        read_journal(path)
    with pytest.raises(JournalNewer):
        verified(path)


def test_there_is_nothing_to_read_where_there_is_no_journal(path: Path) -> None:
    with pytest.raises(JournalError, match="There is no journal"):
        read_journal(path)
    assert not path.exists()


# What is no journal ---------------------------------------------------------------------------------


def everything_in(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Name, mode, time of the last change and bytes of everything there."""
    found = {}
    for each in (folder, *folder.rglob("*")):
        seen = each.lstat()
        raw = each.read_bytes() if each.is_file() else b""
        found[str(each.relative_to(folder))] = (seen.st_mode, seen.st_mtime_ns, raw)
    return found


def a_directory(path: Path) -> None:
    path.mkdir(mode=0o755)
    (path / "other").write_text("of somebody else")


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with contextlib.chdir(path.parent), contextlib.closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(path.name)


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/null")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (a_directory, "{path} is a directory: name a file in it, such as {path}/journal.db."),
        (a_pipe, "{path} is a named pipe: name a file."),
        (a_socket, "{path} is a socket: name a file."),
        (a_link_to_a_device, "/dev/null is a device: name a file."),
    ],
)
def test_what_is_no_file_is_named_and_left_as_it_is(
    path: Path, make: Callable[[Path], None], sentence: str
) -> None:
    make(path)
    before = everything_in(path.parent)
    for open_it in (
        lambda: open_journal(path, table="bj-07"),
        lambda: read_journal(path),
        lambda: verified(path),
    ):
        with pytest.raises(JournalMisplaced) as caught:
            open_it()
        assert str(caught.value) == f"The journal {sentence.format(path=path)}"
    assert everything_in(path.parent) == before


def test_a_file_in_the_place_of_its_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    before = everything_in(tmp_path)
    for path in (tmp_path / "state" / "journal.db", tmp_path / "state" / "t1" / "journal.db"):
        with pytest.raises(JournalMisplaced, match=f"{tmp_path}/state is no directory: name a file in one"):
            open_journal(path, table="bj-07")
    assert everything_in(tmp_path) == before


def of_another_program(path: Path) -> None:
    edit(path, "CREATE TABLE guests (name TEXT)", "INSERT INTO guests VALUES ('Ada')")


def with_a_mark_of_its_own(path: Path) -> None:
    edit(path, "PRAGMA application_id = 252006673", "CREATE TABLE events (name TEXT)")


def without_a_table(path: Path) -> None:
    edit(path, "CREATE TABLE guests (name TEXT)", "DROP TABLE guests")


def in_use(path: Path) -> None:
    """As a program leaves it that is killed with everything in its log."""
    live = path.with_name("live")
    connection = sqlite3.connect(live, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE guests (name TEXT)")
    for side in ("", "-wal"):
        shutil.copy(f"{live}{side}", f"{path}{side}")
    connection.close()


@pytest.mark.parametrize("make", [of_another_program, with_a_mark_of_its_own, without_a_table, in_use])
def test_another_program_s_database_is_named_and_left_as_it_is(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(path)
    path.chmod(0o644)
    before = everything_in(path.parent)
    with pytest.raises(JournalMisplaced, match=f"The file {path} is a sound database of another program"):
        open_journal(path, table="bj-07")
    assert everything_in(path.parent) == before


def test_a_directory_beside_it_keeps_its_rights(path: Path) -> None:
    played(path)
    beside = Path(f"{path}-wal")
    beside.mkdir(mode=0o755)
    with contextlib.suppress(JournalError):
        open_journal(path, table="bj-07")
    assert mode(beside) == 0o755


# Corruption -----------------------------------------------------------------------------------------


def verified(path: Path) -> bool:
    verdict = verify(path, new_table=new_table, decide=decide, evolve=evolve, ruling=RULING_VERSION)
    return verdict.ok


def spoil_nothing_left(path: Path) -> None:
    path.write_bytes(b"")


def spoil_text(path: Path) -> None:
    path.write_text("not a database, but longer than the hundred bytes of a header: " * 40)


def spoil_magic(path: Path) -> None:
    path.write_bytes(b"SQLite format 4\0" + path.read_bytes()[16:])


def spoil_nul(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def spoil_cut(path: Path) -> None:
    os.truncate(path, 3 * 4096 + 17)


def spoil_header_version(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[60:64] = (3).to_bytes(4, "big")
    path.write_bytes(raw)


def spoil_tables(path: Path) -> None:
    edit(path, "DROP TABLE events")


def spoil_mark(path: Path) -> None:
    edit(path, "PRAGMA application_id = 7")


def spoil_every_table(path: Path) -> None:
    edit(path, *(f"DROP TABLE {name}" for name in TABLES))


def spoil_tail(path: Path) -> None:
    edit(path, "UPDATE records SET wall_ms = wall_ms + 1 WHERE number = 55")


def spoil_body(path: Path) -> None:
    edit(path, "UPDATE records SET body = '{}' WHERE number = 60")


def spoil_body_type(path: Path) -> None:
    edit(path, "UPDATE records SET at_ms = 'noon' WHERE number = 60")


def spoil_text_encoding(path: Path) -> None:
    edit(path, "UPDATE records SET boot = CAST(x'ff' AS TEXT) WHERE number = 60")


def spoil_event(path: Path) -> None:
    edit(path, "UPDATE events SET published = 'x' WHERE sequence = (SELECT MAX(sequence) FROM events)")


def spoil_lost_event(path: Path) -> None:
    edit(path, "DELETE FROM events WHERE sequence = (SELECT MAX(sequence) FROM events)")


def spoil_extra_event(path: Path) -> None:
    edit(path, "INSERT INTO events SELECT sequence + 1, 61, published FROM events ORDER BY 1 DESC LIMIT 1")


def spoil_lost_record(path: Path) -> None:
    edit(path, "DELETE FROM records WHERE number = 58")


def spoil_cursor(path: Path) -> None:
    edit(path, "INSERT INTO cursors VALUES ('published', 'far')")


def spoil_id(path: Path) -> None:
    edit(path, "UPDATE meta SET value = 'another' WHERE name = 'journal'")


SPOILS = [each for name, each in sorted(globals().items()) if name.startswith("spoil_")]


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__.removeprefix("spoil_"))
def test_what_cannot_be_trusted_is_set_aside_and_a_new_journal_begun(path: Path, spoil: object) -> None:
    assert callable(spoil)
    before = played(path)
    spoil(path)
    raw = path.read_bytes()
    found = open_journal(path, table="bj-07")
    assert found.why.startswith(("The ", "Record ", "Event ", "A record ")), found.why
    assert found.why.endswith(".")
    journal, aside = found.journal, found.quarantined
    Player(journal).play(3)
    assert aside is not None
    assert aside.name.startswith("journal.db.corrupt-20")
    assert aside.parent == path.parent
    assert mode(aside) == 0o600
    assert aside.read_bytes() == raw
    assert journal.id != before
    assert journal.last_number == 3
    journal.close()
    assert verified(path)


def test_nothing_set_aside_is_ever_overwritten(path: Path) -> None:
    asides = set()
    for number in range(3):
        path.write_bytes(b"garbage %d" % number)
        journal, aside = opened(path)
        assert aside is not None
        asides.add((aside, aside.read_bytes()))
        journal.close()
    assert {raw for _, raw in asides} == {b"garbage 0", b"garbage 1", b"garbage 2"}
    assert len({aside for aside, _ in asides}) == 3


def test_the_log_goes_aside_with_its_journal(path: Path) -> None:
    played(path)
    Path(f"{path}-wal").write_bytes(b"log")
    path.write_bytes(b"garbage")
    journal, aside = opened(path)
    assert aside is not None
    assert Path(f"{aside}-wal").read_bytes() == b"log"
    assert mode(Path(f"{aside}-wal")) == 0o600
    journal.close()


def test_a_log_without_its_journal_meets_no_new_one(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"log")
    found = open_journal(path, table="bj-07")
    assert found.why == f"The journal {path} is gone, and what lay beside it is still there."
    assert found.quarantined is not None
    assert Path(f"{found.quarantined}-wal").read_bytes() == b"log"
    found.journal.close()


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        (b"Event 7 is missing.\n", "Event 7 is missing."),
        (b"", "The journal {path} was marked as one that cannot be trusted."),
        (b"\x1b[2J\n", "The journal {path} was marked as one that cannot be trusted."),
    ],
)
def test_a_mark_says_why_the_journal_is_set_aside(path: Path, mark: bytes, why: str) -> None:
    played(path)
    Path(f"{path}-distrusted").write_bytes(mark)
    found = open_journal(path, table="bj-07")
    assert found.why == why.format(path=path)
    found.journal.close()


def test_a_start_cut_short_is_no_corruption(path: Path) -> None:
    path.with_name("journal.db.new").write_bytes(b"half")
    Path(f"{path}.new-journal").write_bytes(b"half")
    journal, aside = opened(path)
    assert aside is None
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "journal.db",
        "journal.db-shm",
        "journal.db-wal",
        "journal.db.lock",
    ]
    journal.close()


def test_a_journal_found_corrupt_later_can_be_replaced(path: Path) -> None:
    played(path, 1_100, at_once=100)
    edit(path, "UPDATE records SET body = '{}' WHERE number = 20")
    journal = open_journal(path, table="bj-07").journal
    with pytest.raises(JournalCorrupt):
        journal.restore(new_table, evolve, "another")
    replaced = replace_corrupt(journal, "Record 20 was changed.")
    assert replaced.why == "Record 20 was changed."
    assert replaced.quarantined is not None
    assert replaced.quarantined.exists()
    assert replaced.journal.id != journal.id
    Player(replaced.journal).play(5)
    replaced.journal.close()


@pytest.mark.parametrize("seed", range(40))
def test_random_corruption_is_set_aside_or_found_and_never_raises(
    tmp_path: Path, whole: Path, seed: int
) -> None:
    path = tmp_path / "journal.db"
    raw = bytearray(whole.read_bytes())
    rng = random.Random(seed)
    if seed % 2:
        page = rng.randrange(len(raw) // 4096) * 4096
        raw[page : page + 4096] = rng.randbytes(4096)
    else:
        for _ in range(rng.choice([1, 3, 40])):
            raw[rng.randrange(len(raw))] ^= rng.randrange(1, 256)
    path.write_bytes(raw)
    found = open_journal(path, table="bj-07")
    try:
        found.journal.restore(new_table, evolve, RULING_VERSION)
    except JournalCorrupt:
        return
    finally:
        found.journal.close()
    if found.quarantined is None and path.read_bytes() != whole.read_bytes():
        verified(path)  # finds it, or it was in a place that holds nothing: but it does not raise


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    played(path, 150, at_once=10)
    return path


# The disk -------------------------------------------------------------------------------------------


def test_a_checkpoint_beside_the_daemon_empties_the_log(path: Path) -> None:
    journal = open_journal(path, table="bj-07").journal
    player = Player(journal).play(50)
    size = path.stat().st_size
    checkpoint(path)
    assert path.stat().st_size > size
    player.play(50)
    journal.close()
    assert verified(path)
