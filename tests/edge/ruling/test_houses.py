"""What the other houses, and houses of one's own, choose differently."""

import pytest

from edge.house_rules import house_text
from edge.inputs import HouseRulesAdopted
from tests.edge.ruling.playing import Table, dealt, phase_now

END = ["result", "round.closed"]


def changed(house: str, *changes: tuple[str, str]) -> str:
    text = house_text(house)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def own_house(text: str, decks: int, burn: tuple[str, ...] = ()) -> Table:
    table = Table(text=text)
    assert table.install(decks) == "done"
    table.draw(*burn)
    return table


# -- without a hole card ------------------------------------------------------------------------------


@pytest.mark.rule("SAG-3")
def test_a_natural_drawn_after_play_takes_doubled_and_split_stakes() -> None:
    table = dealt("sa-gaming", (1, 2), "8c", "5c", "Td", "8h", "6h")
    table.decide(1, "split")
    table.draw("3d", "Kd")
    table.decide(1, "stand")
    table.decide(1, "stand", hand=2)
    table.decide(2, "double")
    table.draw("Ts", "Ad")
    assert table.told()[-3] == "dealer has 21: Td Ad natural"
    assert table.outcomes == {"1/1": "lose 1", "1/2": "lose 1", "2/1": "lose 2"}


@pytest.mark.rule("SAG-3")
def test_where_it_takes_the_original_only_the_seat_loses_one_unit() -> None:
    table = own_house(changed("sa-gaming", ('natural_takes = "all" ', 'natural_takes = "original" ')), 8)
    table.open(1, 2)
    table.draw("8c", "5c", "Td", "8h", "6h")
    table.decide(1, "split")
    table.draw("3d", "Kd")
    table.decide(1, "stand")
    table.decide(1, "hit", hand=2)
    table.draw("Kh")
    table.decide(2, "double")
    table.draw("Ts", "Ad")
    assert table.outcomes == {"1/1": "lose 1", "1/2": "push 1", "2/1": "lose 1"}


@pytest.mark.rule("SAG-3", "BJ-5")
def test_a_natural_drawn_after_play_pushes_with_naturals_only() -> None:
    table = dealt("sa-gaming", (1, 2), "Ac", "5c", "Td", "Kh", "6h")
    table.decide(2, "hit")
    table.draw("Ts", "Ad")
    assert table.outcomes == {"1/1": "push 1", "2/1": "lose 1"}


@pytest.mark.rule("SAG-3", "BJ-12")
@pytest.mark.parametrize(
    ("up", "card", "dealer"),
    [("7d", None, "dealer has 7: 7d"), ("Td", "6c", "dealer has 16: Td 6c"), ("Td", "Ac", "natural")],
)
def test_only_naturals_left_the_dealer_draws_one_card_where_a_natural_is_possible(
    up: str, card: str | None, dealer: str
) -> None:
    table = dealt("sa-gaming", (1,), "Ac", up, "Kh")
    if card is not None:
        assert phase_now(table) == "card_due"
        table.draw(card)
    assert dealer in table.told()[-3]
    assert table.outcomes == {"1/1": "push 1" if dealer == "natural" else "blackjack 1"}


@pytest.mark.rule("SAG-8", "BJ-12")
def test_an_insured_seat_needs_the_dealers_second_card_though_every_hand_is_bust() -> None:
    for insured, card in (((1,), "Kc"), ((1,), "9c"), ((), None)):
        table = dealt("sa-gaming", (1,), "Tc", "Ad", "6h")
        table.insure(*insured)
        table.decide(1, "hit")
        table.draw("Ks")
        if card is not None:
            assert phase_now(table) == "card_due"
            table.draw(card)
        assert phase_now(table) == "ready"
        expected = {"Kc": "won", "9c": "lost", None: None}[card]
        assert table.result["seats"][0]["insurance"] == expected
        assert table.outcomes == {"1/1": "lose 1"}


@pytest.mark.rule("SAG-7")
def test_sa_gaming_gives_split_aces_one_card_each() -> None:
    table = dealt("sa-gaming", (1,), "Ac", "7d", "Ah")
    table.decide(1, "split")
    table.draw("5d", "6d")
    lines = table.told()
    assert "1/1 done: 16 split_ace" in lines
    assert "1/2 done: 17 split_ace" in lines


@pytest.mark.rule("HTS-6", "BJ-7")
def test_ho_tram_draws_to_17() -> None:
    table = dealt("ho-tram-strip", (1,), "Tc", "6d", "8h")
    table.decide(1, "stand")
    table.draw("Tc", "Th")
    assert table.told()[-3:] == ["dealer has 26: 6d Tc Th bust", *END]
    assert table.outcomes == {"1/1": "win 1"}


