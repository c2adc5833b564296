"""The hold: what is irregular, what it allows, what happens meanwhile and how it ends.

At a house that asks about everything, so that nothing is resolved by itself.
"""

from collections.abc import Callable

import pytest

from drivers import Signal
from edge.events import IrregularityRaised
from edge.inputs import Operator, ShuffleEnded
from edge.irregular import Kind
from edge.requests import ClearFault
from firmware_protocols import Card
from tests.edge.ruling import playing
from tests.edge.ruling.playing import as_published, asking, phase_now, sealed, shown

EIGHT = ("9h",) * 8
ENDS = "void_round or retire_shoe"
UNDUE = f"use_as_next or discard or retract or {ENDS}"
UNREAD = f"enter or discard or retract or {ENDS}"


def Table() -> playing.Table:  # noqa: N802 - the table of these tests
    """Nothing is in yet."""
    return playing.Table(text=asking("deluxe"))


def ready() -> playing.Table:
    """Burned, and no round open."""
    return playing.ready(text=asking("deluxe"))


def dealt(*codes: str, operators: tuple[Operator, ...] | None = None) -> playing.Table:
    """A round of one seat with these cards drawn; nothing told yet of what the last one caused."""
    return playing.dealt("deluxe", (1,), *codes, text=asking("deluxe"), operators=operators)


def in_a_round() -> playing.Table:
    """Two seats; the next card is the dealer's first."""
    table = ready()
    table.open(1, 2)
    table.draw("Tc", "5h")
    table.told()
    return table


def raised(table: playing.Table) -> IrregularityRaised:
    return next(event for event in reversed(table.events) if isinstance(event, IrregularityRaised))


# -- what is irregular --------------------------------------------------------------------------------


@pytest.mark.rule("BJ-13", "DLX-32")
def test_a_draw_when_none_is_due() -> None:
    table = dealt("Tc", "7d", "8h", "Kc")
    table.told()
    table.draw("3h")
    assert table.told() == [
        "7: parked, irregular",
        f"irregularity 1: unexpected_draw draw 7, {UNDUE}",
        "held: unexpected_draw",
    ]
    assert as_published(raised(table)) == {
        "shoe": 1,
        "round": 1,
        "id": 1,
        "kind": "unexpected_draw",
        "stage": "play",
        "seen": "A card was drawn when none was due here.",
        "device": "shoe",
        "draw": 7,
        "seal": sealed(7, "3h"),
        "allowed": ["use_as_next", "discard", "retract", "void_round", "retire_shoe"],
        "house": "ask",
    }


def test_an_unread_card() -> None:
    table = in_a_round()
    table.draw(None)
    assert table.told() == [
        "5: parked, irregular",
        f"irregularity 1: unread_card draw 5, {UNREAD}",
        "held: unread_card",
    ]
    assert raised(table).seal is None


@pytest.mark.parametrize("code", ["9h", None])
def test_a_card_whose_authenticity_failed(code: str | None) -> None:
    table = in_a_round()
    table.draw(code, foreign=True)
    assert table.told() == [
        "5: parked, irregular",
        f"irregularity 1: foreign_card draw 5, {ENDS}",
        "held: foreign_card",
    ]
    undue = ready()
    undue.draw(code, foreign=True)
    assert undue.told() == [
        "3: parked, irregular",
        "irregularity 1: foreign_card draw 3, retire_shoe",
        "held: foreign_card",
    ]


@pytest.mark.rule("DLX-2")
def test_the_ninth_copy_of_a_face_up_card_at_once() -> None:
    table = ready()
    table.open(1, 2, 3, 4, 5, 6, 7)
    table.draw("9h", "9h", "9h", "9h", "9h", "9h", "9h", "9h")
    assert phase_now(table) == "card_due"
    table.told()
    table.draw("9h")
    assert table.told() == [
        "11: parked, irregular",
        f"irregularity 1: foreign_card draw 11, {ENDS}",
        "held: foreign_card",
    ]


