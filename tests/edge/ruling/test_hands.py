"""What cards are worth."""

import pytest

from edge.ruling.hands import natural, total, up_card_kind, worth
from firmware_protocols import DECK, Card

WORTH = {
    "A": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 7,
    "8": 8,
    "9": 9,
    "T": 10,
    "J": 10,
    "Q": 10,
    "K": 10,
}


def cards(codes: str) -> tuple[Card, ...]:
    return tuple(Card(code) for code in codes.split())


@pytest.mark.rule("BJ-1")
def test_a_card_counts_by_its_rank_whatever_its_suit() -> None:
    assert len(DECK) == 52
    assert [worth(card) for card in DECK] == [WORTH[card.value[0]] for card in DECK]


@pytest.mark.rule("BJ-1", "BJ-2")
@pytest.mark.parametrize(
    ("codes", "reached", "soft"),
    [
        ("", 0, False),
        ("Ah", 11, True),
        ("Ah 9c", 20, True),
        ("Ah 9c 5d", 15, False),
        ("Ah As", 12, True),
        ("Ah As 9c", 21, True),
        ("Ah As 9c Kd", 21, False),
        ("Ah Kd", 21, True),
        ("Ah 5c 5d", 21, True),
        ("Kd Qs 2c", 22, False),
        ("Kd Qs Ac", 21, False),
        ("Ah As Ac Ad", 14, True),
        ("Kd Qs Ac Ah", 22, False),
    ],
)
def test_an_ace_counts_to_the_hands_advantage(codes: str, reached: int, soft: bool) -> None:  # noqa: FBT001
    assert total(cards(codes)) == (reached, soft)


@pytest.mark.rule("BJ-3")
@pytest.mark.parametrize("codes", ["Ah Kd", "Td Ac", "As Jh", "Qc Ad"])
def test_an_ace_and_a_ten_valued_card_are_a_natural(codes: str) -> None:
    assert natural(cards(codes))


@pytest.mark.rule("BJ-3")
@pytest.mark.parametrize("codes", ["Ah 9d", "Ah 5d 5c", "Kd Qs", "Ah", "7c 7d 7h"])
def test_nothing_else_is(codes: str) -> None:
    assert not natural(cards(codes))


@pytest.mark.rule("DLX-8", "DLX-19")
def test_a_natural_is_possible_under_an_ace_and_under_a_ten_valued_card() -> None:
    kinds = {"A": "ace", "T": "ten", "J": "ten", "Q": "ten", "K": "ten"}
    assert [up_card_kind(card) for card in DECK] == [kinds.get(card.value[0]) for card in DECK]
