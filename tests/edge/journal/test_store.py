import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from edge.envelope import FIRST_PREVHASH, digest, parse
from edge.errors import JournalCorrupt
from edge.events import EVENTS, DealerPeeked, RoundClosed, RoundOpened
from edge.inputs import EdgeStopped, RequestMade
from edge.journal import Journal, open_journal, read_journal
from edge.journal.codec import written_state
from edge.journal.store import CURSORS_EVERY
from edge.requests import InstallShoe, OpenRound, Outcome, UnknownCommand
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.edge.journal.play import BOOT, Player, asked, moment


def again(journal: Journal) -> Journal:
    """The journal after a restart of its daemon."""
    journal.close()
    opened = open_journal(journal.path, table=journal.table)
    assert opened.quarantined is None
    return opened.journal


def restored(journal: Journal, version: str = RULING_VERSION) -> TableState:
    return journal.restore(new_table, evolve, version)


def test_a_new_journal_is_empty(journal: Journal) -> None:
    assert (journal.last_number, journal.last_sequence, journal.last_at_ms) == (0, 0, 0)
    assert journal.table == "bj-07"
    assert journal.events_after(0, 100) == []
    assert list(journal.records()) == []
    assert restored(journal) == new_table(journal.id)


def test_what_was_played_comes_back_after_a_restart(journal: Journal) -> None:
    player = Player(journal).play(120)
    heard = [record.input for record in journal.records()]
    journal = again(journal)
    assert journal.last_number == 120
    assert journal.last_sequence == player.state.sequence
    assert journal.last_at_ms == moment(120).at_ms
    assert [record.input for record in journal.records()] == heard
    assert restored(journal) == player.state
    journal.close()


def test_a_record_has_its_moment_and_the_sequences_of_its_events(journal: Journal) -> None:
    Player(journal).play(60)
    expected = 1
    for number, record in enumerate(journal.records(), start=1):
        assert record.number == number
        assert (record.at_ms, record.wall_ms, record.boot) == (
            moment(number).at_ms,
            moment(number).wall_ms,
            BOOT,
        )
        assert record.ruling == RULING_VERSION
        events = [each for each in record.ruled if isinstance(each, EVENTS)]
        assert record.sequences == tuple(range(expected, expected + len(events)))
        expected += len(events)
        assert record.last_sequence == expected - 1


def test_records_can_be_read_from_anywhere(journal: Journal) -> None:
    Player(journal).play(40)
    everything = list(journal.records())
    assert list(journal.records(23)) == everything[22:]
    assert list(journal.records(41)) == []


def test_events_are_contiguous_chained_and_those_of_the_records(journal: Journal) -> None:
    Player(journal).play(80)
    events = journal.events_after(0, 10_000)
    assert [sequence for sequence, _ in events] == list(range(1, journal.last_sequence + 1))
    before = FIRST_PREVHASH
    ruled = [each for record in journal.records() for each in record.ruled if isinstance(each, EVENTS)]
    for (sequence, raw), event in zip(events, ruled, strict=True):
        envelope = parse(raw)
        assert (envelope.sequence, envelope.journal, envelope.table) == (sequence, journal.id, "bj-07")
        assert envelope.prevhash == before
        assert envelope.event == event
        before = digest(raw)


def test_events_are_read_a_few_at_a_time_and_between_two(journal: Journal) -> None:
    Player(journal).play(60)
    events = journal.events_after(0, 10_000)
    assert journal.events_after(7, 3) == events[7:10]
    assert list(journal.events_between(5, 9)) == events[4:9]
    assert list(journal.events_between(9, 5)) == []
    assert journal.events_after(journal.last_sequence, 5) == []
    assert list(journal.events_between(-3, 10_000)) == events


def test_nothing_is_seen_before_it_is_committed(journal: Journal) -> None:
    player = Player(journal)
    player.append(player.step())
    assert (journal.last_number, journal.last_sequence, journal.last_at_ms) == (0, 0, 0)
    assert journal.events_after(0, 100) == []
    assert list(journal.records()) == []
    player.commit()
    assert journal.last_number == 1
    assert len(journal.events_after(0, 100)) == 1


