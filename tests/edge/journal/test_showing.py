import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.events import CardRevealed
from edge.inputs import CardDrawn, EdgeStopped, HouseRulesAdopted, Input
from edge.journal import Journal, Record, shown
from edge.notes import CardConcealed, Note, Ruled
from edge.requests import Desk, RetireShoe
from firmware_protocols import DECK, Card, FaceDownCard
from tests.edge.journal.nouns import INPUT, NOTE
from tests.edge.journal.play import BOOT, WALL_MS, Player, asked

NONCE = "00112233445566778899aabbccddeeff"


def record(heard: Input, *ruled: Ruled, sequences: tuple[int, ...] = ()) -> Record:
    return Record(
        number=12,
        at_ms=5,
        wall_ms=WALL_MS,
        boot=BOOT,
        ruling="1",
        input=heard,
        ruled=ruled,
        sequences=sequences,
        last_sequence=40,
    )


@pytest.mark.parametrize("card", random.Random(1).sample(DECK, 10), ids=str)
def test_neither_a_face_down_card_nor_its_nonce_is_shown(card: Card) -> None:
    heard = CardDrawn(device="shoe", position=None, device_ms=None, card=FaceDownCard(card), nonce=NONCE)
    known = CardConcealed(draw=9, card=FaceDownCard(card), nonce=NONCE)
    text = shown(record(heard, known))
    assert card.value not in text
    assert NONCE not in text
    assert text.count("card=??") == 2
    assert NONCE not in repr(record(heard, known))


def test_an_unread_card_says_so() -> None:
    heard = CardDrawn(device="shoe", position=None, device_ms=None, card=None, nonce=NONCE)
    assert "card=unread" in shown(record(heard))


def test_a_revealed_card_is_shown_with_its_nonce() -> None:
    revealed = CardRevealed(shoe=1, round=2, draw=9, card=Card.AS, nonce=NONCE)
    lines = shown(record(EdgeStopped(reason="x"), revealed, sequences=(41,))).splitlines()
    assert lines == [
        "      12  2025-11-30T04:06:12.345Z  edge.stopped reason=x",
        f"            event 41  card.revealed shoe=1 round=2 draw=9 card=As nonce={NONCE}",
    ]


def test_a_request_shows_its_command() -> None:
    heard = asked(RetireShoe(operator="Ann", reason="spill"), "1", desk=Desk.SUPERVISOR)
    assert "request.made command=shoe.retire operator=Ann reason=spill id=1 desk=supervisor" in shown(
        record(heard)
    )


def test_a_house_file_is_cut_short() -> None:
    assert len(shown(record(HouseRulesAdopted(text="x" * 10_000)))) < 300


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    text = shown(record(EdgeStopped(reason="\x1b]0;owned\x07\n\x9b2J\u202e\ud800")))
    assert "\n" not in text
    assert text.isprintable()


@given(INPUT, st.lists(NOTE, max_size=3))
def test_any_record_can_be_shown(heard: Input, notes: list[Note]) -> None:
    text = shown(record(heard, *notes))
    assert len(text.splitlines()) == 1 + len(notes)
    assert text.encode()


def test_the_records_of_a_journal_are_shown(journal: Journal) -> None:
    Player(journal).play(100)
    nonces = [each.input.nonce for each in journal.records() if isinstance(each.input, CardDrawn)]
    text = "\n".join(map(shown, journal.records()))
    revealed = [line for line in text.splitlines() if " card.revealed " in line]
    assert revealed
    assert sum(nonce in text for nonce in nonces) == len(revealed)