# -- even money ---------------------------------------------------------------------------------------


@pytest.mark.rule("HTS-3", "KRF-4", "BJ-8")
@pytest.mark.parametrize("house", ["ho-tram-strip", "korean-floor"])
def test_even_money_is_paid_at_once_whatever_the_dealer_makes(house: str) -> None:
    hole = ("Kc",) if house == "korean-floor" else ()
    table = dealt(house, (1, 2), "Ac", "Kh", "Ad", "Kd", "Ah", *hole)
    assert table.told()[-1] == "insurance? 1,2, even money 1,2"
    assert table.insure(1, even_money=(2, 3)) == "bad_seats"
    assert table.insure(1, even_money=(1,)) == "done"
    assert table.told()[:2] == ["insured 1, even money 1", "1/1 done: 21 even_money"]
    table.draw(*(() if hole else ("Kc",)))
    outcomes = {f"{s['seat']}": (s["insurance"], s["hands"][0]["outcome"]) for s in table.result["seats"]}
    assert outcomes == {"1": ("won", "even_money"), "2": (None, "push")}


@pytest.mark.rule("HTS-3")
def test_even_money_is_offered_to_naturals_only() -> None:
    table = dealt("ho-tram-strip", (1, 2), "Tc", "Kh", "Ad", "9d", "9h")
    assert table.told()[-1] == "insurance? 1,2, even money -"
    assert table.insure(even_money=(1,)) == "bad_seats"
    assert table.insure() == "done"
    assert table.told()[0] == "insured -, even money -"


# -- korean-floor -------------------------------------------------------------------------------------


@pytest.mark.rule("KRF-4")
def test_korean_floor_peeks_under_an_ace_only() -> None:
    table = dealt("korean-floor", (1,), "Tc", "Ad", "8h", "Kc")
    table.insure()
    assert table.told()[2:] == [
        "insured -, even money -",
        "peek: natural",
        "6: turned Kc",
        "dealer has 21: Ad Kc natural",
        *END,
    ]
    table = dealt("korean-floor", (1,), "Tc", "Td", "8h", "Ac")
    assert table.told()[1:] == ["1/1 may HSDR on 18"]


@pytest.mark.rule("KRF-5")
def test_a_natural_under_a_ten_pushes_with_every_21() -> None:
    seats = (1, 2, 3)
    table = dealt("korean-floor", seats, "Ac", "5c", "Tc", "Td", "Kh", "6h", "9h", "Ac")
    table.decide(2, "double")
    table.draw("Ts")
    table.decide(3, "stand")
    assert table.told()[-3] == "dealer has 21: Td Ac natural"
    assert table.outcomes == {"3/1": "lose 1", "2/1": "push 2", "1/1": "push 1"}


@pytest.mark.rule("KRF-6", "BJ-12")
def test_only_naturals_left_under_a_ten_no_third_card() -> None:
    table = dealt("korean-floor", (1,), "Ac", "Td", "Kh", "6c")
    assert table.told()[1:] == ["1/1 done: 21 natural", "6: turned 6c", "dealer has 16: Td 6c", *END]
    assert table.outcomes == {"1/1": "blackjack 1"}


@pytest.mark.rule("KRF-7", "KRF-8")
def test_under_two_to_nine_naturals_are_paid_before_play_and_need_no_hole_card() -> None:
    table = dealt("korean-floor", (1,), "Ac", "9d", "Kh", "6c")
    assert table.told()[1:] == ["1/1 done: 21 natural", "dealer has 9: 9d (1 unseen)", *END]


@pytest.mark.rule("KRF-8")
@pytest.mark.parametrize("up", ["6d", "Td"])
def test_every_hand_bust_the_hole_card_stays_unseen(up: str) -> None:
    table = dealt("korean-floor", (1,), "Tc", up, "6h", "9s")
    table.decide(1, "hit")
    table.told()
    table.draw("Kd")
    total = up[0].replace("T", "10")
    assert table.told()[1:] == ["1/1 done: 26 bust", f"dealer has {total}: {up} (1 unseen)", *END]
    assert "9s" not in "".join(str(event) for event in table.events)


