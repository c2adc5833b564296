"""The pump: the one loop between a port and its link (docs/wire.md).

Laws:

* **Commit, then acknowledge.** A batch is everything one read brought. The consumer commits it and calls
  :meth:`Pump.acknowledge` with its last position; before that nothing is acknowledged to the device.
* **No queue of its own.** While the consumer does not take a batch nothing is read: what waits, waits in the
  kernel's buffer (behind a port with a thread: in its bounded queue) and in the device, which, if it numbers
  its events, sends at most 8 ahead of an acknowledgement. Acknowledgements are written at once.
* **One call.** From ``read`` to the consumer there is no thread, no queue and no task: the loop's own turn
  reads, and the consumer returns when it has committed. Only opening is elsewhere.
* **For ever.** A port that fails is closed at once and reopened by its stable name, with growing,
  jittered delays. Its absence is reported once per change of reason, not per attempt.
* **Once.** The link outlives connections, so an event the consumer was given is not given again, even if
  its acknowledgement was lost with the cable. A command is sent once.
* **Quiet is not dead.** Whether silence means anything is the protocol's to say: a link that expects to be
  heard from tells so by its deadline. The pump itself looks up every ten seconds, which shows that it lives.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NoReturn, TypeAlias

from drivers.address import parse_url
from drivers.appearance import Appearance
from drivers.commands import Commands
from drivers.counters import LinkCounters
from drivers.device_settings import DeviceSettings
from drivers.errors import DeviceLost, NotCommandable
from drivers.link import CommandLink
from drivers.opening import Opening
from drivers.patience import Patience
from drivers.ports import Port
from drivers.registry import driver_named, make_link
from drivers.reporter import Reporter
from drivers.reports import Absence, Position, Report
from drivers.tap import Fault, Tap
from drivers.traffic import Traffic
from drivers.watch import Watch
from firmware_protocols import Capture, Command, Heartbeat, HostNews, Mark

LOOK_S: Final = 10.0
"""How often a pump looks at a port that is quiet."""
OFFER_EVERY_S: Final = 1.0
"""How often a batch that could not be taken is offered again."""
FAULT_EVERY_S: Final = 60.0
"""How often a fault's last frames are handed over: a loose plug makes many faults."""

Take: TypeAlias = Callable[[tuple[Report, ...]], bool]
"""Takes the reports of one read, never none. False: it cannot take them now."""