def test_several_records_are_committed_at_once_or_not_at_all(journal: Journal) -> None:
    player = Player(journal).play(30, at_once=10)
    state = player.state
    for _ in range(5):
        player.append(player.step())
    journal.rollback()
    assert journal.last_number == 30
    journal = again(journal)
    assert journal.last_number == 30
    assert restored(journal) == state
    journal.close()


def test_after_a_rollback_play_goes_on_with_the_same_numbers(journal: Journal) -> None:
    player = Player(journal).play(20)
    state = player.state
    player.append(player.step())
    journal.rollback()
    Player(journal, state).play(20)
    assert [record.number for record in journal.records()] == list(range(1, 41))


def test_what_is_open_when_the_journal_is_closed_never_was(journal: Journal) -> None:
    player = Player(journal).play(10)
    player.append(player.step())
    journal = again(journal)
    assert journal.last_number == 10
    journal.close()
    journal.close()  # twice is once


def test_a_state_that_has_not_counted_the_events_is_refused(journal: Journal) -> None:
    player = Player(journal).play(5)
    heard = player.step()
    ruling = decide(player.state, heard)
    player.append(heard)
    with pytest.raises(ValueError, match="the state counts"):
        journal.append(
            heard, ruling.ruled, moment=moment(7), ruling=RULING_VERSION, state=new_table(journal.id)
        )
    player.commit()  # the one before is still whole
    assert journal.last_number == 6


def test_what_cannot_be_written_leaves_the_transaction_as_it_was(journal: Journal) -> None:
    player = Player(journal).play(5)
    player.append(player.step())
    with pytest.raises(ValueError, match="cannot be written"):
        player.append(asked(UnknownCommand(name="\ud800"), "surrogate"))
    player.commit()
    assert journal.last_number == 6


# Requests -------------------------------------------------------------------------------------------


def test_an_answer_is_found_by_its_id_also_after_a_restart(journal: Journal) -> None:
    player = Player(journal).play(2)
    assert journal.answer("one") is None
    player.append(asked(InstallShoe(decks=8), "one"))
    in_transaction = journal.answer("one")
    assert in_transaction is not None
    assert in_transaction.digest == "digest of one"
    assert in_transaction.reply.outcome is Outcome.ACCEPTED
    assert in_transaction.reply.command == "shoe.install"
    player.commit()
    assert in_transaction.reply.sequence == journal.last_sequence
    player.append(asked(OpenRound(round_id="r", seats=(1,)), "two"))
    player.commit()
    journal = again(journal)
    assert journal.answer("one") == in_transaction
    refused = journal.answer("two")
    assert refused is not None
    assert refused.reply.outcome is Outcome.REFUSED
    assert refused.reply.sequence == journal.last_sequence
    journal.close()


def test_an_answer_that_was_rolled_back_never_was(journal: Journal) -> None:
    player = Player(journal).play(2)
    player.append(asked(InstallShoe(decks=8), "one"))
    journal.rollback()
    assert journal.answer("one") is None


def test_the_first_answer_to_an_id_stands(journal: Journal) -> None:
    player = Player(journal).play(2)
    player.append(asked(InstallShoe(decks=8), "one"))
    player.append(asked(UnknownCommand(name="else"), "one"))
    player.commit()
    answer = journal.answer("one")
    assert answer is not None
    assert answer.reply.command == "shoe.install"


@pytest.mark.parametrize("id_", ["", "\ud800", "x" * 100_000, "a\0b"])
def test_any_text_may_be_asked_for(journal: Journal, id_: str) -> None:
    assert journal.answer(id_) is None
    assert journal.round_span(id_) is None
    assert not journal.round_id_used(id_)


