"""A device of the table, as configured, and the sentence that says why it cannot be one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drivers.address import UsbAddress, parse_url
from drivers.errors import BadOption
from drivers.registry import driver_named, make_link


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSettings:
    """A device of the table, as configured."""

    id: str
    """Its name in every report."""
    url: str
    """As ``drivers.address`` reads it, by a stable name; never ttyUSB0."""
    protocol: str = "table_link"
    kind: str = "shoe"
    serial: str | None = None
    """The serial number it must have; None for any."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Of the protocol."""
    faults: Path | None = None
    """The folder that gets the last frames before a fault; None: they are not kept."""


def check_device(settings: DeviceSettings) -> None:
    """See whether a device may be configured so. Reads the files that options name.

    Raises:
        LocalDriverError: the URL, the protocol, the kind or an option cannot be used.
    """
    url = settings.url
    address = parse_url(url)
    driver = driver_named(settings.protocol, url=url)
    if settings.serial is not None and not driver.tells_serial and not isinstance(address, UsbAddress):
        raise BadOption(
            url=url,
            key="serial",
            sentence=f"A {driver.name} device on {url} cannot tell its serial number",
            hint="Leave serial out, and tell devices apart by their port or by the adapter's serial number",
        )
    make_link(
        driver,
        url=url,
        kind=settings.kind,
        serial=settings.serial,
        options=settings.options,
        resume_from=None,
    )