@pytest.mark.rule("DLX-2", "DLX-6")
def test_the_ninth_copy_face_down_is_told_when_it_is_turned_and_not_before() -> None:
    table = ready()
    table.open(1, 2, 3, 4, 5, 6, 7)
    table.draw(*EIGHT, *(["Tc"] * 7))
    table.told()
    table.draw("9h")
    assert table.told() == ["18: dealer down", "1/1 may HSDR on 19"]
    for seat in range(1, 7):
        table.decide(seat, "stand")
    table.told()
    table.decide(7, "stand")
    assert table.told() == [
        "7/1 stand",
        "7/1 done: 19 stand",
        "18: turned 9h",
        f"irregularity 1: foreign_card draw 18, {ENDS}",
        "held: foreign_card",
    ]
    assert table.void() == "done"
    assert table.told()[-2:] == ["round 1 voided by ada (spilled drink)", "released: void_round"]


@pytest.mark.rule("DLX-2", "DLX-6", "DLX-8")
def test_a_ninth_copy_that_makes_the_dealers_natural_has_no_result() -> None:
    table = ready()
    table.open(1, 2, 3, 4, 5, 6, 7)
    table.draw(*(["Kh"] * 7), "Ad", "Kh", *(["Tc"] * 6))
    table.draw("Kh")
    table.told()
    table.insure()
    assert table.told() == [
        "insured -",
        "peek: natural",
        "18: turned Kh",
        f"irregularity 1: foreign_card draw 18, {ENDS}",
        "held: foreign_card",
    ]
    assert table.retire() == "done"
    assert table.told()[-1] == "released: retire_shoe"


@pytest.mark.rule("DLX-2", "DLX-4")
def test_a_burned_card_is_never_counted_among_those_seen() -> None:
    table = Table()
    table.install(8)
    table.draw("9h", *(["9h"] * 9))
    assert table.told()[-1] == "ready: 9 burned, 406 remain"
    table.open(1, 2, 3, 4, 5, 6, 7)
    table.draw(*(["9h"] * 7))
    assert phase_now(table) == "card_due"
    table.draw("9h")
    assert phase_now(table) == "held"


def test_the_same_card_read_again_when_the_first_reading_was_good() -> None:
    table = in_a_round()
    table.reread("5h")
    assert table.told() == [f"irregularity 1: repeated_card draw 4, {ENDS}", "held: repeated_card"]


def test_a_card_read_again_at_the_wrong_shoe_or_without_one() -> None:
    table = in_a_round()
    table.draw(None)
    table.told()
    table.reread("5h", device="shoe-b")
    assert table.told() == [f"irregularity 2: repeated_card, {ENDS}"]
    bare = Table()
    bare.reread("5h")
    assert bare.told() == ["irregularity 1: repeated_card, accept", "held: repeated_card"]


@pytest.mark.parametrize(
    ("signal", "kind", "fits"),
    [
        (Signal.PUSHED_BACK, "pushed_back", "accept or retract"),
        (Signal.OVERDRAW, "double_draw", "accept"),
        (Signal.LID_OPENED, "lid_opened", "accept"),
        (Signal.MOVED, "shoe_moved", "accept"),
    ],
)
def test_what_the_shoe_signals_while_it_is_in_play(signal: Signal, kind: str, fits: str) -> None:
    for table, ends in ((in_a_round(), ENDS), (ready(), "retire_shoe")):
        table.signal(signal)
        assert table.told() == [f"irregularity 1: {kind}, {fits} or {ends}", f"held: {kind}"]
        assert table.signal(signal).events == (raised(table),)
        assert len(table.state.irregularities) == 2


@pytest.mark.parametrize("signal", [each for each in Signal if each is not Signal.JAM])
def test_what_a_shoe_signals_that_is_not_in_play(signal: Signal) -> None:
    for table, device in ((Table(), "shoe"), (in_a_round(), "shoe-b")):
        before = table.state
        table.signal(signal, device)
        assert table.told() == []
        assert table.state == before


def test_a_jam_latches_and_holds_nothing_in_progress() -> None:
    for table, device in ((Table(), "shoe"), (in_a_round(), "shoe-b")):
        before = phase_now(table)
        table.signal(Signal.JAM, device)
        assert table.told() == ["shuffle.failed", "irregularity 1: shuffle_failed, clear"]
        assert phase_now(table) == before


def test_a_lid_that_closes_is_recorded_only() -> None:
    table = in_a_round()
    table.signal(Signal.LID_CLOSED)
    assert table.told() == []


def test_a_gap_in_the_numbering_of_the_shoe_in_play() -> None:
    table = in_a_round()
    table.miss("shoe-b")
    assert table.told() == []
    table.miss()
    assert table.told() == [f"irregularity 1: scan_gap, confirm or {ENDS}", "held: scan_gap"]
    bare = Table()
    bare.miss()
    assert bare.told() == []