class Pump:
    """Reads one device for ever.

    Args:
        settings: the device.
        resume_from: the position the journal last committed; None at first contact.
        monotonic: seconds, never backwards.
        random: uniform, 0 up to 1, for jitter.
        taps: who gets everything that goes over the cable.
        faulty: told of a fault, at most once a minute, with the last frames before it.
        restart_matters: False: no card can have been missed while the device was off.

    Raises:
        BadUrl: the URL cannot be read.
        UnknownDriver: there is no such protocol, or it does not serve this kind of device.
        BadOption: an option of the protocol cannot be.
    """

    def __init__(  # noqa: PLR0913 - what one pump connects, by keyword
        self,
        settings: DeviceSettings,
        *,
        resume_from: Position | None,
        monotonic: Callable[[], float],
        random: Callable[[], float],
        taps: Sequence[Tap] = (),
        faulty: Callable[[Fault], None] = lambda _fault: None,
        restart_matters: Callable[[], bool] = lambda: True,
    ) -> None:
        self._settings = settings
        self._address = parse_url(settings.url)
        self._driver = driver_named(settings.protocol, url=settings.url)
        mark = None if resume_from is None else Mark(boot=resume_from.boot, number=resume_from.number)
        self._link = make_link(
            self._driver,
            url=settings.url,
            kind=settings.kind,
            serial=settings.serial,
            options=settings.options,
            resume_from=mark,
        )
        self._monotonic = monotonic
        self._patience = Patience(random)
        self._appearance = Appearance(self._address)
        self._port: Port | None = None
        self._last_port: Port | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch = Watch(monotonic, self._came)
        self._take: Take | None = None
        self._untaken: tuple[Report, ...] = ()
        self._watching_writes = False
        self._commands = Commands(settings.id)
        self._reporter = Reporter(
            settings,
            place=self._address.place,
            commands=self._commands,
            monotonic=monotonic,
            faulty=self._tell_fault,
            restart_matters=restart_matters,
        )
        self._arrived_at = 0.0
        self._faulty = faulty
        self._fault_at: float | None = None
        self._traffic = Traffic(monotonic(), taps)

    @property
    def counters(self) -> LinkCounters:
        """A snapshot."""
        line = None if self._port is None else self._port.line_errors()
        return self._traffic.counters(self._link.counts, line, ups=self._reporter.ups)

    @property
    def heartbeat(self) -> Heartbeat | None:
        """The last one, with supply voltage and read-light level; None before the first."""
        return self._reporter.heartbeat

    @property
    def connected(self) -> bool:
        """The link is up, not silent, and talks no garbage."""
        return self._port is not None and self._link.running and self._reporter.absence is None

    @property
    def trouble(self) -> str | None:
        """A word for what is wrong: an ``Absence``, or ``gap`` for ten minutes after one; None: nothing."""
        return self._reporter.trouble

    @property
    def life(self) -> object:
        """Reads differently at least every ten seconds while the pump lives, however quiet the device is."""
        return self._traffic.life

    async def run(self, take: Take) -> NoReturn:
        """Read for ever; cancel to stop, which closes the port.

        Args:
            take: the consumer, called on the loop with what one read brought. What it does not take is
                offered again every second, and nothing is read meanwhile. What it raises ends the pump.
        """
        self._loop = asyncio.get_running_loop()
        self._take = take
        try:
            while True:
                try:
                    port = await self._open()
                    await self._follow(port)
                except DeviceLost as lost:
                    self._close()
                    self._arrived_at = self._monotonic()
                    await self._offer((*self._give_up(self._commands.dropped()), *self._reporter.lost(lost)))
                    await self._rest(lost)
        finally:
            self._close()
            self._appearance.close()

    def acknowledge(self, position: Position) -> None:
        """The consumer has everything up to ``position`` on disk. Written to the device at once.

        The last position of a batch covers all before it. Reports of a device without numbers have none.

        A position of a device's earlier power-on is ignored. Trouble with the port does not show here but in
        the next batch.

        Raises:
            NotReceived: nothing so new was ever reported.
        """
        self._link.acknowledge(Mark(boot=position.boot, number=position.number))
        self._flush()

    def command(self, command: Command, *, called: int | None = None) -> bool:
        """Tell the device to do something, once. What becomes of it is reported as ``CommandAnswered``.

        A command without an answer within a second, or whose connection breaks, is reported as unanswered and
        never sent again; the device is asked who it is.

        Args:
            command: its id must not be that of a command under way.
            called: what its report calls it, where its id's 16 bits are too few; None: its id.

        Returns:
            False: it was not sent and is not kept: no device is there, or its id is under way.

        Raises:
            NotCommandable: this protocol has no commands.
            NotEncodable: a value does not fit its field.
        """
        if not isinstance(self._link, CommandLink):
            raise NotCommandable(
                url=self._settings.url,
                sentence=f"A device of the protocol {self._driver.name} cannot be told to do anything",
                hint="Leave the lock policy off for it",
            )
        if self._port is None or not self._commands.takes(command.id) or not self._link.send(command):
            return False
        self._commands.sent(command.id, self._monotonic(), called=command.id if called is None else called)
        self._flush()
        self._watch.wake()  # whoever waits has a new deadline
        return True

    async def _open(self) -> Port:
        self._traffic.looked()
        try:
            opening = Opening(self._address, self._driver.line, last=self._last_port)
            self._port = self._last_port = port = await opening.wait()
        except DeviceLost:
            self._traffic.not_opened()
            raise
        now = self._monotonic()
        self._traffic.opened(now)
        self._link.opened(now)
        self._flush()
        return port

    def _close(self) -> None:
        port, self._port = self._port, None
        self._reporter.doom = None
        self._watching_writes = False
        self._link.closed()
        if port is not None:
            if self._loop is not None and not self._loop.is_closed():
                self._watch.leave(port)
                self._loop.remove_writer(port.fd)
            port.close()
            self._traffic.closed(self._monotonic())

    async def _follow(self, port: Port) -> NoReturn:
        """Hand on what the port brings; do what is due without it."""
        while True:
            self._meet_doom()
            await self._watch.wait(port, self._due)
            if not self._untaken and self._reporter.doom is None:
                self._look(port)
            if self._untaken:
                untaken, self._untaken = self._untaken, ()
                await asyncio.sleep(OFFER_EVERY_S)
                await self._offer(untaken)
            self._flush()

    async def _offer(self, reports: tuple[Report, ...]) -> None:
        """Until it is taken."""
        while reports and not self._taken(reports):  # noqa: ASYNC110 - the consumer does not say when it could
            await asyncio.sleep(OFFER_EVERY_S)

    def _came(self, port: Port, octets: bytes) -> None:
        """What one read brought, from the bytes to the consumer."""
        self._arrived_at = now = self._monotonic()
        self._traffic.came(octets, now)
        self._hand_on(port, self._link.receive(octets, now), now)
        self._watch.remind(self._due)

    def _look(self, port: Port) -> None:
        """What is due, or what somebody woke us for; but first what waits in the port: it may be in time."""
        octets = port.read()
        self._arrived_at = now = self._monotonic()
        self._traffic.came(octets, now)
        self._hand_on(port, (*self._link.receive(octets, now), *self._link.tick(now)), now)

    def _hand_on(self, port: Port, news: tuple[HostNews, ...], now: float) -> None:
        ups = self._reporter.ups
        reports = [each for item in news for each in self._reporter.take(item, port_serial=port.serial)]
        if self._reporter.ups > ups:
            self._patience.reset()
        if self._commands.deadline is not None:
            reports += self._question(now)
        self._flush()
        if reports and not self._taken(tuple(reports)):
            self._untaken = tuple(reports)
        if self._untaken or self._reporter.doom is not None:
            self._watch.wake()

    def _taken(self, reports: tuple[Report, ...]) -> bool:
        assert self._take is not None  # noqa: S101 - nothing is read before there is a consumer
        taken = self._take(reports)
        if taken:
            self._traffic.times.took(self._monotonic() - self._arrived_at)
        return taken

    @property
    def _due(self) -> float:
        """When something is to be looked at, whatever comes."""
        look = self._arrived_at + LOOK_S  # it may be over already: one look more
        for deadline in (self._link.deadline, self._commands.deadline):
            if deadline is not None and deadline < look:
                look = deadline
        return look

    def _meet_doom(self) -> None:
        """What was noticed where nothing could be raised is raised here."""
        if self._reporter.doom is not None:
            raise self._reporter.doom

    def _flush(self) -> None:
        """Write what the link has to say; the rest follows when the port takes more. Never raises."""
        port, loop = self._port, self._loop
        if port is None or loop is None or self._reporter.doom is not None:
            return
        try:
            octets = self._link.data_to_send()
            if octets or port.pending:
                taken = port.write(octets)
                self._traffic.went(octets, taken, self._monotonic())
        except DeviceLost as lost:
            self._reporter.doom = lost
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

    def _question(self, now: float) -> tuple[Report, ...]:
        """Give up commands that nobody answered, and ask the device whether it is still there."""
        overdue = self._commands.overdue(now)
        if overdue and isinstance(self._link, CommandLink):
            self._link.question(now)
        return self._give_up(overdue)

    def _give_up(self, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        self._traffic.unanswered += len(reports)
        return reports

    def _tell_fault(self, sentence: str) -> None:
        """Hand over the last frames, if the device has said any, and has not just been told of."""
        now = self._monotonic()
        entries = self._traffic.last_entries
        if not entries or (self._fault_at is not None and now < self._fault_at + FAULT_EVERY_S):
            return
        self._fault_at = now
        capture = Capture(provenance=self._settings.provenance(sentence), entries=entries)
        self._faulty(Fault(device=self._settings.id, sentence=sentence, capture=capture))

    async def _rest(self, lost: DeviceLost) -> None:
        """Wait before the next attempt; shorter when an absent device appears."""
        delay = self._patience.next_delay()
        if lost.absence in {Absence.ABSENT, Absence.LOST}:
            await self._appearance.wait(delay)
        else:
            await asyncio.sleep(delay)
