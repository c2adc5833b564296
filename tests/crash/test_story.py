"""The checker itself: each kind of breach, put into witnesses that agreed before, is named."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from drivers import Position
from edge.events import (
    CardBurned,
    CardDealt,
    CardParked,
    Face,
    IrregularityRaised,
    RoundVoided,
    ShoeClosed,
    ShoeInstalled,
    Why,
)
from edge.inputs import CardDrawn, DeviceEventsMissed, Input
from edge.irregular import Kind, Resolution, Stage
from edge.journal import Record
from edge.notes import Ruled
from firmware_protocols import Card, FaceDownCard
from tests.crash.story import (
    Numbered,
    Truth,
    each_in_its_place,
    each_parked_card_ends,
    heard_as_it_left,
    repeated_unchanged,
    taken_as_published,
)

CARDS = ("As", "Kd", "9h", "9h", "2c", "3c")
OLD, NEW = 7, 8


def numbered(*places: tuple[int, int, str]) -> Truth:
    return Truth(
        numbered=tuple(Numbered(boot=boot, number=number, what=what) for boot, number, what in places),
        boots=(OLD, NEW),
    )


LEFT = numbered(
    (OLD, 1, "As"), (OLD, 2, "Kd"), (OLD, 3, "9h"), (NEW, 1, "9h"), (NEW, 2, "2c"), (NEW, 3, "3c")
)


def card(boot: int, number: int, what: str) -> CardDrawn:
    return CardDrawn(
        device="shoe",
        position=Position(boot=boot, number=number),
        device_ms=1,
        card=FaceDownCard(Card(what)),
        nonce="00" * 16,
    )


GAP = DeviceEventsMissed(device="shoe", boot=OLD, first=3, last=None, position=Position(boot=NEW, number=0))
HEARD: tuple[Input, ...] = (
    card(OLD, 1, "As"),
    card(OLD, 2, "Kd"),
    GAP,
    card(NEW, 1, "9h"),
    card(NEW, 2, "2c"),
    card(NEW, 3, "3c"),
)


def record(number: int, heard: Input, *ruled: Ruled) -> Record:
    return Record(
        number=number,
        at_ms=0,
        wall_ms=0,
        boot="",
        ruling="",
        input=heard,
        ruled=ruled,
        sequences=(),
        last_sequence=0,
    )


def faults(*heard: Input) -> list[str]:
    return heard_as_it_left(LEFT, [record(number, each) for number, each in enumerate(heard, start=1)])[0]


def test_what_was_cut_off_with_a_gap_for_it_is_no_fault() -> None:
    found, lost = heard_as_it_left(LEFT, [record(number, each) for number, each in enumerate(HEARD)])
    assert (found, lost) == ([], 1)


@pytest.mark.parametrize(
    ("breach", "named"),
    [
        (lambda heard: heard[:1] + heard[2:], "begins only at 3"),
        (lambda heard: heard[:2] + heard[3:], "no gap is reported"),
        (lambda heard: heard[:3] + heard[4:], "though the shoe remembers it"),
        (lambda heard: (*heard[:4], *heard[5:]), "no gap is reported"),
        (lambda heard: heard[:-1], "no gap is reported at the end"),
        (lambda heard: (*heard[:2], heard[1], *heard[2:]), "out of order"),
        (lambda heard: (heard[1], heard[0], *heard[2:]), "no gap is reported"),
        (lambda heard: (*heard[:5], card(NEW, 3, "4c")), "another card"),
        (lambda heard: (*heard, card(NEW, 4, "4c")), "never was"),
    ],
)
def test_what_was_lost_doubled_or_changed_is_named(
    breach: Callable[[tuple[Input, ...]], tuple[Input, ...]], named: str
) -> None:
    assert any(named in fault for fault in faults(*breach(HEARD))), faults(*breach(HEARD))


INSTALLED = ShoeInstalled(shoe=1, number=1, decks=8, cards_expected=416)


def burned(draw: int) -> CardBurned:
    return CardBurned(shoe=1, draw=draw, seal="0" * 64)


def dealt(draw: int) -> CardDealt:
    return CardDealt(shoe=1, round=1, draw=draw, to="dealer", position=1, face=Face.UP, card=Card("As"))


RAISED = IrregularityRaised(
    shoe=1,
    id=1,
    kind=Kind.SCAN_GAP,
    stage=Stage.BETWEEN,
    seen="?",
    device="shoe",
    allowed=(Resolution.RETIRE_SHOE,),
    house="ask",
)


@pytest.mark.parametrize(
    ("ruled", "named"),
    [
        ([(burned(1),), (dealt(2),)], None),
        ([(burned(1),), (CardParked(draw=2, device="shoe", why=Why.HELD),)], None),
        ([(burned(1),), ()], "0 places"),
        ([(burned(1),), (burned(2), dealt(2))], "2 places"),
        ([(burned(1),), (dealt(3),)], "after 1"),
        ([(burned(1),), (dealt(1),)], "after 1"),
    ],
)
def test_a_card_without_its_one_place_is_named(ruled: list[tuple[Ruled, ...]], named: str | None) -> None:
    records = [record(1, GAP, INSTALLED)]  # any input will do to install it
    records += [record(2 + n, card(NEW, n + 1, "As"), *each) for n, each in enumerate(ruled)]
    found = each_in_its_place(records)
    assert (found == []) if named is None else any(named in fault for fault in found), found


def parked(draw: int) -> CardParked:
    return CardParked(draw=draw, device="shoe", why=Why.HELD)


CLOSED = ShoeClosed(shoe=1, reason="retired", dealt=2, remaining=414)


@pytest.mark.parametrize(
    ("ruled", "named"),
    [
        ([(parked(1),), (dealt(2), dealt(1))], None),
        ([(parked(1),), (parked(2), RoundVoided(shoe=1, round=1, reason="?", parked=(1, 2)))], None),
        ([(parked(1),), (CLOSED,)], None),
        ([(parked(1),), (dealt(2),)], "Draw 1 was set aside, and that was the end of it"),
        ([(parked(1),), (dealt(2), dealt(1), dealt(1))], "Record 3 deals draw 1, which nobody drew"),
    ],
)
def test_a_parked_card_that_never_ends_or_comes_twice_is_named(
    ruled: list[tuple[Ruled, ...]], named: str | None
) -> None:
    found = each_parked_card_ends(
        [record(2 + n, card(NEW, n + 1, "As"), *each) for n, each in enumerate(ruled)]
    )
    assert found == ([] if named is None else [named])


def test_a_gap_that_was_not_raised_or_not_resolved_is_named() -> None:
    installed = record(1, card(OLD, 1, "As"), INSTALLED, CardParked(device="shoe", why=Why.HELD))
    assert "raises 0 with shoe 1" in each_in_its_place([installed, record(2, GAP)])[0]
    assert "never resolved" in each_in_its_place([installed, record(2, GAP, RAISED)])[0]


def test_a_consumer_that_was_told_otherwise_is_named() -> None:
    raw = [b'{"journal": "j", "sequence": "%d", "prevhash": "", "type": "x", "data": {}}' % n for n in (1, 2)]
    assert "part after 1" in taken_as_published(raw, raw[:1])[0]
    assert "part after 0" in taken_as_published(raw, [raw[1], raw[0]])[0]
    assert repeated_unchanged(raw, [*raw, raw[0]]) == []
    assert "other bytes" in repeated_unchanged(raw, [raw[0].replace(b"x", b"y")])[0]


def test_a_boot_that_was_never_reported_is_named() -> None:
    never_seen = replace(LEFT, boots=(OLD, NEW, 9))
    left_over = (*never_seen.numbered, Numbered(boot=9, number=1, what="4c"))
    found, _ = heard_as_it_left(
        replace(never_seen, numbered=left_over), [record(n, each) for n, each in enumerate(HEARD)]
    )
    assert "no gap is reported at the end" in found[0]