def test_an_empty_shoe_matters_once_a_card_is_due() -> None:
    table = in_a_round()
    table.signal(Signal.EMPTY)
    assert table.told() == [f"irregularity 1: shoe_empty, {ENDS}", "held: shoe_empty"]
    between = ready()
    between.signal(Signal.EMPTY)
    assert between.told() == []
    assert between.open(1) == "shoe_not_ready"
    assert between.told() == []
    decision = dealt("Tc", "7d", "8h", "Kc")
    decision.told()
    decision.signal(Signal.EMPTY)
    assert decision.told() == []
    decision.decide(1, "stand")
    assert decision.told()[-1] == "round.closed"


@pytest.mark.rule("DLX-4")
@pytest.mark.parametrize("drawn", [(), ("5c",), ("5c", "2d")], ids=len)
def test_an_empty_shoe_that_is_not_burned_yet(drawn: tuple[str, ...]) -> None:
    table = Table()
    table.install(8)
    table.draw(*drawn)
    table.told()
    table.signal(Signal.EMPTY)
    assert table.told() == ["irregularity 1: shoe_empty, retire_shoe", "held: shoe_empty"]


def test_a_shoe_counted_out_with_cards_still_due() -> None:
    text = 'name = "mine"\ndecks = 1\ndouble_after_split = true\n[burn]\nby = "fixed"\ncards = 49\n'
    text += '[dealer]\nhole_card = false\n[split]\nby = "rank"\n[pair_bet]\nkinds = "none"\n'
    table = playing.Table(text=text)
    table.install(1)
    table.draw(*(["2c"] * 49))
    table.open(1)
    table.draw("Tc", "7d", "6h")
    table.told()
    table.decide(1, "hit")
    assert table.told() == ["1/1 hit", f"irregularity 1: shoe_empty, {ENDS}", "held: shoe_empty"]
    table.draw("9c")
    table.void()
    assert table.told()[-2:] == ["round 1 voided by ada (spilled drink), parked 53", "released: void_round"]
    table.retire()
    assert table.told() == ["shoe 1 closed: retired, 53 dealt, 0 remain"]


# -- while the table is held --------------------------------------------------------------------------


@pytest.mark.rule("DLX-32")
def test_draws_are_counted_and_parked_and_nothing_is_decided() -> None:
    table = dealt("Tc", "Ad", "8h", "9c")
    table.signal(Signal.MOVED)
    table.told()
    assert table.insure() == "held"
    assert table.decide(1, "stand") == "held"
    assert table.decide(9, "stand") == "held"
    assert table.time_out(1) == "held"
    assert table.open(1) == "held"
    assert table.install(8) == "shoe_in"
    table.draw("3h", None, "4h")
    assert table.told() == ["7: parked, held", "8: parked, held", "9: parked, held"]
    assert table.state.shoe is not None
    assert (table.state.shoe.drawn, table.state.shoe.remaining) == (9, 407)
    assert [each.draw for each in table.state.parked] == [7, 8, 9]
    table.void()
    assert table.told() == [
        "irregularity 1 resolved: void_round by ada (spilled drink)",
        "round 1 voided by ada (spilled drink), parked 7,8,9",
        "released: void_round",
    ]


def test_a_foreign_card_is_told_though_the_table_is_held() -> None:
    table = in_a_round()
    table.signal(Signal.MOVED)
    table.told()
    table.draw("3h", foreign=True)
    assert table.told() == ["5: parked, irregular", f"irregularity 2: foreign_card draw 5, {ENDS}"]


def test_a_cut_card_while_held_still_makes_the_round_the_last() -> None:
    table = in_a_round()
    table.signal(Signal.MOVED)
    table.draw("cut")
    table.told()
    table.void()
    assert table.told()[-2:] == [
        "shoe 1 closed: cut_card, 4 dealt, 412 remain",
        "released: void_round",
    ]


def test_a_cut_card_while_held_without_a_shoe() -> None:
    table = Table()
    table.draw("3h")
    table.told()
    table.draw("cut")
    assert table.told() == ["irregularity 2: unexpected_draw, discard"]


