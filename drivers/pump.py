"""The pump: the one loop between a port and its link (docs/wire.md section 1).

Laws:

* **Commit, then acknowledge.** A batch is everything one read brought. The consumer commits it and calls
  :meth:`Pump.acknowledge` with its last position; before that nothing is acknowledged to the device.
* **No queue.** While the consumer holds a batch nothing is read: what waits, waits in the kernel's buffer
  and in the device, which sends at most 8 events ahead of an acknowledgement. Acknowledgements are
  written at once, also while the consumer holds a batch.
* **On the loop.** From ``read`` to the batch there is no thread and no queue. Only opening is elsewhere.
* **For ever.** A port that fails is closed at once and reopened by its stable name, with growing,
  jittered delays. Its absence is reported once per change of reason, not per attempt.
* **Once.** The link outlives connections, so an event the consumer was given is not given again, even if
  its acknowledgement was lost with the cable.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from drivers.errors import DeviceLost, WrongDevice
from drivers.opening import Opening
from drivers.patience import APPEARANCE_S, Patience
from drivers.ports import Port, parse_url
from drivers.registry import LinkWish, driver_named, wire_kind
from drivers.reports import Absence, DeviceDisconnected, Position, Report
from drivers.translate import connected, happened, missed
from drivers.watch import Watch
from firmware_protocols import (
    Event,
    Garbled,
    Heartbeat,
    HostNews,
    Mark,
    Missed,
    Noise,
    Opened,
    Refused,
    Reject,
    Reply,
    Resumed,
    Said,
    UnknownMessage,
    WasLost,
    WentSilent,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSettings:
    """A device of the table, as configured."""

    id: str
    """Its name in every report."""
    url: str
    """``serial:/dev/NAME?baud=115200`` or ``/dev/NAME``; a stable name, never ttyUSB0."""
    protocol: str = "table_link"
    kind: str = "shoe"
    serial: str | None = None
    """The serial number it must have; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCounters:
    """What a pump counted since it was made."""

    frames: int
    """Readable frames of every type."""
    noise_bytes: int
    rejects: int
    """What looked like a frame and was none."""
    repeats: int
    """Events the device sent again."""
    early: int
    """Events out of order, or before the link was resumed; they come again."""
    gaps: int
    strangers: int
    """Readable frames that no device of this version sends."""
    bytes_since_frame: int
    """Growing: bytes come, but no frame. Wrong line speed, or no table_link device."""
    bytes_read: int
    bytes_written: int
    opened: int
    """Times the port was opened."""
    not_opened: int
    """Attempts that failed."""
    reconnects: int
    """Times the link was resumed, after the first."""


