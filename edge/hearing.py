"""Hearing: reports to inputs. What a device did becomes what the table heard.

Every drawn card gets a fresh nonce here, whether or not it will lie face down: which it will be is
the ruling's to say, and a nonce only some cards had would tell.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, assert_never

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
from edge import inputs
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

Shuffling: TypeAlias = ShuffleBegan | ShuffleProgressed | ShuffleEnded | DamagedCardSeen | CardsReturned

Nonce: TypeAlias = Callable[[], str]
"""Gives 16 fresh random bytes, hex."""

DealerKeys: TypeAlias = Mapping[int, DealerKey]
"""What each key of a device means, by its code."""

NO_KEYS: Final[DealerKeys] = {}
"""The table is played from commands."""

KEY_EVENT = 0x09
"""The code of a key press (docs/wire.md section 1)."""


def heard(report: Report, nonce: Nonce, keys: DealerKeys = NO_KEYS) -> Input | None:
    """The input that a report is. None: it is not for the table, but for whoever gave a command.

    Args:
        report: what a device did.
        nonce: a fresh one for each drawn card.
        keys: what the dealer's keys mean, by their code, 0 to 255; a code without meaning is only recorded.
    """
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
            return _key(report, keys)
        case UnknownReported():
            return DeviceSpokeUnknown(
                device=report.device, position=report.position, code=report.code, body=report.body.hex()
            )
        case ShuffleBegan() | ShuffleProgressed() | ShuffleEnded() | DamagedCardSeen() | CardsReturned():
            return _of_a_shuffler(report)
        case CommandAnswered():
            return OrderAnswered(device=report.device, number=report.id, outcome=report.outcome)
        case _:
            assert_never(report)


def _key(report: KeyPressed, keys: DealerKeys) -> Input:
    known = keys.get(report.key)
    if known is not None:
        return inputs.KeyPressed(device=report.device, position=report.position, key=known)
    return DeviceSpokeUnknown(
        device=report.device, position=report.position, code=KEY_EVENT, body=f"{report.key:02x}"
    )


def _of_a_shuffler(report: Shuffling) -> Input:
    device, position = report.device, report.position
    match report:
        case ShuffleBegan():
            return inputs.ShuffleBegan(device=device, position=position, decks=report.decks)
        case ShuffleProgressed():
            return inputs.ShuffleProgressed(device=device, position=position, cards=report.cards)
        case ShuffleEnded():
            return inputs.ShuffleEnded(
                device=device, position=position, cards=report.cards, counts=report.counts
            )
        case DamagedCardSeen():
            return inputs.DamagedCardSeen(device=device, position=position, card=report.card)
        case CardsReturned():
            return inputs.CardsReturned(device=device, position=position, cards=report.cards)
        case _:
            assert_never(report)


def position_of(report: Report) -> Position | None:
    """What to acknowledge to the device once the report's record is on disk; None: nothing."""
    return None if isinstance(report, DeviceDisconnected | CommandAnswered) else report.position