def test_only_the_first_irregularity_says_held() -> None:
    table = in_a_round()
    table.signal(Signal.MOVED)
    table.miss()
    assert table.told() == [
        f"irregularity 1: shoe_moved, accept or {ENDS}",
        "held: shoe_moved",
        f"irregularity 2: scan_gap, confirm or {ENDS}",
    ]
    table.void()
    assert table.told() == [
        "irregularity 1 resolved: void_round by ada (spilled drink)",
        "irregularity 2 resolved: void_round by ada (spilled drink)",
        "round 1 voided by ada (spilled drink)",
        "released: void_round",
    ]
    table.open(1)
    table.signal(Signal.MOVED)
    assert table.told()[1] == f"irregularity 3: shoe_moved, accept or {ENDS}"


# -- how it ends --------------------------------------------------------------------------------------


@pytest.mark.rule("DLX-32")
def test_after_a_void_round_play_goes_on_with_the_cards_counted() -> None:
    table = in_a_round()
    table.draw(None, "3h")
    assert table.void() == "done"
    table.told()
    assert phase_now(table) == "ready"
    assert table.open(4) == "done"
    table.draw("Tc", "7d", "8h", "Kc")
    assert table.told() == [
        "round 2: 4",
        "7: 4/1 Tc = 10",
        "8: dealer 7d = 7",
        "9: 4/1 8h = 18",
        "10: dealer down",
        "4/1 may HSDR on 18",
    ]
    table.decide(4, "stand")
    assert table.told()[2] == "10: turned Kc"


@pytest.mark.rule("DLX-32")
def test_after_a_retired_shoe_the_next_one_comes_in() -> None:
    table = in_a_round()
    table.draw(None, "3h")
    table.told()
    assert table.retire() == "done"
    assert table.told() == [
        "irregularity 1 resolved: retire_shoe by ada (worn cards)",
        "round 1 voided by ada (worn cards), parked 5,6",
        "shoe 1 closed: retired, 6 dealt, 410 remain",
        "released: retire_shoe",
    ]
    assert table.state.parked == ()
    assert table.install(8) == "done"


@pytest.mark.rule("DLX-32")
def test_a_round_may_be_voided_and_a_shoe_retired_though_nothing_is_irregular() -> None:
    table = in_a_round()
    assert table.void() == "done"
    assert table.told() == ["round 1 voided by ada (spilled drink)"]
    assert table.void() == "no_round"
    assert table.retire() == "done"
    assert table.told() == ["shoe 1 closed: retired, 4 dealt, 412 remain"]
    assert table.retire() == "no_shoe"


@pytest.mark.rule("DLX-32")
def test_a_round_that_is_over_is_never_voided() -> None:
    table = ready()
    assert table.void() == "no_round"
    table.signal(Signal.MOVED)
    assert table.void() == "no_round"
    assert phase_now(table) == "held"


@pytest.mark.rule("DLX-32")
def test_without_a_shoe_retiring_it_ends_the_hold() -> None:
    table = Table()
    table.draw("3h", "4h")
    assert table.told() == [
        "no number: parked, irregular",
        "irregularity 1: unexpected_draw, discard",
        "held: unexpected_draw",
        "no number: parked, held",
    ]
    assert table.install(8) == "held"
    assert table.retire() == "done"
    assert table.told() == [
        "irregularity 1 resolved: retire_shoe by ada (worn cards)",
        "released: retire_shoe",
    ]
    assert table.state.parked == ()
    assert table.install(8) == "done"
    table.draw("Ac")
    assert table.told()[-1] == "1: first card Ac, burn 1"


def _phase(name: str) -> playing.Table:
    tables: dict[str, Callable[[], playing.Table]] = {
        "opening": Table,
        "burning": Table,
        "ready": ready,
        "card_due": in_a_round,
        "insurance": lambda: dealt("Tc", "Ad", "8h", "9c"),
        "decision": lambda: dealt("Tc", "7d", "8h", "9c"),
    }
    table = tables[name]()
    if name in {"opening", "burning"}:
        table.install(8)
    if name == "burning":
        table.draw("5c", "2d")
    table.told()
    assert phase_now(table) == name
    return table


PHASES = ["opening", "burning", "ready", "card_due", "insurance", "decision"]


