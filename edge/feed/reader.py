"""The feed's core, without I/O: payloads in, in any order and any number of times; each event out once.

Laws:

* Events come out in the order of their sequence, each exactly once, or not at all.
* Each event's ``prevhash`` is the digest of the event before; what does not fit is never delivered.
* A repeat must be byte-identical: the digests of the last :data:`REMEMBERED` events are kept to see to it.
* Nothing grows without bound: of events that came too early the nearest are kept, and the others are
  asked for again.
"""

import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from edge.feed.errors import ChainBroken, JournalChanged, NotAnEvent, RepeatDiffers
from edge.feed.seals import Seals
from edge.feed.vocabulary import NO_DIGEST, FeedEvent, Gap, Position, Start

REMEMBERED: Final = 4096
"""Digests of delivered events, to compare repeats with."""
MOST_EARLY: Final = 4096
"""Events held because one before them is missing."""
DIGEST_LENGTH: Final = 64

_PREFIX: Final = "table-edge."
_VERSION: Final = ".v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrived:
    event: FeedEvent
    prevhash: str


class FeedReader:
    """Makes the one true order out of what a broker delivers.

    ::

        reader = FeedReader(start=remembered_position)
        for event in reader.receive(payload):      # of the events topic, or of a replay
            apply(event)
        if reader.wanted is not None:
            ask_for_replay(reader.wanted)
    """

    def __init__(self, *, start: Position | Start) -> None:
        self._start = start
        self._journal = start.journal if isinstance(start, Position) else None
        self._last = start.sequence if isinstance(start, Position) else 0
        self._digest = start.digest if isinstance(start, Position) else None
        if self._last == 0:
            self._digest = NO_DIGEST
        self._horizon = 0
        self._elsewhere: tuple[str, int] | None = None
        self._retired: set[str] = set()
        self._delivered: OrderedDict[int, str] = OrderedDict()
        self._early: dict[int, _Arrived] = {}
        self._seals = Seals()
        self.repeats = 0
        """Repeats that were dropped."""

    @property
    def position(self) -> Position | None:
        """The last event delivered, or where the feed began; None: nothing is known of the journal yet."""
        if self._journal is None:
            return None
        return Position(journal=self._journal, sequence=self._last, digest=self._digest)

    @property
    def wanted(self) -> Gap | None:
        """What to ask the table for; None: nothing is missing as far as this reader knows."""
        if self._journal is None:
            return None
        # the digest of the last event is not known: begin with that event, to have a chain to follow
        first = self._last + 1 if self._digest is not None else self._last
        last = min(self._early) - 1 if self._early else self._horizon
        return Gap(journal=self._journal, first=first, last=last) if last >= first else None

    def heard_of(self, journal: str, sequence: int) -> None:
        """The table says elsewhere (``as_of`` of its state) that this event exists.

        Raises:
            JournalChanged: it speaks of another journal.
        """
        if self._journal is None and self._start is Start.BEGINNING:
            self._journal = journal
        if journal == self._journal:
            self._horizon = max(self._horizon, sequence)
        elif self._journal is not None and journal not in self._retired:
            self._elsewhere = (journal, sequence)
            raise JournalChanged(old=self._journal, new=journal)

    def accept_journal(self, journal: str) -> None:
        """Follow another journal, from its first event; the old one is over."""
        if self._journal is not None:
            self._retired.add(self._journal)
        self._retired.discard(journal)
        self._journal = journal
        self._last, self._digest, self._horizon = 0, NO_DIGEST, 0
        if self._elsewhere is not None and self._elsewhere[0] == journal:
            self._horizon = self._elsewhere[1]
        self._delivered.clear()
        self._early.clear()
        self._seals = Seals()

    def receive(self, payload: bytes) -> tuple[FeedEvent, ...]:
        """The events that can now be delivered; none if it was a repeat, or one before it is missing.

        Raises:
            NotAnEvent, RepeatDiffers, ChainBroken: it cannot be true; the reader is as it was before.
            JournalChanged: it is of another journal; the reader is as it was before.
        """
        arrived = _read(payload)
        event = arrived.event
        if event.journal in self._retired:
            self.repeats += 1
            return ()
        if self._journal is None:
            self._begin(arrived)
        elif event.journal != self._journal:
            self._elsewhere = (event.journal, event.sequence)
            raise JournalChanged(old=self._journal, new=event.journal)
        if event.sequence <= self._last:
            self._repeated(event)
            return self._deliver()
        if event.sequence == self._last + 1 and self._digest is not None and arrived.prevhash != self._digest:
            raise ChainBroken(f"Event {event.sequence} does not follow from the event before it.")
        self._keep(arrived)
        return self._deliver()

    def _begin(self, arrived: _Arrived) -> None:
        self._journal = arrived.event.journal
        if self._start is Start.NOW:
            self._last = arrived.event.sequence - 1
            self._digest = arrived.prevhash

    def _repeated(self, event: FeedEvent) -> None:
        self.repeats += 1
        if event.sequence == self._last and self._digest is None:
            self._digest = event.digest
        known = self._digest if event.sequence == self._last else self._delivered.get(event.sequence)
        if known is not None and known != event.digest:
            raise RepeatDiffers(f"Event {event.sequence} came again with another content.")

    def _keep(self, arrived: _Arrived) -> None:
        sequence = arrived.event.sequence
        held = self._early.get(sequence)
        if held is not None:
            self.repeats += 1
            if held.event.digest != arrived.event.digest:
                del self._early[sequence]  # neither is to be believed: it is asked for
                raise RepeatDiffers(f"Event {sequence} came twice with two contents.")
            return
        self._early[sequence] = arrived
        if len(self._early) > MOST_EARLY:
            furthest = max(self._early)
            del self._early[furthest]
            self._horizon = max(self._horizon, furthest)

    def _deliver(self) -> tuple[FeedEvent, ...]:
        delivered: list[FeedEvent] = []
        while self._digest is not None and self._last + 1 in self._early:
            arrived = self._early.pop(self._last + 1)
            if arrived.prevhash != self._digest:
                # asked for again; should it come again like this, it is refused aloud as the next in line
                self._horizon = max(self._horizon, arrived.event.sequence)
                break
            event = replace(arrived.event, seal=self._seals.check(arrived.event))
            self._last, self._digest = event.sequence, event.digest
            self._delivered[event.sequence] = event.digest
            if len(self._delivered) > REMEMBERED:
                self._delivered.popitem(last=False)
            delivered.append(event)
        return tuple(delivered)


def _read(payload: bytes) -> _Arrived:
    try:
        said = json.loads(payload)
        sequence, prevhash, kind = said["sequence"], said["prevhash"], said["type"]
        event = FeedEvent(
            journal=_text(said["journal"]),
            sequence=int(sequence) if sequence.isascii() and sequence.isdecimal() else 0,
            type=kind.removeprefix(_PREFIX).removesuffix(_VERSION),
            subject=_text(said.get("subject", "")),
            time=_text(said["time"]),
            data=_object(said["data"]),
            digest=sha256(payload).hexdigest(),
            raw=payload,
        )
        if event.sequence < 1 or len(prevhash) != DIGEST_LENGTH or not kind.startswith(_PREFIX):
            raise NotAnEvent("An event has a sequence, a prevhash and a type of this contract; this has not.")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotAnEvent(f"{len(payload)} bytes on the events topic are no event of this contract.") from None
    return _Arrived(event=event, prevhash=prevhash)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value
