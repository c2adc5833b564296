"""A backend of pyusb whose bus is a folder of simulated devices: everything above libusb is the real thing.

It behaves as libusb does where that matters: an idle endpoint is a ``USBTimeoutError`` with errno 110, a
device that was pulled out is errno 19 within 0.2 s and gone from ``find()``, an interface somebody else has
is errno 16, a device that may not be opened is errno 13 (for whose strings pyusb then says "no langid"), and
a configuration cannot be set while a driver of the kernel has an interface.
"""

import errno
import json
import os
import socket
from array import array
from collections.abc import Iterator, MutableSequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import usb.backend
import usb.core

from sim_devices.usb_port import CLAIMED, REPORT_BYTES, UsbClass

_LANGUAGE: Final = b"\x04\x03\x09\x04"
_STRING: Final = 3
_SERIAL_INDEX: Final = 3
_CONFIGURATION: Final = 1
_IN: Final = 0x81
_OUT: Final = 0x01
_BULK: Final = 2
_INTERRUPT: Final = 3


@dataclass(slots=True, kw_only=True)
class _Device:
    """One on the bus, as it was found."""

    path: Path
    vendor: int
    product: int
    serial: str | None
    interface: UsbClass
    permitted: bool
    where: str
    kernel_driver: bool
    configured: bool
    line: socket.socket | None = field(default=None)

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(int(number) for number in self.path.name.partition("-")[2].split("."))


class SimulatedBus(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """The backend.

    Args:
        folder: the bus.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def enumerate_devices(self) -> Iterator[_Device]:
        for path in sorted(self._folder.glob("[0-9]*-*")):
            try:
                said = json.loads(path.read_text(encoding="utf-8"))
            except OSError:  # pulled out meanwhile
                continue
            yield _Device(path=path, **{**said, "interface": UsbClass(said["interface"])})

    def get_parent(self, dev: _Device) -> None:
        return None

    def get_device_descriptor(self, dev: _Device) -> SimpleNamespace:
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x200, bDeviceClass=0, bDeviceSubClass=0,
            bDeviceProtocol=0, bMaxPacketSize0=64, idVendor=dev.vendor, idProduct=dev.product,
            bcdDevice=0x100, iManufacturer=0, iProduct=0,
            iSerialNumber=0 if dev.serial is None else _SERIAL_INDEX, bNumConfigurations=1,
            bus=int(dev.path.name.partition("-")[0]), address=dev.ports[-1],
            port_number=dev.ports[-1], port_numbers=dev.ports, speed=2,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: _Device, config: int) -> SimpleNamespace:
        if config:
            raise IndexError(config)
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=1,
            bConfigurationValue=_CONFIGURATION, iConfiguration=0, bmAttributes=0x80, bMaxPower=50,
            extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: _Device, intf: int, alt: int, config: int) -> SimpleNamespace:
        if intf or alt or config:
            raise IndexError(intf)
        bulk = dev.interface is UsbClass.VENDOR_BULK
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=0, bAlternateSetting=0,
            bNumEndpoints=2 if bulk else 1, bInterfaceClass=0xFF if bulk else 3, bInterfaceSubClass=0,
            bInterfaceProtocol=0, iInterface=0, extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(
        self, dev: _Device, ep: int, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        bulk = dev.interface is UsbClass.VENDOR_BULK
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=(_IN, _OUT)[ep],
            bmAttributes=_BULK if bulk else _INTERRUPT, wMaxPacketSize=REPORT_BYTES,
            bInterval=0 if bulk else 8, bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    def open_device(self, dev: _Device) -> _Device:
        _there(dev)
        if not dev.permitted:
            raise usb.core.USBError("Access denied (insufficient permissions)", -3, errno.EACCES)
        return dev

    def close_device(self, dev_handle: _Device) -> None:
        self.release_interface(dev_handle, 0)

    def get_configuration(self, dev_handle: _Device) -> int:
        _there(dev_handle)
        return _CONFIGURATION if dev_handle.configured else 0

    def set_configuration(self, dev_handle: _Device, config_value: int) -> None:
        if dev_handle.kernel_driver or dev_handle.line is not None:
            raise _busy()
        dev_handle.configured = True

    def set_interface_altsetting(self, dev_handle: _Device, intf: int, altsetting: int) -> None:
        pass

    def is_kernel_driver_active(self, dev_handle: _Device, intf: int) -> bool:
        return dev_handle.kernel_driver

    def detach_kernel_driver(self, dev_handle: _Device, intf: int) -> None:
        dev_handle.kernel_driver = False

    def claim_interface(self, dev_handle: _Device, intf: int) -> None:
        _there(dev_handle)
        if dev_handle.kernel_driver:
            raise _busy()
        line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            line.settimeout(1.0)
            line.connect("\0" + dev_handle.where)
            taken = line.recv(1) != CLAIMED
        except OSError:
            line.close()
            raise _gone() from None
        if taken:
            line.close()
            raise _busy()
        dev_handle.line = line

    def release_interface(self, dev_handle: _Device, intf: int) -> None:
        line, dev_handle.line = dev_handle.line, None
        if line is not None:
            line.close()

    def clear_halt(self, dev_handle: _Device, ep: int) -> None:
        _there(dev_handle)

    def bulk_read(
        self, dev_handle: _Device, ep: int, intf: int, buff: MutableSequence[int], timeout: int
    ) -> int:
        line = _claimed(dev_handle)
        line.settimeout(timeout / 1000)
        try:
            octets = line.recv(len(buff))
        except TimeoutError:
            raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT) from None
        except OSError:
            raise _gone() from None
        if not octets:
            raise _gone()
        buff[: len(octets)] = array("B", octets)
        return len(octets)

    intr_read = bulk_read

    def bulk_write(self, dev_handle: _Device, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        try:
            return _claimed(dev_handle).send(data.tobytes())
        except OSError as error:
            raise _gone() from error

    intr_write = bulk_write

    def ctrl_transfer(
        self,
        dev_handle: _Device,
        bmRequestType: int,
        bRequest: int,
        wValue: int,
        wIndex: int,
        data: MutableSequence[int],
        timeout: int,
    ) -> int:
        _there(dev_handle)
        if wValue >> 8 != _STRING:
            raise usb.core.USBError("Pipe error", -9, errno.EPIPE)
        text = (dev_handle.serial or "").encode("utf-16-le")
        said = bytes((len(text) + 2, _STRING)) + text if wValue & 0xFF else _LANGUAGE
        said = said[: len(data)]
        data[: len(said)] = array("B", said)
        return len(said)


def _there(device: _Device) -> None:
    if not os.path.exists(device.path):  # noqa: PTH110 - asked at every call
        raise _gone()


def _claimed(device: _Device) -> socket.socket:
    if device.line is None:
        raise usb.core.USBError("Input/Output Error", -1, errno.EIO)
    line: socket.socket = device.line
    return line


def _gone() -> Exception:
    gone: Exception = usb.core.USBError("No such device (it may have been disconnected)", -4, errno.ENODEV)
    return gone


def _busy() -> Exception:
    busy: Exception = usb.core.USBError("Resource busy", -6, errno.EBUSY)
    return busy
