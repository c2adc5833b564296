"""Messages to reports: what firmware said, as what a device did."""

from typing import Final, assert_never

from drivers.reports import (
    CardPassed,
    CardsReturned,
    CutCardPassed,
    DamagedCardSeen,
    DeviceConnected,
    DeviceSignalled,
    EventsMissed,
    FaultGone,
    FaultSeen,
    ForeignCardPassed,
    Happening,
    KeyPressed,
    Position,
    ShuffleBegan,
    ShuffleEnded,
    ShuffleProgressed,
    Signal,
    UnknownReported,
)
from firmware_protocols import (
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CutCardScan,
    DamagedScan,
    DeviceEvent,
    DeviceKind,
    FaultCleared,
    FaultRaised,
    ForeignScan,
    HatchMoved,
    KeyStroke,
    LidMoved,
    Missed,
    Opened,
    Resumed,
    ShoeEmptied,
    ShoeMoved,
    ShuffleFinished,
    ShufflerJammed,
    ShuffleStarted,
    UnknownEvent,
    UnreadScan,
)
from firmware_protocols import CardsReturned as ReturnedMessage
from firmware_protocols import ShuffleProgressed as ProgressedMessage

_SIGNALS: Final[dict[type, Signal]] = {
    CardPushedBack: Signal.PUSHED_BACK,
    CardOverdrawn: Signal.OVERDRAW,
    ShoeMoved: Signal.MOVED,
    ShoeEmptied: Signal.EMPTY,
    ShufflerJammed: Signal.JAM,
}


def connected(device: str, resumed: Resumed) -> DeviceConnected:
    """The report of a link that was resumed."""
    hello = resumed.hello
    return DeviceConnected(
        device=device,
        kind=_kind(hello.kind),
        serial=hello.serial,
        firmware=".".join(str(part) for part in hello.firmware),
        position=Position(boot=resumed.mark.boot, number=resumed.mark.number),
        skipped=resumed.skipped,
    )


def begun(device: str, opened: Opened, *, serial: str | None) -> DeviceConnected:
    """The report of a link without numbers.

    Args:
        device: its id.
        opened: what the link knows of it.
        serial: what the port knows of its serial number, where the device itself tells none.
    """
    return DeviceConnected(
        device=device,
        kind=opened.kind,
        serial=opened.serial or serial or "",
        firmware=opened.firmware or "",
        position=None,
        skipped=0,
        numbered=False,
    )


def missed(device: str, gap: Missed) -> EventsMissed:
    """The report of a gap."""
    return EventsMissed(
        device=device,
        boot=gap.boot,
        first=gap.first,
        last=gap.last,
        position=Position(boot=gap.mark.boot, number=gap.mark.number),
    )


def unreadable_gap(device: str) -> EventsMissed:
    """The report of what a device without numbers said and nobody could read: it may have been a card."""
    return EventsMissed(device=device, boot=0, first=0, last=None, position=None)


def happened(device: str, position: Position | None, at: int | None, what: DeviceEvent) -> Happening:
    """The report of an event.

    Args:
        device: its id.
        position: the event's own, None of a device without numbers.
        at: the device's clock, milliseconds; None where it has none.
        what: the event.
    """
    match what:
        case CardScan():
            return CardPassed(
                device=device,
                position=position,
                device_ms=at,
                card=what.card,
                reread=what.reread,
                exposed=what.face_up,
                serial=what.serial,
            )
        case UnreadScan():
            return CardPassed(device=device, position=position, device_ms=at, card=None, reread=False)
        case CutCardScan():
            return CutCardPassed(device=device, position=position, device_ms=at)
        case ForeignScan():
            return ForeignCardPassed(device=device, position=position, device_ms=at, card=what.card)
        case KeyStroke():
            return KeyPressed(device=device, position=position, device_ms=at, key=what.key)
        case FaultRaised():
            return FaultSeen(device=device, position=position, device_ms=at, code=what.code)
        case FaultCleared():
            return FaultGone(device=device, position=position, device_ms=at, code=what.code)
        case UnknownEvent():
            return UnknownReported(
                device=device, position=position, device_ms=at, code=what.code, body=what.body
            )
        case ShuffleStarted():
            return ShuffleBegan(device=device, position=position, device_ms=at, decks=what.decks)
        case ProgressedMessage():
            return ShuffleProgressed(device=device, position=position, device_ms=at, cards=what.cards)
        case ShuffleFinished():
            return ShuffleEnded(
                device=device, position=position, device_ms=at, cards=what.cards, counts=what.counts
            )
        case DamagedScan():
            return DamagedCardSeen(device=device, position=position, device_ms=at, card=what.card)
        case ReturnedMessage():
            return CardsReturned(device=device, position=position, device_ms=at, cards=what.cards)
        case LidMoved() | HatchMoved() | CardPushedBack() | CardOverdrawn() | ShoeMoved():
            return DeviceSignalled(device=device, position=position, device_ms=at, signal=_signal(what))
        case ShoeEmptied() | ShufflerJammed():
            return DeviceSignalled(device=device, position=position, device_ms=at, signal=_signal(what))
        case _:
            assert_never(what)


def _signal(what: DeviceEvent) -> Signal:
    match what:
        case LidMoved():
            return Signal.LID_OPENED if what.open else Signal.LID_CLOSED
        case HatchMoved():
            return Signal.HATCH_OPENED if what.open else Signal.HATCH_CLOSED
        case _:
            return _SIGNALS[type(what)]


def _kind(kind: DeviceKind | int) -> str:
    return kind.name.lower() if isinstance(kind, DeviceKind) else str(kind)
