import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from edge.envelope import digest, parse, published
from edge.errors import JournalError
from edge.events import CardDealt, ShoeReady
from edge.inputs import CardDrawn, Input
from edge.journal import Journal, Verdict, open_journal, verify
from edge.journal.codec import read_body, read_state, written_body, written_state
from edge.journal.record import Moment, record_hash
from edge.journal.snapshots import _checksum
from edge.notes import CardConcealed, Ruled
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from tests.edge.journal.play import Player

RECORDS = 1_120


def verified(
    path: Path,
    *,
    decide: Callable[[TableState, Input], "Again"] | None = None,
    ruling: str = RULING_VERSION,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    return verify(
        path,
        new_table=new_table,
        decide=decide or ruled_again,
        evolve=evolve,
        ruling=ruling,
        progress=progress,
    )


@dataclass(frozen=True)
class Again:
    ruled: tuple[Ruled, ...]
    state: TableState


def ruled_again(state: TableState, heard: Input) -> Again:
    ruling = decide(state, heard)
    return Again(ruled=ruling.ruled, state=ruling.state)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    journal = open_journal(path, table="bj-07").journal
    Player(journal).play(RECORDS, at_once=20)
    journal.close()
    return path


@pytest.fixture
def played(whole: Path, path: Path) -> Path:
    path.write_bytes(whole.read_bytes())
    return path


class Tampered:
    """A journal's file under a tamperer's hands."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path)

    def one(self, query: str, *parameters: object) -> object:
        row: tuple[object, ...] = self.connection.execute(query, parameters).fetchone()
        return row[0]

    def blob(self, query: str, *parameters: object) -> bytes:
        raw = self.one(query, *parameters)
        assert isinstance(raw, bytes)
        return raw

    def run(self, statement: str, *parameters: object) -> None:
        self.connection.execute(statement, parameters)
        self.connection.commit()

    def event(self, sequence: int) -> bytes:
        return self.blob("SELECT published FROM events WHERE sequence = ?", sequence)

    def rewrite(self, sequence: int, raw: bytes) -> None:
        self.run("UPDATE events SET published = ? WHERE sequence = ?", raw, sequence)


@pytest.fixture
def tampered(played: Path) -> Iterator[Tampered]:
    tampered = Tampered(played)
    yield tampered
    tampered.connection.close()


def sentences(verdict: Verdict) -> list[str]:
    return [str(each) for each in verdict.findings]


def test_what_was_played_is_as_it_was_written(played: Path) -> None:
    steps: list[tuple[int, int]] = []
    verdict = verified(played, progress=lambda done, total: steps.append((done, total)))
    assert verdict.ok
    assert verdict.records == RECORDS
    assert verdict.events > RECORDS
    assert verdict.findings == verdict.differences == ()
    assert steps == [(1_000, RECORDS), (RECORDS, RECORDS)]


def test_an_empty_journal_is_as_it_was_written(journal: Journal) -> None:
    assert verified(journal.path).ok


def test_the_daemon_may_go_on_meanwhile(journal: Journal) -> None:
    player = Player(journal).play(1_050, at_once=50)

    def plays_on(_done: int, _total: int) -> None:
        player.play(30)

    verdict = verified(journal.path, progress=plays_on)
    assert verdict.ok
    assert verdict.records == 1_050


def test_there_must_be_a_journal(path: Path) -> None:
    with pytest.raises(JournalError, match="There is no journal"):
        verified(path)


def test_what_is_no_journal_is_a_finding(path: Path) -> None:
    path.write_bytes(b"garbage" * 1_000)
    verdict = verified(path)
    assert not verdict.ok
    assert verdict.records == 0


@pytest.mark.parametrize("sequence", [1, 2, 400, "last"])
def test_one_changed_byte_of_an_event_is_named(played: Path, tampered: Tampered, sequence: int | str) -> None:
    number = tampered.one("SELECT MAX(sequence) FROM events") if sequence == "last" else sequence
    assert isinstance(number, int)
    raw = tampered.event(number)
    tampered.rewrite(number, raw.replace(b'"time":"2025', b'"time":"2024'))
    assert any(f"event {number}:" in each for each in sentences(verified(played)))


def test_an_event_forged_with_all_its_own_marks_is_found(played: Path, tampered: Tampered) -> None:
    sequence = next(
        sequence
        for sequence in range(300, 400)
        if isinstance(parse(tampered.event(sequence)).event, CardDealt)
    )
    old = parse(tampered.event(sequence))
    assert isinstance(old.event, CardDealt)
    forged = published(
        replace(old.event, draw=old.event.draw + 1),
        table=old.table,
        journal=old.journal,
        sequence=old.sequence,
        wall_ms=old.time_ms,
        prevhash=old.prevhash,
    )
    tampered.rewrite(sequence, forged)
    found = sentences(verified(played))
    assert any(each.startswith(f"event {sequence + 1}: its prevhash is not the digest") for each in found)
    record = tampered.one("SELECT record FROM events WHERE sequence = ?", sequence)
    assert any(each.startswith(f"record {record}: outcome 1, card.dealt, differs") for each in found)


def test_a_forged_last_event_is_found_though_no_prevhash_follows_it(played: Path, tampered: Tampered) -> None:
    last = tampered.one("SELECT MAX(sequence) FROM events")
    assert isinstance(last, int)
    tampered.rewrite(last, tampered.event(last).replace(b'"shoe":', b'"shoe" :'))
    assert f"event {last}: its bytes are not those of its content" in sentences(verified(played))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at_ms", "at_ms + 1"),
        ("wall_ms", "wall_ms - 1"),
        ("boot", "'elsewhere'"),
        ("ruling", "'2'"),
        ("body", "CAST(REPLACE(CAST(body AS TEXT), 'false', 'true') AS BLOB)"),
        ("body", "x'00'"),
        ("hash", "x'00'"),
    ],
)
def test_a_changed_record_is_named(played: Path, tampered: Tampered, column: str, value: str) -> None:
    number = tampered.one(
        "SELECT MAX(number) FROM records WHERE CAST(body AS TEXT) LIKE '%card.drawn%false%' AND number < 700"
    )
    tampered.run(f"UPDATE records SET {column} = {value} WHERE number = ?", number)
    assert any(each.startswith(f"record {number}: ") for each in sentences(verified(played)))


def test_a_lost_record_and_a_lost_event_are_named(played: Path, tampered: Tampered) -> None:
    tampered.run("DELETE FROM records WHERE number = 500")
    tampered.run("DELETE FROM events WHERE sequence = 100")
    found = sentences(verified(played))
    assert "record 501: it follows record 499: those between are missing" in found
    assert "event 101: it follows event 99: those between are missing" in found


def test_the_last_records_cut_off_leave_their_events_behind(played: Path, tampered: Tampered) -> None:
    tampered.run(f"DELETE FROM records WHERE number > {RECORDS - 5}")
    assert any("there is no record" in each for each in sentences(verified(played)))


def test_what_cannot_be_read_does_not_hide_what_comes_after_the_next_snapshot(
    played: Path, tampered: Tampered
) -> None:
    tampered.run("UPDATE records SET body = x'00' WHERE number = 10")
    state = tampered.blob("SELECT state FROM snapshots WHERE number = 1000")
    assert read_state(state, TableState).sequence > 0

    def otherwise(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        return again if state.sequence < 1_500 else replace(again, ruled=())

    found = sentences(verified(played, decide=otherwise))
    assert any(each.startswith("record 10: ") for each in found)
    assert any("ruling it again gives 0" in each for each in found)


def test_a_snapshot_that_is_not_the_fold_is_named(played: Path, tampered: Tampered) -> None:
    state = read_state(tampered.blob("SELECT state FROM snapshots WHERE number = 1000"), TableState)
    raw = written_state(replace(state, shoes=state.shoes + 1))
    tampered.run("UPDATE snapshots SET state = ? WHERE number = 1000", raw)
    assert sentences(verified(played)) == [
        "record 1000: The snapshot after record 1000 is not as it was written."
    ]
    hash_ = tampered.blob("SELECT hash FROM records WHERE number = 1000")
    checksum = _checksum(hash_, RULING_VERSION, raw)
    tampered.run("UPDATE snapshots SET checksum = ? WHERE number = 1000", checksum)
    assert sentences(verified(played)) == ["record 1000: its snapshot is not what is folded up to it"]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DELETE FROM answers WHERE record = 26", "record 26: the index of answers"),
        ("UPDATE answers SET record = 27 WHERE record = 26", "record 26: the index of answers"),
        ("INSERT INTO answers VALUES ('never asked', 26)", "record 26: the index of answers"),
        ("DELETE FROM rounds WHERE shoe = 1 AND round = 2", "round 2 of shoe 1"),
        ("UPDATE rounds SET last = last - 1 WHERE shoe = 1 AND round = 2", "round 2 of shoe 1"),
        ("INSERT INTO rounds VALUES (9, 9, 'never opened', 3, 4)", "round 9 of shoe 9"),
    ],
)
def test_an_index_that_is_wrong_is_found(
    played: Path, tampered: Tampered, statement: str, sentence: str
) -> None:
    tampered.run(statement)
    found = sentences(verified(played))
    assert len(found) == 1
    assert sentence in found[0]


def test_another_ruling_s_differences_are_reported_and_are_no_fault(played: Path) -> None:
    def otherwise(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        kept = tuple(each for each in again.ruled if not isinstance(each, ShoeReady))
        return replace(again, ruled=kept)

    own = verified(played, decide=otherwise)
    assert not own.ok
    other = verified(played, decide=otherwise, ruling="2")
    assert other.ok
    assert [each.record for each in other.differences] == [each.record for each in own.findings]


def test_a_ruling_that_raises_is_a_finding_that_does_not_quote_it(played: Path) -> None:
    def breaks(state: TableState, heard: Input) -> Again:
        if isinstance(heard, CardDrawn) and heard.card is not None and state.sequence > 1_500:
            raise RuntimeError(f"cannot place {heard.card.turned()}")
        return ruled_again(state, heard)

    found = sentences(verified(played, decide=breaks))
    assert found[0].endswith("ruling it again raised RuntimeError")
    assert len(found) <= 200


def test_a_ruling_of_another_state_is_found(played: Path) -> None:
    def drifts(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        return replace(again, state=replace(again.state, shoes=99))

    assert "record 1: ruling it again gives another state than folding it" in sentences(
        verified(played, decide=drifts)
    )


def test_a_forged_face_down_card_is_found_and_not_shown(played: Path, tampered: Tampered) -> None:
    """With every hash made again: only ruling it again tells, and it tells no card."""
    rows = tampered.connection.execute(
        "SELECT number, at_ms, wall_ms, boot, ruling, body FROM records ORDER BY number"
    ).fetchall()
    bodies = {number: read_body(body) for number, *_, body in rows}
    forged = next(
        number
        for number, body in bodies.items()
        if number > 700 and any(isinstance(each, CardConcealed) for each in body.ruled)
    )
    body = bodies[forged]
    assert isinstance(body.input, CardDrawn)
    heard = next(
        other.input.card
        for other in bodies.values()
        if isinstance(other.input, CardDrawn) and other.input.card not in (None, body.input.card)
    )
    assert heard is not None
    bodies[forged] = replace(body, input=replace(body.input, card=heard))
    previous = tampered.blob("SELECT hash FROM records WHERE number = ?", forged - 1)
    for number, at_ms, wall_ms, boot, ruling, _ in rows[forged - 1 :]:
        raw = written_body(bodies[number])
        moment = Moment(at_ms=at_ms, wall_ms=wall_ms, boot=boot)
        previous = record_hash(previous, number=number, moment=moment, ruling=ruling, body=raw)
        tampered.run("UPDATE records SET body = ?, hash = ? WHERE number = ?", raw, previous, number)
    tampered.run("DELETE FROM snapshots")
    found = sentences(verified(played))
    assert found
    assert all(each.startswith(f"record {forged}: outcome 1, card.concealed, differs") for each in found[:1])
    assert not any(str(heard.turned()) in each for each in found)


def test_the_digest_that_a_record_keeps_is_that_of_the_last_event(tampered: Tampered) -> None:
    body = read_body(tampered.blob("SELECT body FROM records WHERE number = ?", RECORDS))
    last = tampered.one("SELECT MAX(sequence) FROM events")
    assert isinstance(last, int)
    assert body.head == digest(tampered.event(last))
