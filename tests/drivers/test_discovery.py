"""What is plugged in, on a made-up computer: sysfs, /dev and /proc in a folder."""

import os
from pathlib import Path

from drivers import plugged_in, twins


class Computer:
    """Makes itself up."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in (
            "sys/class/tty",
            "sys/bus/usb/devices",
            "dev/serial/by-path",
            "dev/table-edge",
            "proc",
        ):
            (root / folder).mkdir(parents=True)
        (root / "dev/serial/by-id").mkdir()

    def usb(self, port: str, ids: str, *, serial: str | None = None, interface: str = "ff") -> Path:
        """A USB device."""
        folder = self.root / "sys/devices/usb1" / port
        inner = folder / f"{port}:1.0"
        inner.mkdir(parents=True)
        vendor, product = ids.split(":")
        told = {"idVendor": vendor, "idProduct": product, "manufacturer": "Maker", "product": "Thing"}
        told |= {"bDeviceClass": "00", "busnum": "1", "devnum": port[-1]}
        told |= {} if serial is None else {"serial": serial}
        for name, text in told.items():
            (folder / name).write_text(f"{text}\n", encoding="utf-8")
        (inner / "bInterfaceClass").write_text(f"{interface}\n", encoding="utf-8")
        (self.root / "sys/bus/usb/devices" / port).symlink_to(folder)
        (self.root / "sys/bus/usb/devices" / inner.name).symlink_to(inner)
        return inner

    def port(self, name: str, behind: Path | None = None, *, kind: str | None = None) -> None:
        """A serial port, of a USB device or of the computer's own."""
        where = self.root / "sys/devices/platform" if behind is None else behind / name
        entry = where / "tty" / name
        entry.mkdir(parents=True)
        (entry / "device").symlink_to(where)
        if kind is not None:
            (entry / "type").write_text(kind, encoding="utf-8")
        (self.root / "sys/class/tty" / name).symlink_to(entry)
        (self.root / "dev" / name).touch()

    def link(self, name: str, to: str) -> None:
        """A name that stays."""
        (self.root / "dev" / name).symlink_to(self.root / "dev" / to)

    def program(self, pid: int, name: str, command: str, opened: Path) -> None:
        """A program that has something open."""
        folder = self.root / "proc" / str(pid)
        (folder / "fd").mkdir(parents=True)
        (folder / "comm").write_text(f"{name}\n", encoding="utf-8")
        (folder / "cmdline").write_bytes(command.replace(" ", "\0").encode() + b"\0")
        (folder / "fd/3").symlink_to(os.path.realpath(opened))


def test_a_port_has_its_role_its_names_its_adapter_and_its_holder(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.port("ttyUSB0", computer.usb("1-1.2", "0403:6001", serial="A5XK3RJT"))
    computer.link("serial/by-id/usb-Maker_Thing_A5XK3RJT-if00-port0", "ttyUSB0")
    computer.link("serial/by-path/pci-0000:00:14.0-usb-0:1.2:1.0-port0", "ttyUSB0")
    computer.link("table-edge/t7-shoe", "ttyUSB0")
    computer.program(812, "ModemManager", "/usr/sbin/ModemManager", tmp_path / "dev/ttyUSB0")
    (found,) = plugged_in(tmp_path)
    assert found.path == "/dev/ttyUSB0"
    assert found.role == "/dev/table-edge/t7-shoe"
    assert found.url == "serial:/dev/table-edge/t7-shoe"
    assert found.stable == (
        "/dev/table-edge/t7-shoe",
        "/dev/serial/by-id/usb-Maker_Thing_A5XK3RJT-if00-port0",
        "/dev/serial/by-path/pci-0000:00:14.0-usb-0:1.2:1.0-port0",
    )
    assert found.usb is not None
    assert (found.usb.ids, found.usb.serial, found.usb.port) == ("0403:6001", "A5XK3RJT", "1-1.2")
    assert found.usb.name == "Maker Thing"
    (holder,) = found.holders
    assert str(holder) == "ModemManager (pid 812, called as /usr/sbin/ModemManager)"
    assert holder.remedy is not None
    assert "systemctl mask --now ModemManager.service" in holder.remedy


def test_two_adapters_without_serial_numbers_are_told_apart_by_their_ports(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    for number, port in enumerate(("1-1.2", "1-1.4")):
        computer.port(f"ttyUSB{number}", computer.usb(port, "1a86:7523"))
        computer.link(f"serial/by-path/usb-0:{port}:1.0-port0", f"ttyUSB{number}")
    found = plugged_in(tmp_path)
    assert [each.url for each in found] == [
        "serial:/dev/serial/by-path/usb-0:1-1.2:1.0-port0",
        "serial:/dev/serial/by-path/usb-0:1-1.4:1.0-port0",
    ]
    assert twins(found) == {"1-1.2", "1-1.4"}


def test_an_adapter_with_two_ports_is_no_twin_of_itself(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    inner = computer.usb("1-2", "0403:6010")
    computer.port("ttyUSB0", inner)
    computer.port("ttyUSB1", inner)
    found = plugged_in(tmp_path)
    assert len(found) == 2
    assert twins(found) == frozenset()


def test_a_usb_device_that_is_no_serial_port_is_named_by_its_serial_number_or_port(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.usb("1-1.2", "1209:0001", serial="TE-0042")
    computer.usb("1-1.3", "05e0:1300", interface="03")
    computer.usb("1-1.5", "0403:6001", interface="02")  # the kernel makes a serial port of it
    computer.program(99, "other", "other --all", tmp_path / "dev/bus/usb/001/002")
    shoe, scanner = plugged_in(tmp_path)
    assert (shoe.path, shoe.url, shoe.drivers) == (None, "usb:1209:0001:TE-0042", ("table_link",))
    assert [holder.pid for holder in shoe.holders] == [99]
    assert (scanner.url, scanner.drivers) == ("usb:05e0:1300?port=1-1.3", ())


def test_ports_that_are_only_a_place_on_the_board_are_not_shown(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.port("ttyS0", kind="4")
    (tmp_path / "sys/devices/platform2/tty/ttyS1").mkdir(parents=True)
    entry = tmp_path / "sys/devices/platform2/tty/ttyS1"
    (entry / "device").symlink_to(tmp_path / "sys/devices/platform2")
    (entry / "type").write_text("0", encoding="utf-8")
    (tmp_path / "sys/class/tty/ttyS1").symlink_to(entry)
    (found,) = plugged_in(tmp_path)
    assert (found.path, found.usb, found.url) == ("/dev/ttyS0", None, "serial:/dev/ttyS0")


def test_a_computer_without_any_of_it_has_nothing(tmp_path: Path) -> None:
    assert plugged_in(tmp_path) == ()
