"""Turns: what a hand may do, and what comes of it."""

import pytest

from tests.edge.ruling.playing import Table, dealt, phase_now

DEALER = ("7d", "Kc")
"""The dealer's up card and hole card: 17."""


def one_hand(first: str, second: str, *, up: str = "7d", hole: str = "Kc", house: str = "deluxe") -> Table:
    """Seat 1 alone; told is what came after its second card."""
    if house in {"deluxe", "korean-floor"}:
        table = dealt(house, (1,), first, up, second, hole)
    else:
        table = dealt(house, (1,), first, up, second)
    return table


def offered(table: Table) -> str:
    return table.told()[-1]


@pytest.mark.rule("BJ-10", "DLX-10")
def test_a_hand_hits_as_often_as_it_wants_until_21_which_stands_by_itself() -> None:
    table = one_hand("2c", "3h")
    assert offered(table) == "1/1 may HSDR on 5"
    for card, line in [("4h", "1/1 may HS on 9"), ("2h", "1/1 may HS on 11"), ("3s", "1/1 may HS on 14")]:
        assert table.decide(1, "hit") == "done"
        table.draw(card)
        assert offered(table) == line
    table.decide(1, "hit")
    table.told()
    table.draw("7h")
    assert table.told() == [
        "10: 1/1 7h = 21",
        "1/1 done: 21 twenty_one",
        "6: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
    ]
    assert table.outcomes == {"1/1": "win 1"}


@pytest.mark.rule("DLX-10", "BJ-10")
def test_a_soft_21_stands_by_itself_too() -> None:
    table = one_hand("Ac", "3h")
    table.decide(1, "hit")
    table.draw("7s")
    assert "1/1 done: 21 twenty_one" in table.told()


@pytest.mark.rule("BJ-4")
def test_over_21_is_bust_at_once() -> None:
    table = one_hand("Tc", "6h")
    table.decide(1, "hit")
    table.told()
    table.draw("6s")
    assert table.told() == [
        "7: 1/1 6s = 22",
        "1/1 done: 22 bust",
        "6: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
    ]
    assert table.outcomes == {"1/1": "lose 1"}


@pytest.mark.rule("BJ-10")
def test_a_hand_may_stand_on_anything() -> None:
    table = one_hand("2c", "2h")
    table.told()
    assert table.decide(1, "stand") == "done"
    assert table.told()[:2] == ["1/1 stand", "1/1 done: 4 stand"]


# -- double -----------------------------------------------------------------------------------------


@pytest.mark.rule("BJ-11", "DLX-12", "DLX-10")
@pytest.mark.parametrize(
    ("card", "total", "how", "outcome"),
    [("2h", 13, "double", "lose 2"), ("Th", 21, "double", "win 2"), ("6h", 17, "double", "push 2")],
)
def test_a_double_gets_exactly_one_card(card: str, total: int, how: str, outcome: str) -> None:
    table = one_hand("5c", "6h")
    assert offered(table) == "1/1 may HSDR on 11"
    assert table.decide(1, "double") == "done"
    assert table.told() == ["1/1 double"]
    table.draw(card)
    assert table.told()[:2] == [f"7: 1/1 {card} = {total}", f"1/1 done: {total} {how}"]
    assert table.outcomes == {"1/1": outcome}


@pytest.mark.rule("BJ-11", "BJ-4")
def test_a_double_may_bust() -> None:
    table = one_hand("Tc", "6h")
    table.decide(1, "double")
    table.draw("9h")
    assert "1/1 done: 25 bust" in table.told()
    assert table.outcomes == {"1/1": "lose 2"}


@pytest.mark.rule("DLX-12")
def test_three_cards_cannot_be_doubled() -> None:
    table = one_hand("2c", "3h")
    table.decide(1, "hit")
    table.draw("4h")
    answer = table.answer_to(1, "double")
    assert (answer.code, answer.message) == (
        "illegal",
        "Hand 1 of seat 1 may not double now; legal: hit, stand.",
    )