class Pump:
    """Reads one device for ever.

    Args:
        settings: the device.
        resume_from: the position the journal last committed; None at first contact.
        monotonic: seconds, never backwards.
        random: uniform, 0 up to 1, for jitter.

    Raises:
        BadUrl: the URL cannot be read.
        UnknownDriver: there is no such protocol, or it does not serve this kind of device.
    """

    def __init__(
        self,
        settings: DeviceSettings,
        *,
        resume_from: Position | None,
        monotonic: Callable[[], float],
        random: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._address = parse_url(settings.url)
        self._driver = driver_named(settings.protocol, url=settings.url)
        kind = wire_kind(self._driver, settings.kind, url=settings.url)
        mark = None if resume_from is None else Mark(boot=resume_from.boot, number=resume_from.number)
        self._link = self._driver.link(LinkWish(kind=kind, serial=settings.serial, resume_from=mark))
        self._monotonic = monotonic
        self._patience = Patience(random)
        self._port: Port | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch = Watch(monotonic)
        self._watching_writes = False
        self._doom: DeviceLost | None = None
        self._absence: Absence | None = None
        self._heartbeat: Heartbeat | None = None
        self._boot = 0
        self._bytes_read = self._bytes_written = 0
        self._opened = self._not_opened = self._resumed = 0

    @property
    def counters(self) -> LinkCounters:
        """A snapshot."""
        link = self._link.counts
        return LinkCounters(
            frames=link.frames,
            noise_bytes=link.noise_bytes,
            rejects=link.rejects,
            repeats=link.repeats,
            early=link.early,
            gaps=link.gaps,
            strangers=link.strangers,
            bytes_since_frame=link.octets_since_frame,
            bytes_read=self._bytes_read,
            bytes_written=self._bytes_written,
            opened=self._opened,
            not_opened=self._not_opened,
            reconnects=max(self._resumed - 1, 0),
        )

    @property
    def heartbeat(self) -> Heartbeat | None:
        """The last one, with supply voltage and read-light level; None before the first."""
        return self._heartbeat

    @property
    def connected(self) -> bool:
        """The link is resumed and not silent."""
        return self._port is not None and self._link.running

    async def batches(self) -> AsyncGenerator[tuple[Report, ...], None]:
        """Reports for ever, one batch per read, never empty; cancel or close to stop.

        To be iterated by one consumer at a time. The port is closed when the generator is: use
        ``contextlib.aclosing`` where the loop may be left by anything but cancellation.
        """
        self._loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    port = await self._open()
                    while True:
                        yield await self._next_batch(port)
                except DeviceLost as lost:
                    self._close()
                    told = self._tell_absent(lost)
                    if told:
                        yield told
                    await self._rest(lost)
        finally:
            self._close()

    def acknowledge(self, position: Position) -> None:
        """The consumer has everything up to ``position`` on disk. Written to the device at once.

        Every report but ``DeviceDisconnected`` has a position, gaps included; the last of a batch covers all
        before it.

        A position of a device's earlier power-on is ignored. Trouble with the port does not show here but in
        the next batch.

        Raises:
            NotReceived: nothing so new was ever reported.
        """
        self._link.acknowledge(Mark(boot=position.boot, number=position.number))
        self._flush()

    async def _open(self) -> Port:
        try:
            self._port = port = await Opening(self._address, self._driver.line).wait()
        except DeviceLost:
            self._not_opened += 1
            raise
        self._opened += 1
        self._link.opened(self._monotonic())
        self._flush()
        return port

    def _close(self) -> None:
        port, self._port = self._port, None
        self._doom = None
        self._watching_writes = False
        self._link.closed()
        if port is not None:
            if self._loop is not None and not self._loop.is_closed():
                self._watch.leave(port)
                self._loop.remove_writer(port.fd)
            port.close()

    async def _next_batch(self, port: Port) -> tuple[Report, ...]:
        while True:
            self._meet_doom()
            octets = await self._watch.arrival(port, self._link.deadline)
            now = self._monotonic()
            self._bytes_read += len(octets)
            news = self._link.receive(octets, now)
            news += self._link.tick(now)
            reports = tuple(report for item in news for report in self._report(item))
            self._flush()
            if reports:
                return reports

    def _meet_doom(self) -> None:
        """What was noticed where nothing could be raised is raised here."""
        if self._doom is not None:
            raise self._doom

    def _flush(self) -> None:
        """Write what the link has to say; the rest follows when the port takes more. Never raises."""
        port, loop = self._port, self._loop
        if port is None or loop is None or self._doom is not None:
            return
        try:
            octets = self._link.data_to_send()
            if octets or port.pending:
                self._bytes_written += port.write(octets)
        except DeviceLost as lost:
            self._doom = lost
            if self._watching_writes:
                self._watch_writes(loop, port)
            self._watch.wake()
            return
        if bool(port.pending) != self._watching_writes:
            self._watch_writes(loop, port)

    def _watch_writes(self, loop: asyncio.AbstractEventLoop, port: Port) -> None:
        self._watching_writes = not self._watching_writes
        if self._watching_writes:
            loop.add_writer(port.fd, self._flush)
        else:
            loop.remove_writer(port.fd)

    def _report(self, item: HostNews) -> tuple[Report, ...]:
        device = self._settings.id
        match item:
            case Event():
                return (happened(device, self._boot, item),)
            case Resumed():
                self._boot = item.mark.boot
                self._resumed += 1
                self._absence = None
                self._patience.reset()
                return (connected(device, item),)
            case Missed():
                self._boot = item.mark.boot
                return (missed(device, item),)
            case WentSilent():
                return self._tell_silent(item)
            case WasLost():
                self._doom = self._lost(Absence.LOST, item.octets)
            case Refused():
                self._doom = WrongDevice(
                    url=self._settings.url,
                    sentence=f"{self._address.path} is not what belongs here: wanted {item.wanted}, "
                    f"found {item.found}",
                    hint="Plug in the right device, or correct the configuration",
                )
            case Heartbeat():
                self._heartbeat = item
            case Reply() | UnknownMessage() | Noise() | Reject():
                pass  # counted by the link; a reply has nobody waiting for it yet
            case Opened() | Said() | Garbled():
                pass  # no driver of this table gives a link that tells these
            case _:
                assert_never(item)
        return ()

    def _lost(self, absence: Absence, octets: int) -> DeviceLost:
        seconds = 3 if absence is Absence.SILENT else 10
        if octets:
            sentence = f"{self._address.path} sent {octets} bytes in {seconds} s and not one readable frame"
            hint = "Check the line speed, the cable, and that it is the configured kind of device"
        else:
            sentence = f"{self._address.path} is open, and nothing was heard for {seconds} s"
            hint = "Check that the device is switched on; if it is, its firmware hangs: switch it off and on"
        return DeviceLost(url=self._settings.url, sentence=sentence, hint=hint)

    def _tell_silent(self, item: WentSilent) -> tuple[Report, ...]:
        if self._absence is Absence.LOST:
            return ()  # it was silent, was reopened, and is as silent as before
        return self._tell(Absence.SILENT, self._lost(Absence.SILENT, item.octets))

    def _tell_absent(self, lost: DeviceLost) -> tuple[Report, ...]:
        return self._tell(lost.absence, lost)

    def _tell(self, absence: Absence, lost: DeviceLost) -> tuple[Report, ...]:
        if absence is self._absence:
            return ()
        self._absence = absence
        return (DeviceDisconnected(device=self._settings.id, absence=absence, detail=str(lost)),)

    async def _rest(self, lost: DeviceLost) -> None:
        """Wait before the next attempt; shorter when an absent port appears."""
        until = self._monotonic() + self._patience.next_delay()
        path = self._address.path
        appears = lost.absence in {Absence.ABSENT, Absence.LOST} and not _is_there(path)
        while (left := until - self._monotonic()) > 0:
            await asyncio.sleep(min(left, APPEARANCE_S) if appears else left)
            if appears and _is_there(path):
                return


def _is_there(path: str) -> bool:
    return Path(path).exists()
