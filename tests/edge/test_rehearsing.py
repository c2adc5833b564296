"""Rehearsals: only while a card is due, within their share of a core, and nothing of them is kept."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from edge import rehearsing
from edge.inputs import CardDrawn, Input
from edge.journal import Moment, open_journal, verify
from edge.notes import Ruled
from edge.rehearsing import EVERY_S, QUIET_S, SHARE, NobodysShoe, rehearse
from edge.ruling import RULING_VERSION, Phase, TableState, decide, evolve, new_table, phase
from firmware_protocols import DECK, Card, FaceDownCard
from tests.bench.ruling import recorded
from tests.edge.journal.play import Player

HOUSES = ("deluxe", "ho-tram-strip", "korean-floor", "sa-gaming")
LONG_S = EVERY_S * 20


class Table:
    """A table that waits."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.state_changed = asyncio.Event()
        self.state_changed.set()


class Book:
    """Counts what is drawn up; each takes so long on the clocks of the test."""

    last_at_ms = 0

    def __init__(self, *, takes_s: float = 0.0, stands_still_s: float = 0.0, fails: bool = False) -> None:
        self.now = self.worked = 0.0
        self.heard: list[Input] = []
        self._takes_s = takes_s
        self._stands_still_s = stands_still_s
        self._fails = fails

    def rehearse(self, input: Input, ruled: Sequence[Ruled], *, moment: Moment, ruling: str) -> None:  # noqa: A002 - the house's noun
        assert ruled
        assert ruling
        assert moment.at_ms == self.last_at_ms
        if self._fails:
            raise ValueError(f"no place for {input!r}, the 7h")
        self.heard.append(input)
        self.now += self._takes_s + self._stands_still_s
        self.worked += self._takes_s


Turn = Callable[[Table, Book], None]


def _rehearsed(state: TableState, book: Book, *turns: Turn, each_s: float = LONG_S) -> list[int]:
    """How often it was rehearsed before each turn of the play and after the last one."""
    counts: list[int] = []

    async def body() -> None:
        table = Table(state)
        working = asyncio.create_task(rehearse(table, book, lambda: book.now, lambda: book.worked))
        for turn in (*turns, lambda *_: None):
            before = len(book.heard)
            await asyncio.sleep(each_s)
            counts.append(len(book.heard) - before)
            turn(table, book)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    asyncio.run(body())
    return counts


def _card(card: Card) -> CardDrawn:
    return CardDrawn(device="shoe", position=None, device_ms=None, card=FaceDownCard(card), nonce="0" * 32)


def _states() -> dict[Phase, TableState]:
    """One of each phase that comes by itself in a day of play."""
    state, heard = recorded("deluxe", 400)
    found = {phase(state): state}
    for each in heard:
        state = decide(state, each).state
        found.setdefault(phase(state), state)
    return found


STATES = _states()


@pytest.mark.parametrize("now", [Phase.OPENING, Phase.BURNING, Phase.CARD_DUE])
def test_it_rehearses_while_a_card_is_due(now: Phase) -> None:
    book = Book()
    (count,) = _rehearsed(STATES[now], book)
    assert 1 < count <= LONG_S / EVERY_S
    assert all(isinstance(each, CardDrawn) for each in book.heard)


@pytest.mark.parametrize("now", [Phase.NO_SHOE, Phase.READY, Phase.INSURANCE, Phase.DECISION])
def test_it_does_nothing_while_none_is_due(now: Phase) -> None:
    assert _rehearsed(STATES[now], Book()) == [0]


def test_a_table_that_is_held_waits_for_no_card() -> None:
    held = decide(STATES[Phase.READY], _card(DECK[0])).state
    assert phase(held) is Phase.HELD
    assert _rehearsed(held, Book()) == [0]


def test_it_ends_when_nothing_happens_and_begins_again_with_the_next_commit() -> None:
    def nothing_happened(_table: Table, book: Book) -> None:
        book.now += QUIET_S

    def committed(table: Table, _book: Book) -> None:
        table.state_changed.set()

    first, quiet, again = _rehearsed(STATES[Phase.CARD_DUE], Book(), nothing_happened, committed)
    assert first > 1
    assert quiet == 0
    assert again > 1


def test_it_follows_the_table() -> None:
    def decision(table: Table, _book: Book) -> None:
        table.state = STATES[Phase.DECISION]
        table.state_changed.set()

    def card_due(table: Table, _book: Book) -> None:
        table.state = STATES[Phase.CARD_DUE]
        table.state_changed.set()

    first, none, again = _rehearsed(STATES[Phase.CARD_DUE], Book(), decision, card_due)
    assert (first > 1, none, again > 1) == (True, 0, True)


def test_a_slow_computer_rehearses_less_often() -> None:
    slow = Book(takes_s=LONG_S * SHARE)
    (count,) = _rehearsed(STATES[Phase.CARD_DUE], slow)
    assert count == 1


def test_a_computer_that_stood_still_is_not_slow() -> None:
    (count,) = _rehearsed(STATES[Phase.CARD_DUE], Book(stands_still_s=LONG_S * SHARE))
    assert count > 1


def test_what_fails_ends_it_and_is_told_without_a_card() -> None:
    async def body() -> None:
        async with asyncio.timeout(10):
            await rehearse(Table(STATES[Phase.CARD_DUE]), Book(fails=True), lambda: 0.0)

    with capture_logs() as said:
        asyncio.run(body())
    (line,) = said
    assert line.pop("sentence") == rehearsing.FAILED
    assert line == {"event": "rehearsal.failed", "error": "ValueError", "log_level": "warning"}


@pytest.mark.parametrize("house", HOUSES)
def test_every_card_can_be_rehearsed_wherever_one_is_due(house: str) -> None:
    state, heard = recorded(house, 120)
    book, shoe, due = Book(), NobodysShoe(), 0
    for each in heard:
        if phase(state) in rehearsing.CARD_DUE:
            due += 1
            for card in DECK:
                rehearsing.go_over(card, state, shoe, book)
        state = decide(state, each).state
    assert due > 100
    assert len(book.heard) == due * len(DECK)


@pytest.mark.parametrize("at_once", [1, 3])
def test_nothing_of_it_is_kept(tmp_path: Path, at_once: int) -> None:
    """Before every record, also while a transaction is open, all 52 cards; the journal is as without them."""
    path = tmp_path / "j.db"
    journal = open_journal(path, table="t1").journal
    player, shoe = Player(journal), NobodysShoe()
    for number in range(1, 121):
        before = _files(tmp_path), journal.last_number, journal.last_sequence, player.state
        for card in DECK:
            rehearsing.go_over(card, player.state, shoe, journal)
        assert (_files(tmp_path), journal.last_number, journal.last_sequence, player.state) == before
        player.append(player.step())
        if number % at_once == 0:
            player.commit()
    journal.close()
    verdict = verify(path, new_table=new_table, decide=decide, evolve=evolve, ruling=RULING_VERSION)
    assert verdict.findings == ()
    assert verdict.records == 120


def _files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.suffix != ".db-shm"}
