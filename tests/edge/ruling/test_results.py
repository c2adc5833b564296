"""Results: who won what."""

from typing import Any

import pytest

from tests.edge.ruling.playing import Table, dealt, phase_now


def stood(first: str, second: str, up: str, hole: str, *drawn: str) -> Table:
    table = dealt("deluxe", (1,), first, up, second, hole)
    table.decide(1, "stand")
    table.draw(*drawn)
    return table


def hand(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = table.result["seats"][0]["hands"][0]
    return found


@pytest.mark.rule("BJ-6", "BJ-8", "DLX-22")
@pytest.mark.parametrize(
    ("second", "hole", "drawn", "outcome", "odds"),
    [
        ("9c", "Tc", (), "win", [1, 1]),
        ("8c", "8d", ("3d",), "push", [0, 1]),
        ("7c", "8d", ("3d",), "lose", [-1, 1]),
        ("2c", "9d", ("Th",), "win", [1, 1]),
        ("8c", "Tc", (), "win", [1, 1]),
        ("7c", "Tc", (), "push", [0, 1]),
        ("6c", "Tc", (), "lose", [-1, 1]),
    ],
)
def test_the_higher_total_wins_equal_totals_push_and_a_bust_dealer_pays(
    second: str, hole: str, drawn: tuple[str, ...], outcome: str, odds: list[int]
) -> None:
    table = stood("Th", second, "7d", hole, *drawn)
    assert (hand(table)["outcome"], hand(table)["odds"], hand(table)["units"]) == (outcome, odds, 1)


@pytest.mark.rule("BJ-3", "BJ-5", "BJ-8", "DLX-22", "BJ-12")
@pytest.mark.parametrize("ten", ["Td", "Js", "Qh", "Kc"])
def test_a_natural_is_paid_three_to_two(ten: str) -> None:
    for first, second in (("Ah", ten), (ten, "Ah")):
        table = dealt("deluxe", (1,), first, "7d", second, "8c")
        assert table.told()[1:3] == ["1/1 done: 21 natural", "6: turned 8c"]
        assert hand(table) == {
            "hand": 1,
            "cards": [first, second],
            "total": 21,
            "soft": True,
            "how": "natural",
            "outcome": "blackjack",
            "odds": [3, 2],
            "units": 1,
            "pair": None,
        }


@pytest.mark.rule("BJ-5", "BJ-3")
def test_a_natural_beats_a_dealers_21_of_three_cards() -> None:
    table = dealt("deluxe", (1, 2), "Ah", "Th", "7d", "Kh", "9c", "6c")
    table.decide(2, "stand")
    table.draw("8c")
    assert table.told()[-3] == "dealer has 21: 7d 6c 8c"
    assert table.outcomes == {"1/1": "blackjack 1", "2/1": "lose 1"}


@pytest.mark.rule("BJ-5")
def test_a_dealers_natural_beats_21_of_three_cards_where_it_comes_after_play() -> None:
    table = dealt("sa-gaming", (1,), "5h", "Td", "6h")
    table.decide(1, "hit")
    table.draw("Tc", "As")
    assert table.told()[-3] == "dealer has 21: Td As natural"
    assert table.outcomes == {"1/1": "lose 1"}


@pytest.mark.rule("BJ-4")
def test_a_bust_hand_loses_though_the_dealer_busts() -> None:
    table = dealt("deluxe", (1, 2), "Th", "Tc", "6d", "6h", "8c", "Kc")
    table.decide(1, "hit")
    table.draw("Ks")
    table.decide(2, "stand")
    table.draw("9s")
    assert table.told()[-3] == "dealer has 25: 6d Kc 9s bust"
    assert table.outcomes == {"1/1": "lose 1", "2/1": "win 1"}
    assert hand(table)["soft"] is False


@pytest.mark.rule("DLX-11", "BJ-8")
def test_a_surrendered_hand_stays_surrendered() -> None:
    table = dealt("ho-tram-strip", (1, 2), "Th", "Tc", "Td", "6h", "8c")
    table.decide(1, "surrender")
    table.decide(2, "stand")
    table.draw("As")
    assert table.told()[-3] == "dealer has 21: Td As natural"
    assert table.outcomes == {"1/1": "surrender 1", "2/1": "lose 1"}


@pytest.mark.rule("DLX-23")
@pytest.mark.parametrize(
    ("first", "second", "up", "pair"),
    [
        ("8h", "8s", "7d", {"kind": "mixed", "odds": [5, 1]}),
        ("8c", "8d", "7d", {"kind": "mixed", "odds": [5, 1]}),
        ("8h", "8d", "7d", {"kind": "coloured", "odds": [10, 1]}),
        ("8c", "8s", "8c", {"kind": "coloured", "odds": [10, 1]}),
        ("8h", "8h", "7d", {"kind": "perfect", "odds": [30, 1]}),
        ("8h", "8h", "8d", {"kind": "perfect", "odds": [30, 1]}),
        ("8h", "8h", "8h", {"kind": "suited_triple", "odds": [50, 1]}),
        ("8h", "8d", "8h", {"kind": "coloured", "odds": [10, 1]}),
        ("Kh", "Qh", "7d", None),
        ("Kh", "Th", "7d", None),
        ("8h", "7h", "8h", None),
        ("Qs", "Qs", "Qs", {"kind": "suited_triple", "odds": [50, 1]}),
    ],
)
def test_the_pair_bet_pays_only_its_highest_and_by_rank(
    first: str, second: str, up: str, pair: dict[str, Any] | None
) -> None:
    table = dealt("deluxe", (1,), first, up, second, "7c")
    table.decide(1, "stand")
    while phase_now(table) == "card_due":
        table.draw("5s")
    assert table.result["seats"][0]["pair"] == pair
    assert hand(table)["pair"] is None


@pytest.mark.rule("DLX-23", "DLX-14")
def test_a_split_seat_keeps_the_pair_of_its_first_two_cards() -> None:
    table = dealt("deluxe", (1,), "8h", "7d", "8s", "Kc")
    table.decide(1, "split")
    table.draw("8d", "9d")
    table.decide(1, "stand")
    table.decide(1, "stand", hand=2)
    assert table.result["seats"][0]["pair"] == {"kind": "mixed", "odds": [5, 1]}
    assert [each["pair"] for each in table.result["seats"][0]["hands"]] == [None, None]
    assert [each["cards"] for each in table.result["seats"][0]["hands"]] == [["8h", "8d"], ["8s", "9d"]]


@pytest.mark.rule("HTS-5")
def test_ho_tram_pays_the_pair_anew_on_split_hands() -> None:
    table = dealt("ho-tram-strip", (1,), "8h", "7d", "8s")
    table.decide(1, "split")
    table.draw("8d", "9d")
    table.decide(1, "stand")
    table.decide(1, "stand", hand=2)
    table.draw("Kc")
    seat = table.result["seats"][0]
    assert seat["pair"] == {"kind": "pair", "odds": [11, 1]}
    assert [each["pair"] for each in seat["hands"]] == [{"kind": "pair", "odds": [11, 1]}, None]


@pytest.mark.rule("SAG-10")
def test_sa_gaming_pays_one_pair_and_korean_floor_has_no_such_bet() -> None:
    for house, pair in (("sa-gaming", {"kind": "pair", "odds": [11, 1]}), ("korean-floor", None)):
        hole = ("Kc",) if house == "korean-floor" else ()
        table = dealt(house, (1,), "8h", "7d", "8s", *hole)
        table.decide(1, "stand")
        table.draw(*(() if hole else ("Kc",)))
        assert table.result["seats"][0]["pair"] == pair


@pytest.mark.rule("DLX-22", "BJ-6")
def test_the_whole_result_as_published() -> None:
    table = dealt("deluxe", (5, 3), "8h", "Ah", "6d", "8s", "Kd", "7c")
    table.decide(3, "hit")
    table.draw("3d")
    table.decide(3, "stand")
    table.draw("4s")
    dealer = {"cards": ["6d", "7c", "4s"], "total": 17, "natural": False, "bust": False, "unseen": 0}
    stood_on = {"hand": 1, "cards": ["8h", "8s", "3d"], "total": 19, "soft": False, "how": "stand"}
    natural = {"hand": 1, "cards": ["Ah", "Kd"], "total": 21, "soft": True, "how": "natural"}
    won = {"outcome": "win", "odds": [1, 1], "units": 1, "pair": None}
    paid = {"outcome": "blackjack", "odds": [3, 2], "units": 1, "pair": None}
    assert table.result == {
        "shoe": 1,
        "round": 1,
        "dealer": dealer,
        "seats": [
            {
                "seat": 3,
                "pair": {"kind": "mixed", "odds": [5, 1]},
                "insurance": None,
                "hands": [stood_on | won],
            },
            {"seat": 5, "pair": None, "insurance": None, "hands": [natural | paid]},
        ],
    }


@pytest.mark.rule("KRF-9")
def test_korean_floor_lists_results_from_third_base() -> None:
    table = dealt("korean-floor", (1, 4, 6), "Th", "Tc", "Td", "7d", "8c", "8d", "8h", "Kc")
    for seat in (1, 4, 6):
        table.decide(seat, "stand")
    assert [seat["seat"] for seat in table.result["seats"]] == [6, 4, 1]
