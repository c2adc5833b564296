"""libusb, found once: the system's own, and where there is none the one that ``libusb-package`` brings.

A test may put another backend of pyusb in its place. Only here and in ``usb_port`` is pyusb met; it has no
types, so what is used of it is declared here.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import usb.backend.libusb1
import usb.core
import usb.util

from drivers.address import UsbAddress


class Endpoint(Protocol):
    """What is used of ``usb.core.Endpoint``."""

    bEndpointAddress: int  # noqa: N815 - USB's own name
    bmAttributes: int  # noqa: N815 - USB's own name
    wMaxPacketSize: int  # noqa: N815 - USB's own name


class Interface(Protocol):
    """What is used of ``usb.core.Interface``."""

    bInterfaceNumber: int  # noqa: N815 - USB's own name
    bInterfaceClass: int  # noqa: N815 - USB's own name
    bInterfaceProtocol: int  # noqa: N815 - USB's own name

    def endpoints(self) -> Sequence[Endpoint]:
        """All of them."""


class UsbDevice(Protocol):
    """What is used of ``usb.core.Device``."""

    idVendor: int  # noqa: N815 - USB's own name
    idProduct: int  # noqa: N815 - USB's own name
    iSerialNumber: int  # noqa: N815 - USB's own name
    bus: int | None
    address: int | None
    port_numbers: Sequence[int] | None

    def get_active_configuration(self) -> Iterable[Interface]:
        """Raises USBError where none is active."""

    def set_configuration(self) -> None:
        """The first one."""

    def is_kernel_driver_active(self, interface: int) -> bool:
        """Whether the kernel has it."""

    def detach_kernel_driver(self, interface: int) -> None:
        """Take it from the kernel."""

    def clear_halt(self, endpoint: int) -> None:
        """End a stall."""

    def read(self, endpoint: int, size: int, timeout: int) -> Sequence[int]:
        """One transfer, timeout in milliseconds."""

    def write(self, endpoint: int, octets: bytes, timeout: int) -> int:
        """Transfers, timeout in milliseconds."""


class _Library:
    """The backend in use. pyusb keeps the first library it loaded, so it is looked for once."""

    def __init__(self) -> None:
        self.backend: object | None = None

    def found(self) -> object:
        if self.backend is None:
            self.backend = usb.backend.libusb1.get_backend() or _packaged()
        if self.backend is None:
            raise usb.core.NoBackendError("no libusb-1.0")
        return self.backend


def _packaged() -> object | None:
    """Libusb as a package of Python's, the last resort: not every processor has one."""
    try:
        import libusb_package  # noqa: PLC0415 - only where it is needed, and only where it is
    except ImportError:
        return None
    backend: object | None = libusb_package.get_libusb1_backend()
    return backend


_LIBRARY: Final = _Library()


def use_backend(backend: object | None) -> None:
    """Put a backend of pyusb in libusb's place; None: look for libusb again. For tests."""
    _LIBRARY.backend = backend


def plugged(address: UsbAddress | None = None) -> tuple[UsbDevice, ...]:
    """Every device, or those that the address may mean by vendor, product and port.

    Raises:
        usb.core.USBError: the bus cannot be looked at.
        usb.core.NoBackendError: there is no libusb.
    """
    wanted = {} if address is None else {"idVendor": address.vendor, "idProduct": address.product}
    found = usb.core.find(find_all=True, backend=_LIBRARY.found(), **wanted)
    return tuple(device for device in found if address is None or address.port in {None, port_path(device)})


def port_path(device: UsbDevice) -> str | None:
    """Where it is plugged in, as the kernel writes it: ``1-1.2``."""
    if device.bus is None or not device.port_numbers:
        return None
    return f"{device.bus}-{'.'.join(str(number) for number in device.port_numbers)}"


def serial_number(device: UsbDevice) -> str | None:
    """What its descriptor says; None: it has none.

    Raises:
        ValueError: it may not be read, which pyusb calls "no langid".
        usb.core.USBError: the device is gone.
    """
    if not device.iSerialNumber:
        return None
    text: str = usb.util.get_string(device, device.iSerialNumber)
    return text


def dispose(device: UsbDevice) -> None:
    """Give back whatever is held of it."""
    usb.util.dispose_resources(device)


def claim(device: UsbDevice, interface: int) -> None:
    """Take an interface.

    Raises:
        usb.core.USBError: it cannot be had.
    """
    usb.util.claim_interface(device, interface)
