"""USB devices through the real pyusb, on a simulated bus."""

import asyncio
import errno
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import usb.backend.libusb1
import usb.core

from drivers import (
    Absence,
    CardPassed,
    DeviceAbsent,
    DeviceBusy,
    DeviceConnected,
    DeviceDisconnected,
    DeviceLost,
    DeviceSettings,
    EventsMissed,
    LineSettings,
    NoPermission,
    Port,
    WrongDevice,
    open_port,
    parse_url,
    use_backend,
)
from firmware_protocols import encode_hid_pos
from sim_devices import (
    ShoeContents,
    ShoeItem,
    ShoeSettings,
    SimulatedBus,
    SimulatedShoe,
    UsbClass,
    UsbIdentity,
    UsbPort,
)
from tests.drivers.reading import Reading, open_descriptors, threads_of
from tests.firmware_protocols.codes import PLAIN

URL = "usb:1209:0001:TE-0042"
LINE = LineSettings(baud=9600)
CONTENTS = ShoeContents.shuffled(decks=8, seed=3, cut_from_back=60)
SCANNER = UsbIdentity(product=0x0002, serial="SC-1", interface=UsbClass.HID, kernel_driver=True)


@pytest.fixture(autouse=True)
def bus(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "bus"
    folder.mkdir()
    use_backend(SimulatedBus(folder))
    yield folder
    use_backend(None)


def plugged_in(
    bus: Path, identity: UsbIdentity, scenario: Callable[[UsbPort], Awaitable[None]], port: str = "1-1.2"
) -> list[bytes]:
    """Play with one device on the bus; everything it received."""
    received: list[bytes] = []

    async def run() -> None:
        device = UsbPort(bus / port, received.append, identity)
        device.plug()
        try:
            async with asyncio.timeout(10):
                await scenario(device)
        finally:
            device.unplug()

    asyncio.run(run())
    return received


async def opened(url: str) -> Port:
    return await asyncio.to_thread(open_port, parse_url(url), LINE)


async def closed(port: Port) -> None:
    port.close()
    assert await asyncio.to_thread(port.wait_closed, 2.0)


async def read(port: Port) -> bytes:
    async with asyncio.timeout(5):
        while not (octets := port.read()):  # noqa: ASYNC110 - what is waited for is in a thread
            await asyncio.sleep(0.002)
    return octets


def test_bytes_go_both_ways_over_bulk_endpoints(bus: Path) -> None:
    async def scenario(device: UsbPort) -> None:
        port = await opened(URL)
        assert port.serial == "TE-0042"
        device.write(b"from the device")
        assert await read(port) == b"from the device"
        port.write(b"from the host")
        await asyncio.sleep(0.05)
        await closed(port)

    assert plugged_in(bus, UsbIdentity(), scenario) == [b"from the host"]


def test_an_idle_endpoint_is_no_loss_and_a_pulled_plug_is_one_soon(bus: Path) -> None:
    async def scenario(device: UsbPort) -> None:
        port = await opened(URL)
        await asyncio.sleep(0.6)  # two timeouts of the reader
        assert port.read() == b""
        device.write(b"last words")
        device.unplug()
        assert await read(port) == b"last words"
        async with asyncio.timeout(2):
            with pytest.raises(DeviceLost):  # noqa: PT012 - which read meets it is open
                while True:
                    port.read()
                    await asyncio.sleep(0.002)
        await closed(port)
        with pytest.raises(DeviceAbsent, match="There is no USB device 1209:0001"):
            await opened(URL)

    plugged_in(bus, UsbIdentity(), scenario)


def test_reports_of_an_interrupt_endpoint_stay_apart_and_the_kernels_driver_is_taken_off(bus: Path) -> None:
    async def scenario(device: UsbPort) -> None:
        port = await opened("usb:1209:0002:SC-1")
        device.write(bytes(64) + b"\x01" * 64)
        assert [await read(port), await read(port)] == [bytes(64), b"\x01" * 64]
        port.write(b"a HID scanner has nothing to listen with")
        await closed(port)

    assert plugged_in(bus, SCANNER, scenario) == []


def test_a_device_without_a_configuration_gets_one(bus: Path) -> None:
    async def scenario(_device: UsbPort) -> None:
        await closed(await opened(URL))

    plugged_in(bus, UsbIdentity(configured=False), scenario)


@pytest.mark.parametrize("serial", ["TE-0042", None])
def test_a_device_that_may_not_be_opened_says_so_and_names_the_rule(bus: Path, serial: str | None) -> None:
    async def scenario(_device: UsbPort) -> None:
        with pytest.raises(NoPermission) as caught:
            await opened("usb:1209:0001")
        assert "may not open it" in caught.value.sentence
        assert "70-table-edge-roles.rules" in caught.value.hint

    plugged_in(bus, UsbIdentity(serial=serial, permitted=False), scenario)


def test_a_device_that_somebody_else_has_is_busy_and_free_again_afterwards(bus: Path) -> None:
    async def scenario(_device: UsbPort) -> None:
        port = await opened(URL)
        with pytest.raises(DeviceBusy, match="in use by"):
            await opened(URL)
        await closed(port)
        await closed(await opened(URL))

    plugged_in(bus, UsbIdentity(), scenario)


def test_another_serial_number_is_another_device(bus: Path) -> None:
    async def scenario(_device: UsbPort) -> None:
        with pytest.raises(DeviceAbsent, match="with serial number TE-9999"):
            await opened("usb:1209:0001:TE-9999")

    plugged_in(bus, UsbIdentity(), scenario)


def test_two_devices_without_serial_numbers_are_told_apart_by_their_ports(bus: Path) -> None:
    async def scenario(device: UsbPort) -> None:
        twin = UsbPort(bus / "1-1.4", lambda _: None, UsbIdentity(serial=None))
        twin.plug()
        with pytest.raises(WrongDevice, match=r"each of 2 devices, at the ports 1-1\.2, 1-1\.4"):
            await opened("usb:1209:0001")
        port = await opened("usb:1209:0001?port=1-1.4")
        device.write(b"the wrong one")
        twin.write(b"the right one")
        assert await read(port) == b"the right one"
        await closed(port)
        twin.unplug()

    plugged_in(bus, UsbIdentity(serial=None), scenario)


def test_a_computer_without_libusb_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    use_backend(None)
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)
    monkeypatch.setattr("libusb_package.get_libusb1_backend", lambda: None)
    with pytest.raises(DeviceLost, match="no libusb-1") as caught:
        open_port(parse_url(URL), LINE)
    assert caught.value.hint == "apt-get install libusb-1.0-0"


