"""A captured table_link device come alive: it does at its times what it did, and now it answers.

What a capture cannot do on a bad wire, a device can: send again what was not acknowledged. So the promise
of a numbered protocol is tested with both ends, and the wire between them.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from firmware_protocols import (
    Cable,
    CableMoved,
    Capture,
    Carried,
    Decoder,
    DeviceEnd,
    DeviceEvent,
    DeviceIdentity,
    DeviceKind,
    Event,
    Hello,
    HostEnd,
    HostNews,
    Mark,
    Missed,
    Resumed,
    Way,
)
from tests.regress.wires import Piece, Wire

STEP_S: Final = 0.02
BATCH_S: Final = 0.5
"""A wire gets what was written within this time at once, so that it has something to hold or to cut."""
LONGEST_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Something that the device of a capture did, or that was done to it."""

    at: float
    what: DeviceEvent | Cable | Hello
    """A Hello: it was switched off and on, and said this."""


def deeds(capture: Capture) -> tuple[Hello, list[Deed]]:
    """Who the device was, and what it did, each event once."""
    decoder, who, boot = Decoder(), None, 0
    seen: set[tuple[int, int]] = set()
    found: list[Deed] = []
    for entry in capture.entries:
        at = entry.at_us / 1e6
        match entry:
            case CableMoved():
                found.append(Deed(at=at, what=entry.to))
            case Carried(way=Way.FROM_DEVICE, octets=octets):
                for said in decoder.receive(octets):
                    if isinstance(said, Hello):
                        if who is not None and said.boot != boot:
                            found.append(Deed(at=at, what=said))
                        who, boot = who or said, said.boot
                    elif isinstance(said, Event) and (boot, said.number) not in seen:
                        seen.add((boot, said.number))
                        found.append(Deed(at=at, what=said.what))
            case _:
                pass
    assert who is not None
    return who, found


@dataclass(slots=True, kw_only=True)
class Line:
    """One way of a wire."""

    wire: Wire
    chance: random.Random
    written: list[Piece] = field(default_factory=list)
    under_way: list[Piece] = field(default_factory=list)
    batch_ends: float = 0.0

    def put(self, now: float, octets: bytes) -> None:
        if octets:
            if not self.written:
                self.batch_ends = now + BATCH_S
            self.written.append((now, octets))

    def take(self, now: float) -> list[bytes]:
        if self.written and now >= self.batch_ends:
            self.under_way += self.wire(self.written, self.chance)
            self.written = []
        arrived = [octets for at, octets in self.under_way if at <= now]
        self.under_way = [each for each in self.under_way if each[0] > now]
        return arrived

    def clear(self) -> None:
        self.written.clear()
        self.under_way.clear()


@dataclass(slots=True, kw_only=True)
class Live:
    """Both ends, the wire between, and what was true."""

    device: DeviceEnd
    host: HostEnd
    up: Line
    down: Line
    todo: list[Deed]
    boot: int
    at_boot: int
    now: float = 0.0
    plugged: bool = False
    truth: dict[tuple[int, int], DeviceEvent] = field(default_factory=dict)
    told: list[tuple[int, int]] = field(default_factory=list)
    gaps: list[Missed] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        newest = (self.boot, self.device.newest)
        missed = any((gap.mark.boot, gap.mark.number) == newest for gap in self.gaps)
        return not self.todo and (self.told[-1:] == [newest] or missed or newest not in self.truth)

    def step(self) -> None:
        self.now += STEP_S
        while self.todo and self.todo[0].at <= self.now:
            self.do(self.todo.pop(0).what)
        self.device.tick(self.now)
        self.up.put(self.now, self.device.data_to_send())
        self.down.put(self.now, self.host.data_to_send())
        for octets in self.down.take(self.now):
            assert not self.device.receive(octets, self.now), "an order that nobody gave"
        for octets in self.up.take(self.now):
            self.hear(self.host.receive(octets, self.now))
        self.hear(self.host.tick(self.now))
        if self.plugged and self.host.deadline is None:  # lost for 10 s: the pump would open the port again
            self.device.opened(self.now)
            self.host.opened(self.now)

    def do(self, what: DeviceEvent | Cable | Hello) -> None:
        match what:
            case Cable.OPENED:
                self.plugged = True
                self.up.clear()
                self.down.clear()
                self.device.opened(self.now)
                self.host.opened(self.now)
            case Cable.CLOSED:
                self.plugged = False
                self.device.closed()
                self.host.closed()
            case Hello():
                self.boot = what.boot
                self.device.power_cycled(boot=self.boot, now=self.now)
            case _:
                self.truth[self.boot, self.device.emit(what, self.now)] = what

    def hear(self, news: tuple[HostNews, ...]) -> None:
        for each in news:
            match each:
                case Resumed():
                    self.at_boot = each.mark.boot
                case Missed():
                    self.gaps.append(each)
                    self.at_boot = each.mark.boot
                    self.host.acknowledge(each.mark)
                case Event():
                    place = (self.at_boot, each.number)
                    assert self.truth.get(place) == each.what, f"event {each.number} never happened so"
                    self.told.append(place)
                    self.host.acknowledge(Mark(boot=self.at_boot, number=each.number))
                case _:
                    pass


def delivered_or_missed(capture: Capture, wire: Wire, seed: int, *, bad_for_s: float) -> None:
    """Play it over a wire that is bad for so long; every event is told once, in order, or in a gap.

    Raises:
        AssertionError: one is not.
    """
    who, todo = deeds(capture)
    assert isinstance(who.kind, DeviceKind)
    chance = random.Random(seed)
    identity = DeviceIdentity(kind=who.kind, serial=who.serial, firmware=who.firmware)
    live = Live(
        device=DeviceEnd(identity=identity, boot=who.boot, now=0.0),
        host=HostEnd(kind=who.kind, serial=None, resume_from=Mark(boot=who.boot, number=0)),
        up=Line(wire=wire, chance=chance),
        down=Line(wire=wire, chance=chance),
        todo=todo,
        boot=who.boot,
        at_boot=who.boot,
    )
    while live.now < bad_for_s or not live.settled:
        assert live.now < LONGEST_S, f"not settled: {live.device.newest}, told {live.told}, gaps {live.gaps}"
        if live.now > bad_for_s:
            live.up.wire = live.down.wire = _sound
        live.step()
    _check(list(live.truth), live.told, live.gaps)


def _sound(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    del chance
    return list(pieces)


def _check(truth: list[tuple[int, int]], told: list[tuple[int, int]], gaps: list[Missed]) -> None:
    assert len(told) == len(set(told)), "told twice"
    order = {place: nth for nth, place in enumerate(truth)}
    assert [order[place] for place in told] == sorted(order[place] for place in told), "out of order"
    for boot, number in truth:
        missed = any(
            (gap.boot == boot and number >= gap.first and (gap.last is None or number <= gap.last))
            or (gap.mark.boot == boot and gap.boot != boot and number <= gap.mark.number)
            for gap in gaps
        )
        assert ((boot, number) in told) != missed, (
            f"event {number} of boot {boot:#x}: told or missed, not both"
        )
