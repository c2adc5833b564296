"""Rehearsing: while a card is due, the table rules on one that nobody drew, and forgets it.

Between two cards others fill the processor's caches. After ten milliseconds the ruling takes ten times as
long as at once, and most of what a card takes from the cable to the broker is code fetched anew
(docs/performance.md). So while a card may come at any moment its way is gone over, from the bytes of a
table_link to what would be written down.

Laws:

* **Nothing of it is kept.** The ruling is pure, and the record that it draws up is dropped: no state, no
  file, no line in a log.
* **It takes a tenth of one core at most**, however slow that is, its waking up not counted; nothing at
  all where no card is due, or where nothing has happened for three seconds.
* **It never hurts.** What fails in it ends the rehearsing, not the table.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Final, Protocol

import structlog

from drivers import Position, happened
from edge.hearing import heard
from edge.inputs import Input
from edge.journal import Moment
from edge.notes import Ruled
from edge.ruling import RULING_VERSION, Phase, TableState, decide, phase
from firmware_protocols import (
    DECK,
    Card,
    CardScan,
    DeviceKind,
    Event,
    FaceDownCard,
    Hello,
    HostEnd,
    HostNews,
    encode,
)

EVERY_S: Final = 0.003
"""From one rehearsal to the next: of what it fetched, a third is gone again after that."""
SHARE: Final = 0.1
"""Of one core, at most."""
QUIET_S: Final = 3.0
"""Nothing has happened for so long: nobody deals."""
CARD_DUE: Final = (Phase.CARD_DUE, Phase.BURNING, Phase.OPENING)
NONCE: Final = "0" * 32
FAILED: Final = (
    "Nothing is wrong with the table: it only stopped rehearsing, and each event comes some tenths of a "
    "millisecond later, until the daemon is started again. Send this line to whoever maintains table-edge."
)

log = structlog.get_logger("edge.rehearsing")


class Dealt(Protocol):
    """The table's face: what it waits for, and when that may have changed."""

    @property
    def state(self) -> TableState:
        """As of the last commit."""

    @property
    def state_changed(self) -> asyncio.Event:
        """Set after every commit."""


class Drafter(Protocol):
    """The journal's face: it draws a record up and drops it."""

    @property
    def last_at_ms(self) -> int:
        """The table's clock at the last record."""

    def rehearse(  # noqa: D102 - as the journal says
        self,
        input: Input,  # noqa: A002 - the house's noun
        ruled: Sequence[Ruled],
        *,
        moment: Moment,
        ruling: str,
    ) -> None: ...


class NobodysShoe:
    """A shoe that is not there, at the end of a link of its own."""

    BOOT: Final = 1

    def __init__(self) -> None:
        self._link = HostEnd(kind=DeviceKind.SHOE, serial=None, resume_from=None)
        self._number = 0
        self._link.opened(0.0)
        hello = Hello(kind=DeviceKind.SHOE, boot=self.BOOT, firmware=(0, 0, 0), oldest=1, newest=0, serial="")
        self._link.receive(encode(hello), 0.0)

    def give(self, card: Card) -> tuple[HostNews, ...]:
        """What the link hears of its next card."""
        self._number += 1
        scan = CardScan(card=FaceDownCard(card), face_up=False, reread=False, confidence=100)
        return self._link.receive(encode(Event(number=self._number, at_ms=0, what=scan)), 0.0)


async def rehearse(
    table: Dealt,
    journal: Drafter,
    monotonic: Callable[[], float],
    processor: Callable[[], float] = time.thread_time,
) -> None:
    """Rehearse for ever, whenever a card is due; end when a rehearsal fails.

    Args:
        table: whose next card it is.
        journal: what draws up the record.
        monotonic: seconds, never backwards.
        processor: seconds that this thread has had a core; what stands still takes none.
    """
    cards, shoe = cycle(DECK), NobodysShoe()
    while True:
        await table.state_changed.wait()
        table.state_changed.clear()
        ends = monotonic() + QUIET_S
        pause_s = EVERY_S
        while True:
            await asyncio.sleep(pause_s)
            if table.state_changed.is_set() or monotonic() >= ends or phase(table.state) not in CARD_DUE:
                break
            began = processor()
            try:
                go_over(next(cards), table.state, shoe, journal)
            except Exception as error:  # noqa: BLE001 - no card is worth a table, least of all one that is none
                log.warning("rehearsal.failed", error=type(error).__name__, sentence=FAILED)
                return
            pause_s = max(EVERY_S, (processor() - began) / SHARE)


def go_over(card: Card, state: TableState, shoe: NobodysShoe, journal: Drafter) -> None:
    """The way of this card, had the shoe in play given it just now."""
    if state.shoe is None:
        return
    for news in shoe.give(card):
        if not isinstance(news, Event):
            continue
        position = Position(boot=NobodysShoe.BOOT, number=news.number)
        report = happened(state.shoe.device, position, news.at_ms, news.what)
        drawn = heard(report, lambda: NONCE)
        if drawn is not None:
            moment = Moment(at_ms=journal.last_at_ms, wall_ms=0, boot="")
            journal.rehearse(drawn, decide(state, drawn).ruled, moment=moment, ruling=RULING_VERSION)
