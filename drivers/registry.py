"""The driver table: a driver is a row.

The order is the order in which a search for unknown devices would ask; table_link asks with a PING that
no other protocol mistakes for a command, so it comes first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from drivers.errors import UnknownDriver
from drivers.ports import LineSettings
from firmware_protocols import DeviceKind, HostEnd, Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWish:
    """What a link is made for."""

    kind: DeviceKind
    serial: str | None
    """None: any serial number."""
    resume_from: Mark | None
    """The position last committed, None at first contact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One row."""

    name: str
    line: LineSettings
    kinds: Mapping[str, DeviceKind]
    """The kinds it serves: the name in the configuration, and what the wire calls it."""
    link: Callable[[LinkWish], HostEnd]


def _table_link(wish: LinkWish) -> HostEnd:
    return HostEnd(kind=wish.kind, serial=wish.serial, resume_from=wish.resume_from)


DRIVERS: Final[tuple[Driver, ...]] = (
    Driver(
        name="table_link",
        line=LineSettings(baud=115200),
        kinds={kind.name.lower(): kind for kind in DeviceKind},
        link=_table_link,
    ),
)


def driver_named(name: str, *, url: str) -> Driver:
    """The row with this name.

    Raises:
        UnknownDriver: there is none; the message names those there are. ``url`` tells which device it was.
    """
    for driver in DRIVERS:
        if driver.name == name:
            return driver
    known = ", ".join(driver.name for driver in DRIVERS)
    raise UnknownDriver(url=url, sentence=f"There is no protocol {name!r}", hint=f"There is: {known}")


def wire_kind(driver: Driver, kind: str, *, url: str) -> DeviceKind:
    """What the driver's wire calls this kind of device.

    Raises:
        UnknownDriver: the driver does not serve it; the message names what it serves.
    """
    found = driver.kinds.get(kind)
    if found is None:
        raise UnknownDriver(
            url=url,
            sentence=f"{driver.name} does not serve a device of kind {kind!r}",
            hint=f"It serves: {', '.join(driver.kinds)}",
        )
    return found
