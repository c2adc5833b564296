from collections import Counter

import pytest

from firmware_protocols import DECK, Card
from sim_devices import BadSequence, CutCard, ShoeContents, shuffled


def test_a_seed_gives_the_same_shoe_for_ever() -> None:
    assert [card.value for card in shuffled(8, 42)[:7]] == ["2d", "8h", "Td", "Kh", "Qc", "3c", "4s"]
    assert shuffled(8, 42) != shuffled(8, 43)


def test_a_shuffled_shoe_holds_whole_decks() -> None:
    assert Counter(shuffled(6, 1)) == dict.fromkeys(DECK, 6)
    assert ShoeContents.shuffled(decks=6, seed=1).composition == (6,) * 52


def test_the_cut_card_lies_where_it_was_put() -> None:
    items = ShoeContents.shuffled(decks=1, seed=1, cut_from_back=14).items
    assert items.index(CutCard.CUT_CARD) == 38
    assert len(items) == 53


def test_a_sequence_may_be_written_by_hand() -> None:
    assert ShoeContents.written("As 10d CUT 9h 9h").items == (
        Card.AS,
        Card.TD,
        CutCard.CUT_CARD,
        Card.H9,
        Card.H9,
    )


@pytest.mark.parametrize("text", ["As Xx", "As CUT 2c CUT"])
def test_a_text_that_is_no_sequence_is_refused(text: str) -> None:
    with pytest.raises(BadSequence):
        ShoeContents.written(text)


def test_a_cut_card_outside_the_shoe_is_refused() -> None:
    with pytest.raises(BadSequence):
        ShoeContents.shuffled(decks=1, seed=1, cut_from_back=53)
    with pytest.raises(BadSequence):
        ShoeContents.shuffled(decks=0, seed=1)
