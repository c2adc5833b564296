"""USB devices that are no serial ports: a vendor's bulk endpoints, or the interrupt endpoint of a HID device.

What pyusb and libusb want to be known, and is done here:

* A kernel driver is taken off the interface before a configuration is set; where one is active, none is set:
  that would reset the device, or fail because somebody has claimed an interface.
* errno 110 on reading is idleness. errno 19 is the end of that device object for ever: it is dropped, and the
  device is looked for again by vendor, product, serial number and port.
* A timeout with some bytes gives these bytes. A transfer of an interrupt endpoint is one report.
* "The device has no langid" means that its descriptors may not be read.
* What was claimed is given back whatever happens, even by a device that was pulled out.
* A device whose kernel driver was taken off does not get it back: a scanner that the kernel takes for a
  keyboard would type its next card into the console.
"""

import contextlib
import errno
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import usb.core

from drivers.address import UsbAddress
from drivers.errors import (
    LATER,
    DeviceAbsent,
    DeviceLost,
    NoPermission,
    WrongDevice,
    errno_of,
    in_use,
    not_opened,
)
from drivers.holders import takers, told_holders, who_holds
from drivers.threaded_port import ThreadedPort
from drivers.usb_library import (
    Endpoint,
    Interface,
    UsbDevice,
    claim,
    dispose,
    plugged,
    port_path,
    serial_number,
)

