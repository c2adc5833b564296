"""What is plugged in: serial ports and USB devices, with the names that stay.

Read from sysfs and /dev, as pyserial's list does not know the stable names. Everything is read from a given
root, so that a test may show a computer that it has made up.

::

    /sys/class/tty/ttyUSB0/device -> ../../../ttyUSB0 -> .../usb1/1-1/1-1.2/1-1.2:1.0/ttyUSB0
                                                                   ^^^^^ idVendor idProduct serial product
    /dev/table-edge/t7-shoe -> ../ttyUSB0      the role, by our udev rule
    /dev/serial/by-id/...   -> ../../ttyUSB0   the adapter's serial number; two without one share the name
    /dev/serial/by-path/... -> ../../ttyUSB0   the port it is plugged into
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drivers.driver import UsbId
from drivers.holders import Holder, who_holds
from drivers.registry import DRIVERS

ROLES: Final = "table-edge"
_STABLE: Final = ("serial/by-id", "serial/by-path")
_HUB: Final = "09"
_TTY_SERIAL: Final = frozenset({"02", "0a"})
"""Interface classes that the kernel makes a serial port of: CDC and CDC data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbLook:
    """A USB device, as its descriptors say."""

    vendor: int
    product: int
    serial: str | None
    """None: it has none, so only its port tells it from its like."""
    name: str
    port: str
    """As the kernel writes it: ``1-1.2``."""

    @property
    def ids(self) -> str:
        """Vendor and product in hex."""
        return f"{self.vendor:04x}:{self.product:04x}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something plugged in that a table might read."""

    path: str | None
    """A serial port's node; None: a USB device that is none."""
    role: str | None
    """By the udev rule: its name in /dev/table-edge."""
    stable: tuple[str, ...]
    """Names that stay, the best first."""
    usb: UsbLook | None
    """None: a serial port of the computer's own."""
    drivers: tuple[str, ...]
    """Protocols whose devices are known by these ids."""
    holders: tuple[Holder, ...]
    """Who has it open, as far as this user may see."""

    @property
    def url(self) -> str:
        """What to write into a configuration."""
        if self.path is not None:
            return f"serial:{self.stable[0] if self.stable else self.path}"
        if self.usb is None:
            raise AssertionError("neither a port nor a USB device")
        serial = f":{self.usb.serial}" if self.usb.serial else f"?port={self.usb.port}"
        return f"usb:{self.usb.ids}{serial}"


def plugged_in(root: Path = Path("/")) -> tuple[Found, ...]:
    """Everything that is plugged in now. Takes some milliseconds; never raises.

    Args:
        root: where sys, dev and proc are.
    """
    names = _names(root / "dev")
    ports = sorted((root / "sys/class/tty").glob("*/device"))
    found = [_port(root, each.parent, names) for each in ports if _is_real(each.parent)]
    taken = {each.usb.port for each in found if each.usb is not None}
    found += [_device(root, usb) for usb in _usb_devices(root) if usb.port not in taken]
    return tuple(found)


def twins(found: tuple[Found, ...]) -> frozenset[str]:
    """USB ports of devices that nothing but their port tells from another one that is plugged in."""
    alike: dict[tuple[str, str | None], list[str]] = {}
    for usb in (each.usb for each in found if each.usb is not None):
        alike.setdefault((usb.ids, usb.serial), []).append(usb.port)
    return frozenset(port for ports in alike.values() if len(set(ports)) > 1 for port in ports)


def _port(root: Path, entry: Path, names: Mapping[str, list[str]]) -> Found:
    path = root / "dev" / entry.name
    known = names.get(os.path.realpath(path), [])
    usb = _usb_of(entry / "device")
    role = next((name for name in known if name.startswith(f"/dev/{ROLES}/")), None)
    return Found(
        path=f"/dev/{entry.name}",
        role=role,
        stable=tuple(known),
        usb=usb,
        drivers=_known_as(usb),
        holders=who_holds(str(path), proc=root / "proc"),
    )


def _device(root: Path, usb: UsbLook) -> Found:
    folder = root / "sys/bus/usb/devices" / usb.port
    node = root / f"dev/bus/usb/{_number(folder, 'busnum'):03d}/{_number(folder, 'devnum'):03d}"
    return Found(
        path=None,
        role=None,
        stable=(),
        usb=usb,
        drivers=_known_as(usb),
        holders=who_holds(str(node), proc=root / "proc"),
    )


def _is_real(entry: Path) -> bool:
    """Not one of the four ports of a UART that this computer has not got: those have type 0."""
    kind = _text(entry / "type")
    return kind is None or kind != "0"


def _names(dev: Path) -> dict[str, list[str]]:
    """The names that stay, by what they lead to; roles first, then serial numbers, then ports."""
    names: dict[str, list[str]] = {}
    for folder in (ROLES, *_STABLE):
        for link in sorted(_listed(dev / folder)):
            names.setdefault(os.path.realpath(link), []).append(f"/dev/{folder}/{link.name}")
    return names


def _usb_devices(root: Path) -> Iterator[UsbLook]:
    """Every device that is neither a hub nor a serial port of the kernel's."""
    for entry in sorted(_listed(root / "sys/bus/usb/devices")):
        if ":" in entry.name or "-" not in entry.name or _text(entry / "bDeviceClass") == _HUB:
            continue
        classes = {_text(each / "bInterfaceClass") for each in entry.glob(f"{entry.name}:*")}
        usb = _usb_of(entry)
        if usb is not None and not classes & _TTY_SERIAL:
            yield usb


def _usb_of(entry: Path) -> UsbLook | None:
    """The USB device that something belongs to: the first above it with a vendor."""
    where = Path(os.path.realpath(entry))
    for folder in (where, *where.parents):
        vendor, product = _text(folder / "idVendor"), _text(folder / "idProduct")
        if vendor and product:
            return UsbLook(
                vendor=int(vendor, 16),
                product=int(product, 16),
                serial=_text(folder / "serial") or None,
                name=" ".join(
                    text for text in (_text(folder / "manufacturer"), _text(folder / "product")) if text
                ),
                port=folder.name,
            )
    return None


def _known_as(usb: UsbLook | None) -> tuple[str, ...]:
    if usb is None:
        return ()
    ids = UsbId(vendor=usb.vendor, product=usb.product)
    return tuple(driver.name for driver in DRIVERS if ids in driver.usb)


def _listed(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(folder.iterdir())
    except OSError:
        return ()


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _number(folder: Path, name: str) -> int:
    text = _text(folder / name) or ""
    return int(text) if text.isdigit() else 0
