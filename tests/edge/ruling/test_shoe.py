"""A shoe's life: installed, opened, burned, cut, closed."""

import pytest

from edge.events import CardBurned
from edge.requests import InstallShoe, OpenRound
from edge.ruling import decide, new_table, verify
from tests.edge.ruling.playing import Table, dealt, house_name, made, nonce_of, phase_now, ready, sealed

HAND_OF_18 = ("Th", "7d", "8c", "Kc")
"""One seat: 18, the dealer 7 and a hole card that makes 17."""


def stand_out(table: Table) -> None:
    """One round of one seat, which stands."""
    assert table.open(1) == "done"
    table.draw(*HAND_OF_18)
    assert table.decide(1, "stand") == "done"


@pytest.mark.rule("DLX-2")
@pytest.mark.parametrize(
    ("house", "decks", "cards"),
    [("deluxe", 8, 416), ("sa-gaming", 8, 416), ("ho-tram-strip", 6, 312), ("korean-floor", 6, 312)],
)
def test_a_shoe_holds_the_decks_of_its_house(house: str, decks: int, cards: int) -> None:
    table = Table(house)
    assert house_name(table.state) == house
    for wrong in {1, 6, 7, 8, 0, -8} - {decks}:
        assert table.install(wrong) == "wrong_decks"
    assert table.told() == []
    assert table.install(decks) == "done"
    assert table.told()[0] == f"shoe 1 installed: {decks} decks, {cards} cards"


@pytest.mark.rule("DLX-2")
def test_no_second_shoe_while_one_is_in() -> None:
    table = Table()
    table.install(8)
    assert table.install(8) == "shoe_in"
    assert table.install(6) == "shoe_in"


@pytest.mark.rule("DLX-4")
@pytest.mark.parametrize(
    ("first", "burn"),
    [
        ("As", 1), ("2s", 2), ("3h", 3), ("4d", 4), ("5c", 5), ("6s", 6), ("7h", 7), ("8d", 8), ("9c", 9),
        ("Ts", 10), ("Jh", 10), ("Qd", 10), ("Kc", 10),
    ],
)  # fmt: skip
def test_the_first_card_says_how_many_are_burned(first: str, burn: int) -> None:
    table = Table()
    table.install(8)
    table.told()
    table.draw(first)
    assert table.told() == [f"1: first card {first}, burn {burn}"]
    for draw in range(2, burn + 1):
        assert table.open(1) == "shoe_not_ready"
        table.draw(("2h", "3s")[draw % 2])
        assert table.told() == [f"{draw}: burned"]
    table.draw("4h")
    assert table.told() == [f"{burn + 1}: burned", f"ready: {burn} burned, {416 - 1 - burn} remain"]
    assert table.open(1) == "done"


@pytest.mark.rule("DLX-4", "DLX-6")
def test_a_burned_card_shows_its_seal_and_nothing_else() -> None:
    table = Table()
    table.install(8)
    table.draw("Ac", "9h")
    burned = next(event for event in table.events if isinstance(event, CardBurned))
    assert burned == CardBurned(shoe=1, draw=2, seal=sealed(2, "9h"))
    assert nonce_of(2) not in repr(burned)


@pytest.mark.rule("DLX-4")
def test_no_round_before_the_burn_is_complete() -> None:
    table = Table()
    assert table.open(1) == "shoe_not_ready"
    table.install(8)
    assert table.open(1) == "shoe_not_ready"
    table.draw("2c")
    assert table.open(1) == "shoe_not_ready"
    table.draw("2d")
    assert table.open(1) == "shoe_not_ready"
    table.draw("2h")
    assert table.open(1) == "done"


@pytest.mark.rule("KRF-2")
def test_a_fixed_burn_is_complete_after_its_cards() -> None:
    table = Table("korean-floor")
    table.install(6)
    table.draw("Ac")
    assert table.open(1) == "shoe_not_ready"
    table.draw("2c")
    assert table.told()[1:] == ["1: burned", "2: burned", "ready: 2 burned, 310 remain"]


@pytest.mark.rule("SAG-16")
@pytest.mark.parametrize(("house", "cards"), [("sa-gaming", 416), ("ho-tram-strip", 312)])
def test_nothing_is_burned_where_the_house_burns_nothing(house: str, cards: int) -> None:
    table = Table(house)
    table.install()
    assert table.told()[1:] == [f"ready: 0 burned, {cards} remain"]