@pytest.mark.rule("DLX-13")
def test_a_double_without_the_money_is_a_hit_and_the_hand_goes_on() -> None:
    table = one_hand("5c", "6h")
    table.told()
    assert table.decide(1, "double", funded=False) == "done"
    assert table.told() == ["1/1 hit for double, insufficient_funds"]
    table.draw("2h")
    assert table.told() == ["7: 1/1 2h = 13", "1/1 may HS on 13"]
    table.decide(1, "stand")
    assert table.outcomes == {"1/1": "lose 1"}


@pytest.mark.rule("DLX-13")
def test_legality_comes_before_money() -> None:
    table = one_hand("2c", "3h")
    table.decide(1, "hit")
    table.draw("4h")
    assert table.decide(1, "double", funded=False) == "illegal"
    assert table.decide(1, "split", funded=False) == "illegal"
    assert phase_now(table) == "decision"


@pytest.mark.rule("DLX-13", "DLX-17")
@pytest.mark.parametrize("action", ["hit", "stand", "surrender"])
def test_money_matters_only_for_double_and_split(action: str) -> None:
    table = one_hand("2c", "3h")
    table.told()
    assert table.decide(1, action, funded=False) == "done"
    assert table.told()[0] == f"1/1 {action}"


# -- split ------------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-14", "DLX-18", "DLX-12", "DLX-15")
def test_a_split_gives_both_hands_their_second_card_then_plays_them_in_order() -> None:
    table = one_hand("8c", "8h")
    assert offered(table) == "1/1 may HSDPR on 16"
    assert table.decide(1, "split") == "done"
    assert table.told() == ["1/1 split", "1 splits 8c | 8h"]
    assert table.decide(1, "hit") == "card_due"
    table.draw("8d")
    assert table.told() == ["7: 1/1 8d = 16"]
    assert table.decide(1, "hit", hand=2) == "card_due"
    table.draw("3d")
    assert table.told() == ["8: 1/2 3d = 11", "1/1 may HSD on 16"]
    assert table.decide(1, "split") == "illegal"
    assert table.decide(1, "surrender") == "illegal"
    table.decide(1, "stand")
    assert table.told() == ["1/1 stand", "1/1 done: 16 stand", "1/2 may HSD on 11"]
    table.decide(1, "double", hand=2)
    table.draw("Td")
    assert table.told() == [
        "1/2 double",
        "9: 1/2 Td = 21",
        "1/2 done: 21 double",
        "6: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
    ]
    assert table.outcomes == {"1/1": "lose 1", "1/2": "win 2"}


@pytest.mark.rule("DLX-14")
@pytest.mark.parametrize(("first", "second"), [("Kc", "Th"), ("Jd", "Qs"), ("Ts", "Kh"), ("9c", "9d")])
def test_equal_value_may_be_split(first: str, second: str) -> None:
    assert "P" in offered(one_hand(first, second)).split()[2]


@pytest.mark.rule("DLX-14")
@pytest.mark.parametrize(
    ("first", "second", "total"), [("9c", "Th", "19"), ("2c", "3c", "5"), ("Ac", "2c", "soft 13")]
)
def test_other_cards_may_not(first: str, second: str, total: str) -> None:
    table = one_hand(first, second)
    assert offered(table) == f"1/1 may HSDR on {total}"
    assert table.decide(1, "split") == "illegal"


@pytest.mark.rule("DLX-14", "BJ-9")
def test_a_split_ten_with_an_ace_is_21_and_no_natural() -> None:
    table = one_hand("Kc", "Th", hole="4c")
    table.decide(1, "split")
    table.told()
    table.draw("Ad")
    assert table.told() == ["7: 1/1 Ad = soft 21", "1/1 done: 21 twenty_one"]
    table.draw("Ah")
    assert table.told() == ["8: 1/2 Ah = soft 21", "1/2 done: 21 twenty_one", "6: turned 4c"]
    table.draw("Tc")
    assert table.told()[1] == "dealer has 21: 7d 4c Tc"
    assert table.outcomes == {"1/1": "push 1", "1/2": "push 1"}