@pytest.mark.rule("DLX-32")
@pytest.mark.parametrize("held", [False, True], ids=["free", "held"])
@pytest.mark.parametrize("name", PHASES)
def test_retiring_ends_every_phase(name: str, held: bool) -> None:  # noqa: FBT001 - a parameter of the test
    table = _phase(name)
    if held:
        table.signal(Signal.LID_OPENED)
        table.told()
    in_round = name in {"card_due", "insurance", "decision"}
    assert table.retire() == "done"
    lines = table.told()
    expected = ["irregularity 1 resolved: retire_shoe by ada (worn cards)"] * held
    expected += ["round 1 voided by ada (worn cards)"] * in_round
    assert lines[: len(expected)] == expected
    assert lines[len(expected)].startswith("shoe 1 closed: retired")
    assert lines[len(expected) + 1 :] == ["released: retire_shoe"] * held
    assert phase_now(table) == "no_shoe"
    assert table.install(8) == "done"


@pytest.mark.rule("DLX-32")
@pytest.mark.parametrize("held", [False, True], ids=["free", "held"])
@pytest.mark.parametrize("name", PHASES)
def test_voiding_ends_every_phase_of_a_round_and_no_other(name: str, held: bool) -> None:  # noqa: FBT001
    table = _phase(name)
    if held:
        table.signal(Signal.LID_OPENED)
        table.told()
    if name not in {"card_due", "insurance", "decision"}:
        assert table.void() == "no_round"
        assert table.told() == []
        return
    assert table.void() == "done"
    lines = table.told()
    assert lines == [
        *["irregularity 1 resolved: void_round by ada (spilled drink)"] * held,
        "round 1 voided by ada (spilled drink)",
        *["released: void_round"] * held,
    ]
    assert phase_now(table) == "ready"
    assert table.open(1) == "done"


# -- unread, then read again --------------------------------------------------------------------------


@pytest.mark.rule("DLX-32")
def test_an_unread_card_that_is_read_again_is_dealt_on() -> None:
    table = in_a_round()
    table.draw(None)
    table.told()
    assert table.decide(2, "stand") == "held"
    table.reread("7d")
    assert table.told() == [
        "irregularity 1 resolved: reread",
        "released: reread",
        "5: dealer 7d = 7",
    ]
    assert table.state.parked == ()
    assert phase_now(table) == "card_due"
    table.draw("6c", "6h", "Kc")
    assert table.told()[-1] == "1/1 may HSDR on 16"


def test_an_unread_first_card_and_burned_card_read_again() -> None:
    table = Table()
    table.install(8)
    table.draw(None)
    table.told()
    table.reread("2c")
    assert table.told()[2:] == ["1: first card 2c, burn 2"]
    table.draw(None)
    table.told()
    table.reread("9h")
    assert table.told()[2:] == ["2: burned"]
    table.draw("3h")
    assert table.told() == ["3: burned", "ready: 2 burned, 413 remain"]


@pytest.mark.rule("DLX-6")
def test_an_unread_hole_card_read_again_stays_face_down_under_the_first_nonce() -> None:
    table = ready()
    table.open(1)
    table.draw("Tc", "7d", "8h", None)
    table.told()
    table.reread("9s")
    assert table.told()[2:] == ["6: dealer down", "1/1 may HSDR on 18"]
    hole = as_published(next(event for event in table.events if as_published(event).get("face") == "down"))
    assert hole["seal"] == sealed(6, "9s")
    assert "9s" not in shown(table)


def test_a_card_that_cannot_be_read_twice_is_still_the_same_unread_card() -> None:
    table = in_a_round()
    table.draw(None)
    table.told()
    table.reread(None)
    assert table.told() == []
    table.reread("7d")
    assert table.told() == ["irregularity 1 resolved: reread", "released: reread", "5: dealer 7d = 7"]


def test_a_second_good_reading_is_a_repeat() -> None:
    table = in_a_round()
    table.draw(None)
    table.reread("7d")
    table.told()
    table.reread("7d")
    assert table.told() == [f"irregularity 2: repeated_card draw 5, {ENDS}", "held: repeated_card"]


def test_a_card_read_again_after_more_were_drawn_is_the_last_of_them() -> None:
    table = in_a_round()
    table.draw(None, "3h")
    table.told()
    table.reread("3h")
    assert table.told() == [f"irregularity 2: repeated_card draw 6, {ENDS}"]


def test_an_unread_card_among_the_parked_is_mended_in_silence() -> None:
    table = in_a_round()
    table.signal(Signal.MOVED)
    table.draw(None)
    table.told()
    table.reread("3h")
    assert table.told() == []
    assert table.state.shoe is not None
    assert table.state.shoe.concealed[-1].card is not None
    table.reread("3h")
    assert table.told() == [f"irregularity 2: repeated_card draw 5, {ENDS}"]


