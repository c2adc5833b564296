"""The host's end of a table_link: asks, resumes, tells each event once, acknowledges what is on disk.

Laws (docs/wire.md section 1):

* An event is told once, in the order of its number, or its absence is told as :class:`Missed`.
* Nothing is acknowledged before ``acknowledge`` was called: commit, then acknowledge.
* Identity is the number, never rank and suit: seven equal cards in a row are seven cards.
* There is one way back from every trouble: PING; the HELLO that answers says which boot this is and what
  the device still holds; RESUME follows from that. A device that restarted, pushed events out of its
  memory, lost our RESUME, or skipped a number is found by the same question, and every 5 s it is asked
  without a cause: events carry no boot, so a restart whose HELLO was lost may look like an idle device.

::

    opened ──PING──> ASKING ──HELLO──> RUNNING ──3 s without a frame──> ASKING
                       │                  │  HELLO again: new boot -> Missed; always RESUME
                       └─HELLO of another─┴──────────> REFUSED (until opened again)

A device that is heard and answers no PING for 10 s is told as :class:`Unanswered`, every 10 s.

First contact (no position) resumes after ``newest`` and says how many events were skipped.
"""

from collections import Counter
from enum import Enum, auto
from typing import Final, assert_never

from firmware_protocols.errors import NotReceived
from firmware_protocols.framing import Noise, Reject
from firmware_protocols.greeting import missing, refusal
from firmware_protocols.link import (
    CHECK_S,
    FIRST_RETRY_S,
    LONGEST_RETRY_S,
    LOST_AFTER_S,
    SILENT_AFTER_S,
    HostNews,
    LinkCounts,
    Mark,
    Missed,
    Resumed,
    Unanswered,
    WasLost,
    WentSilent,
)
from firmware_protocols.messages import (
    Ack,
    Command,
    DeviceKind,
    Event,
    ForeignHello,
    Heartbeat,
    Hello,
    Message,
    Ping,
    Reply,
    Resume,
    UnknownMessage,
)
from firmware_protocols.table_link import Decoded, Decoder, encode

_PATIENCE: Final = 8
"""RESUMEs for the same event before a device that goes on sending later ones is held to have skipped it."""


class _Phase(Enum):
    CLOSED = auto()
    ASKING = auto()
    RUNNING = auto()
    REFUSED = auto()


