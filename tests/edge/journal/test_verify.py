import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from edge.envelope import digest, parse, published, rebuilt
from edge.errors import JournalError
from edge.events import CardDealt, ShoeReady
from edge.inputs import CardDrawn, Input
from edge.journal import Journal, Verdict, open_journal, verify
from edge.journal.codec import Body, read_body, read_state, written_body, written_state
from edge.journal.record import Moment, record_hash
from edge.journal.snapshots import checksum_of
from edge.notes import CardConcealed, Ruled
from edge.ruling import RULING_VERSION, TableState, decide, evolve, new_table
from firmware_protocols import DECK, FaceDownCard
from tests.edge.journal.play import Player

RECORDS = 330
LONG = 1_120
"""Records of a journal that has a snapshot."""


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


def made(path: Path, records: int) -> bytes:
    journal = open_journal(path, table="bj-07").journal
    Player(journal).play(records, at_once=20)
    journal.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return made(tmp_path_factory.mktemp("whole") / "journal.db", RECORDS)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return made(tmp_path_factory.mktemp("long") / "journal.db", LONG)


@pytest.fixture
def played(whole: bytes, path: Path) -> Path:
    path.write_bytes(whole)
    return path


@pytest.fixture
def played_long(long: bytes, path: Path) -> Path:
    path.write_bytes(long)
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


@pytest.fixture
def tampered_long(played_long: Path) -> Iterator[Tampered]:
    tampered = Tampered(played_long)
    yield tampered
    tampered.connection.close()


def sentences(verdict: Verdict) -> list[str]:
    return [str(each) for each in verdict.findings]


def test_what_was_played_is_as_it_was_written(played_long: Path) -> None:
    steps: list[tuple[int, int]] = []
    verdict = verified(played_long, progress=lambda done, total: steps.append((done, total)))
    assert verdict.ok
    assert verdict.records == LONG
    assert verdict.events > LONG
    assert verdict.findings == verdict.differences == ()
    assert steps == [(1_000, LONG), (LONG, LONG)]


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
        ("ruling", "'0'"),
        ("body", "CAST(REPLACE(CAST(body AS TEXT), 'false', 'true') AS BLOB)"),
        ("body", "x'00'"),
        ("hash", "x'00'"),
    ],
)
def test_a_changed_record_is_named(played: Path, tampered: Tampered, column: str, value: str) -> None:
    number = tampered.one(
        "SELECT MAX(number) FROM records WHERE CAST(body AS TEXT) LIKE '%card.drawn%false%' AND number < 300"
    )
    tampered.run(f"UPDATE records SET {column} = {value} WHERE number = ?", number)
    assert any(each.startswith(f"record {number}: ") for each in sentences(verified(played)))


def test_a_lost_record_and_a_lost_event_are_named(played: Path, tampered: Tampered) -> None:
    tampered.run("DELETE FROM records WHERE number = 250")
    tampered.run("DELETE FROM events WHERE sequence = 100")
    found = sentences(verified(played))
    assert "record 251: it follows record 249: those between are missing" in found
    assert "event 101: it follows event 99: those between are missing" in found


def test_the_last_records_cut_off_leave_their_events_behind(played: Path, tampered: Tampered) -> None:
    tampered.run(f"DELETE FROM records WHERE number > {RECORDS - 5}")
    assert any("there is no record" in each for each in sentences(verified(played)))


