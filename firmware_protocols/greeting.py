"""What a HELLO means to the host: is this our device, and what can it no longer give?"""

from firmware_protocols.link import Mark, Missed, Refused
from firmware_protocols.messages import DeviceKind, ForeignHello, Hello
from firmware_protocols.table_link import VERSION


def refusal(
    hello: Hello | ForeignHello, *, kind: DeviceKind, serial: str | None, told: Mark | None
) -> Refused | None:
    """Why this device is not taken, or None.

    Args:
        hello: what it said of itself.
        kind: what it must be.
        serial: the serial number it must have, None for any.
        told: the last event told, None before the first contact.
    """
    if isinstance(hello, ForeignHello):
        return Refused(wanted=f"table_link version {VERSION}", found=f"version {hello.version}")
    if hello.kind is not kind:
        found = _spoken(hello.kind) if isinstance(hello.kind, DeviceKind) else f"kind {hello.kind}"
        return Refused(wanted=_spoken(kind), found=found)
    if serial is not None and hello.serial != serial:
        return Refused(wanted=f"serial number {serial}", found=f"serial number {hello.serial or '(none)'}")
    if told is not None and hello.boot == told.boot and hello.newest < told.number:
        # Resuming would take its next events for ones that were told already, and drop them.
        return Refused(
            wanted=f"event {told.number} or later of this power-on",
            found=f"event {hello.newest} as the newest: it lost its memory without a restart",
            remedy="Switch it off and on",
        )
    return None


def missing(told: Mark, hello: Hello) -> Missed | None:
    """What the device can no longer give of what follows ``told``, or None."""
    mark = Mark(boot=hello.boot, number=hello.oldest - 1)
    if hello.boot != told.boot:
        return Missed(boot=told.boot, first=told.number + 1, last=None, mark=mark)
    if hello.oldest > told.number + 1:
        return Missed(boot=told.boot, first=told.number + 1, last=mark.number, mark=mark)
    return None


def _spoken(kind: DeviceKind) -> str:
    return kind.name.lower().replace("_", " ")
