"""Every report becomes one input, and nothing of it is lost."""

from typing import get_args

import pytest

from drivers import (
    Absence,
    CardPassed,
    CardsReturned,
    CommandAnswered,
    CommandOutcome,
    CutCardPassed,
    DamagedCardSeen,
    DeviceConnected,
    DeviceDisconnected,
    DeviceSignalled,
    EventsMissed,
    FaultGone,
    FaultSeen,
    ForeignCardPassed,
    KeyPressed,
    Position,
    Report,
    ShuffleBegan,
    ShuffleEnded,
    ShuffleProgressed,
    Signal,
    UnknownReported,
)
from edge import inputs
from edge.hearing import heard, position_of
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DealerKey,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceFaultGone,
    DeviceFaultSeen,
    DeviceSpokeUnknown,
    DeviceWentOffline,
    Input,
    OrderAnswered,
    ShoeSignalled,
)
from firmware_protocols import Card, FaceDownCard

AT = Position(boot=9, number=4)
CARD = FaceDownCard(Card.AS)
NONCE = "ab" * 16

PAIRS: list[tuple[Report, Input | None]] = [
    (
        CardPassed(device="shoe", position=AT, device_ms=5, card=CARD, reread=False),
        CardDrawn(device="shoe", position=AT, device_ms=5, card=CARD, nonce=NONCE),
    ),
    (
        CardPassed(
            device="shoe", position=AT, device_ms=5, card=CARD, reread=False, exposed=True, serial="0017"
        ),
        CardDrawn(
            device="shoe", position=AT, device_ms=5, card=CARD, exposed=True, serial="0017", nonce=NONCE
        ),
    ),
    (
        CardPassed(device="shoe", position=AT, device_ms=5, card=None, reread=True),
        CardDrawn(device="shoe", position=AT, device_ms=5, card=None, reread=True, nonce=NONCE),
    ),
    (
        ForeignCardPassed(device="shoe", position=AT, device_ms=5, card=CARD),
        CardDrawn(device="shoe", position=AT, device_ms=5, card=CARD, foreign=True, nonce=NONCE),
    ),
    (
        CutCardPassed(device="shoe", position=AT, device_ms=5),
        CutCardDrawn(device="shoe", position=AT, device_ms=5),
    ),
    (
        DeviceSignalled(device="shoe", position=AT, device_ms=5, signal=Signal.MOVED),
        ShoeSignalled(device="shoe", position=AT, signal=Signal.MOVED),
    ),
    (
        KeyPressed(device="shoe", position=AT, device_ms=5, key=3),
        DeviceSpokeUnknown(device="shoe", position=AT, code=9, body="03"),
    ),
    (
        KeyPressed(device="shoe", position=AT, device_ms=5, key=4),
        inputs.KeyPressed(device="shoe", position=AT, key=DealerKey.STAND),
    ),
    (
        UnknownReported(device="shoe", position=AT, device_ms=5, code=0x77, body=b"\x01\x02"),
        DeviceSpokeUnknown(device="shoe", position=AT, code=0x77, body="0102"),
    ),
    (
        FaultSeen(device="shoe", position=AT, device_ms=5, code=2),
        DeviceFaultSeen(device="shoe", position=AT, code=2),
    ),
    (
        FaultGone(device="shoe", position=AT, device_ms=5, code=2),
        DeviceFaultGone(device="shoe", position=AT, code=2),
    ),
    (
        EventsMissed(device="shoe", boot=8, first=3, last=None, position=AT),
        DeviceEventsMissed(device="shoe", boot=8, first=3, last=None, position=AT),
    ),
    (
        DeviceConnected(device="shoe", kind="shoe", serial="TE-1", firmware="1.4.2", position=AT, skipped=2),
        DeviceCameOnline(device="shoe", kind="shoe", serial="TE-1", firmware="1.4.2", position=AT, skipped=2),
    ),
    (
        ShuffleBegan(device="shoe", position=AT, device_ms=5, decks=8),
        inputs.ShuffleBegan(device="shoe", position=AT, decks=8),
    ),
    (
        ShuffleProgressed(device="shoe", position=AT, device_ms=5, cards=300),
        inputs.ShuffleProgressed(device="shoe", position=AT, cards=300),
    ),
    (
        ShuffleEnded(device="shoe", position=AT, device_ms=5, cards=416, counts=(8,) * 52),
        inputs.ShuffleEnded(device="shoe", position=AT, cards=416, counts=(8,) * 52),
    ),
    (
        DamagedCardSeen(device="shoe", position=AT, device_ms=5, card=CARD),
        inputs.DamagedCardSeen(device="shoe", position=AT, card=CARD),
    ),
    (
        CardsReturned(device="shoe", position=AT, device_ms=5, cards=7),
        inputs.CardsReturned(device="shoe", position=AT, cards=7),
    ),
    (
        DeviceConnected(
            device="shoe", kind="shoe", serial="", firmware="", position=None, skipped=0, numbered=False
        ),
        DeviceCameOnline(
            device="shoe", kind="shoe", serial="", firmware="", position=None, skipped=0, numbered=False
        ),
    ),
    (
        CommandAnswered(device="shoe", id=3, outcome=CommandOutcome.UNANSWERED),
        OrderAnswered(device="shoe", number=3, outcome=CommandOutcome.UNANSWERED),
    ),
    (
        DeviceDisconnected(device="shoe", absence=Absence.BUSY, detail="Taken."),
        DeviceWentOffline(device="shoe", absence=Absence.BUSY, detail="Taken."),
    ),
]


@pytest.mark.parametrize(("report", "becomes"), PAIRS, ids=lambda noun: type(noun).__name__)
def test_a_report_becomes_its_input(report: Report, becomes: Input | None) -> None:
    assert heard(report, lambda: NONCE, {4: DealerKey.STAND}) == becomes


def test_every_kind_of_report_is_heard() -> None:
    assert {type(report) for report, _ in PAIRS} == set(get_args(Report))


def test_without_keys_of_the_dealer_a_key_is_only_recorded() -> None:
    report = KeyPressed(device="shoe", position=AT, device_ms=5, key=4)
    assert heard(report, lambda: NONCE) == DeviceSpokeUnknown(device="shoe", position=AT, code=9, body="04")


def test_what_is_acknowledged_is_the_reports_own_position() -> None:
    assert [position_of(report) for report, _ in PAIRS] == [AT] * 18 + [None] * 3


def test_each_draw_has_a_nonce_of_its_own() -> None:
    report = CardPassed(device="shoe", position=AT, device_ms=5, card=CARD, reread=False)
    nonces = iter(["01" * 16, "02" * 16])

    first, second = heard(report, lambda: next(nonces)), heard(report, lambda: next(nonces))

    assert isinstance(first, CardDrawn)
    assert isinstance(second, CardDrawn)
    assert first.nonce != second.nonce


def test_no_input_shows_its_card() -> None:
    for report, becomes in PAIRS:
        for noun in (report, becomes):
            assert "As" not in repr(noun)
            assert "0102" not in repr(noun)