READ_MS: Final = 250
"""How long one read waits: so late a closed port is given back."""
WRITE_MS: Final = 1000
BULK_BYTES: Final = 4096
"""A read of a bulk endpoint takes at most this much; a short packet ends it earlier."""
MOST_STALLS: Final = 3
"""Stalls in a row that are cleared before the device is held to be lost."""
VENDOR_CLASS: Final = 0xFF
HID_CLASS: Final = 0x03
_KEYBOARD: Final = 1
_BULK: Final = 2
_INTERRUPT: Final = 3
_IN: Final = 0x80
UDEV_HINT: Final = (
    "Give the device its role in /etc/udev/rules.d/70-table-edge-roles.rules, which gives it to the "
    "service's group, then udevadm control --reload && udevadm trigger"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How a device is talked to."""

    interface: int
    inward: Endpoint
    outward: Endpoint | None
    """None: it only speaks."""

    @property
    def size(self) -> int:
        """Bytes of one read."""
        interrupt = self.inward.bmAttributes & 3 == _INTERRUPT
        return self.inward.wMaxPacketSize if interrupt else BULK_BYTES


class _UsbChannel:
    """A claimed interface, for a reader and a writer thread."""

    def __init__(self, device: UsbDevice, way: _Way, serial: str | None) -> None:
        self.serial = serial
        self._device = device
        self._way = way
        self._stalls = 0

    def read(self) -> bytes:
        inward = self._way.inward.bEndpointAddress
        try:
            octets = bytes(self._device.read(inward, self._way.size, READ_MS))
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            if error.errno != errno.EPIPE or self._stalls >= MOST_STALLS:
                raise
            self._stalls += 1
            self._device.clear_halt(inward)
            return b""
        self._stalls = 0
        return octets

    def write(self, octets: bytes) -> None:
        if self._way.outward is not None:
            self._device.write(self._way.outward.bEndpointAddress, octets, WRITE_MS)

    def close(self) -> None:
        dispose(self._device)


def open_usb(address: UsbAddress) -> ThreadedPort:
    """Find and claim the device. May block: not for the event loop.

    Raises:
        DeviceLost: or its kin, as for a serial port.
    """
    device: UsbDevice | None = None
    try:
        device, serial = _the_one(address)
        way = _taken(address, device)
        return ThreadedPort(address.url, _UsbChannel(device, way, serial))
    except BaseException as error:
        if device is not None:
            with contextlib.suppress(usb.core.USBError):
                dispose(device)
        if isinstance(error, usb.core.USBError | ValueError | NotImplementedError):
            raise _explain(address, device, error) from error
        raise


def is_plugged(address: UsbAddress) -> bool:
    """Whether such a device is there, as far as can be seen without opening it. Takes milliseconds."""
    try:
        return bool(plugged(address))
    except (usb.core.USBError, ValueError):
        return False


def _the_one(address: UsbAddress) -> tuple[UsbDevice, str | None]:
    found: list[tuple[UsbDevice, str | None]] = []
    closed: Exception | None = None
    for device in plugged(address):
        try:
            serial = serial_number(device)
        except (usb.core.USBError, ValueError) as error:
            closed = error
            continue
        finally:
            dispose(device)
        if address.serial in {None, serial}:
            found.append((device, serial))
    if not found and closed is not None:
        raise closed
    if not found:
        raise DeviceAbsent(
            url=address.url,
            sentence=f"There is no {address.place}",
            hint=f"Plug it in and switch it on{LATER}opened as soon as it appears",
        )
    if len(found) > 1:
        ports = ", ".join(sorted(port_path(device) or "?" for device, _ in found))
        raise WrongDevice(
            url=address.url,
            sentence=f"{address.url} could mean each of {len(found)} devices, at the ports {ports}",
            hint="Name one by its serial number, usb:VENDOR:PRODUCT:SERIAL, or by its port, ?port=1-1.2",
        )
    return found[0]


def _taken(address: UsbAddress, device: UsbDevice) -> _Way:
    """Claim the interface that speaks."""
    try:
        configuration: Sequence[Interface] = tuple(device.get_active_configuration())
    except usb.core.USBError as error:
        if error.errno == errno.ENODEV:
            raise
        configuration = ()
    if not configuration:
        device.set_configuration()
        configuration = tuple(device.get_active_configuration())
    way = _way(configuration)
    if way is None:
        raise WrongDevice(
            url=address.url,
            sentence=f"The {address.place} has neither a vendor's bulk nor a HID interrupt endpoint",
            hint="If it appears as /dev/ttyACM0 or /dev/ttyUSB0 it is a serial port: write serial:/dev/NAME",
        )
    with contextlib.suppress(NotImplementedError):  # a system whose kernel drivers need no detaching
        if device.is_kernel_driver_active(way.interface):
            device.detach_kernel_driver(way.interface)
    claim(device, way.interface)
    return way


def _way(interfaces: Sequence[Interface]) -> _Way | None:
    ways = (
        way
        for wanted in (_vendor, _hid)
        for interface in interfaces
        if (way := wanted(interface)) is not None
    )
    return next(ways, None)


def _vendor(interface: Interface) -> _Way | None:
    if interface.bInterfaceClass != VENDOR_CLASS:
        return None
    return _with(interface, _endpoint(interface, _BULK, _IN), _endpoint(interface, _BULK, 0))


def _hid(interface: Interface) -> _Way | None:
    if interface.bInterfaceClass != HID_CLASS or interface.bInterfaceProtocol == _KEYBOARD:
        return None
    return _with(interface, _endpoint(interface, _INTERRUPT, _IN), None)


def _with(interface: Interface, inward: Endpoint | None, outward: Endpoint | None) -> _Way | None:
    if inward is None:
        return None
    return _Way(interface=interface.bInterfaceNumber, inward=inward, outward=outward)


def _endpoint(interface: Interface, kind: int, direction: int) -> Endpoint | None:
    for endpoint in interface.endpoints():
        if endpoint.bmAttributes & 3 == kind and endpoint.bEndpointAddress & _IN == direction:
            return endpoint
    return None


def _explain(address: UsbAddress, device: UsbDevice | None, error: Exception) -> DeviceLost:
    if isinstance(error, usb.core.NoBackendError):
        return DeviceLost(
            url=address.url,
            sentence="USB cannot be used: there is no libusb-1.0 on this computer",
            hint="apt-get install libusb-1.0-0",
        )
    number = errno_of(error)
    if number in {errno.EACCES, errno.EPERM} or "langid" in str(error):
        return NoPermission(
            url=address.url,
            sentence=f"The {address.place} is there, but this program may not open it",
            hint=UDEV_HINT,
        )
    if number == errno.EBUSY:
        node = "" if device is None else f"/dev/bus/usb/{device.bus or 0:03d}/{device.address or 0:03d}"
        return in_use(address.url, f"The {address.place}", told_holders(who_holds(node), suspected=takers()))
    return not_opened(address.url, f"the {address.place}", error)
