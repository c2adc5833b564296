import contextlib
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import edge.journal.pruning
import edge.journal.store
from edge.envelope import parse
from edge.errors import JournalError, StorageFailed
from edge.journal import Journal, Verdict, open_journal, prune, read_journal, verify
from edge.journal.schema import WITHOUT_PRUNED
from edge.notes import RequestAnswered
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.edge.journal.play import Player

TABLE = "bj-07"
EVERY = 50
PLAYED = 330
EVERYTHING = 10**12


@pytest.fixture(autouse=True)
def _many_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge.journal.store, "EVERY", EVERY)


@pytest.fixture
def played(tmp_path: Path) -> Player:
    path = tmp_path / "journal.db"
    return Player(open_journal(path, table=TABLE).journal).play(PLAYED)


def verified(path: Path, progress: Callable[[int, int], None] | None = None) -> Verdict:
    return verify(
        path, new_table=new_table, decide=decide, evolve=evolve, ruling=RULING_VERSION, progress=progress
    )


def prune_all(journal: Journal) -> int:
    return prune(journal.path, before_ms=EVERYTHING, through=journal.last_sequence, pause_s=0).number


def again(journal: Journal) -> Player:
    """The table after a restart of its daemon."""
    journal.close()
    opened = open_journal(journal.path, table=TABLE)
    assert opened.quarantined is None
    return Player(opened.journal, restored(opened.journal))


def restored(journal: Journal, version: str = RULING_VERSION) -> TableState:
    return journal.restore(new_table, evolve, version)