class HostEnd:
    """The host's end of one device's link. It outlives connections: ``opened`` and ``closed`` mark them.

    Args:
        kind: what the device must be.
        serial: the serial number it must have, None for any.
        resume_from: the position last committed; None at first contact.
    """

    def __init__(self, *, kind: DeviceKind, serial: str | None, resume_from: Mark | None) -> None:
        self._kind = kind
        self._serial = serial
        #: What the consumer has on disk; never moved by anything the device says.
        self._committed = resume_from
        #: The last event told, or where the link went on after a gap.
        self._told = resume_from
        #: Where RESUME begins: what is on disk or was reported as missed. Same boot as ``_told``.
        self._floor = resume_from
        self._tally: Counter[str] = Counter()
        self._decoder = Decoder()
        self._out = bytearray()
        self._phase = _Phase.CLOSED
        self._announced = False
        self._ack_due = False
        self._retry_s = FIRST_RETRY_S
        self._asking = False
        self._ask_at: float | None = None
        self._asked_at = 0.0
        self._unanswered_at: float | None = None
        """Since when a PING waits for its HELLO."""
        self._heard_at = 0.0
        self._silent_told = False
        self._resume_proven = False
        self._uptime_s = 0
        self._stalled_at: int | None = None
        self._fruitless = 0
        self._ahead = False
        self._greeted_at = 0.0

    @property
    def counts(self) -> LinkCounts:
        """What was counted so far."""
        return LinkCounts(**self._tally)

    @property
    def running(self) -> bool:
        """The device was resumed and is not silent."""
        return self._phase is _Phase.RUNNING

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""
        if not self._listening:
            return None
        due = self._heard_at + (LOST_AFTER_S if self._silent_told else SILENT_AFTER_S)
        if self._ask_at is not None:
            due = min(due, self._ask_at)
        if self._unanswered_at is not None and not self._silent_told:
            due = min(due, self._unanswered_at + LOST_AFTER_S)
        return due

    @property
    def _listening(self) -> bool:
        """Whether anything from this connection counts. By identity: an enum's hash is a call each."""
        return self._phase is _Phase.RUNNING or self._phase is _Phase.ASKING

    def opened(self, now: float) -> None:
        """The port is open: ask who is there."""
        self.closed()
        self._phase = _Phase.ASKING
        self._heard_at = self._unanswered_at = now
        self._ask_afresh(now)

    def closed(self) -> None:
        """The port is closed: what was half read is gone, what was told stays told."""
        self._phase = _Phase.CLOSED
        self._tally["noise_bytes"] += self._decoder.held
        self._decoder.reset()
        self._out.clear()
        self._announced = self._ack_due = self._silent_told = self._asking = False
        self._ask_at = self._unanswered_at = None
        self._uptime_s = 0
        self._tally["octets_since_frame"] = 0

    def receive(self, octets: bytes, now: float) -> tuple[HostNews, ...]:
        """Take bytes from the device; everything they completed, in order. Never raises."""
        self._tally["octets_since_frame"] += len(octets)
        news: list[HostNews] = []
        for item in self._decoder.receive(octets):
            self._take(item, now, news)
        return tuple(news)

    def acknowledge(self, mark: Mark) -> None:
        """Everything up to ``mark`` is on disk. A mark of a boot that is over is of no more interest.

        Raises:
            NotReceived: the number is beyond every event told: the device would forget what we lack.
        """
        if self._told is None or mark.boot != self._told.boot:
            return
        if mark.number > self._told.number:
            raise NotReceived(number=mark.number, newest=self._told.number)
        committed = self._committed
        if committed is not None and committed.boot == mark.boot and mark.number <= committed.number:
            return
        self._committed = mark
        if self._floor is None or mark.number > self._floor.number:
            self._floor = mark
        self._ack_due = mark.number > 0

    def send(self, command: Command) -> bool:
        """Tell the device to do something, once: an unanswered command is never repeated.

        Returns:
            False: there is no device to tell, and the command is not kept for later.

        Raises:
            NotEncodable: a value does not fit its field.
        """
        octets = encode(command)
        if self._phase is _Phase.RUNNING:
            self._out += octets
        return self._phase is _Phase.RUNNING

    def question(self, now: float) -> None:
        """Something about the device is in doubt, as when a command was not answered: ask who it is."""
        if self._phase is _Phase.RUNNING:
            self._doubt(now)

    def tick(self, now: float) -> tuple[HostNews, ...]:
        """Do what is due: ask again, notice silence."""
        if not self._listening:
            return ()
        news: list[HostNews] = []
        octets = self._tally["octets_since_frame"]
        if now >= self._heard_at + LOST_AFTER_S:
            news.append(WasLost(octets=octets))
            self.closed()
            return tuple(news)
        if now >= self._heard_at + SILENT_AFTER_S and not self._silent_told:
            self._silent_told = True
            self._announced = False
            self._phase = _Phase.ASKING
            self._ask_afresh(now)
            news.append(WentSilent(octets=octets))
        if not self._silent_told and self._unanswered_at is not None:
            self._miss_answer(now, news)
        if self._ask_at is not None and now >= self._ask_at:
            self._ask(now)
        return tuple(news)

    def _miss_answer(self, now: float, news: list[HostNews]) -> None:
        """It is heard, so the line from it works; the one towards it does not, or its HELLO is unreadable."""
        if self._unanswered_at is not None and now >= self._unanswered_at + LOST_AFTER_S:
            self._unanswered_at = None  # from the next PING on, anew
            self._announced = False
            self._phase = _Phase.ASKING
            news.append(Unanswered())

    def data_to_send(self) -> bytes:
        """Bytes for the device, each given once; any number of acknowledgements become one."""
        if self._ack_due and self._phase is _Phase.RUNNING and self._committed is not None:
            self._out += encode(Ack(boot=self._committed.boot, number=self._committed.number))
        self._ack_due = False
        octets = bytes(self._out)
        self._out.clear()
        return octets

    def _take(self, item: Decoded, now: float, news: list[HostNews]) -> None:
        if isinstance(item, Noise):
            self._tally["noise_bytes"] += len(item.raw)
            news.append(item)
        elif isinstance(item, Reject):
            self._tally["rejects"] += 1
            news.append(item)
        elif self._listening:
            self._tally["frames"] += 1
            self._tally["octets_since_frame"] = 0
            self._heard_at = now
            if self._silent_told:
                self._silent_told = False
                self._unanswered_at = now
            self._hear(item, now, news)

    def _hear(self, message: Message, now: float, news: list[HostNews]) -> None:
        match message:
            case Hello() | ForeignHello():
                self._greet(message, now, news)
            case Event():
                self._place(message, now, news)
            case Heartbeat():
                news.append(message)
                self._beat(message, now)
            case Reply():
                news.append(message)
            case UnknownMessage():
                self._tally["strangers"] += 1
                news.append(message)
            case Resume() | Ack() | Command() | Ping():
                self._tally["strangers"] += 1  # our own words: a loop-back plug, or a second host on the line
            case _:
                assert_never(message)

    def _greet(self, hello: Hello | ForeignHello, now: float, news: list[HostNews]) -> None:
        refused = refusal(hello, kind=self._kind, serial=self._serial, told=self._told)
        if refused is not None or isinstance(hello, ForeignHello):
            if refused is not None:
                news.append(refused)
            self.closed()
            self._phase = _Phase.REFUSED
            return
        told, skipped = self._told, 0
        if told is None:
            told = Mark(boot=hello.boot, number=hello.newest)
            skipped = hello.newest - hello.oldest + 1
            self._floor = told
        else:
            missed = missing(told, hello)
            if missed is not None:
                self._tally["gaps"] += 1
                news.append(missed)
                self._announced = self._announced and missed.last is not None
                self._floor = told = missed.mark
        self._told = told
        self._resume(hello, now)
        if not self._announced:
            self._announced = True
            news.append(Resumed(hello=hello, mark=told, skipped=skipped))

    def _resume(self, hello: Hello, now: float) -> None:
        after = max(self._floor.number if self._floor else 0, hello.oldest - 1)
        self._out += encode(Resume(boot=hello.boot, after=after))
        self._phase = _Phase.RUNNING
        self._retry_s = FIRST_RETRY_S
        self._resume_proven = False
        self._uptime_s = 0
        self._stalled_at = None
        self._fruitless = self._fruitless + 1 if self._ahead else 0
        self._ahead = self._asking = False
        self._unanswered_at = None
        self._greeted_at = now
        committed = self._committed
        if committed is not None and committed.boot == hello.boot and hello.oldest <= committed.number:
            self._ack_due = True  # the acknowledgement was lost, or there was no line to send it on
        waiting = self._told is not None and hello.newest > self._told.number
        self._ask_at = now + (self._retry_s if waiting else CHECK_S)

    def _place(self, event: Event, now: float, news: list[HostNews]) -> None:
        told = self._told
        if self._phase is not _Phase.RUNNING or told is None:
            self._tally["early"] += 1
            self._nudge(now)
            return
        self._resume_proven = True
        if event.number > told.number + 1 and self._fruitless > _PATIENCE:
            mark = Mark(boot=told.boot, number=event.number - 1)
            self._tally["gaps"] += 1
            news.append(Missed(boot=told.boot, first=told.number + 1, last=mark.number, mark=mark))
            self._floor = told = mark
        if event.number == told.number + 1:
            self._told = Mark(boot=told.boot, number=event.number)
            self._ask_at = max(now, self._greeted_at + CHECK_S)
            self._retry_s = FIRST_RETRY_S
            self._asking = self._ahead = False
            self._unanswered_at = None  # it heard our RESUME; after eight more it waits for an ACK
            self._fruitless = 0
            news.append(event)
        elif event.number <= told.number:
            self._tally["repeats"] += 1
            committed = self._committed
            if committed is not None and committed.boot == told.boot and event.number <= committed.number:
                self._ack_due = True
        else:
            self._tally["early"] += 1
            self._ahead = True
            self._doubt(now)

    def _beat(self, heartbeat: Heartbeat, now: float) -> None:
        if self._phase is not _Phase.RUNNING or self._told is None:
            self._nudge(now)
            return
        number = self._told.number
        behind = heartbeat.newest > number
        if heartbeat.uptime_s < self._uptime_s or heartbeat.newest < number:
            self._doubt(now)  # the device restarted and its HELLO was lost
        elif behind and (not self._resume_proven or self._stalled_at == number):
            self._doubt(now)  # our RESUME was lost, or a number that will never come
        self._uptime_s = heartbeat.uptime_s
        self._stalled_at = number if behind else None

    def _nudge(self, now: float) -> None:
        """The device speaks, so a PING that waits for its retry may go now."""
        if self._phase is _Phase.ASKING and now >= self._asked_at + FIRST_RETRY_S:
            self._ask_afresh(now)

    def _doubt(self, now: float) -> None:
        """Something does not fit: ask where the device stands, unless that has been asked."""
        if not self._asking:
            self._ask_afresh(now)

    def _ask_afresh(self, now: float) -> None:
        self._retry_s = FIRST_RETRY_S
        self._ask(now)

    def _ask(self, now: float) -> None:
        self._out += encode(Ping())
        self._asked_at = now
        self._asking = True
        if self._unanswered_at is None:
            self._unanswered_at = now
        self._ask_at = now + self._retry_s
        self._retry_s = min(self._retry_s * 2, LONGEST_RETRY_S)
