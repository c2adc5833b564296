"""The device's end of a table_link: numbers, keeps, sends and resends (docs/wire.md section 1).

Laws:

* An event gets its number when it happens, whether a host listens or not.
* The last 1024 unacknowledged events are kept. The 1025th pushes the oldest out: the host learns it from
  ``oldest`` in HELLO and reports the gap.
* Nothing but an ACK of this boot, not beyond ``newest``, lets an event be forgotten. RESUME only moves
  where sending begins: a technician's tool that asks for "newest" costs the table nothing.
* No EVENT before RESUME on a connection; at most 8 in flight; without an acknowledgement everything from
  the oldest unacknowledged goes out again after 250 ms, doubling to 2 s.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_protocols.link import (
    DEVICE_MEMORY,
    FIRST_RETRY_S,
    HEARTBEAT_S,
    LONGEST_RETRY_S,
    WINDOW,
)
from firmware_protocols.messages import (
    Ack,
    Command,
    DeviceEvent,
    DeviceKind,
    Event,
    Heartbeat,
    Hello,
    Ping,
    Reply,
    ReplyResult,
    Resume,
)
from firmware_protocols.table_link import Decoder, encode

_CLOCK_WRAP: Final = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceIdentity:
    """What a device says of itself in HELLO and that no power-on changes."""

    kind: DeviceKind
    serial: str
    """Printable ASCII."""
    firmware: tuple[int, int, int]
    """Major, minor, patch, 0..255 each."""


class DeviceEnd:
    """One device's end of the link. It outlives connections: ``opened`` and ``closed`` mark them.

    Args:
        identity: what it says of itself.
        boot: random, new at each power-on, 1..2**32-1.
        now: when it was switched on, monotonic seconds.
        memory: unacknowledged events it keeps.
    """

    def __init__(
        self,
        *,
        identity: DeviceIdentity,
        boot: int,
        now: float,
        memory: int = DEVICE_MEMORY,
    ) -> None:
        self._identity = identity
        self._boot = boot
        self._booted_at = now
        self._kept: deque[Event] = deque(maxlen=memory)
        self._newest = 0
        self._decoder = Decoder()
        self._out = bytearray()
        self._connected = False
        self._resumed = False
        self._from = 1
        self._next = 1
        self._retry_s = FIRST_RETRY_S
        self._retry_at: float | None = None
        self._heartbeat_at: float | None = None
        self.supply_mv = 5000
        self.lamp_percent = 100

    @property
    def boot(self) -> int:
        """This power-on."""
        return self._boot

    @property
    def newest(self) -> int:
        """The number of the newest event, 0 before the first."""
        return self._newest

    @property
    def oldest(self) -> int:
        """The oldest event still kept; newest + 1 when none is."""
        return self._kept[0].number if self._kept else self._newest + 1

    @property
    def resumed(self) -> bool:
        """A host asked for events on this connection."""
        return self._resumed

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""
        times = [at for at in (self._retry_at, self._heartbeat_at) if at is not None]
        return min(times) if times else None

    def opened(self, now: float) -> None:
        """A cable was plugged in: a new connection, announced by HELLO."""
        self.closed()
        self._connected = True
        self._heartbeat_at = now + HEARTBEAT_S
        self._say_hello()

    def closed(self) -> None:
        """The cable is out: what was on its way is lost, what was not acknowledged is kept."""
        self._connected = self._resumed = False
        self._decoder.reset()
        self._out.clear()
        self._retry_at = self._heartbeat_at = None

    def power_cycled(self, *, boot: int, now: float) -> None:
        """Off and on again: everything is forgotten, numbers begin at 1 under a new boot."""
        connected = self._connected
        self.closed()
        self._boot = boot
        self._booted_at = now
        self._kept.clear()
        self._newest = 0
        if connected:
            self.opened(now)

    def at_ms(self, now: float) -> int:
        """The device's own clock: milliseconds since boot, 0..2**32-1, then again from 0."""
        return round((now - self._booted_at) * 1000) % _CLOCK_WRAP

    def emit(self, what: DeviceEvent, now: float) -> int:
        """Something happened. Returns its number.

        Raises:
            NotEncodable: the event holds a value that does not fit its field.
        """
        event = Event(number=self._newest + 1, at_ms=self.at_ms(now), what=what)
        encode(event)
        self._newest = event.number
        self._kept.append(event)
        self._fill_window(now)
        return event.number

    def receive(self, octets: bytes, now: float) -> tuple[Command, ...]:
        """Take bytes from the host. Returns the commands in them, each to be answered by ``reply``."""
        commands: list[Command] = []
        for message in self._decoder.receive(octets):
            match message:
                case Ping():
                    self._say_hello()
                case Resume():
                    self._resume(message, now)
                case Ack():
                    self._acknowledged(message, now)
                case Command():
                    commands.append(message)
                case _:
                    pass  # noise, rejects and whatever no host says: the device has nowhere to tell it
        return tuple(commands)

    def reply(self, command: Command, result: ReplyResult) -> None:
        """Answer a command."""
        if self._connected:
            self._out += encode(Reply(id=command.id, result=result))

    def tick(self, now: float) -> None:
        """Do what is due: heartbeats, and resending what was not acknowledged."""
        if self._heartbeat_at is not None and now >= self._heartbeat_at:
            self._heartbeat_at = now + HEARTBEAT_S
            self._out += encode(
                Heartbeat(
                    newest=self._newest,
                    uptime_s=int(now - self._booted_at),
                    supply_mv=self.supply_mv,
                    lamp_percent=self.lamp_percent,
                )
            )
        if self._retry_at is not None and now >= self._retry_at:
            self._next = self._first_wanted
            self._retry_s = min(self._retry_s * 2, LONGEST_RETRY_S)
            self._retry_at = None
            self._fill_window(now)

    def data_to_send(self) -> bytes:
        """Bytes for the host, each given once."""
        octets = bytes(self._out)
        self._out.clear()
        return octets

    @property
    def _first_wanted(self) -> int:
        return max(self.oldest, self._from)

    def _say_hello(self) -> None:
        if not self._connected:
            return
        self._out += encode(
            Hello(
                kind=self._identity.kind,
                boot=self._boot,
                firmware=self._identity.firmware,
                oldest=self.oldest,
                newest=self._newest,
                serial=self._identity.serial,
            )
        )

    def _resume(self, resume: Resume, now: float) -> None:
        if resume.boot != self._boot:
            self._say_hello()
            return
        self._resumed = self._connected
        self._from = min(resume.after, self._newest) + 1
        self._next = self._first_wanted
        self._retry_s = FIRST_RETRY_S
        self._retry_at = None
        self._fill_window(now)

    def _acknowledged(self, ack: Ack, now: float) -> None:
        if ack.boot != self._boot or not self.oldest <= ack.number <= self._newest:
            return
        while self._kept and self._kept[0].number <= ack.number:
            self._kept.popleft()
        self._retry_s = FIRST_RETRY_S
        self._retry_at = None
        self._fill_window(now)

    def _fill_window(self, now: float) -> None:
        if not self._resumed:
            return
        first = self._first_wanted
        self._next = max(self._next, first)
        while self._next <= self._newest and self._next < first + WINDOW:
            self._out += encode(self._kept[self._next - self.oldest])
            self._next += 1
        if first > self._newest:
            self._retry_at = None
        elif self._retry_at is None:
            self._retry_at = now + self._retry_s