# -- the cut card -----------------------------------------------------------------------------------


@pytest.mark.rule("DLX-3")
@pytest.mark.parametrize(
    ("place", "drawn"), [(0, 2), (1, 3), (2, 4), (3, 5)], ids=["first", "dealer's", "second", "hole card's"]
)
def test_the_cut_card_in_the_first_deal_makes_the_round_the_last(place: int, drawn: int) -> None:
    table = ready()
    table.open(1)
    table.told()
    table.draw(*HAND_OF_18[:place], "cut")
    assert table.told()[-1] == f"cut card after {drawn}, round, last round 1"
    table.draw(*HAND_OF_18[place:])
    assert table.told()[-1] == "1/1 may HSDR on 18"
    table.decide(1, "stand")
    assert table.told() == [
        "1/1 stand",
        "1/1 done: 18 stand",
        "6: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
        "shoe 1 closed: cut_card, 6 dealt, 410 remain",
    ]
    assert table.open(1) == "shoe_not_ready"
    assert table.install(8) == "done"
    assert table.told() == ["shoe 2 installed: 8 decks, 416 cards"]


@pytest.mark.rule("DLX-3", "BJ-13")
def test_the_cut_card_at_the_dealers_draw_is_no_card_of_the_dealers() -> None:
    table = dealt("deluxe", (1,), "Th", "6d", "8c", "Kc")
    table.decide(1, "stand")
    table.told()
    table.draw("cut", "2s")
    assert table.told() == [
        "cut card after 6, round, last round 1",
        "7: dealer 2s = 18",
        "dealer has 18: 6d Kc 2s",
        "result",
        "round.closed",
        "shoe 1 closed: cut_card, 7 dealt, 409 remain",
    ]


@pytest.mark.rule("DLX-3")
def test_the_cut_card_during_a_decision_changes_nothing_else() -> None:
    table = dealt("deluxe", (1,), *HAND_OF_18)
    table.told()
    table.draw("cut")
    assert table.told() == ["cut card after 6, round, last round 1"]
    assert phase_now(table) == "decision"
    assert table.decide(1, "stand") == "done"
    assert table.told()[-1] == "shoe 1 closed: cut_card, 6 dealt, 410 remain"


@pytest.mark.rule("DLX-3")
def test_the_cut_card_while_insurance_is_open() -> None:
    table = dealt("deluxe", (1,), "Th", "Ad", "8c", "9c")
    table.told()
    table.draw("cut")
    assert table.told() == ["cut card after 6, round, last round 1"]
    assert table.insure() == "done"
    assert table.told() == ["insured -", "peek: no natural", "1/1 may HSD on 18"]


@pytest.mark.rule("DLX-3")
@pytest.mark.parametrize("house", ["deluxe", "sa-gaming", "ho-tram-strip", "korean-floor"])
def test_the_cut_card_between_rounds_makes_the_next_the_last(house: str) -> None:
    table = ready(house)
    hole = house in {"deluxe", "korean-floor"}
    drawn = 2 if hole else 0
    remain = (416 if house in {"deluxe", "sa-gaming"} else 312) - drawn - 8
    for number in (1, 2):
        table.open(1)
        table.draw("Th", "7d", "8c", *(("Kc",) if hole else ()))
        table.decide(1, "stand")
        table.draw(*(() if hole else ("Kc",)))
        lines = table.told()
        if number == 1:
            assert lines[-1] == "round.closed"
            table.draw("cut")
            assert table.told() == [f"cut card after {drawn + 4}, between, last round 2"]
    assert lines[-2:] == [
        "round.closed",
        f"shoe 1 closed: cut_card, {drawn + 8} dealt, {remain} remain",
    ]


@pytest.mark.rule("DLX-3")
def test_the_cut_card_out_a_second_time_holds_the_table() -> None:
    table = ready()
    stand_out(table)
    table.draw("cut")
    table.told()
    table.draw("cut")
    assert table.told() == [
        "irregularity 1: cut_card_twice, accept or retract or retire_shoe",
        "held: cut_card_twice",
    ]


@pytest.mark.rule("DLX-3")
def test_the_cut_card_twice_in_one_round_holds_the_table() -> None:
    table = dealt("deluxe", (1,), *HAND_OF_18)
    table.draw("cut")
    table.told()
    table.draw("cut")
    assert table.told() == [
        "irregularity 1: cut_card_twice, accept or retract or void_round or retire_shoe",
        "held: cut_card_twice",
    ]