def edit(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_what_is_pruned_is_gone_and_the_rest_proves_itself(played: Player) -> None:
    journal = played.journal
    whole = dict(journal.events_after(0, 10_000))
    records = list(journal.records())
    assert prune_all(journal) == 300
    kept = records[300].sequences[0] if records[300].sequences else records[299].last_sequence + 1
    assert list(journal.records()) == records[300:]
    assert list(journal.records(17)) == records[300:]
    assert dict(journal.events_after(0, 10_000)) == {n: raw for n, raw in whole.items() if n >= kept}
    assert journal.events_after(3, 1) == []  # not kept, and nobody calls it corrupt
    verdict = verified(journal.path)
    assert (verdict.findings, verdict.pruned, verdict.records) == ((), 300, PLAYED - 300)


def test_a_pruned_journal_goes_on_after_a_restart(played: Player) -> None:
    prune_all(played.journal)
    table = again(played.journal)
    assert table.state == played.state
    table.play(200)
    assert prune_all(table.journal) == 500
    table = again(table.journal).play(3)
    assert verified(table.journal.path).ok
    assert table.journal.last_number == PLAYED + 203


def test_a_later_ruling_version_begins_with_the_state_of_the_base(played: Player) -> None:
    prune_all(played.journal)
    assert restored(played.journal, "another") == played.state
    with read_journal(played.journal.path) as reader:
        assert reader.folded(new_table, evolve, "a third") == played.state


def test_round_ids_stay_used_and_answers_leave_with_their_records(played: Player) -> None:
    journal = played.journal
    records = list(journal.records())
    opened = [parse(raw).event for _, raw in journal.events_after(0, 10_000) if b"round.opened" in raw]
    answered = [
        (record.number, each.id)
        for record in records
        for each in record.ruled
        if isinstance(each, RequestAnswered)
    ]
    prune_all(journal)
    assert all(journal.round_id_used(event.round_id) for event in opened)  # type: ignore[union-attr]
    assert [number for number, id_ in answered if journal.answer(id_) is None] == [
        number for number, _ in answered if number <= 300
    ]
    first = journal.round_span(opened[0].round_id)  # type: ignore[union-attr]
    assert first is not None
    assert list(journal.events_between(*first)) == []


@pytest.mark.parametrize(
    ("before_ms", "through"),
    [(49 * 1_250, EVERYTHING), (EVERYTHING, 0), (EVERYTHING, 5)],
    ids=["young", "undelivered", "hardly delivered"],
)
def test_what_is_young_or_undelivered_stays(played: Player, before_ms: int, through: int) -> None:
    assert prune(played.journal.path, before_ms=before_ms, through=through, pause_s=0).number == 0
    assert verified(played.journal.path).records == PLAYED


def test_it_goes_as_far_as_what_is_old_and_delivered(played: Player) -> None:
    assert prune(played.journal.path, before_ms=151 * 1_250, through=EVERYTHING, pause_s=0).number == 150
    delivered = next(r.last_sequence for r in played.journal.records() if r.number == 249)
    assert prune(played.journal.path, before_ms=EVERYTHING, through=delivered, pause_s=0).number == 200
    assert verified(played.journal.path).ok


def test_the_last_record_and_the_last_event_stay(played: Player) -> None:
    played.play(350 - PLAYED)
    assert played.journal.last_number % EVERY == 0
    assert prune_all(played.journal) == 300
    table = again(played.journal)
    assert table.journal.last_number == 350
    assert table.journal.last_sequence == played.state.sequence


def test_a_prune_cut_short_leaves_a_whole_journal_and_the_next_one_ends_it(
    played: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_away, batches = edge.journal.pruning._take_away, 0  # noqa: SLF001 - the place where it is cut

    def cut_short(*arguments: object) -> None:
        nonlocal batches
        batches += 1
        if batches == 4:
            raise StorageFailed("The disk is gone.", hint="Wait.")
        take_away(*arguments)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(edge.journal.pruning, "_take_away", cut_short)
    with pytest.raises(StorageFailed):
        prune_all(played.journal)
    assert verified(played.journal.path).ok
    assert next(played.journal.records()).number == 301
    table = again(played.journal)
    assert table.state == played.state
    monkeypatch.undo()
    assert prune(played.journal.path, before_ms=0, through=0, pause_s=0).records == 300 - 3 * 20
    assert verified(played.journal.path).ok


def test_its_room_is_used_again(played: Player) -> None:
    def pages() -> int:
        with contextlib.closing(sqlite3.connect(played.journal.path)) as connection:
            return int(connection.execute("PRAGMA page_count").fetchone()[0])

    prune_all(played.journal)
    before = pages()
    played.play(200)
    assert pages() == before


def test_cards_are_dealt_and_read_while_it_is_pruned(played: Player) -> None:
    journal, failed = played.journal, list[Exception]()

    def work() -> None:
        try:
            prune(journal.path, before_ms=EVERYTHING, through=last, pause_s=0.002)
        except JournalError as error:
            failed.append(error)

    last = journal.last_sequence
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        played.play(2)
        for begin in (1, last // 2):
            found = [sequence for sequence, _ in journal.events_between(begin, last)]
            assert found == list(range(found[0], last + 1)) if found else True
        with read_journal(journal.path) as reader:
            numbers = [record.number for record in reader.records()]
            assert numbers == list(range(numbers[0], numbers[-1] + 1))
    thread.join()
    assert failed == []
    assert verified(journal.path).ok


def test_what_is_pruned_while_it_is_verified_is_not_missed(
    played: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["edge.journal.verify"], "STEP", 10)  # its function hides the module
    monkeypatch.setattr("edge.journal.rows.PORTION", 10)
    pruned: list[int] = []

    def progress(done: int, _total: int) -> None:
        if done == 20 and not pruned:
            pruned.append(prune_all(played.journal))

    verdict = verified(played.journal.path, progress)
    assert (verdict.findings, verdict.pruned, pruned) == ((), 300, [300])


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pruned SET head = '" + "0" * 64 + "'",
        "UPDATE pruned SET sequence = sequence - 1",
        "UPDATE pruned SET number = number - 1",
        "UPDATE pruned SET hash = zeroblob(32)",
        "UPDATE pruned SET state = replace(CAST(state AS TEXT), '\"sequence\":', '\"sequence\":1')",
        "UPDATE pruned SET ruling = 'another'",
        "DELETE FROM pruned",
    ],
)
def test_a_base_that_was_changed_is_found(played: Player, change: str) -> None:
    prune_all(played.journal)
    played.journal.close()
    edit(played.journal.path, change)
    assert not verified(played.journal.path).ok


def test_a_journal_of_the_version_before_is_read_and_brought_up(played: Player) -> None:
    path = played.journal.path
    played.journal.close()
    edit(
        path,
        "DROP TABLE pruned",
        f"UPDATE meta SET value = '{WITHOUT_PRUNED}' WHERE name = 'schema'",
        f"PRAGMA user_version = {WITHOUT_PRUNED}",
    )
    assert verified(path).ok
    with read_journal(path) as reader:
        assert reader.last_number == PLAYED
    opened = open_journal(path, table=TABLE)
    assert opened.quarantined is None
    assert restored(opened.journal) == played.state
    assert prune_all(opened.journal) == 300
    opened.journal.close()
    assert verified(path).ok