def test_where_the_system_has_no_libusb_the_package_brings_one(monkeypatch: pytest.MonkeyPatch) -> None:
    use_backend(None)
    found = usb.backend.libusb1.get_backend
    monkeypatch.setattr(
        "usb.backend.libusb1.get_backend", lambda find_library=None: find_library and found(find_library)
    )
    with pytest.raises(DeviceAbsent):  # it was found, and has looked at a bus without devices
        open_port(parse_url(URL), LINE)


def test_a_stall_is_cleared_and_one_that_does_not_end_is_a_loss(
    bus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared: list[int] = []

    def stalled(*_: object) -> int:
        raise usb.core.USBError("Pipe error", -9, errno.EPIPE)

    async def scenario(_device: UsbPort) -> None:
        monkeypatch.setattr(SimulatedBus, "bulk_read", stalled)
        monkeypatch.setattr(
            SimulatedBus, "clear_halt", lambda _bus, _device, endpoint: cleared.append(endpoint)
        )
        port = await opened(URL)
        async with asyncio.timeout(2):
            with pytest.raises(DeviceLost):  # noqa: PT012 - which read meets it is open
                while True:
                    port.read()
                    await asyncio.sleep(0.002)
        await closed(port)

    plugged_in(bus, UsbIdentity(), scenario)
    assert cleared == [0x81] * 3


def test_what_a_slow_host_does_not_read_waits_and_is_not_dropped(bus: Path) -> None:
    async def scenario(device: UsbPort) -> None:
        port = await opened("usb:1209:0002")
        said = [bytes((number % 251,)) * 64 for number in range(3000)]
        heard: list[bytes] = []
        for at in range(0, 3000, 100):  # more than the queue holds, in bursts that the socket takes
            for report in said[at : at + 100]:
                device.write(report)
            while len(heard) < at - 1000:
                heard.append(await read(port))
            await asyncio.sleep(0.04)  # the reader looks for room every 20 ms
        while len(heard) < 3000:
            heard.append(await read(port))
        assert heard == said
        await closed(port)

    plugged_in(bus, SCANNER, scenario)


def settings(**more: str) -> DeviceSettings:
    return DeviceSettings(id="shoe", url=more.pop("url", URL), **more)  # type: ignore[arg-type]


def test_a_table_link_shoe_is_read_over_usb_through_ten_pulled_plugs(bus: Path) -> None:
    async def run() -> None:
        reading = Reading(settings(serial="TE-0042"))
        shoe = SimulatedShoe(ShoeSettings(port=bus / "1-1.2", usb=UsbIdentity()), CONTENTS)
        async with shoe, reading.running():
            await reading.until(lambda: reading.pump.connected)
            before = 0
            truth: list[ShoeItem] = []
            for turn in range(1, 11):
                truth += [shoe.draw() for _ in range(2)]
                shoe.unplug_after(turn * 3)
                truth += [shoe.draw() for _ in range(5)]
                await reading.until(lambda: not shoe.plugged and not reading.pump.connected)
                shoe.replug()
                await reading.until(lambda: reading.pump.connected)
                before = before or open_descriptors()  # the first absence has begun to hear udev
            await reading.until(lambda: len(reading.cards) == len(truth))
            assert reading.cards == [item.value for item in truth]
            assert reading.of(EventsMissed) == []
            assert reading.pump.counters.reconnects == 10
            assert open_descriptors() == before
            assert len(threads_of(URL)) == 2
        await reading.until(lambda: threads_of(URL) == [])

    asyncio.run(run())


def test_the_handshake_must_match_what_is_configured(bus: Path) -> None:
    async def run() -> None:
        reading = Reading(settings(url="usb:1209:0001", serial="TE-0042"))
        shoe = SimulatedShoe(ShoeSettings(port=bus / "1-1", usb=UsbIdentity(), serial="TE-7"), CONTENTS)
        async with shoe, reading.running():
            await reading.until(lambda: reading.pump.counters.opened >= 2)
        (refused,) = reading.reports
        assert isinstance(refused, DeviceDisconnected)
        assert refused.absence is Absence.WRONG_DEVICE
        assert "serial number TE-0042" in refused.detail
        assert "serial number TE-7" in refused.detail

    asyncio.run(run())


def test_a_scanner_is_known_by_the_serial_number_of_its_descriptor(bus: Path, tmp_path: Path) -> None:
    codes = tmp_path / "codes.csv"
    codes.write_text(PLAIN, encoding="utf-8")

    def scanner(serial: str) -> Reading:
        return Reading(
            DeviceSettings(
                id="scanner",
                url="usb:1209:0002",
                protocol="hid_pos",
                kind="scanner",
                serial=serial,
                options={"code_table": str(codes)},
            )
        )

    async def scenario(device: UsbPort) -> None:
        async with scanner("SC-2").running() as wrong:
            await wrong.until(lambda: wrong.reports != [])
            device.write(b"".join(encode_hid_pos("As")))
            await wrong.until(lambda: wrong.pump.counters.opened >= 2)
            (refused,) = wrong.reports
            assert isinstance(refused, DeviceDisconnected)
            assert "wanted serial number SC-2, found serial number SC-1" in refused.detail
        async with scanner("SC-1").running() as right:
            await right.until(lambda: right.pump.connected)
            (greeting,) = right.of(DeviceConnected)
            assert (greeting.serial, greeting.numbered) == ("SC-1", False)
            for code in ("As", "As", "Kd"):
                device.write(b"".join(encode_hid_pos(code)))
            await right.until(lambda: len(right.of(CardPassed)) == 3)
            assert right.cards == ["As", "As", "Kd"]

    plugged_in(bus, SCANNER, scenario)
