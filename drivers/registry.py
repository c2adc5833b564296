"""The driver table: a driver is a row.

The order is the order in which a search for unknown devices asks. table_link comes first, because its frames
carry a CRC of 16 bits and nothing else passes for one; Angel Eye's XOR of 8 bits is weaker; a scanner's codes
have no check at all, so anything that is text passes for one.
"""

from collections.abc import Mapping
from typing import Final

from drivers.driver import Driver, LinkWish, UsbId
from drivers.errors import UnknownDriver
from drivers.line import LineSettings
from drivers.link import Link
from drivers.links import ANGEL_EYE_OPTIONS, BARCODE_OPTIONS, HID_POS_OPTIONS, angel_eye, barcode, hid_pos
from drivers.options import checked_options
from firmware_protocols import DeviceKind, HostEnd, Mark, Ping, encode

_TABLE_LINK: Final = {kind.name.lower(): kind for kind in DeviceKind}


def _table_link(wish: LinkWish) -> Link:
    return HostEnd(kind=_TABLE_LINK[wish.kind], serial=wish.serial, resume_from=wish.resume_from)


DRIVERS: Final[tuple[Driver, ...]] = (
    Driver(
        name="table_link",
        line=LineSettings(baud=115200),
        kinds=tuple(_TABLE_LINK),
        link=_table_link,
        usb=(UsbId(vendor=0x1209, product=0x0001),),  # pid.codes, for private tests: the simulated shoe's
        probe=encode(Ping()),
        beats=True,
        numbers=True,
        tells_serial=True,
    ),
    Driver(
        name="angel_eye",
        line=LineSettings(baud=4800),
        kinds=("shoe",),
        link=angel_eye,
        beats=False,
        numbers=False,
        tells_serial=False,
        options=ANGEL_EYE_OPTIONS,
    ),
    Driver(
        name="barcode",
        line=LineSettings(baud=9600),
        kinds=("scanner",),
        link=barcode,
        beats=False,
        numbers=False,
        tells_serial=False,
        options=BARCODE_OPTIONS,
    ),
    Driver(
        name="hid_pos",
        line=LineSettings(baud=9600),  # a USB device has no line
        kinds=("scanner",),
        link=hid_pos,
        beats=False,
        numbers=False,
        tells_serial=False,
        options=HID_POS_OPTIONS,
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


def make_link(  # noqa: PLR0913 - what a device's section of the configuration says, by keyword
    driver: Driver,
    *,
    url: str,
    kind: str,
    serial: str | None,
    options: Mapping[str, object],
    resume_from: Mark | None,
) -> Link:
    """The link that a device's configuration asks for.

    Raises:
        UnknownDriver: the driver does not serve that kind of device.
        BadOption: an option is unknown, missing, or has a value that may not be.
    """
    if kind not in driver.kinds:
        raise UnknownDriver(
            url=url,
            sentence=f"{driver.name} does not serve a device of kind {kind!r}",
            hint=f"It serves: {', '.join(driver.kinds)}",
        )
    checked = checked_options(driver.options, options, url=url, protocol=driver.name)
    wish = LinkWish(url=url, kind=kind, serial=serial, resume_from=resume_from, options=checked)
    return driver.link(wish)
