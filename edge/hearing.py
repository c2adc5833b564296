"""Hearing: reports to inputs. What a device did becomes what the table heard.

Every drawn card gets a fresh nonce here, whether or not it will lie face down: which it will be is
the ruling's to say, and a nonce only some cards had would tell.
"""

from collections.abc import Callable
from typing import TypeAlias, assert_never

from drivers import (
    CardPassed,
    CardsReturned,
    CommandAnswered,
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
    UnknownReported,
)
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
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
from firmware_protocols import CardsReturned as ReturnedMessage
from firmware_protocols import DamagedScan, ShuffleFinished, ShuffleStarted, encode_event
from firmware_protocols import ShuffleProgressed as ProgressedMessage

Shuffling: TypeAlias = ShuffleBegan | ShuffleProgressed | ShuffleEnded | DamagedCardSeen | CardsReturned

Nonce: TypeAlias = Callable[[], str]
"""Gives 16 fresh random bytes, hex."""

KEY_EVENT = 0x09
"""The code of a key press (docs/wire.md section 1)."""


def heard(report: Report, nonce: Nonce) -> Input | None:
    """The input that a report is. None: it is not for the table, but for whoever gave a command."""
    match report:
        case CardPassed() | ForeignCardPassed():
            return CardDrawn(
                device=report.device,
                position=report.position,
                device_ms=report.device_ms,
                card=report.card,
                reread=isinstance(report, CardPassed) and report.reread,
                foreign=isinstance(report, ForeignCardPassed),
                exposed=isinstance(report, CardPassed) and report.exposed,
                serial=report.serial if isinstance(report, CardPassed) else None,
                nonce=nonce(),
            )
        case CutCardPassed():
            return CutCardDrawn(device=report.device, position=report.position, device_ms=report.device_ms)
        case DeviceSignalled():
            return ShoeSignalled(device=report.device, position=report.position, signal=report.signal)
        case DeviceConnected():
            return DeviceCameOnline(
                device=report.device,
                kind=report.kind,
                serial=report.serial,
                firmware=report.firmware,
                position=report.position,
                skipped=report.skipped,
                numbered=report.numbered,
            )
        case DeviceDisconnected():
            return DeviceWentOffline(device=report.device, absence=report.absence, detail=report.detail)
        case EventsMissed():
            return DeviceEventsMissed(
                device=report.device,
                boot=report.boot,
                first=report.first,
                last=report.last,
                position=report.position,
            )
        case FaultSeen():
            return DeviceFaultSeen(device=report.device, position=report.position, code=report.code)
        case FaultGone():
            return DeviceFaultGone(device=report.device, position=report.position, code=report.code)
        case KeyPressed():
            return DeviceSpokeUnknown(
                device=report.device, position=report.position, code=KEY_EVENT, body=f"{report.key:02x}"
            )
        case UnknownReported():
            return DeviceSpokeUnknown(
                device=report.device, position=report.position, code=report.code, body=report.body.hex()
            )
        case ShuffleBegan() | ShuffleProgressed() | ShuffleEnded() | DamagedCardSeen() | CardsReturned():
            said = _of_a_shuffler(report)
            return DeviceSpokeUnknown(
                device=report.device, position=report.position, code=said[0], body=said[1:].hex()
            )
        case CommandAnswered():
            return OrderAnswered(device=report.device, number=report.id, outcome=report.outcome)
        case _:
            assert_never(report)


def _of_a_shuffler(report: Shuffling) -> bytes:
    """Code and body of an event that the table does not rule on yet (docs/wire.md)."""
    match report:
        case ShuffleBegan():
            return encode_event(ShuffleStarted(decks=report.decks))
        case ShuffleProgressed():
            return encode_event(ProgressedMessage(cards=report.cards))
        case ShuffleEnded():
            return encode_event(ShuffleFinished(cards=report.cards, counts=report.counts))
        case DamagedCardSeen():
            return encode_event(DamagedScan(card=report.card))
        case CardsReturned():
            return encode_event(ReturnedMessage(cards=report.cards))
        case _:
            assert_never(report)


def position_of(report: Report) -> Position | None:
    """What to acknowledge to the device once the report's record is on disk; None: nothing."""
    return None if isinstance(report, DeviceDisconnected | CommandAnswered) else report.position