def test_with_another_irregularity_open_a_good_second_reading_deals_nothing() -> None:
    table = in_a_round()
    table.draw(None)
    table.signal(Signal.MOVED)
    table.told()
    table.reread("7d")
    assert table.told() == []
    assert [each.kind for each in table.state.irregularities] == [Kind.UNREAD_CARD, Kind.SHOE_MOVED]
    table.void()
    assert table.told()[-1] == "released: void_round"


@pytest.mark.rule("DLX-2")
def test_a_second_reading_may_find_a_foreign_card() -> None:
    table = ready()
    table.open(1, 2, 3, 4, 5, 6, 7)
    table.draw(*EIGHT, None)
    table.told()
    table.reread("9h")
    assert table.told() == [f"irregularity 2: foreign_card draw 11, {ENDS}"]
    assert raised(table).seal == sealed(11, "9h")
    for code in ("7d", None):
        other = in_a_round()
        other.draw(None)
        other.told()
        other.reread(code, foreign=True)
        assert other.told() == [f"irregularity 2: foreign_card draw 5, {ENDS}"]


def test_a_second_reading_waits_while_something_follows_by_itself() -> None:
    table = dealt("2d", "6d", "Ts", "Kc")
    assert table.decide(1, "double") == "done"
    table.draw("9d", None)  # the hand is over, the hole card turned, the dealer's draw unread
    assert table.report("misread_card", draw=7, card=Card.parse("8d")) == "done"
    assert table.resolve("correct", id=2) == "done"
    table.told()
    table.reread("5h")
    told = table.told()
    assert told[:4] == [
        "irregularity 1 resolved: reread",
        "released: reread",
        "1/1 done: 20 double",
        "8: dealer 5h = 21",
    ]


# -- who may sign -------------------------------------------------------------------------------------

STAFF = (Operator(name="ada"), Operator(name="bob", roles=("technician",)), Operator(name="eve", roles=()))


@pytest.mark.rule("DLX-32")
@pytest.mark.parametrize("operator", ["bob", "eve", "mallory", "", "Ada"])
def test_only_a_configured_supervisor_may_void_or_retire(operator: str) -> None:
    table = dealt("Tc", operators=STAFF)
    table.told()
    assert table.void(operator) == "not_allowed"
    assert table.retire(operator) == "not_allowed"
    assert table.told() == []
    assert table.void("ada") == "done"
    assert table.retire("ada") == "done"


def test_with_nobody_configured_nobody_may_sign() -> None:
    table = dealt("Tc", operators=())
    assert table.void("ada") == "not_allowed"


CHIEF = Operator(name="eva", roles=("manager",))
BOTH = Operator(name="max", roles=("supervisor", "manager"))
MANAGED = '[irregularities]\nshuffle_failed = { role = "manager" }\npushed_back = { role = "manager" }\n'


def test_a_kind_with_a_role_of_its_own_is_decided_and_cleared_by_whoever_has_it() -> None:
    table = playing.Table(text=f"{asking('deluxe')}{MANAGED}", operators=(*STAFF, CHIEF, BOTH))
    table.signal(Signal.JAM)
    assert table.told()[-1].startswith("irregularity 1: shuffle_failed")
    assert [table.ask(ClearFault(operator=name, reason="r")).code for name in ("ada", "bob")] == [
        "not_allowed",
        "not_allowed",
    ]
    assert table.resolve("clear", operator="ada") == "not_allowed"
    assert table.ask(ClearFault(operator="eva", reason="r", id=1)).code == "done"
    assert table.ask(ClearFault(operator="ada", reason="r")).code == "nothing_latched"


def test_clearing_everything_takes_the_role_of_each() -> None:
    table = playing.Table(text=f"{asking('deluxe')}{MANAGED}", operators=(*STAFF, CHIEF, BOTH))
    table.signal(Signal.JAM)
    table.hear(ShuffleEnded(device="shuffler", position=None, cards=1, counts=(0,) * 52))
    assert [each.kind for each in table.state.latches] == [Kind.SHUFFLE_FAILED, Kind.COUNT_MISMATCH]
    assert [table.ask(ClearFault(operator=name, reason="r")).code for name in ("ada", "eva", "max")] == [
        "not_allowed",
        "not_allowed",
        "done",
    ]
    assert table.state.latches == ()