def test_what_cannot_be_read_does_not_hide_what_comes_after_the_next_snapshot(
    played_long: Path, tampered_long: Tampered
) -> None:
    tampered_long.run("UPDATE records SET body = x'00' WHERE number = 10")
    state = tampered_long.blob("SELECT state FROM snapshots WHERE number = 1000")
    assert read_state(state, TableState).sequence > 0

    def otherwise(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        return again if state.sequence < 1_500 else replace(again, ruled=())

    found = sentences(verified(played_long, decide=otherwise))
    assert any(each.startswith("record 10: ") for each in found)
    assert any("ruling it again gives 0" in each for each in found)


def test_a_snapshot_that_is_not_the_fold_is_named(played_long: Path, tampered_long: Tampered) -> None:
    state = read_state(tampered_long.blob("SELECT state FROM snapshots WHERE number = 1000"), TableState)
    raw = written_state(replace(state, past=replace(state.past, shoes=state.past.shoes + 1)))
    tampered_long.run("UPDATE snapshots SET state = ? WHERE number = 1000", raw)
    assert sentences(verified(played_long)) == [
        "record 1000: The snapshot after record 1000 is not as it was written."
    ]
    hash_ = tampered_long.blob("SELECT hash FROM records WHERE number = 1000")
    checksum = checksum_of(hash_, RULING_VERSION, raw)
    tampered_long.run("UPDATE snapshots SET checksum = ? WHERE number = 1000", checksum)
    assert sentences(verified(played_long)) == ["record 1000: its snapshot is not what is folded up to it"]


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


@pytest.mark.parametrize("name", ["published", "acknowledged"])
@pytest.mark.parametrize("value", ["MAX(sequence) + 1", "1000000", "-1"])
def test_a_cursor_where_no_event_is_is_named(played: Path, tampered: Tampered, name: str, value: str) -> None:
    tampered.run(f"INSERT OR REPLACE INTO cursors SELECT '{name}', {value} FROM events")
    (found,) = sentences(verified(played))
    assert f"the cursor '{name}' is at event " in found
    tampered.run(f"INSERT OR REPLACE INTO cursors SELECT '{name}', MAX(sequence) FROM events")
    tampered.run("INSERT OR REPLACE INTO cursors VALUES ('epoch', 1000000)")
    assert sentences(verified(played)) == []


def test_cursors_that_cannot_be_read_are_named(played: Path, tampered: Tampered) -> None:
    tampered.run("INSERT OR REPLACE INTO cursors VALUES ('published', 'far')")
    (found,) = sentences(verified(played))
    assert "The cursors of the journal" in found


def test_another_ruling_s_differences_are_reported_and_are_no_fault(played: Path) -> None:
    def otherwise(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        kept = tuple(each for each in again.ruled if not isinstance(each, ShoeReady))
        return replace(again, ruled=kept)

    own = verified(played, decide=otherwise)
    assert not own.ok
    other = verified(played, decide=otherwise, ruling="0")
    assert other.ok
    assert [each.record for each in other.differences] == [each.record for each in own.findings]


def test_a_ruling_that_raises_is_a_finding_that_does_not_quote_it(played: Path) -> None:
    def breaks(state: TableState, heard: Input) -> Again:
        if isinstance(heard, CardDrawn) and heard.card is not None and state.sequence > 300:
            raise RuntimeError(f"cannot place {heard.card.turned()}")
        return ruled_again(state, heard)

    found = sentences(verified(played, decide=breaks))
    assert found[0].endswith("ruling it again raised RuntimeError")
    assert len(found) <= 200


def test_a_ruling_of_another_state_is_found(played: Path) -> None:
    def drifts(state: TableState, heard: Input) -> Again:
        again = ruled_again(state, heard)
        return replace(again, state=replace(again.state, past=replace(again.state.past, shoes=99)))

    assert "record 1: ruling it again gives another state than folding it" in sentences(
        verified(played, decide=drifts)
    )


def bodies(tampered: Tampered) -> dict[int, Body]:
    rows = tampered.connection.execute("SELECT number, body FROM records ORDER BY number").fetchall()
    return {number: read_body(body) for number, body in rows}


def forge(tampered: Tampered, forged: int, body: Body) -> None:
    """Write another body, and make every hash from there on again."""
    tampered.run("UPDATE records SET body = ? WHERE number = ?", written_body(body), forged)
    rows = tampered.connection.execute(
        "SELECT number, at_ms, wall_ms, boot, ruling, body FROM records WHERE number >= ? ORDER BY number",
        (forged,),
    ).fetchall()
    previous = tampered.blob("SELECT hash FROM records WHERE number = ?", forged - 1)
    for number, at_ms, wall_ms, boot, ruling, raw in rows:
        moment = Moment(at_ms=at_ms, wall_ms=wall_ms, boot=boot)
        previous = record_hash(previous, number=number, moment=moment, ruling=ruling, body=raw)
        tampered.run("UPDATE records SET hash = ? WHERE number = ?", previous, number)
    tampered.run("DELETE FROM snapshots")


def test_a_forged_face_down_card_is_found_and_not_shown(played: Path, tampered: Tampered) -> None:
    """With every hash made again: only ruling it again tells, and it tells no card."""
    written = bodies(tampered)
    forged = next(
        number
        for number, body in written.items()
        if number > 200 and any(isinstance(each, CardConcealed) for each in body.ruled)
    )
    heard = written[forged].input
    assert isinstance(heard, CardDrawn)
    assert heard.card is not None
    other = FaceDownCard(next(card for card in DECK if card is not heard.card.turned()))
    forge(tampered, forged, replace(written[forged], input=replace(heard, card=other)))
    found = sentences(verified(played))
    assert found == [f"record {forged}: outcome 1, card.concealed, differs when it is ruled again"]


def test_a_forged_last_event_is_found_whatever_the_ruling(played: Path, tampered: Tampered) -> None:
    last = tampered.one("SELECT MAX(sequence) FROM events")
    assert isinstance(last, int)
    old = parse(tampered.event(last))
    forged = replace(old, event=ShoeReady(shoe=1, burned=1, remaining=2), subject="shoe/1")
    tampered.rewrite(last, rebuilt(forged))
    found = sentences(verified(played, ruling="0"))
    assert any("the last event up to it is not the one it was written with" in each for each in found)


def test_an_event_of_another_table_or_journal_is_found(played: Path, tampered: Tampered) -> None:
    tampered.rewrite(300, rebuilt(replace(parse(tampered.event(300)), table="bj-08")))
    tampered.rewrite(400, rebuilt(replace(parse(tampered.event(400)), journal="another")))
    tampered.rewrite(500, rebuilt(replace(parse(tampered.event(500)), sequence=501)))
    found = sentences(verified(played))
    assert "event 300: it is of another journal or table" in found
    assert "event 400: it is of another journal or table" in found
    assert "event 500: it says that it is event 501" in found


def test_a_record_forged_to_follow_another_event_is_found(played: Path, tampered: Tampered) -> None:
    body = bodies(tampered)[200]
    forge(tampered, 200, replace(body, after=body.after - 1))
    found = sentences(verified(played))
    assert f"record 200: it was written after event {body.after - 1}, not {body.after}" in found


def test_a_record_forged_to_disown_an_event_is_found(played: Path, tampered: Tampered) -> None:
    number, body = next(
        (number, body)
        for number, body in bodies(tampered).items()
        if number > 200 and len(body.sequences) == 1
    )
    kept = tuple(each for each in body.ruled if not isinstance(each, int))
    forge(tampered, number, replace(body, ruled=kept))
    found = sentences(verified(played, ruling="0"))
    assert f"record {number}: it names the events none, but has {body.sequences[0]}" in found


def test_a_table_s_clock_that_ran_backwards_is_found(journal: Journal) -> None:
    player = Player(journal).play(10)
    state = player.state
    for at_ms in (99_000, 98_999):
        heard = player.step()
        ruling = decide(state, heard)
        state = player.state = ruling.state
        moment = Moment(at_ms=at_ms, wall_ms=1, boot="b")
        journal.append(heard, ruling.ruled, moment=moment, ruling=RULING_VERSION, state=state)
        journal.commit()
    assert sentences(verified(journal.path)) == ["record 12: the table's clock ran backwards before it"]


def test_the_digest_that_a_record_keeps_is_that_of_the_last_event(tampered: Tampered) -> None:
    body = read_body(tampered.blob("SELECT body FROM records WHERE number = ?", RECORDS))
    last = tampered.one("SELECT MAX(sequence) FROM events")
    assert isinstance(last, int)
    assert body.head == digest(tampered.event(last))
