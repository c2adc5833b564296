"""A device of the table, as configured, and the sentence that says why it cannot be one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from drivers.address import UsbAddress, parse_url
from drivers.errors import BadOption
from drivers.registry import driver_named, make_link
from firmware_protocols import Provenance


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

    def provenance(self, notes: str, *, date: str = "") -> Provenance:
        """What the head of a capture of this device says.

        Args:
            notes: one line of text.
            date: when, as text.
        """
        options = {name: one_line(_text(value)) for name, value in self.options.items()}
        return Provenance(
            protocol=self.protocol,
            kind=self.kind,
            line=one_line(self.url),
            serial=one_line(self.serial or ""),
            date=date,
            notes=one_line(notes),
            options=options,
        )


def one_line(text: str) -> str:
    """A text as the head of a capture may have it; some of it may come from a device."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
            sentence=f"A device on {url} that speaks {driver.name} cannot tell its serial number",
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
