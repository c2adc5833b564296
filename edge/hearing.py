"""Hearing: reports to inputs. What a device did becomes what the table heard.

Every drawn card gets a fresh nonce here, whether or not it will lie face down: which it will be is
the ruling's to say, and a nonce only some cards had would tell.
"""

from collections.abc import Callable
from typing import TypeAlias, assert_never

from drivers import (
    CardPassed,
    CutCardPassed,
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
    ShoeSignalled,
)

Nonce: TypeAlias = Callable[[], str]
"""Gives 16 fresh random bytes, hex."""

KEY_EVENT = 0x09
"""The code of a key press (docs/wire.md section 1)."""


def heard(report: Report, nonce: Nonce) -> Input:
    """The input that a report is."""
    match report:
        case CardPassed() | ForeignCardPassed():
            return CardDrawn(
                device=report.device,
                position=report.position,
                device_ms=report.device_ms,
                card=report.card,
                reread=isinstance(report, CardPassed) and report.reread,
                foreign=isinstance(report, ForeignCardPassed),
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
        case _:
            assert_never(report)


def position_of(report: Report) -> Position | None:
    """What to acknowledge to the device once the report's record is on disk."""
    return None if isinstance(report, DeviceDisconnected) else report.position