def test_a_round_is_found_by_the_server_s_id(journal: Journal) -> None:
    player = Player(journal)
    while journal.last_number < 200:
        heard = player.step()
        player.append(heard)
        if isinstance(heard, RequestMade) and isinstance(heard.asked.request, OpenRound):
            assert journal.round_id_used(heard.asked.request.round_id)
        player.commit()
    opened: dict[int, tuple[str, int]] = {}
    spans = 0
    events = [parse(raw) for _, raw in journal.events_after(0, 10_000)]
    for envelope in events:
        match envelope.event:
            case RoundOpened(round=int(number), round_id=round_id):
                opened[number] = round_id, envelope.sequence
            case RoundClosed(round=int(number)):
                round_id, first = opened.pop(number)
                assert journal.round_span(round_id) == (first, envelope.sequence)
                spans += 1
    assert spans > 5
    assert len(opened) <= 1
    for round_id, first in opened.values():
        assert journal.round_span(round_id) == (first, journal.last_sequence)
    assert not journal.round_id_used("never opened")
    assert journal.round_span("never opened") is None


def test_an_event_of_a_round_that_is_over_still_belongs_to_it(journal: Journal) -> None:
    player = Player(journal).play(60)
    closed = next(
        envelope
        for envelope in (parse(raw) for _, raw in journal.events_after(0, 1_000))
        if isinstance(envelope.event, RoundClosed)
    )
    stray = DealerPeeked(shoe=closed.event.shoe, round=closed.event.round, natural=False)
    state = replace(player.state, sequence=player.state.sequence + 1)
    journal.append(EdgeStopped(reason="x"), (stray,), moment=moment(61), ruling="1", state=state)
    journal.commit()
    opened = next(
        parse(raw).event for _, raw in journal.events_after(0, 1_000) if parse(raw).type == "round.opened"
    )
    assert isinstance(opened, RoundOpened)
    assert journal.round_span(opened.round_id) == (
        next(seq for seq, raw in journal.events_after(0, 1_000) if parse(raw).type == "round.opened"),
        journal.last_sequence,
    )


# Cursors --------------------------------------------------------------------------------------------


def stored_cursors(journal: Journal) -> list[tuple[str, int]]:
    with contextlib.closing(sqlite3.connect(journal.path)) as other:
        return other.execute("SELECT name, value FROM cursors").fetchall()


def test_a_cursor_only_goes_forward_and_is_kept_by_a_commit_soon(journal: Journal) -> None:
    assert journal.cursor("published") == 0
    journal.move_cursor("published", 7)
    journal.move_cursor("published", 3)
    assert journal.cursor("published") == 7
    player = Player(journal).play(CURSORS_EVERY - 1)
    assert stored_cursors(journal) == []
    player.play(1)
    assert stored_cursors(journal) == [("published", 7)]
    journal.move_cursor("published", 9)
    player.play(CURSORS_EVERY + 3, at_once=CURSORS_EVERY + 3)
    assert stored_cursors(journal) == [("published", 9)]


def test_a_cursor_that_follows_no_events_is_kept_by_the_next_commit(journal: Journal) -> None:
    journal.move_cursor("epoch", 2)
    Player(journal).play(1)
    assert stored_cursors(journal) == [("epoch", 2)]


def test_a_cursor_is_kept_by_flushing_and_by_closing(journal: Journal) -> None:
    Player(journal).play(12)
    journal.move_cursor("published", 7)
    journal.flush_cursors()
    journal.flush_cursors()  # nothing to do
    journal.move_cursor("acknowledged", 5)
    journal = again(journal)
    assert (journal.cursor("published"), journal.cursor("acknowledged")) == (7, 5)
    journal.close()


def test_a_rollback_does_not_take_a_cursor_back(journal: Journal) -> None:
    player = Player(journal).play(5)
    player.append(player.step())
    journal.move_cursor("published", 1)
    journal.rollback()
    assert journal.cursor("published") == 1
    journal = again(journal)
    assert journal.cursor("published") == 1
    journal.close()


