"""A capture through its driver, on the capture's own time: the reports that a pump would have given.

The same link as at a table reads the bytes that came from the device; what it would write goes nowhere,
because the capture holds the answers to what was written then. Every report counts as committed when it is
given.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from drivers.link import Link
from drivers.registry import driver_named, make_link
from drivers.reports import Absence, DeviceDisconnected, Position, Report
from drivers.translate import begun, connected, happened, missed, unreadable_gap
from firmware_protocols import (
    Cable,
    CableMoved,
    Capture,
    Carried,
    Decoder,
    Event,
    Garbled,
    HostNews,
    Mark,
    Missed,
    Opened,
    Refused,
    Resume,
    Resumed,
    Said,
    Unanswered,
    WasLost,
    Way,
    WentSilent,
)

LINGER_S: Final = 5.0
"""After the end of a capture, for what a link without heartbeat still wants to say of it."""
_US: Final = 1_000_000
_FILES: Final = frozenset({"code_table"})
"""Options that name a file, which lies beside the capture."""

Timed: TypeAlias = tuple[int, Report]
"""Microseconds since the capture's beginning, and what was reported then."""


def captured_reports(capture: Capture, *, device: str, source: Path) -> Iterator[Timed]:
    """What a device did, as its capture tells.

    Args:
        capture: read.
        device: the id it gets in the reports.
        source: the capture's file; files that its options name lie beside it.

    Raises:
        LocalDriverError: there is no such driver, or an option of the capture cannot be used.
    """
    told = capture.provenance
    driver = driver_named(told.protocol, url=str(source))
    link = make_link(
        driver,
        url=str(source),
        kind=told.kind,
        serial=None,
        options=_options(told.options, source),
        resume_from=_resumed_from(capture),
    )
    reading = _Reading(link=link, device=device, where=str(source))
    for entry in capture.entries:
        yield from reading.until(entry.at_us)
        yield from reading.take(entry)
    if not driver.beats:
        yield from reading.until(capture.ends_us + round(LINGER_S * _US))


@dataclass(slots=True, kw_only=True)
class _Reading:
    link: Link
    device: str
    where: str
    at_us: int = 0
    boot: int = 0
    open: bool = False
    told: list[Report] = field(default_factory=list)

    def until(self, at_us: int) -> Iterator[Timed]:
        """Let the time pass up to then."""
        while self.open and (due := self.link.deadline) is not None and due < at_us / _US:
            self.at_us = max(self.at_us, round(due * _US))
            yield from self._tell(self.link.tick(max(self.at_us / _US, due)))
        self.at_us = max(self.at_us, at_us)

    def take(self, entry: Carried | CableMoved) -> Iterator[Timed]:
        """One entry of the capture."""
        now = self.at_us / _US
        match entry:
            case CableMoved(to=Cable.CLOSED):
                yield from self._closed(
                    Absence.LOST, f"The capture {self.where} says that the port was closed."
                )
            case CableMoved():
                self._opened(now)
            case Carried(way=Way.FROM_DEVICE, octets=octets):
                if not self.open:
                    self._opened(now)
                yield from self._tell(self.link.receive(octets, now) + self.link.tick(now))
            case Carried():
                pass  # the link of today says what it says

    def _opened(self, now: float) -> None:
        self.open = True
        self.link.opened(now)
        self.link.data_to_send()

    def _closed(self, absence: Absence, detail: str) -> Iterator[Timed]:
        if self.open:
            self.open = False
            self.link.closed()
            yield self.at_us, DeviceDisconnected(device=self.device, absence=absence, detail=detail)

    def _tell(self, news: tuple[HostNews, ...]) -> Iterator[Timed]:
        for item in news:
            match item:
                case Refused():
                    yield from self._closed(
                        Absence.WRONG_DEVICE, f"Wanted {item.wanted}, found {item.found} in {self.where}."
                    )
                case Unanswered():
                    heard = f"A device is heard that does not answer in {self.where}."
                    yield (
                        self.at_us,
                        DeviceDisconnected(device=self.device, absence=Absence.NO_ANSWER, detail=heard),
                    )
                case WentSilent() | WasLost():
                    absence = Absence.GARBAGE if item.octets else Absence.SILENT
                    yield (
                        self.at_us,
                        DeviceDisconnected(
                            device=self.device,
                            absence=absence,
                            detail=f"{item.octets} bytes without a message in {self.where}.",
                        ),
                    )
                case _:
                    report = self._report(item)
                    if report is not None:
                        yield self.at_us, report
                        self._commit(report)
        self.link.data_to_send()

    def _report(self, item: HostNews) -> Report | None:
        match item:
            case Resumed():
                self.boot = item.mark.boot
                return connected(self.device, item)
            case Opened():
                return begun(self.device, item, serial=None)
            case Missed():
                self.boot = item.mark.boot
                return missed(self.device, item)
            case Garbled():
                return unreadable_gap(self.device)
            case Event():
                position = Position(boot=self.boot, number=item.number)
                return happened(self.device, position, item.at_ms, item.what)
            case Said():
                return happened(self.device, None, item.at_ms, item.what)
            case _:
                return None

    def _commit(self, report: Report) -> None:
        position = None if isinstance(report, DeviceDisconnected) else getattr(report, "position", None)
        if isinstance(position, Position):
            self.link.acknowledge(Mark(boot=position.boot, number=position.number))


def _resumed_from(capture: Capture) -> Mark | None:
    """Where the host of the capture went on: its first RESUME."""
    for said in Decoder().receive(capture.carried(Way.TO_DEVICE)):
        if isinstance(said, Resume) and said.boot:
            return Mark(boot=said.boot, number=said.after)
    return None


def _options(written: Mapping[str, str], source: Path) -> dict[str, object]:
    return {
        name: str(source.parent / value) if name in _FILES else _value(value)
        for name, value in written.items()
    }


def _value(text: str) -> object:
    """An option as a capture's head has it: true, false, a number, or a text."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, bool | int) else text
