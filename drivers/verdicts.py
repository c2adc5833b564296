"""What a pump says of a device that is not as it should be: one sentence, and what to do."""

from typing import Final

from drivers.errors import DeviceLost, Garbage, NoAnswer, Silent, WrongDevice
from firmware_protocols import LOST_AFTER_S, SILENT_AFTER_S, Refused

_WRONG_SPEED: Final = (
    "Check the line speed (table-edge probe finds it), the cable, and that it is the configured kind of "
    "device"
)

_NOTHING_COMES: Final = (
    "Check that the device is switched on, then the line from it (RX); if both are right its firmware hangs: "
    "switch it off and on"
)


def silent(url: str, place: str, octets: int) -> DeviceLost:
    """Nothing readable for a while, and the link goes on asking.

    Args:
        url: the device's address.
        place: what an operator calls it.
        octets: bytes that came meanwhile.
    """
    if octets:
        return _garbage(url, f"{place} sent {octets} bytes")
    return Silent(
        url=url,
        sentence=f"{place} is open, and nothing was heard for {SILENT_AFTER_S:g} s",
        hint=_NOTHING_COMES,
    )


def lost_for_long(url: str, place: str, octets: int) -> DeviceLost:
    """Nothing readable for so long that the port is opened anew. Arguments as for :func:`silent`."""
    if octets:
        return _garbage(url, f"{place} sent {octets} bytes")
    return DeviceLost(
        url=url,
        sentence=f"{place} is open, and nothing was heard for {LOST_AFTER_S:g} s",
        hint=_NOTHING_COMES,
    )


def no_answer(url: str, place: str) -> DeviceLost:
    """It is heard, and the question who it is brings nothing readable. Arguments as for :func:`silent`."""
    return NoAnswer(
        url=url,
        sentence=f"{place} is heard but has not answered for {LOST_AFTER_S:g} s",
        hint="Check the line towards the device (TX); if that is right, its answer cannot be read: see its "
        "firmware's HELLO",
    )


def wrong(url: str, place: str, refused: Refused) -> WrongDevice:
    """Another device than the one that belongs there."""
    return WrongDevice(
        url=url,
        sentence=f"{place} is not what belongs here: wanted {refused.wanted}, found {refused.found}",
        hint=refused.remedy,
    )


def _garbage(url: str, seen: str) -> Garbage:
    return Garbage(url=url, sentence=f"{seen} and not one readable frame", hint=_WRONG_SPEED)