@pytest.mark.parametrize("off", [1, 1_000_000, 0, -1_000], ids=lambda off: f"last{off:+}")
@pytest.mark.parametrize("name", ["published", "acknowledged"])
def test_a_cursor_where_no_event_is_comes_back_to_the_last_one(journal: Journal, name: str, off: int) -> None:
    last = Player(journal).play(30).journal.last_sequence
    value = last + off
    journal.move_cursor("epoch", 10 * last)  # counts connections, not events
    journal.move_cursor(name, 1)
    journal.close()
    with contextlib.closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("UPDATE cursors SET value = ? WHERE name = ?", (value, name))
    journal = again(journal)
    assert journal.cursor(name) == last
    assert [(stray.name, stray.stood, stray.last) for stray in journal.strays] == (
        [] if value == last else [(name, value, last)]
    )
    Player(journal, restored(journal)).play(5)
    assert journal.events_after(journal.cursor(name), 1)[0][0] == last + 1, "its follower goes on from there"
    journal = again(journal)
    assert journal.strays == ()
    assert (journal.cursor(name), journal.cursor("epoch")) == (last, 10 * last)
    journal.close()


# Snapshots ------------------------------------------------------------------------------------------


def snapshots(path: Path) -> list[tuple[int, str]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT number, ruling FROM snapshots ORDER BY number").fetchall()
    connection.close()
    return rows


def test_a_snapshot_and_what_follows_it_are_the_fold_of_everything(journal: Journal) -> None:
    player = Player(journal).play(2_300, at_once=50)
    assert snapshots(journal.path) == [(number, RULING_VERSION) for number in range(250, 2_300, 250)]
    whole = new_table(journal.id)
    for record in journal.records():
        for each in record.ruled:
            whole = evolve(whole, each)
    assert restored(journal) == whole == player.state


def test_a_snapshot_of_another_version_is_dropped_and_rebuilt(journal: Journal) -> None:
    player = Player(journal).play(1_100, at_once=50)
    assert restored(journal, "next") == player.state
    assert snapshots(journal.path) == [(1_100, "next")]
    assert restored(journal, "next") == player.state
    Player(journal, player.state).play(10)


def test_a_spoiled_snapshot_is_passed_over(journal: Journal, path: Path) -> None:
    player = Player(journal).play(2_100, at_once=50)
    journal.close()
    connection = sqlite3.connect(path)
    forged = written_state(new_table(journal.id))
    connection.execute("UPDATE snapshots SET state = ? WHERE number = 2000", (forged,))
    connection.commit()
    connection.close()
    opened = open_journal(path, table="bj-07")
    assert opened.quarantined is None
    assert restored(opened.journal) == player.state
    opened.journal.close()


def test_restoring_meets_what_opening_did_not_look_at(journal: Journal, path: Path) -> None:
    Player(journal).play(1_100, at_once=50)
    journal.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE records SET wall_ms = wall_ms + 1 WHERE number = 500")
    connection.commit()
    connection.close()
    opened = open_journal(path, table="bj-07")
    assert opened.quarantined is None
    with pytest.raises(JournalCorrupt, match="record 500"):
        restored(opened.journal, "next")
    opened.journal.close()


# Beside the daemon ----------------------------------------------------------------------------------


def test_a_reader_sees_each_commit_while_the_daemon_writes(journal: Journal) -> None:
    player = Player(journal)
    with read_journal(journal.path) as reader:
        for number in range(1, 30):
            player.append(player.step())
            assert reader.last_number == number - 1
            player.commit()
            assert reader.last_number == number
            assert len(list(reader.records())) == number
            assert reader.events_after(0, 1_000) == journal.events_after(0, 1_000)


def test_a_reader_in_the_middle_of_its_reading_does_not_hold_the_daemon_up(journal: Journal) -> None:
    player = Player(journal).play(50)
    with read_journal(journal.path) as reader:
        records = reader.records()
        assert next(records).number == 1
        player.play(50)
        player.append(EdgeStopped(reason="done"))
        journal.rollback()
        assert [record.number for record in records] == list(range(2, 51))


def test_the_daemon_may_write_while_it_reads(journal: Journal) -> None:
    player = Player(journal).play(700, at_once=100)
    read = journal.records()
    assert next(read).number == 1
    player.append(player.step())
    journal.rollback()
    assert [record.number for record in read] == list(range(2, 701))
