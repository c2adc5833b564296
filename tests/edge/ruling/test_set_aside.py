"""Cards that wait: early ones, those drawn while the table is held, and the one that is not to be played."""

import pytest

from drivers import Signal
from edge.inputs import DeadlineName, DeadlinePassed, Patience, ShuffleBegan, ShuffleEnded
from edge.requests import InstallShoe
from tests.edge.ruling import playing
from tests.edge.ruling.playing import Table, asking, phase_now

UNDUE = "use_as_next or discard or retract or void_round or retire_shoe"


def patient() -> Table:
    """A table that waits for a command; seat 1 decides."""
    text = asking("sa-gaming")
    table = playing.ready("sa-gaming", text=text, patience=Patience(early_draw_ms=2000))
    assert table.open(1) == "done"
    table.draw("Th", "7d", "2c")
    table.told()
    return table


def passed(table: Table, number: int | None = None) -> list[str]:
    opened = table.state.deadlines[0].number if number is None else number
    table.hear(DeadlinePassed(name=DeadlineName.EARLY_DRAW, number=opened))
    return table.told()


def test_of_two_early_cards_the_first_is_irregular_and_the_second_waits_behind_it() -> None:
    table = patient()
    table.draw("5h", "6h")
    assert table.told() == ["4: parked, early", "5: parked, early"]
    assert passed(table) == [
        f"irregularity 1: unexpected_draw draw 4, {UNDUE}",
        "held: unexpected_draw",
    ]
    assert [each.why.value for each in table.state.parked] == ["irregular", "held"]
    assert table.resolve("discard") == "done"
    assert table.told()[1:] == ["4: discarded", "released: discard"]
    assert table.decide(1, "hit") == "done"
    assert table.told() == ["1/1 hit", "5: 1/1 6h = 18", "1/1 may HS on 18"]


def test_a_deadline_that_is_not_open_says_nothing() -> None:
    table = patient()
    assert passed(table, 9) == []
    table.draw("5h")
    assert table.decide(1, "hit") == "done"
    table.told()
    assert table.state.deadlines == ()
    assert passed(table, 1) == []


def test_the_card_that_is_not_to_be_played_may_come_while_the_table_is_held() -> None:
    table = patient()
    assert table.report("exposed_in_shoe") == "done"
    assert table.resolve("discard") == "done"
    table.signal(Signal.MOVED)
    table.told()
    table.draw("5h", "6h")
    assert table.told() == ["4: discarded", "5: parked, held"]


def test_the_card_that_is_not_to_be_played_may_come_where_none_is_due() -> None:
    table = patient()
    assert table.report("exposed_in_shoe") == "done"
    assert table.resolve("discard") == "done"
    table.told()
    table.draw("5h")
    assert table.told() == ["4: discarded"]
    assert phase_now(table) == "decision"


def test_a_foreign_card_of_another_shoe_is_told_though_the_table_is_held() -> None:
    table = patient()
    table.signal(Signal.MOVED)
    table.told()
    table.draw("5h", device="shoe-b", foreign=True)
    assert table.told()[1] == "irregularity 2: foreign_card, void_round or retire_shoe"


def test_a_dealer_who_draws_after_the_seats_gets_a_card_when_a_seat_asks() -> None:
    table = playing.ready("ho-tram-strip", text=asking("ho-tram-strip"))
    assert table.open(1, 2) == "done"
    table.draw("Th", "5h", "7d", "2c")
    assert table.report("dealer_skipped") == "done"
    assert table.resolve("accept") == "done"
    assert table.decide(1, "stand") == "done"
    assert table.report("dealer_skipped") == "done"
    table.told()
    assert table.resolve("deal_missing") == "done"
    assert phase_now(table) == "card_due"
    table.draw("9s")
    assert "dealer 9s = 9" in table.told()[-2]


@pytest.mark.parametrize(("short", "code"), [(0, "done"), (1, "latched")])
def test_a_shoe_comes_only_from_a_shuffle_of_whole_decks(short: int, code: str) -> None:
    table = Table()
    at = playing.AT
    table.hear(ShuffleBegan(device="shuffler", position=at, decks=8))
    counts = (8 - short, *(8,) * 51)
    table.hear(ShuffleEnded(device="shuffler", position=at, cards=sum(counts), counts=counts))
    assert table.ask(InstallShoe(decks=8, shuffle=1)).code == code


def test_a_shoe_comes_only_from_a_shuffle_of_its_own_decks() -> None:
    table = Table()
    table.hear(ShuffleBegan(device="shuffler", position=playing.AT, decks=6))
    table.hear(ShuffleEnded(device="shuffler", position=playing.AT, cards=312, counts=(6,) * 52))
    assert table.ask(InstallShoe(decks=8, shuffle=1)).code == "bad_shuffle"
