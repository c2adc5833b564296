"""Plugs pulled, disks full, disks read-only. What was committed is there; what was not never was."""

import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.envelope import digest, parse
from edge.journal import Journal, open_journal, verify
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.edge.journal.play import Player

ROOT = Path(__file__).parents[3]
PRELUDE = """
import os, resource, sys
from pathlib import Path
from edge.errors import StorageFailed
from edge.journal import open_journal
from edge.ruling import RULING_VERSION, evolve, new_table
from tests.edge.journal.play import Player
path = Path(sys.argv[1])
def player():
    journal = open_journal(path, table="bj-07").journal
    return Player(journal, journal.restore(new_table, evolve, RULING_VERSION))
"""


def started(script: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PRELUDE + script, str(path)], cwd=ROOT, stdout=subprocess.PIPE
    )


def run(script: str, path: Path) -> list[str]:
    with started(script, path) as child:
        output, _ = child.communicate(timeout=60)
        assert child.returncode == 0
    return output.decode().splitlines()


def sound(path: Path) -> bool:
    verdict = verify(path, new_table=new_table, decide=decide, evolve=evolve, ruling=RULING_VERSION)
    return verdict.ok


def restored(path: Path) -> tuple[Journal, TableState]:
    opened = open_journal(path, table="bj-07")
    assert opened.quarantined is None
    return opened.journal, opened.journal.restore(new_table, evolve, RULING_VERSION)


PLAYING_UNTIL_KILLED = """
table = player()
while True:
    table.play(3, at_once=3)
    number, sequence = table.journal.last_number, table.journal.last_sequence
    os.write(1, f"{number} {sequence}\\n".encode())
"""


def test_kill_9_loses_nothing_that_was_committed(path: Path) -> None:
    rng = random.Random(9)
    before = 0
    for _ in range(4):
        with started(PLAYING_UNTIL_KILLED, path) as child:
            assert child.stdout is not None
            told = os.read(child.stdout.fileno(), 100)
            select.select([], [], [], rng.uniform(0, 0.12))
            child.send_signal(signal.SIGKILL)
            told += child.stdout.read()
        number, sequence = map(int, told.decode().rpartition("\n")[0].splitlines()[-1].split())
        assert number > before
        before = number
        journal, state = restored(path)
        assert journal.last_number >= number
        assert journal.last_number % 3 == 0  # of a transaction, all or nothing
        assert journal.last_sequence >= sequence
        assert state.sequence == journal.last_sequence
        journal.close()
    assert sound(path)


def test_what_was_published_before_the_kill_is_the_same_bytes_after_it(path: Path) -> None:
    script = """
table = player().play(40)
for sequence, raw in table.journal.events_after(0, 1000):
    print(sequence, raw.hex())
sys.stdout.flush()
os.kill(os.getpid(), 9)
"""
    with started(script, path) as child:
        output, _ = child.communicate(timeout=60)
    journal, _ = restored(path)
    events = [f"{sequence} {raw.hex()}" for sequence, raw in journal.events_after(0, 1_000)]
    assert output.decode().splitlines() == events
    journal.close()


def test_a_log_cut_anywhere_by_the_power_gives_a_whole_journal_of_fewer_records(path: Path) -> None:
    journal = open_journal(path, table="bj-07").journal
    Player(journal).play(40)
    whole = dict(journal.events_after(0, 1_000))
    file, log = path.read_bytes(), Path(f"{path}-wal").read_bytes().rstrip(b"\0")
    journal.close()
    rng = random.Random(3)
    seen = set()
    for number in range(20):
        cut = path.with_name(f"cut-{number}.db")
        end = rng.randrange(len(log) + 1)
        cut.write_bytes(file)
        Path(f"{cut}-wal").write_bytes(log[:end] + rng.randbytes(rng.choice([0, 5_000])))
        journal, state = restored(cut)
        seen.add(journal.last_number)
        events = dict(journal.events_after(0, 1_000))
        assert state.sequence == len(events)
        assert events.items() <= whole.items()
        Player(journal, state).play(2)
        journal.close()
        assert sound(cut)
    assert len(seen) > 6


DISK_FULL = """
table = player().play(50)
largest = max(each.stat().st_size for each in path.parent.iterdir())
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 100_000, hard))
failures = 0
for _ in range(2_000):
    before = table.state, table.journal.last_number, table.journal.last_sequence
    try:
        table.play(%(records)d, at_once=%(records)d)
    except StorageFailed as error:
        assert error.hint
        table.state, table.heard = before[0], []
        assert (table.journal.last_number, table.journal.last_sequence) == before[1:]
        assert len(table.journal.events_after(0, 100_000)) == before[2]
        failures += 1
        if failures == 3:
            break
print(failures)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
table.play(50)
print(table.journal.last_number)
table.journal.close()
"""


@pytest.mark.parametrize("records", [1, 300], ids=["in small commits", "in a large one"])
def test_a_full_disk_is_reported_and_the_journal_goes_on_when_there_is_room(path: Path, records: int) -> None:
    failures, last = run(DISK_FULL % {"records": records}, path)
    assert failures == "3"
    journal, state = restored(path)
    assert journal.last_number == int(last)
    assert state.sequence == journal.last_sequence
    journal.close()
    assert sound(path)


def test_a_disk_that_is_full_at_the_start_is_reported(path: Path) -> None:
    script = """
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    player()
except StorageFailed as error:
    print(error.hint)
"""
    assert len(run(script, path)) == 1
    journal, _ = restored(path)  # what it began is in nobody's way
    journal.close()


def test_a_start_on_a_disk_without_a_byte_left_is_reported_and_loses_nothing(path: Path) -> None:
    journal = open_journal(path, table="bj-07").journal
    state = Player(journal).play(30).state
    journal.close()
    script = """
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    player()
except StorageFailed as error:
    print(error.hint)
"""
    assert len(run(script, path)) == 1
    journal, again = restored(path)
    assert again == state
    journal.close()


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory whose way in is open to any user."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


READ_ONLY = """
if os.geteuid() == 0:
    os.setuid(65534)
try:
    player()
except StorageFailed as error:
    print(error.hint)
"""


def test_a_read_only_directory_is_reported(open_directory: Path) -> None:
    state = open_directory / "state"
    state.mkdir(mode=0o555)
    [hint] = run(READ_ONLY, state / "journal.db")
    assert "belongs to the service's user" in hint
    assert list(state.iterdir()) == []


def test_a_journal_that_became_read_only_is_reported_and_untouched(open_directory: Path) -> None:
    path = open_directory / "journal.db"
    journal = open_journal(path, table="bj-07").journal
    Player(journal).play(10)
    journal.close()
    before = path.read_bytes()
    path.chmod(0o400)
    path.with_name("journal.db.lock").chmod(0o400)
    open_directory.chmod(0o555)
    [hint] = run(READ_ONLY, path)
    assert hint
    open_directory.chmod(0o755)
    assert path.read_bytes() == before


def test_the_chain_goes_on_over_restarts(path: Path) -> None:
    for _ in range(4):
        journal, state = restored(path)
        Player(journal, state).play(15)
        journal.close()
    journal, _ = restored(path)
    before = "0" * 64
    for sequence, raw in journal.events_between(1, journal.last_sequence):
        envelope = parse(raw)
        assert (envelope.sequence, envelope.prevhash) == (sequence, before)
        before = digest(raw)
    journal.close()