@pytest.mark.rule("DLX-3", "DLX-4")
@pytest.mark.parametrize("drawn", [(), ("3c",), ("3c", "2d"), ("2c", "2d", "2h")], ids=len)
def test_the_cut_card_before_the_first_round_is_early(drawn: tuple[str, ...]) -> None:
    table = Table()
    table.install(8)
    table.draw(*drawn)
    table.told()
    table.draw("cut")
    assert table.told() == [
        "irregularity 1: cut_card_early, accept or retract or retire_shoe",
        "held: cut_card_early",
    ]
    assert table.state.shoe is not None
    assert table.state.shoe.cut_after is None
    assert table.state.shoe.drawn == len(drawn)


@pytest.mark.rule("DLX-3", "BJ-13")
def test_a_cut_card_without_a_shoe_or_from_another_is_unexpected() -> None:
    table = Table()
    table.draw("cut")
    assert table.told() == ["irregularity 1: unexpected_draw, accept", "held: unexpected_draw"]
    for shoe_in in (ready(), dealt("deluxe", (1,), *HAND_OF_18)):
        shoe_in.told()
        shoe_in.draw("cut", device="shoe-b")
        assert shoe_in.told()[-1] == "held: unexpected_draw"
        assert shoe_in.state.shoe is not None
        assert shoe_in.state.shoe.cut_after is None


@pytest.mark.rule("DLX-3", "DLX-32")
def test_a_last_round_that_is_voided_closes_its_shoe() -> None:
    table = ready()
    stand_out(table)
    table.draw("cut")
    table.open(1)
    table.draw("9h")
    table.told()
    assert table.void() == "done"
    assert table.told() == [
        "round 2 voided by ada (spilled drink)",
        "shoe 1 closed: cut_card, 7 dealt, 409 remain",
    ]
    assert phase_now(table) == "no_shoe"


@pytest.mark.rule("DLX-3")
def test_shoes_are_numbered_in_the_journal_and_rounds_in_the_shoe() -> None:
    table = ready()
    stand_out(table)
    stand_out(table)
    assert table.retire() == "done"
    table.told()
    assert table.install(8) == "done"
    table.draw("Ac", "2d")
    table.open(4)
    assert table.told() == [
        "shoe 2 installed: 8 decks, 416 cards",
        "1: first card Ac, burn 1",
        "2: burned",
        "ready: 1 burned, 414 remain",
        "round 1: 4",
    ]


# -- which device -----------------------------------------------------------------------------------


def test_the_only_shoe_need_not_be_named() -> None:
    table = Table(shoes=("left",))
    assert table.install(8, device="right") == "no_such_device"
    assert table.install(8) == "done"
    assert table.state.shoe is not None
    assert table.state.shoe.device == "left"


def test_of_several_shoes_one_must_be_named() -> None:
    table = Table(shoes=("left", "right"))
    assert table.install(8) == "device_needed"
    assert table.install(8, device="middle") == "no_such_device"
    assert table.install(8, device="right") == "done"
    table.draw("Ac", device="right")
    assert table.told()[-1] == "1: first card Ac, burn 1"


def test_a_table_without_shoes_says_so() -> None:
    table = Table(shoes=())
    assert table.install(8) == "device_needed"


@pytest.mark.rule("BJ-13")
def test_a_card_from_another_shoe_has_no_place_and_no_number_of_this_one() -> None:
    table = dealt("deluxe", (1,), "Th", "7d")
    table.told()
    table.draw("8c", device="shoe-b")
    assert table.told() == [
        "no number: parked, irregular",
        "irregularity 1: unexpected_draw, discard or void_round or retire_shoe",
        "held: unexpected_draw",
    ]
    table.draw("9c", device="shoe-b")
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == 4
    assert table.void() == "done"
    assert table.told()[-2:] == ["round 1 voided by ada (spilled drink)", "released: void_round"]
    assert table.retire() == "done"
    assert table.told() == ["shoe 1 closed: retired, 4 dealt, 412 remain"]


def test_no_house_no_shoe() -> None:
    bare = new_table("j")
    refused = verify(bare, made(InstallShoe(decks=8)))
    assert refused is not None
    assert refused.code == "no_house"
    refused = verify(bare, made(OpenRound(round_id="r", seats=(1,))))
    assert refused is not None
    assert refused.code == "shoe_not_ready"
    assert decide(bare, made(InstallShoe(decks=8))).state == bare
