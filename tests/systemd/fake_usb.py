"""A USB serial adapter as sysfs shows it, for udev to read where there is no USB: ``fake_usb.py /sys``.

::

    usb_device 1-1.2  ->  usb_interface 1-1.2:1.0  ->  usb-serial ttyUSB0  ->  tty ttyUSB0
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

DEVICE: Final = "devices/pci0000:00/usb1/1-1/1-1.2"
INTERFACE: Final = f"{DEVICE}/1-1.2:1.0"
SERIAL: Final = f"{INTERFACE}/ttyUSB0"
TTY: Final = f"{SERIAL}/tty/ttyUSB0"
POWER: Final = f"{DEVICE}/power/control"
LATENCY: Final = f"{SERIAL}/latency_timer"


def plug_in(sys_root: Path, *, serial: str = "TE-0042") -> None:
    """Lay it out below this directory. What udev writes there replaces the first bytes, as in any file."""
    _node(
        sys_root,
        DEVICE,
        subsystem="bus/usb",
        driver="bus/usb/drivers/usb",
        files={
            "uevent": "MAJOR=189\nMINOR=3\nDEVNAME=bus/usb/001/004\nDEVTYPE=usb_device\nPRODUCT=403/6001/600",
            "serial": serial,
            "idVendor": "0403",
            "idProduct": "6001",
            "dev": "189:3",
            "power/control": "--",
        },
    )
    _node(
        sys_root,
        INTERFACE,
        subsystem="bus/usb",
        driver="bus/usb/drivers/ftdi_sio",
        files={
            "uevent": "DEVTYPE=usb_interface\nDRIVER=ftdi_sio",
            "bInterfaceNumber": "00",
            "bInterfaceClass": "ff",
            "bInterfaceSubClass": "ff",
            "bInterfaceProtocol": "ff",
        },
    )
    _node(
        sys_root,
        SERIAL,
        subsystem="bus/usb-serial",
        driver="bus/usb-serial/drivers/ftdi_sio",
        files={"uevent": "DRIVER=ftdi_sio", "latency_timer": "-"},
    )
    _node(
        sys_root,
        TTY,
        subsystem="class/tty",
        driver=None,
        files={"uevent": "MAJOR=188\nMINOR=0\nDEVNAME=ttyUSB0", "dev": "188:0"},
    )
    (sys_root / TTY / "device").symlink_to("../../../ttyUSB0")


def _node(sys_root: Path, name: str, *, subsystem: str, driver: str | None, files: Mapping[str, str]) -> None:
    node = sys_root / name
    for file, text in files.items():
        (node / file).parent.mkdir(parents=True, exist_ok=True)
        (node / file).write_text(f"{text}\n")
    for link, target in (("subsystem", subsystem), ("driver", driver)):
        if target is not None:
            (sys_root / target).mkdir(parents=True, exist_ok=True)
            (node / link).symlink_to(os.path.relpath(sys_root / target, node))


if __name__ == "__main__":
    plug_in(Path(sys.argv[1]))
