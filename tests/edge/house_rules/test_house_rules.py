"""House files: the four that come with the product, and what a file of one's own may not say."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from edge.errors import HouseRulesInvalid
from edge.house_rules import (
    CARDS_IN_A_DECK,
    FirstCardBurn,
    FixedBurn,
    HouseRules,
    NoBurn,
    house_digest,
    house_names,
    house_text,
    parse_house,
)

HOUSES = ("deluxe", "ho-tram-strip", "korean-floor", "sa-gaming")


def test_the_houses_that_come_with_the_product() -> None:
    assert house_names() == HOUSES
    assert CARDS_IN_A_DECK == 52
    for name in HOUSES:
        assert parse_house(house_text(name)).name == name


@pytest.mark.rule(
    "DLX-1", "DLX-2", "DLX-4", "DLX-6", "DLX-8", "DLX-11", "DLX-12", "DLX-14", "DLX-16", "DLX-17",
    "DLX-18", "DLX-20", "DLX-23",
)  # fmt: skip
def test_what_deluxe_chooses() -> None:
    rules = parse_house(house_text("deluxe"))
    assert (rules.decks, rules.seats, rules.cards) == (8, 7, 416)
    assert rules.burn == FirstCardBurn(by="first_card", ace=1, ten_valued=10)
    dealer = rules.dealer
    assert (dealer.hole_card, dealer.first_card, dealer.hole_card_turned) == (True, "up", "always")
    assert set(dealer.peek_under) == {"ace", "ten"}
    assert (dealer.natural_takes, dealer.natural_under_ten_pushes_21) == ("all", False)
    assert set(rules.surrender_not_under) == {"ace", "ten"}
    assert (rules.double_after_split, rules.even_money, rules.results) == (True, False, "ascending")
    assert (rules.split.by, rules.split.second_cards, rules.split.aces) == ("value", "both_first", "one_card")
    assert (rules.pair_bet.kinds, rules.pair_bet.on_split_hands) == ("four", False)
    assert rules.automatic_hits_to == 11


@pytest.mark.rule("SAG-1", "SAG-2", "SAG-3", "SAG-4", "SAG-5", "SAG-6", "SAG-7", "SAG-9", "SAG-10", "SAG-16")
def test_what_sa_gaming_chooses() -> None:
    rules = parse_house(house_text("sa-gaming"))
    assert (rules.decks, rules.burn) == (8, NoBurn(by="none"))
    assert (rules.dealer.hole_card, rules.dealer.natural_takes) == (False, "all")
    assert set(rules.surrender_not_under) == {"ace", "ten"}
    assert (rules.double_after_split, rules.even_money) == (False, False)
    assert (rules.split.by, rules.split.second_cards, rules.split.aces) == ("value", "both_first", "one_card")
    assert (rules.pair_bet.kinds, rules.pair_bet.on_split_hands) == ("pair", False)
    assert rules.automatic_hits_to == 11


@pytest.mark.rule("HTS-1", "HTS-2", "HTS-3", "HTS-4", "HTS-5")
def test_what_ho_tram_strip_chooses() -> None:
    rules = parse_house(house_text("ho-tram-strip"))
    assert (rules.decks, rules.burn) == (6, NoBurn(by="none"))
    assert (rules.dealer.hole_card, rules.dealer.natural_takes) == (False, "all")
    assert rules.surrender_not_under == ("ace",)
    assert (rules.double_after_split, rules.even_money) == (False, True)
    assert (rules.split.by, rules.split.second_cards, rules.split.aces) == ("rank", "both_first", "free")
    assert (rules.pair_bet.kinds, rules.pair_bet.on_split_hands) == ("pair", True)


@pytest.mark.rule("KRF-2", "KRF-3", "KRF-4", "KRF-5", "KRF-8", "KRF-9")
def test_what_korean_floor_chooses() -> None:
    rules = parse_house(house_text("korean-floor"))
    assert (rules.decks, rules.burn) == (6, FixedBurn(by="fixed", cards=2))
    dealer = rules.dealer
    assert (dealer.hole_card, dealer.first_card, dealer.hole_card_turned) == (True, "up", "if_needed")
    assert (dealer.peek_under, dealer.natural_under_ten_pushes_21) == (("ace",), True)
    assert rules.surrender_not_under == ("ace",)
    assert (rules.double_after_split, rules.even_money, rules.results) == (True, True, "descending")
    assert (rules.split.by, rules.split.second_cards, rules.split.aces) == (
        "rank",
        "hand_by_hand",
        "one_card",
    )
    assert rules.pair_bet.kinds == "none"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("decks = 8 ", "decks = 0 "), "decks: "),
        (("decks = 8 ", "decks = 13 "), "decks: "),
        (("decks = 8 ", 'decks = "8" '), "decks: "),
        (("decks = 8 ", "decks = 8.0 "), "decks: "),
        (("decks = 8 ", "decks = true "), "decks: "),
        (("decks = 8 ", "decks = 1979-05-27 "), "decks: "),
        (("decks = 8 ", "dekcs = 8 "), "dekcs: "),
        (("seats = 7 ", "seats = 0 "), "seats: "),
        (('name = "deluxe"', 'name = "De Luxe"'), "name: "),
        (('name = "deluxe"', 'name = ""'), "name: "),
        (("double_after_split = true", "double_after_split = 1"), "double_after_split: "),
        (('by = "first_card"', 'by = "second_card"'), "burn.by: "),
        (("ace = 1\n", "ace = -1\n"), "burn.ace: "),
        (("ten_valued = 10", "ten_valued = 10\ncards = 2"), "burn.cards: "),
        (('peek_under = ["ace", "ten"]', 'peek_under = ["king"]'), "dealer.peek_under, item 1: "),
        (('peek_under = ["ace", "ten"]', 'peek_under = "ace"'), "dealer.peek_under: "),
        (('aces = "one_card"', 'aces = "none"'), "split.aces: "),
        (('kinds = "four"', 'kinds = "five"'), "pair_bet.kinds: "),
        (("automatic_hits_to = 11", "automatic_hits_to = 21"), "automatic_hits_to: "),
        (("automatic_hits_to = 11", "automatic_hits_to = 3"), "automatic_hits_to: "),
    ],
)
def test_a_house_file_with_a_mistake_is_refused_and_its_key_named(change: tuple[str, str], said: str) -> None:
    text = house_text("deluxe")
    assert change[0] in text
    with pytest.raises(HouseRulesInvalid) as refused:
        parse_house(text.replace(*change), "mine.toml")
    assert refused.value.sentence.startswith("mine.toml: ")
    assert said in refused.value.sentence
    assert refused.value.hint == "docs/rules.md lists every key."


def test_text_that_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(HouseRulesInvalid, match=r"mine is not TOML: .*line 2") as refused:
        parse_house("decks = 8\nseats =\n", "mine")
    assert refused.value.hint == "Mend that line."


def test_an_empty_file_names_some_of_what_it_lacks() -> None:
    with pytest.raises(HouseRulesInvalid) as refused:
        parse_house("")
    assert refused.value.sentence.count(" is missing") == 5
    assert refused.value.sentence.endswith("; and 2 more.")


def test_a_list_instead_of_a_table_is_refused() -> None:
    with pytest.raises(HouseRulesInvalid, match="burn: "):
        parse_house(house_text("deluxe").replace("[burn] ", "[[burn]] "))


def test_house_rules_are_frozen() -> None:
    rules = parse_house(house_text("deluxe"))
    with pytest.raises(ValidationError):
        rules.decks = 6


def test_the_digest_is_that_of_the_text() -> None:
    text = house_text("deluxe")
    assert house_digest(text) == sha256(text.encode("utf-8")).hexdigest()


def test_a_house_of_ones_own_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(house_text("sa-gaming").replace("sa-gaming", "mine"), encoding="utf-8")
    assert parse_house(house_text(str(path))).name == "mine"


@pytest.mark.parametrize("name", ["baccarat", "", "deluxe.tml", "../deluxe", "model.py"])
def test_no_such_house(name: str) -> None:
    with pytest.raises(HouseRulesInvalid, match="There is no house") as refused:
        house_text(name)
    assert all(house in refused.value.hint for house in HOUSES)


def test_a_house_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(HouseRulesInvalid, match="cannot be read: No such file"):
        house_text(str(tmp_path / "gone.toml"))
    latin = tmp_path / "latin.toml"
    latin.write_bytes('name = "caf\xe9"'.encode("latin-1"))
    with pytest.raises(HouseRulesInvalid, match="is not UTF-8 text"):
        house_text(str(latin))


def test_a_house_knows_its_cards() -> None:
    fields: dict[str, Any] = parse_house(house_text("deluxe")).model_dump()
    for decks in (1, 6, 12):
        # Only from JSON may a list stand for a tuple; a dump in memory has tuples already.
        assert HouseRules.model_validate(fields | {"decks": decks}).cards == 52 * decks