@pytest.mark.rule("DLX-16", "BJ-9", "DLX-10", "DLX-12", "DLX-15")
def test_split_aces_get_one_card_each_and_nothing_more() -> None:
    table = one_hand("Ac", "Ah")
    assert offered(table) == "1/1 may HSDPR on soft 12"
    table.decide(1, "split")
    table.told()
    table.draw("Kd")
    assert table.told() == ["7: 1/1 Kd = soft 21", "1/1 done: 21 split_ace"]
    table.draw("As")
    assert table.told() == [
        "8: 1/2 As = soft 12",
        "1/2 done: 12 split_ace",
        "6: turned Kc",
        "dealer has 17: 7d Kc",
        "result",
        "round.closed",
    ]
    assert table.outcomes == {"1/1": "win 1", "1/2": "lose 1"}


@pytest.mark.rule("DLX-15")
def test_a_split_hand_is_not_split_again() -> None:
    table = one_hand("8c", "8h")
    table.decide(1, "split")
    table.draw("8d", "8s")
    assert offered(table) == "1/1 may HSD on 16"
    assert table.decide(1, "split") == "illegal"
    table.decide(1, "stand")
    assert offered(table) == "1/2 may HSD on 16"
    assert table.decide(1, "split", hand=2) == "illegal"


@pytest.mark.rule("DLX-17")
@pytest.mark.parametrize(
    ("card", "total", "done"), [("2", 4, "hit"), ("5", 10, "hit"), ("6", 12, "stand"), ("T", 20, "stand")]
)
def test_a_split_without_the_money_hits_up_to_11_else_stands(card: str, total: int, done: str) -> None:
    table = one_hand(f"{card}c", f"{card}h")
    assert offered(table) == f"1/1 may HSDPR on {total}"
    assert table.decide(1, "split", funded=False) == "done"
    assert table.told()[0] == f"1/1 {done} for split, insufficient_funds"
    assert phase_now(table) == ("card_due" if done == "hit" else "ready")


@pytest.mark.rule("DLX-17")
def test_a_pair_of_aces_without_the_money_counts_12_and_stands() -> None:
    table = one_hand("Ac", "Ah")
    table.told()
    table.decide(1, "split", funded=False)
    assert table.told()[:2] == ["1/1 stand for split, insufficient_funds", "1/1 done: 12 stand"]


@pytest.mark.rule("DLX-13", "DLX-12", "DLX-14")
def test_split_then_a_double_without_the_money() -> None:
    table = one_hand("8c", "8h")
    table.decide(1, "split")
    table.draw("3d", "Td")
    assert offered(table) == "1/1 may HSD on 11"
    table.decide(1, "double", funded=False)
    assert table.told() == ["1/1 hit for double, insufficient_funds"]
    table.draw("2d")
    assert offered(table) == "1/1 may HS on 13"
    table.decide(1, "stand")
    table.decide(1, "stand", hand=2)
    assert table.outcomes == {"1/1": "lose 1", "1/2": "win 1"}


@pytest.mark.rule("BJ-4", "DLX-18")
def test_one_split_hand_may_bust_and_the_other_go_on() -> None:
    table = one_hand("8c", "8h")
    table.decide(1, "split")
    table.draw("7d", "Td")
    table.decide(1, "hit")
    table.told()
    table.draw("9d")
    assert table.told() == ["9: 1/1 9d = 24", "1/1 done: 24 bust", "1/2 may HSD on 18"]
    assert table.decide(1, "hit") == "hand_finished"
    table.decide(1, "stand", hand=2)
    assert table.outcomes == {"1/1": "lose 1", "1/2": "win 1"}


# -- surrender --------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-11", "BJ-8")
@pytest.mark.parametrize("up", ["2d", "3d", "4d", "5d", "6d", "7d", "8d", "9d"])
def test_surrender_under_two_to_nine(up: str) -> None:
    table = one_hand("Tc", "6h", up=up)
    assert offered(table) == "1/1 may HSDR on 16"
    assert table.decide(1, "surrender") == "done"
    assert table.told() == [
        "1/1 surrender",
        "1/1 done: 16 surrender",
        "6: turned Kc",
        f"dealer has {10 + int(up[0])}: {up} Kc",
        "result",
        "round.closed",
    ]
    assert table.result["seats"][0]["hands"][0]["odds"] == [-1, 2]
    assert table.outcomes == {"1/1": "surrender 1"}


