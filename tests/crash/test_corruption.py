"""A journal with damaged bytes: the table is at play again after one more start at most, nothing is deleted.

Damage that opening looks for is set aside at once; damage elsewhere is met in use, ends that life, and is set
aside by the next. Damage where nothing lies, or that nobody reads any more, is :func:`edge.journal.verify`'s.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from edge.errors import JournalCorrupt
from edge.journal import distrust, open_journal, replace_corrupt
from edge.ruling import RULING_VERSION, evolve, new_table
from tests.edge.journal.play import Player

TABLE: Final = "bj-07"
PAGE: Final = 4096
HEADER: Final = 100
FORMATS: Final = 28
"""Of the header, what says how to read all the rest."""
HEAD: Final = 12
"""Pages: the schema, the roots of every table and index, and the first leaves."""
AT_RANDOM: Final = 8


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal of 1,100 records, 800 events of which the broker does not have yet."""
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    journal = open_journal(path, table=TABLE).journal
    Player(journal).play(1_100, at_once=50)
    journal.move_cursor("published", journal.last_sequence - 800)
    journal.close()
    return path.read_bytes()


def live(path: Path) -> tuple[str, Path | None]:
    """One life as the daemon has it: open, restore, play on, follow the events to the broker."""
    opened = open_journal(path, table=TABLE)
    try:
        state = opened.journal.restore(new_table, evolve, RULING_VERSION)
    except JournalCorrupt as fault:
        opened = replace_corrupt(opened.journal, fault.sentence)
        state = opened.journal.restore(new_table, evolve, RULING_VERSION)
    journal = opened.journal
    try:
        Player(journal, state).play(8)
        journal.events_after(journal.cursor("published"), 100_000)
    except JournalCorrupt as fault:
        distrust(path, fault.sentence)
        raise
    finally:
        journal.close()
    return journal.id, opened.quarantined


def settles(folder: Path, octets: bytes) -> bool:
    """Live until it goes well, twice at most; whether the journal was set aside, which keeps its bytes."""
    folder.mkdir(parents=True)
    path = folder / "journal.db"
    path.write_bytes(octets)
    met_in_use = False
    try:
        first, aside = live(path)
    except JournalCorrupt:
        met_in_use = True
        octets = path.read_bytes()  # what was played in that life is in it
        first, aside = live(path)
        assert aside is not None
        assert (
            aside.with_name(f"{aside.name}-distrusted").read_text().startswith(("The ", "Event ", "Record "))
        )
    again, nothing = live(path)
    assert (again, nothing) == (first, None), "a new journal is a sound one"
    if aside is not None:
        assert aside.parent == folder
        assert aside.read_bytes() == octets
    assert met_in_use <= (aside is not None)
    return aside is not None


def test_any_byte_of_the_header_may_be_another(tmp_path: Path, whole: bytes) -> None:
    aside = 0
    for place in [*range(FORMATS), *range(FORMATS, HEADER, 3)]:
        for changed in (whole[place] ^ 0xFF, whole[place] ^ 1)[: 1 + (place < FORMATS)]:
            octets = whole[:place] + bytes([changed]) + whole[place + 1 :]
            aside += settles(tmp_path / f"{place}-{changed}", octets)
    assert aside > FORMATS


def zeroed(_whole: bytes, _place: int, _chance: random.Random) -> bytes:
    return bytes(PAGE)


def scrambled(_whole: bytes, _place: int, chance: random.Random) -> bytes:
    return chance.randbytes(PAGE)


def another(whole: bytes, _place: int, chance: random.Random) -> bytes:
    other = chance.randrange(len(whole) // PAGE) * PAGE
    return whole[other : other + PAGE]


def one_bit(whole: bytes, place: int, chance: random.Random) -> bytes:
    page = bytearray(whole[place : place + PAGE])
    page[chance.randrange(64)] ^= 1 << chance.randrange(8)
    return bytes(page)


def _pages(octets: bytes, chance: random.Random) -> Iterator[int]:
    yield from range(HEAD)
    yield from (chance.randrange(HEAD, len(octets) // PAGE) for _ in range(AT_RANDOM))


@pytest.mark.parametrize("damage", [zeroed, scrambled, another, one_bit])
def test_any_page_may_be_damaged(
    tmp_path: Path, whole: bytes, damage: Callable[[bytes, int, random.Random], bytes]
) -> None:
    chance = random.Random(damage.__name__)
    aside = 0
    for number, page in enumerate(_pages(whole, chance)):
        place = page * PAGE
        octets = whole[:place] + damage(whole, place, chance) + whole[place + PAGE :]
        aside += settles(tmp_path / str(number), octets)
    assert aside > 0


def test_a_mark_alone_sets_the_journal_aside_and_goes_with_it(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(whole)
    distrust(path, "Somebody says so.")
    assert (path.with_name("journal.db-distrusted").stat().st_mode & 0o777) == 0o600
    _, aside = live(path)
    assert aside is not None
    assert aside.read_bytes() == whole
    assert aside.with_name(f"{aside.name}-distrusted").read_text() == "Somebody says so.\n"
    assert not path.with_name("journal.db-distrusted").exists()


def test_a_mark_made_by_hand_need_not_say_why(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(whole)
    path.with_name("journal.db-distrusted").touch(mode=0o600)
    _, aside = live(path)
    assert aside is not None
    assert aside.read_bytes() == whole


def test_a_start_cut_short_while_it_sets_aside_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    distrust(path, "The file was renamed, and then the power went.")
    _, aside = live(path)
    assert aside is not None
    assert not aside.exists()
    assert aside.with_name(f"{aside.name}-distrusted").exists()


def test_a_mark_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    distrust(tmp_path / "nowhere" / "journal.db", "The disk is gone.")
    assert list(tmp_path.iterdir()) == []
