"""Taps: everything that goes over a cable, as a capture that belongs to its user alone."""

import asyncio
import errno
import stat
from pathlib import Path

import pytest

from drivers import CaptureFile, DeviceSettings, Fault
from drivers import tap as taps
from drivers.tap import LastFrames
from firmware_protocols import Cable, Provenance, Way, read_capture
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from tests.drivers.reading import Reading

CONTENTS = ShoeContents.shuffled(decks=8, seed=3)
PROVENANCE = Provenance(protocol="table_link")


def test_a_file_has_everything_both_ways_and_is_for_its_user_alone(tmp_path: Path) -> None:
    path, failures = tmp_path / "shoe.log", list[str]()
    file = CaptureFile(path, PROVENANCE, since=10.0, failed=failures.append)
    file.moved(Cable.OPENED, 10.0)
    file.carried(Way.TO_DEVICE, b"\x04\x84\x30\xfc\x00", 10.00021)
    file.carried(Way.FROM_DEVICE, b"\x0b\x01", 10.012873)
    file.close()
    file.carried(Way.FROM_DEVICE, b"after its end", 11.0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="utf-8").splitlines()[2:] == [
        "# kind: shoe",
        "0.000000 opened",
        "0.000210 > 048430fc00",
        "0.012873 < 0b01",
    ]
    assert failures == []
    with pytest.raises(FileExistsError):
        CaptureFile(path, PROVENANCE, since=0.0, failed=failures.append)


def test_a_disk_that_refuses_ends_the_capture_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = list[str]()
    file = CaptureFile(tmp_path / "shoe.log", PROVENANCE, since=0.0, failed=failures.append)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("drivers.tap.os.write", full)
        file.carried(Way.FROM_DEVICE, b"x", 1.0)
        file.carried(Way.FROM_DEVICE, b"x", 2.0)
    assert failures == [f"The capture {tmp_path}/shoe.log ends here: No space left on device."]


def test_a_capture_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taps, "LARGEST_FILE", 1000)
    failures = list[str]()
    file = CaptureFile(tmp_path / "shoe.log", PROVENANCE, since=0.0, failed=failures.append)
    for _ in range(100):
        file.carried(Way.FROM_DEVICE, bytes(50), 1.0)
    assert len(failures) == 1
    assert (tmp_path / "shoe.log").stat().st_size < 1200


def test_only_the_last_frames_are_remembered_and_only_a_device_that_spoke_matters() -> None:
    last = LastFrames(0.0)
    last.carried(Way.TO_DEVICE, b"ping", 0.0)
    spoke_before = last.spoke
    for number in range(300):
        last.carried(Way.FROM_DEVICE, bytes((number % 256,)), float(number))
    assert (spoke_before, last.spoke) == (False, True)
    entries = last.entries()
    assert (len(entries), entries[0].at_us, entries[-1].at_us) == (200, 100_000_000, 299_000_000)


def test_a_pulled_plug_hands_over_what_went_before_once_a_minute(tmp_path: Path) -> None:
    told: list[Fault] = []

    async def run() -> None:
        reading = Reading(DeviceSettings(id="shoe", url=str(tmp_path / "shoe")), faulty=told.append)
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), CONTENTS) as shoe, reading.running():
            for turn in range(1, 4):
                await reading.until(lambda: reading.pump.connected)
                shoe.draw()
                await reading.until(lambda due=turn: len(reading.cards) == due)  # type: ignore[misc]
                shoe.unplug()
                await reading.until(lambda: not reading.pump.connected)
                shoe.replug()

    asyncio.run(run())
    (fault,) = told
    assert fault.device == "shoe"
    assert "The connection broke" in fault.sentence
    assert "capture" not in repr(fault)
    capture = fault.capture
    assert capture.carried(Way.TO_DEVICE).startswith(b"\x04\x84\x30\xfc\x00")
    assert capture.carried(Way.FROM_DEVICE).count(b"\x00") >= 2


def test_a_device_that_never_spoke_has_nothing_to_hand_over(tmp_path: Path) -> None:
    told: list[Fault] = []

    async def run() -> None:
        reading = Reading(DeviceSettings(id="shoe", url=str(tmp_path / "nothing")), faulty=told.append)
        async with reading.running():
            await reading.until(lambda: reading.pump.counters.not_opened >= 3)

    asyncio.run(run())
    assert told == []


def test_a_whole_conversation_is_read_back_as_it_was(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "shoe.log"
        settings = DeviceSettings(id="shoe", url=str(tmp_path / "shoe"))
        tap = CaptureFile(path, settings.provenance("a test"), since=0.0, failed=print)
        reading = Reading(settings, taps=(tap,))
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), CONTENTS) as shoe, reading.running():
            await reading.until(lambda: reading.pump.connected)
            for _ in range(5):
                shoe.draw()
            await reading.until(lambda: len(reading.cards) == 5)
            await reading.until(lambda: shoe.end.oldest == 6)
        tap.close()
        capture = read_capture(path.read_text(encoding="utf-8"), source="shoe.log")
        counters = reading.pump.counters
        assert len(capture.carried(Way.FROM_DEVICE)) == counters.bytes_read
        assert len(capture.carried(Way.TO_DEVICE)) == counters.bytes_written

    asyncio.run(run())
