"""Messages to reports: what firmware said, as what a device did."""

from typing import Final, assert_never

from drivers.reports import (
    CardPassed,
    CutCardPassed,
    DeviceConnected,
    DeviceSignalled,
    EventsMissed,
    FaultGone,
    FaultSeen,
    ForeignCardPassed,
    KeyPressed,
    NumberedReport,
    Position,
    Signal,
    UnknownReported,
)
from firmware_protocols import (
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    CardsReturned,
    CutCardScan,
    DamagedScan,
    DeviceKind,
    Event,
    FaultCleared,
    FaultRaised,
    ForeignScan,
    HatchMoved,
    KeyStroke,
    LidMoved,
    Missed,
    Resumed,
    ShoeEmptied,
    ShoeMoved,
    ShuffleFinished,
    ShuffleProgressed,
    ShufflerJammed,
    ShuffleStarted,
    UnknownEvent,
    UnreadScan,
    encode_event,
)

_SIGNALS: Final[dict[type, Signal]] = {
    CardPushedBack: Signal.PUSHED_BACK,
    CardOverdrawn: Signal.OVERDRAW,
    ShoeMoved: Signal.MOVED,
    ShoeEmptied: Signal.EMPTY,
}


def connected(device: str, resumed: Resumed) -> DeviceConnected:
    """The report of a link that was resumed."""
    hello = resumed.hello
    kind = hello.kind.name.lower() if isinstance(hello.kind, DeviceKind) else str(hello.kind)
    return DeviceConnected(
        device=device,
        kind=kind,
        serial=hello.serial,
        firmware=".".join(str(part) for part in hello.firmware),
        position=Position(boot=resumed.mark.boot, number=resumed.mark.number),
        skipped=resumed.skipped,
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


def happened(device: str, boot: int, event: Event) -> NumberedReport:
    """The report of an event."""
    position, at = Position(boot=boot, number=event.number), event.at_ms
    what = event.what
    match what:
        case CardScan():
            return CardPassed(
                device=device, position=position, device_ms=at, card=what.card, reread=what.reread
            )
        case UnreadScan():
            return CardPassed(device=device, position=position, device_ms=at, card=None, reread=False)
        case CutCardScan():
            return CutCardPassed(device=device, position=position, device_ms=at)
        case ForeignScan():
            return ForeignCardPassed(device=device, position=position, device_ms=at, card=what.card)
        case LidMoved():
            signal = Signal.LID_OPENED if what.open else Signal.LID_CLOSED
            return DeviceSignalled(device=device, position=position, device_ms=at, signal=signal)
        case CardPushedBack() | CardOverdrawn() | ShoeMoved() | ShoeEmptied():
            return DeviceSignalled(
                device=device, position=position, device_ms=at, signal=_SIGNALS[type(what)]
            )
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
        case (
            ShuffleStarted()
            | ShuffleProgressed()
            | ShuffleFinished()
            | ShufflerJammed()
            | HatchMoved()
            | DamagedScan()
            | CardsReturned()
        ):
            # Numbered, so never dropped: a shuffler's events have no report of their own yet.
            octets = encode_event(what)
            return UnknownReported(
                device=device, position=position, device_ms=at, code=octets[0], body=octets[1:]
            )
        case _:
            assert_never(what)