@pytest.mark.rule("DLX-11")
@pytest.mark.parametrize("up", ["Td", "Jd", "Qd", "Kd", "Ad"])
def test_no_surrender_under_ace_and_ten_valued(up: str) -> None:
    table = one_hand("Tc", "6h", up=up, hole="7c")
    table.insure()
    assert offered(table) == "1/1 may HSD on 16"
    assert table.decide(1, "surrender") == "illegal"


@pytest.mark.rule("DLX-11")
def test_no_surrender_after_another_action() -> None:
    table = one_hand("2c", "3h")
    table.decide(1, "hit")
    table.draw("4h")
    assert table.decide(1, "surrender") == "illegal"


@pytest.mark.rule("HTS-2", "KRF-5")
@pytest.mark.parametrize("house", ["ho-tram-strip", "korean-floor"])
def test_the_floor_houses_surrender_under_ten_and_not_under_ace(house: str) -> None:
    assert offered(one_hand("Tc", "6h", up="Td", hole="7c", house=house)) == "1/1 may HSDR on 16"
    table = one_hand("Tc", "6h", up="Ad", hole="7c", house=house)
    table.insure()
    assert offered(table) == "1/1 may HSD on 16"


@pytest.mark.rule("SAG-4")
def test_sa_gaming_surrenders_neither_under_ten_nor_under_ace() -> None:
    assert offered(one_hand("Tc", "6h", up="9d", house="sa-gaming")) == "1/1 may HSDR on 16"
    assert offered(one_hand("Tc", "6h", up="Td", house="sa-gaming")) == "1/1 may HSD on 16"


# -- the order --------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-7")
def test_seats_act_ascending() -> None:
    table = dealt("deluxe", (2, 5, 7), "Tc", "Td", "Th", "7d", "8c", "8d", "8h", "Kc")
    assert offered(table) == "2/1 may HSDR on 18"
    table.decide(2, "stand")
    assert offered(table) == "5/1 may HSDR on 18"
    table.decide(5, "stand")
    assert offered(table) == "7/1 may HSDR on 18"
    table.decide(7, "stand")
    assert offered(table) == "round.closed"


# -- other houses' splits ---------------------------------------------------------------------------


@pytest.mark.rule("SAG-5", "SAG-6")
def test_sa_gaming_split_hands_hit_or_stand_only() -> None:
    table = one_hand("Kc", "Th", house="sa-gaming")
    assert offered(table) == "1/1 may HSDPR on 20"
    table.decide(1, "split")
    table.draw("5d", "6d")
    assert offered(table) == "1/1 may HS on 15"


@pytest.mark.rule("HTS-4")
def test_ho_tram_splits_by_rank_and_plays_split_aces_freely() -> None:
    assert offered(one_hand("Kc", "Th", house="ho-tram-strip")) == "1/1 may HSDR on 20"
    table = one_hand("Ac", "Ah", house="ho-tram-strip")
    table.decide(1, "split")
    table.draw("5d", "As")
    assert offered(table) == "1/1 may HS on soft 16"
    table.decide(1, "hit")
    table.draw("5s")
    assert table.told()[-2:] == ["1/1 done: 21 twenty_one", "1/2 may HS on soft 12"]


@pytest.mark.rule("KRF-3")
def test_korean_floor_plays_hand_1_out_before_hand_2_gets_its_card() -> None:
    table = one_hand("8c", "8h", house="korean-floor")
    table.decide(1, "split")
    table.told()
    table.draw("3d")
    assert table.told() == ["7: 1/1 3d = 11", "1/1 may HSD on 11"]
    assert table.decide(1, "stand", hand=2) == "held"
    table.decide(1, "double")
    table.told()
    table.draw("Td")
    assert table.told() == ["8: 1/1 Td = 21", "1/1 done: 21 double"]
    assert table.decide(1, "stand", hand=2) == "card_due"
    table.draw("9d")
    assert table.told()[:4] == [
        "9: 1/2 9d = 17",
        "1/2 may HSD on 17",
        "1/2 stand, early",
        "1/2 done: 17 stand",
    ]
