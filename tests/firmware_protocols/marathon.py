"""Very many events over a bad table_link, on virtual time: each told once, in order, or reported lost.

Nothing is stored of an event: which card it was follows from its boot and number, so a million cost no
memory.
"""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from firmware_protocols import (
    DECK,
    CardScan,
    DeviceEnd,
    DeviceIdentity,
    DeviceKind,
    Event,
    FaceDownCard,
    HostEnd,
    Mark,
    Missed,
)

STEP_S: Final = 0.01
BACKLOG: Final = 600
"""Events that may wait unacknowledged before nothing more happens, but for an overflow of the memory."""
_IDENTITY: Final = DeviceIdentity(kind=DeviceKind.SHOE, serial="", firmware=(1, 0, 0))
_SCANS: Final = tuple(
    CardScan(card=FaceDownCard(card), face_up=False, reread=False, confidence=100) for card in DECK
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How long it is, and what goes wrong on it."""

    events: int
    seed: int
    lost: float = 0.05
    """Chance that a frame is lost, either way."""
    corrupted: float = 0.01
    """Chance that one of its bits is turned."""
    reconnects: int = 100
    restarts: int = 20
    overflows: int = 3
    """Times that so much happens at once that the device forgets."""


@dataclass(slots=True, kw_only=True)
class Marathon:
    """Both ends, the line, and the sums that must agree in the end."""

    course: Course
    rng: random.Random = field(init=False)
    device: DeviceEnd = field(init=False)
    host: HostEnd = field(init=False)
    now: float = 0.0
    boot: int = 1
    emitted: dict[int, int] = field(default_factory=lambda: {1: 0})
    at: Mark = field(default_factory=lambda: Mark(boot=1, number=0))
    """The last place that was told or reported."""
    told: int = 0
    missed: int = 0
    gaps: int = 0
    lost_frames: int = 0
    corrupted_frames: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.course.seed)
        self.device = DeviceEnd(identity=_IDENTITY, boot=1, now=0.0)
        self.host = HostEnd(kind=DeviceKind.SHOE, serial=None, resume_from=self.at)
        self.connect()

    def run(self) -> None:
        """All of it, and a quiet end.

        Raises:
            AssertionError: something was told twice, out of order, wrongly, or neither told nor reported.
        """
        course, total = self.course, 0
        mishaps = self._mishaps()
        while total < course.events:
            while mishaps and mishaps[0][0] <= total:
                total += getattr(self, mishaps.popleft()[1])()
            if self.device.newest - self.device.oldest < BACKLOG:
                total += self.emit(min(self.rng.randint(0, 12), course.events - total))
            self.step(course.lost, course.corrupted)
        while self.at != Mark(boot=self.boot, number=self.device.newest):
            assert self.now < self.course.events, "it never ends"
            self.step(0.0, 0.0)
        self.check()

    def _mishaps(self) -> deque[tuple[int, str]]:
        course = self.course
        kinds = (("connect", course.reconnects), ("restart", course.restarts), ("overflow", course.overflows))
        found = [(self.rng.randrange(course.events), name) for name, times in kinds for _ in range(times)]
        return deque(sorted(found))

    def emit(self, events: int) -> int:
        for _ in range(events):
            number = self.emitted[self.boot] + 1
            assert self.device.emit(_scan(self.boot, number), self.now) == number
            self.emitted[self.boot] = number
        return events

    def connect(self) -> int:
        self.host.closed()
        self.device.opened(self.now)
        self.host.opened(self.now)
        return 0

    def restart(self) -> int:
        self.boot += 1
        self.emitted[self.boot] = 0
        self.device.power_cycled(boot=self.boot, now=self.now)
        return 0

    def overflow(self) -> int:
        return self.emit(1500)

    def step(self, lost: float, corrupted: float) -> None:
        up = self.carry(self.device.data_to_send(), lost, corrupted)
        for news in self.host.receive(up, self.now):
            self.hear(news)
        down = self.carry(self.host.data_to_send(), lost, corrupted)
        self.device.receive(down, self.now)
        if not up and not down:
            due = [at for at in (self.device.deadline, self.host.deadline) if at is not None]
            self.now = max(self.now, min(due))
        self.now += STEP_S
        self.device.tick(self.now)
        for news in self.host.tick(self.now):
            self.hear(news)
        if self.host.deadline is None:  # lost for 10 s: the pump would open the port again
            self.connect()

    def carry(self, octets: bytes, lost: float, corrupted: float) -> bytes:
        if not octets or not (lost or corrupted):
            return octets
        kept: list[bytes] = []
        for frame in octets.split(b"\0")[:-1]:
            chance = self.rng.random()
            if chance < lost:
                self.lost_frames += 1
                continue
            whole = frame + b"\0"
            if chance < lost + corrupted:
                self.corrupted_frames += 1
                broken = bytearray(whole)
                broken[self.rng.randrange(len(broken))] ^= 1 << self.rng.randrange(8)
                whole = bytes(broken)
            kept.append(whole)
        return b"".join(kept)

    def hear(self, news: object) -> None:
        match news:
            case Event(number=number, what=what):
                assert number == self.at.number + 1, "out of order, or told twice"
                assert what == _scan(self.at.boot, number), "told wrongly"
                self.at = Mark(boot=self.at.boot, number=number)
                self.told += 1
                self.host.acknowledge(self.at)
            case Missed(boot=boot, first=first, last=last, mark=mark):
                assert (boot, first) == (self.at.boot, self.at.number + 1), "a gap elsewhere"
                self.gaps += 1
                if last is not None:
                    assert (mark.boot, mark.number) == (boot, last)
                    assert last < self.device.oldest or boot != self.boot, (
                        "reported lost, and it still holds it"
                    )
                    self.missed += last - first + 1
                else:
                    between = sum(self.emitted[each] for each in range(boot + 1, mark.boot))
                    self.missed += self.emitted[boot] - first + 1 + between + mark.number
                self.at = mark
                self.host.acknowledge(mark)
            case _:
                pass

    def check(self) -> None:
        assert self.told + self.missed == sum(self.emitted.values()), "neither told nor reported, or both"
        assert len(self.emitted) == self.course.restarts + 1


def _scan(boot: int, number: int) -> CardScan:
    return _SCANS[(number * 7 + boot * 31 + number // 52) % len(_SCANS)]
