"""The host's end of a link to a device that numbers nothing: a foreign shoe, a scanner.

Such a device says a thing once, to whoever listens. There is no resuming, so the link can only be honest:

* What was understood is told once, in the order it came, as :class:`Said`.
* What came and was not understood may have been a card. Unless the device says everything several times and
  what is missing can be no more than a copy, it is told as :class:`Garbled`: a gap.
* What was said while the port was closed, or never reached it, nobody can know. ``Opened`` is told on each
  connection, again when the device says that it has been switched on, and again after garbage: each of them
  is a place where something may be missing.
* Bytes without end and no message among them are told as :class:`WentSilent` with their number, once. A
  device that says nothing at all is idle: it has no heartbeat, so its silence means nothing.
* Where the device waits for an answer, it goes out once whoever drives the link has fetched what there was to
  send and has called again: by then it has committed what it was told (commit, then acknowledge).
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from firmware_protocols.framing import Noise, Reject
from firmware_protocols.link import Garbled, HostNews, LinkCounts, Mark, WentSilent
from firmware_protocols.messages import DeviceEvent, Opened, Said

STALE_S: Final = 2.0
"""A message that does not go on for so long will not: the longest takes 0.3 s at 4800 baud."""
HEAL_S: Final = 1.0
"""A message that follows an unreadable one sooner may be a copy of it."""
GARBAGE_OCTETS: Final = 256
"""Bytes without a message from which on the line is held to be garbage: wrong speed, or another device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message was understood."""

    events: tuple[DeviceEvent, ...] = ()
    """What it says. Empty: a repeat, or nothing about cards."""
    repeat: bool = False
    """It had been heard before."""
    odd: bool = False
    """It does not fit what is known of the protocol; it is told all the same."""
    restarted: bool = False
    """The device says that it has just been switched on."""
    answer: bytes = b""
    """What the device waits for."""


Reading: TypeAlias = Heard | Noise | Reject


class Reader(Protocol):
    """A codec of one protocol, as the link wants it. It never raises."""

    @property
    def held(self) -> int:
        """Bytes of an unfinished message."""

    def reset(self) -> None:
        """The connection is gone, and with it an unfinished message."""

    def receive(self, octets: bytes, now: float) -> tuple[Reading, ...]:
        """Everything that ``octets`` completed, in order."""

    def give_up(self) -> tuple[Reading, ...]:
        """The unfinished message will not go on: what it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What a device does so that nothing is lost, as far as is known."""

    copies: int = 1
    """How often it says each thing."""
    least: int = 1
    """The fewest bytes that must be there of a message, damaged as it may be."""


class UnnumberedLink:
    """The host's end of one device's link. It outlives connections: ``opened`` and ``closed`` mark them.

    Args:
        kind: what the device is held for, ``shoe`` or ``scanner``.
        reader: the codec.
        repetition: how often the device says each thing.
    """

    def __init__(self, *, kind: str, reader: Reader, repetition: Repetition) -> None:
        self._opened = Opened(kind=kind, serial=None, firmware=None)
        self._reader = reader
        self._repetition = repetition
        self._tally: Counter[str] = Counter()
        self._out = bytearray()
        self._answers = bytearray()
        self._fetched = False
        self._open = self._announced = self._garbage = self._spoken = False
        self._called_at = 0.0
        self._stale_at: float | None = None
        self._doubt = 0
        self._doubt_at: float | None = None
        self._same_gap_until = 0.0

    @property
    def counts(self) -> LinkCounts:
        """What was counted so far."""
        return LinkCounts(**self._tally)

    @property
    def running(self) -> bool:
        """The port is open, and what comes can be read."""
        return self._open and not self._garbage

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""
        if not self._open:
            return None
        if self._answers or not self._announced:
            return self._called_at
        times = [at for at in (self._stale_at, self._doubt_at) if at is not None]
        return min(times) if times else None

    def opened(self, now: float) -> None:
        """The port is open; the device is not asked, it may be one that must not be spoken to."""
        self.closed()
        self._open = True
        self._called_at = now

    def closed(self) -> None:
        """The port is closed: what was half read is gone."""
        self._tally["noise_bytes"] += self._reader.held
        self._reader.reset()
        self._open = self._announced = self._garbage = self._spoken = False
        self._out.clear()
        self._answers.clear()
        self._stale_at = self._doubt_at = None
        self._doubt, self._same_gap_until = 0, float("-inf")
        self._tally["octets_since_frame"] = 0

    def acknowledge(self, mark: Mark) -> None:
        """Nothing here is numbered, so there is nothing to acknowledge."""

    def receive(self, octets: bytes, now: float) -> tuple[HostNews, ...]:
        """Take bytes from the device; everything they completed, in order. Never raises."""
        if not self._open:
            return ()
        news: list[HostNews] = []
        self._begin(news, now)
        if octets:
            self._tally["octets_since_frame"] += len(octets)
            for item in self._reader.receive(octets, now):
                self._take(item, now, news)
            self._stale_at = now + STALE_S if self._reader.held else None
            self._notice_garbage(news)
        return tuple(news)

    def tick(self, now: float) -> tuple[HostNews, ...]:
        """Do what is due: give up what does not go on, tell what was not understood."""
        if not self._open:
            return ()
        news: list[HostNews] = []
        self._begin(news, now)
        if self._stale_at is not None and now >= self._stale_at:
            self._stale_at = None
            for item in self._reader.give_up():
                self._take(item, now, news)
        if self._doubt_at is not None and now >= self._doubt_at:
            self._settle_doubt(self._repetition.least, news)
        return tuple(news)

    def data_to_send(self) -> bytes:
        """Bytes for the device, each given once."""
        octets = bytes(self._out)
        self._out.clear()
        self._fetched = True
        return octets

    def _begin(self, news: list[HostNews], now: float) -> None:
        """Answer what was told before the last fetch; and the first call tells who is there."""
        self._called_at = now
        if self._fetched:
            self._out += self._answers
            self._answers.clear()
        self._fetched = False
        if not self._announced:
            self._announced = True
            news.append(self._opened)

    def _take(self, item: Reading, now: float, news: list[HostNews]) -> None:
        match item:
            case Noise():
                self._tally["noise_bytes"] += len(item.raw)
                self._doubted(item, now, news)
            case Reject():
                self._tally["rejects"] += 1
                self._doubted(item, now, news)
            case Heard():
                self._heard(item, news)

    def _doubted(self, item: Noise | Reject, now: float, news: list[HostNews]) -> None:
        news.append(item)
        self._doubt += len(item.raw)
        if self._repetition.copies > 1:
            self._doubt_at = now + HEAL_S
            return
        if now < self._same_gap_until:
            self._doubt = 0  # more of what was told just now, however it was cut into reads
        self._same_gap_until = now + HEAL_S
        self._settle_doubt(self._repetition.least, news)

    def _heard(self, message: Heard, news: list[HostNews]) -> None:
        self._tally["frames"] += 1
        self._tally["octets_since_frame"] = 0
        self._tally["repeats"] += message.repeat
        self._tally["oddities"] += message.odd
        if message.restarted and self._spoken:
            self._tally["gaps"] += 1
            news.append(Garbled(octets=0))
        if self._garbage or (message.restarted and self._spoken):
            self._garbage = False
            self._doubt, self._doubt_at = 0, None
            news.append(self._opened)
        self._spoken = True
        self._same_gap_until = float("-inf")
        self._settle_doubt(self._repetition.least * self._repetition.copies, news)
        news.extend(Said(at_ms=None, what=event) for event in message.events)
        self._answers += message.answer

    def _settle_doubt(self, enough: int, news: list[HostNews]) -> None:
        """What was not understood: as much as a message with all its copies, or can it be let go?"""
        octets, self._doubt, self._doubt_at = self._doubt, 0, None
        if octets >= enough and not self._garbage:
            self._tally["gaps"] += 1
            news.append(Garbled(octets=octets))

    def _notice_garbage(self, news: list[HostNews]) -> None:
        octets = self._tally["octets_since_frame"]
        if octets >= GARBAGE_OCTETS and not self._garbage:
            self._garbage = True
            news.append(WentSilent(octets=octets))
