"""Each capture over each wire: no exception, no event that the clean run lacks, no loss unsaid."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers import (
    CardPassed,
    DeviceConnected,
    DeviceDisconnected,
    EventsMissed,
    ForeignCardPassed,
    Report,
    captured_reports,
)
from firmware_protocols import Capture
from sim_devices.player import load_capture
from tests.regress.live import delivered_or_missed
from tests.regress.pairs import captures
from tests.regress.wires import WIRES, over

CAPTURES = captures()
SEEDS = range(3)
NUMBERED = [log for log in CAPTURES if log.stem.startswith("table_link-")]
UNNUMBERED = [log for log in CAPTURES if log not in NUMBERED]
KEEPS_ALL = {"whole", "one byte at a time", "random splits", "coalesced", "doubled frames"}
UNCHECKED = ("barcode-", "hid_pos-")
"""Nothing on these wires is checked by the protocol (docs/wire.md section 3 says what follows from that)."""
CANNOT_BE_KNOWN = {
    ("barcode-plain", "1 % flips"): "a flipped bit makes one plain code another",
    ("barcode-noise-at-start", "doubled frames"): "the second copy says what noise hid in the clean run",
    (
        "barcode-noise-at-start",
        "stall then burst",
    ): "noise that is given up no longer hides the code after it",
    ("barcode-lost", "stall then burst"): "two codes without a suffix between them are parted by the time",
    ("angel_eye-damaged", "1 % flips"): "a second fault in a damaged message may hide the first",
}
"""Where a damaged wire tells a table more than the clean run, or another thing, and nothing can show it."""


def heard(capture: Capture, log: Path) -> list[Report]:
    return [report for _, report in captured_reports(capture, device="shoe", source=log)]


def is_event(report: Report) -> bool:
    return not isinstance(report, DeviceConnected | DeviceDisconnected | EventsMissed)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("log", NUMBERED, ids=lambda log: log.stem)
def test_a_numbered_capture_tells_nothing_that_it_did_not_tell_before(log: Path, wire: str) -> None:
    if log.stem == "table_link-restart" and wire not in KEEPS_ALL:
        return  # a device sends no event of a new boot to a host that did not ask for it; a capture does
    capture = load_capture(log)
    clean = [each for each in heard(capture, log) if is_event(each)]
    for seed in SEEDS:
        told = [each for each in heard(over(capture, WIRES[wire], seed), log) if is_event(each)]
        order = [clean.index(each) for each in told]
        assert order == sorted(set(order)), "twice, or out of order"
        if wire in KEEPS_ALL:
            assert told == clean


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("log", NUMBERED, ids=lambda log: log.stem)
def test_a_numbered_device_delivers_everything_or_its_absence(log: Path, wire: str) -> None:
    numbered(log, wire, SEEDS)


def numbered(log: Path, wire: str, seeds: range) -> None:
    capture = load_capture(log)
    for seed in seeds:
        delivered_or_missed(capture, WIRES[wire], seed, bad_for_s=capture.ends_us / 1e6 + 2)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("log", UNNUMBERED, ids=lambda log: log.stem)
def test_an_unnumbered_capture_loses_nothing_unsaid_and_invents_nothing(log: Path, wire: str) -> None:
    unnumbered(log, wire, SEEDS)


def unnumbered(log: Path, wire: str, seeds: range) -> None:
    if (log.stem, wire) in CANNOT_BE_KNOWN:
        return
    capture = load_capture(log)
    clean = list(tokens(heard(capture, log), log))
    for seed in seeds:
        told = list(tokens(heard(over(capture, WIRES[wire], seed), log), log))
        doubles = wire == "doubled frames" and log.stem.startswith(UNCHECKED)
        assert explained(told, clean, doubles=doubles), (seed, told, clean)


LOUD = "loud"


def tokens(reports: list[Report], log: Path) -> Iterator[Report | str]:
    """Events, and between them where the table is told that something may be missing."""
    for nth, report in enumerate(reports):
        match report:
            case EventsMissed() | DeviceDisconnected():
                yield LOUD
            case DeviceConnected():
                if nth:
                    yield LOUD
            case CardPassed() if log.stem.startswith(UNCHECKED):
                # Its serial number may have been damaged on the way: nothing checks it.
                yield dataclasses.replace(report, serial=None)
            case _:
                yield report


def explained(told: list[Report | str], clean: list[Report | str], *, doubles: bool) -> bool:
    """Whether what was told is what the clean run told, but for losses at places that are loud."""
    wanted = [each for each in clean if each != LOUD]
    #: How far in the clean run one may be, and whether it is loud since.
    places = {(0, False)}
    for each in told:
        after: set[tuple[int, bool]] = set()
        for at, loud in places:
            if each == LOUD or isinstance(each, ForeignCardPassed):
                after.add((at, True))
            if each == LOUD:
                continue
            skippable = range(at, len(wanted)) if loud else range(at, min(at + 1, len(wanted)))
            after |= {(found + 1, False) for found in skippable if wanted[found] == each}
            if doubles and each in wanted[:at]:
                after.add((at, loud))
        places = after
    return any(at == len(wanted) or loud for at, loud in places)


def test_the_check_notices_what_it_is_for() -> None:
    a, b = (
        DeviceConnected(device=each, kind="", serial="", firmware="", position=None, skipped=0)
        for each in "ab"
    )
    assert explained([a, b], [a, b], doubles=False)
    assert explained([a, LOUD], [a, b], doubles=False)
    assert explained([LOUD, b], [a, b], doubles=False)
    assert not explained([a], [a, b], doubles=False)
    assert not explained([b], [a, b], doubles=False)
    assert not explained([a, a, b], [a, b], doubles=False)
    assert explained([a, a, b], [a, b], doubles=True)
    assert not explained([a, LOUD, a], [a, b], doubles=False)


def test_the_wires_do_something() -> None:
    capture = load_capture(NUMBERED[-1])
    octets = Counter(len(each.octets) for each in capture.entries if hasattr(each, "octets"))
    assert octets
    changed = [name for name, wire in WIRES.items() if over(capture, wire, 1) != capture]
    assert set(changed) == set(WIRES) - {"whole"}
