"""What a driver is: a row of the table in ``registry``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from drivers.line import LineSettings
from drivers.link import Link
from drivers.options import Option, OptionValue
from firmware_protocols import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWish:
    """What a link is made for."""

    url: str
    """Of the device, for a sentence."""
    kind: str
    """As configured, and one of the driver's."""
    serial: str | None
    """None: any serial number."""
    resume_from: Mark | None
    """The position last committed, None at first contact."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Every option of the driver, checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbId:
    """A vendor and a product, as the device's descriptor has them."""

    vendor: int
    product: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One row."""

    name: str
    line: LineSettings
    kinds: tuple[str, ...]
    """The kinds of device it serves."""
    link: Callable[[LinkWish], Link]
    usb: tuple[UsbId, ...] = ()
    """Devices that are known to speak it."""
    probe: bytes | None = None
    """Bytes that make such a device say who it is and do nothing else; None: it is only listened to."""
    beats: bool
    """It is heard from at least every few seconds. One that does not may be quiet for hours and be well."""
    numbers: bool
    """It numbers its events, so that nothing is lost with a cable."""
    tells_serial: bool
    """The protocol tells the device's serial number."""
    options: tuple[Option, ...] = ()
