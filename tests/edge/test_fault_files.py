"""The last frames before a fault: kept for the service's user, ten a device, with the shoe of that time."""

import errno
import stat
from pathlib import Path

import pytest

from drivers import Fault
from edge.fault_files import KEPT, FaultFiles, Whose, made_during
from firmware_protocols import Capture, Carried, Provenance, Way, read_capture

SECOND = 1_000


def whose(shoe: int | None = None) -> Whose:
    return Whose(table="t1", journal="j1", shoe=shoe)


def fault(sentence: str = "The cable broke.") -> Fault:
    entries = (Carried(at_us=5, way=Way.FROM_DEVICE, octets=b"\x31"),)
    return Fault(
        device="shoe",
        sentence=sentence,
        capture=Capture(provenance=Provenance(protocol="table_link"), entries=entries),
    )


def test_a_file_says_of_which_table_it_is_and_during_which_shoe_it_was_made(tmp_path: Path) -> None:
    shoes = iter((3, None))
    folder = tmp_path / "faults"
    times = iter((0, 61 * SECOND))
    files = FaultFiles(folder, whose=lambda: whose(next(shoes)), wall_ms=lambda: next(times))
    files.keep(fault("Two\nlines."))
    files.keep(fault())
    first, second = files.of("shoe")
    assert first.name == "shoe-19700101T000000Z.log"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    capture = read_capture(first.read_text(encoding="utf-8"), source="first")
    assert (capture.provenance.table, capture.provenance.journal) == ("t1", "j1")
    assert capture.provenance.notes == "during shoe 3: Two lines."
    assert made_during(capture) == 3
    assert capture.carried(Way.FROM_DEVICE) == b"\x31"
    assert made_during(read_capture(second.read_text(encoding="utf-8"), source="second")) is None


def test_the_newest_ten_of_a_device_stay(tmp_path: Path) -> None:
    times = iter(number * 60 * SECOND for number in range(15))
    files = FaultFiles(tmp_path, whose=whose, wall_ms=lambda: next(times))
    other = tmp_path / "shoe-2-19700101T000000Z.log"
    other.touch()
    for _ in range(15):
        files.keep(fault())
    kept = files.of("shoe")
    assert len(kept) == KEPT
    assert kept[-1].name == "shoe-19700101T001400Z.log"
    assert other.exists()


def test_a_disk_that_refuses_harms_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("edge.fault_files.os.open", full)
    FaultFiles(tmp_path, whose=whose, wall_ms=lambda: 0).keep(fault())
    assert list(tmp_path.iterdir()) == []