@pytest.mark.rule("KRF-8", "KRF-4")
def test_after_a_peek_insurance_is_decided_and_the_hole_card_may_stay_unseen() -> None:
    table = dealt("korean-floor", (1,), "Tc", "Ad", "6h", "9c")
    table.insure(1)
    table.decide(1, "hit")
    table.draw("Kd")
    assert table.told()[-3] == "dealer has 11: Ad (1 unseen)"
    assert table.result["seats"][0]["insurance"] == "lost"


@pytest.mark.rule("KRF-10")
def test_korean_floor_completes_the_running_game() -> None:
    table = dealt("korean-floor", (1,), "Tc", "7d", "8h", "Kc")
    table.draw("cut")
    table.decide(1, "stand")
    assert table.told()[-1] == "shoe 1 closed: cut_card, 6 dealt, 306 remain"


# -- a house of one's own -----------------------------------------------------------------------------


@pytest.mark.rule("KRF-3", "KRF-5")
def test_with_the_first_card_down_the_second_is_the_up_card_to_the_end() -> None:
    down = changed("korean-floor", ('first_card = "up" ', 'first_card = "down" '))
    table = own_house(down, 6, ("2c", "2d"))
    table.open(1)
    table.told()
    table.draw("Tc", "Ac", "9h", "Td")
    assert table.told() == [
        "3: 1/1 Tc = 10",
        "4: dealer down",
        "5: 1/1 9h = 19",
        "6: dealer Td = 10",
        "1/1 may HSDR on 19",
    ]
    table.decide(1, "stand")
    assert table.told()[2:] == ["4: turned Ac", "dealer has 21: Ac Td natural", *END]
    assert table.outcomes == {"1/1": "lose 1"}


@pytest.mark.rule("KRF-3", "KRF-4")
def test_with_the_first_card_down_an_ace_that_is_turned_offers_no_insurance() -> None:
    down = changed("deluxe", ("hole_card = true ", 'first_card = "down"\nhole_card = true '))
    table = own_house(down, 8, ("Ac", "2d"))
    table.open(1)
    table.draw("Tc", "Ac", "9h", "6d")
    table.told()
    table.decide(1, "stand")
    assert table.told() == [
        "1/1 stand",
        "1/1 done: 19 stand",
        "4: turned Ac",
        "dealer has 17: Ac 6d",
        *END,
    ]


@pytest.mark.rule("KRF-5")
def test_with_the_first_card_down_a_ten_valued_up_card_pushes_every_21() -> None:
    down = changed("korean-floor", ('first_card = "up" ', 'first_card = "down" '))
    table = own_house(down, 6, ("2c", "2d"))
    table.open(1)
    table.draw("5c", "Ac", "6h", "Td")
    table.decide(1, "double")
    table.draw("Th")
    assert table.outcomes == {"1/1": "push 2"}


def test_a_burn_of_none_for_an_ace_is_ready_at_once() -> None:
    table = own_house(changed("deluxe", ("ace = 1", "ace = 0")), 8)
    table.told()
    table.draw("As")
    assert table.told() == ["1: first card As, burn 0", "ready: 0 burned, 415 remain"]


@pytest.mark.rule("DLX-4")
def test_a_house_may_burn_eleven_for_an_ace() -> None:
    table = own_house(changed("deluxe", ("ace = 1", "ace = 11")), 8, ("As", *(["2c"] * 8), "3c", "3d"))
    assert phase_now(table) == "burning"
    table.draw("4c")
    assert table.told()[-1] == "ready: 11 burned, 404 remain"


@pytest.mark.rule("DLX-20", "DLX-17")
def test_a_house_may_play_automatically_to_another_total() -> None:
    table = own_house(
        changed("deluxe", ("automatic_hits_to = 11", "automatic_hits_to = 15")), 8, ("Ac", "2d")
    )
    table.open(1)
    table.draw("Tc", "7d", "5h", "Kc")
    table.time_out(1)
    assert table.told()[-1] == "1/1 hit, timeout"
    table.draw("Ah")
    assert "1/1 done: 16 stand" in table.told()


def test_rules_adopted_in_a_shoe_are_in_force_from_the_next() -> None:
    table = dealt("deluxe", (1,), "Tc", "7d", "8h", "Kc")
    table.hear(HouseRulesAdopted(text=house_text("sa-gaming")))
    table.decide(1, "stand")
    assert table.told()[-3:] == ["dealer has 17: 7d Kc", *END]
    table.open(1)
    table.draw("Tc", "7d", "8h", "Kc")
    table.told()
    table.retire()
    table.install(8)
    assert table.told()[-2:] == ["shoe 2 installed: 8 decks, 416 cards", "ready: 0 burned, 416 remain"]
