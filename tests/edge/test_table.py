"""The table commits before it answers, and what could not be written did not happen."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from drivers import Position
from edge.errors import StorageFailed
from edge.house_rules import house_text
from edge.inputs import CardDrawn, CutCardDrawn, HouseRulesAdopted, Input
from edge.journal import Answer, Journal, Moment, open_journal, read_journal
from edge.notes import Ruled
from edge.requests import Asked, Desk, HoldTable, InstallShoe, OpenRound, Outcome, ReleaseTable, Request
from edge.ruling import RULING_VERSION, TableState, evolve, new_table
from edge.status import StatusBoard
from edge.table import Table, log_hold
from firmware_protocols import Card, FaceDownCard


def _now() -> Moment:
    return Moment(at_ms=1, wall_ms=1_767_225_600_000, boot="b")


def _board() -> StatusBoard:
    return StatusBoard(wall_ms=lambda: 0)


def _asked(number: int, request: Request, *, digest: str = "d", desk: Desk = Desk.SERVER) -> Asked:
    return Asked(id=f"00000000-0000-4000-8000-{number:012}", desk=desk, request=request, digest=digest)


def _draw(code: str, number: int) -> CardDrawn:
    return CardDrawn(
        device="shoe",
        position=Position(boot=7, number=number),
        device_ms=number,
        card=FaceDownCard(Card(code)),
        nonce=f"{number:032x}",
    )


Opener = Callable[[], Journal]


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    """Opens the one journal of a test, however often; whatever is open at the end is closed."""
    with contextlib.ExitStack() as opened:

        def open_it() -> Journal:
            journal = open_journal(tmp_path / "journal.db", table="t1").journal
            opened.callback(journal.close)
            return journal

        yield open_it


@pytest.fixture
def journal(opener: Opener) -> Journal:
    return opener()


def _table(journal: Journal, board: StatusBoard | None = None) -> Table:
    state = journal.restore(new_table, evolve, RULING_VERSION)
    table = Table(journal=journal, state=state, now=_now, status=board or _board())
    if state.setup.house is None:
        table.hear([HouseRulesAdopted(text=house_text("deluxe"))])
    return table


def test_what_was_heard_is_on_disk_when_hear_returns(journal: Journal) -> None:
    table = _table(journal)
    table.ask(_asked(1, InstallShoe(decks=8)))

    table.hear([_draw("Ac", 1), _draw("2d", 2)])

    assert journal.last_sequence == table.state.sequence == 4
    assert table.state.device("shoe").position == Position(boot=7, number=2)
    assert table.committed.is_set()


def test_a_commit_is_on_disk_before_anybody_is_told(journal: Journal, tmp_path: Path) -> None:
    board = _board()
    table = _table(journal, board)
    table.committed.clear()

    table.commit([_draw("Ac", 1)])

    with read_journal(tmp_path / "journal.db") as reader:
        assert reader.last_sequence == table.state.sequence
    assert not table.committed.is_set()
    assert not board.degraded

    table.tell()

    assert table.committed.is_set()
    assert [each.reason for each in board.reasons] == ["held"]


def test_a_telling_that_comes_late_takes_no_refusal_of_the_disk_down() -> None:
    board = _board()
    table = Table(journal=RefusingBook(fails_at=2), state=new_table("j"), now=_now, status=board)
    table.commit([HouseRulesAdopted(text=house_text("deluxe"))])
    with pytest.raises(StorageFailed):
        table.commit([_draw("Ac", 1)])

    table.tell()

    assert [each.reason for each in board.reasons] == ["storage"]
    table.hear([CutCardDrawn(device="shoe", position=None, device_ms=None)])
    assert "storage" not in {each.reason for each in board.reasons}


def test_one_telling_serves_all_commits_before_it(journal: Journal) -> None:
    board = _board()
    table = _table(journal, board)
    table.commit([_draw("Ac", 1)])
    table.commit([_draw("2d", 2)])

    table.tell()
    table.tell()

    assert [each.reason for each in board.reasons] == ["held"]


def test_a_new_daemon_stands_exactly_where_the_old_one_stood(journal: Journal, opener: Opener) -> None:
    table = _table(journal)
    table.ask(_asked(1, InstallShoe(decks=8)))
    table.hear([_draw("Ac", 1)])
    before = table.state
    journal.close()

    again = _table(opener())

    assert again.state == before


def test_the_same_id_is_answered_the_same_and_ruled_once_also_after_a_restart(
    journal: Journal, opener: Opener
) -> None:
    table = _table(journal)
    first = table.ask(_asked(1, InstallShoe(decks=8)))
    journal.close()

    reopened = opener()
    again = _table(reopened).ask(_asked(1, InstallShoe(decks=8)))

    assert again == first
    assert again.outcome is Outcome.ACCEPTED
    assert reopened.last_sequence == 1


def test_the_same_id_with_other_content_is_refused_and_not_ruled(journal: Journal) -> None:
    table = _table(journal)
    table.ask(_asked(1, InstallShoe(decks=6), digest="six"))
    records = journal.last_number

    reply = table.ask(_asked(1, InstallShoe(decks=8), digest="eight"))

    assert (reply.outcome, reply.code) == (Outcome.REFUSED, "id_reused")
    assert journal.last_number == records


def test_a_refusal_is_journaled(journal: Journal) -> None:
    table = _table(journal)
    records = journal.last_number

    reply = table.ask(_asked(1, InstallShoe(decks=6)))

    assert reply.code == "wrong_decks"
    assert journal.last_number == records + 1


def test_a_round_id_is_used_once_in_a_journal(journal: Journal, opener: Opener) -> None:
    table = _table(journal)
    table.ask(_asked(1, InstallShoe(decks=8)))
    table.hear([_draw("Ac", 1), _draw("2d", 2)])
    assert table.ask(_asked(2, OpenRound(round_id="r1", seats=(1,)))).code == "done"
    journal.close()

    reopened = _table(opener())

    assert reopened.ask(_asked(3, OpenRound(round_id="r1", seats=(1,)))).code == "round_exists"


def test_a_held_table_is_told_on_the_status_board(journal: Journal) -> None:
    board = _board()
    table = _table(journal, board)

    table.hear([_draw("Ac", 1)])

    assert [each.reason for each in board.reasons] == ["held"]
    assert "unexpected_draw" in board.reasons[0].sentence


def test_a_hold_is_logged_once_by_its_kinds_and_so_is_its_end(journal: Journal) -> None:
    state = journal.restore(new_table, evolve, RULING_VERSION)
    table = Table(journal=journal, state=state, now=_now, status=_board(), hold_told=log_hold)
    table.hear([HouseRulesAdopted(text=house_text("deluxe"))])
    with capture_logs() as told:
        table.ask(_asked(1, HoldTable(operator="mina", reason="the 9s looked odd"), desk=Desk.SUPERVISOR))
        table.ask(_asked(2, ReleaseTable(operator="mina", reason="it is well"), desk=Desk.SUPERVISOR))
        table.hear([_draw("Ac", 1)])
        table.hear([CutCardDrawn(device="shoe", position=None, device_ms=None)])
    hold, over, drawn, *more = told
    assert hold == {
        "event": "table.hold",
        "log_level": "warning",
        "reason": "held",
        "sentence": "A supervisor holds the table.",
    }
    assert over == {"event": "table.hold_over", "log_level": "info", "reason": "held"}
    assert "unexpected_draw" in drawn["sentence"]
    assert all(each["sentence"] != drawn["sentence"] for each in more)


class RefusingBook:
    """A book whose disk is full from the given commit on."""

    table = "t1"

    def __init__(self, *, fails_at: int) -> None:
        self.fails_at = fails_at
        self.commits = 0
        self.rolled_back = 0

    def append(
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
        state: TableState,
    ) -> None:
        pass

    def commit(self) -> None:
        self.commits += 1
        if self.commits == self.fails_at:
            raise StorageFailed("The disk is full.")

    def rollback(self) -> None:
        self.rolled_back += 1

    def answer(self, id: str) -> Answer | None:  # noqa: A002 - the contract's word
        return None

    def round_id_used(self, round_id: str) -> bool:
        return False


def test_what_could_not_be_written_did_not_happen_and_can_be_tried_again() -> None:
    book = RefusingBook(fails_at=2)
    table = Table(journal=book, state=new_table("j"), now=_now, status=_board())
    table.hear([HouseRulesAdopted(text=house_text("deluxe"))])
    table.committed.clear()
    before = table.state

    with pytest.raises(StorageFailed):
        table.hear([_draw("Ac", 1)])

    assert table.state == before
    assert not table.committed.is_set()
    assert book.rolled_back == 1
    table.hear([_draw("Ac", 1)])
    assert table.state.irregularities
