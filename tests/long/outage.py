"""An hour without the broker at one card a second: the size of the backlog, and how long it takes to drain.

The hour is not waited for. A table is played straight into a journal, one commit a record as the daemon does
it, and its clocks are set to one second a card: so the journal holds what an hour of play puts there, 3,600
cards with the decisions between them. Then the real daemon is started on that journal, before a Mosquitto
and a subscriber, and drains it. What an hour has beside play, attempts to reach the broker, leaves no record.

The rate is the subscriber's: from the first event it heard to the last. Order and bytes are checked.
"""

import asyncio
import sys
import time
from pathlib import Path

import pytest

from edge.house_rules import house_text
from edge.inputs import CardDrawn, EdgeStarted, HouseRulesAdopted, Input
from edge.journal import Journal, Moment, checkpoint, open_journal
from edge.ruling import RULING_VERSION, decide
from sim_devices.broker import BrokerAddress
from sim_devices.daemon import TableSettings
from tests.crash.lives import Lives
from tests.edge.journal.play import BOOT, WALL_MS, Player
from tests.edge.upstream.listener import Listener
from tests.mosquitto import Mosquitto

pytestmark = pytest.mark.mosquitto

CARDS = 3_600
CARD_MS = 1_000
TABLE = "t1"
DRAINED_WITHIN_S = 300.0


class Outage(Player):
    """Plays a card a second, on clocks of its own."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal)
        self.cards = 0

    def append(self, heard: Input) -> None:
        """Append without a commit."""
        self.cards += isinstance(heard, CardDrawn)
        ruling = decide(self.state, heard)
        at_ms = self.cards * CARD_MS
        self.journal.append(
            heard,
            ruling.ruled,
            moment=Moment(at_ms=at_ms, wall_ms=WALL_MS + at_ms, boot=BOOT),
            ruling=RULING_VERSION,
            state=ruling.state,
        )
        self.state = ruling.state
        self.heard.append(heard)

    def play_on(self, cards: int) -> None:
        """Play until so many cards were drawn, one commit a record."""
        self.append(EdgeStarted(version="0.1.0", config_hash="c" * 64, operators=None, shoes=("shoe",)))
        self.append(HouseRulesAdopted(text=house_text("deluxe")))
        self.commit()
        while self.cards < cards:
            self.append(self.step())
            self.commit()


def on_disk(journal: Path) -> int:
    """Bytes of the journal, with its log."""
    return sum(each.stat().st_size for each in journal.parent.iterdir())


def test_an_hour_at_a_card_a_second(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    settings = TableSettings(
        folder=tmp_path, broker=BrokerAddress(port=broker.port), port=tmp_path / "shoe", table=TABLE
    )
    settings.write()
    journal = open_journal(settings.journal, table=TABLE).journal
    outage = Outage(journal)
    began = time.monotonic()
    outage.play_on(CARDS)
    played_s = time.monotonic() - began
    with_log = on_disk(settings.journal)
    checkpoint(settings.journal)
    records, behind = journal.last_number, journal.last_sequence
    events = [raw for _, raw in journal.events_between(1, behind)]
    journal.close()
    backlog = settings.journal.stat().st_size
    with broker, Listener(broker.port, f"tables/{TABLE}/events") as listener:
        drained_s, waited_s, heard = _drain(settings, listener, behind)
    assert heard[:behind] == events, "every event, in order, byte for byte"
    sys.stdout.write(
        f"\n{CARDS} cards at one a second: {records} records, {behind} events, "
        f"{sum(map(len, events)) / 1e6:.1f} MB of events\n"
        f"the journal has {backlog / 1e6:.1f} MB, {backlog / CARDS:.0f} bytes a card "
        f"({with_log / 1e6:.1f} MB on disk with a log that was never moved into it)\n"
        f"made in {played_s:.0f} s; first event {waited_s:.1f} s after the daemon's start; "
        f"drained in {drained_s:.2f} s: {behind / drained_s:.0f} events/s, in order\n"
    )


def _drain(settings: TableSettings, listener: Listener, behind: int) -> tuple[float, float, list[bytes]]:
    """Start the daemon and wait until all is heard: seconds of draining, seconds until the first, and all."""

    async def body() -> tuple[float, float]:
        daemon = Lives(settings)
        began = time.monotonic()
        await daemon.start()
        try:
            await asyncio.to_thread(listener.wait, lambda: listener.messages, DRAINED_WITHIN_S)
            first = time.monotonic()
            await asyncio.to_thread(listener.wait, lambda: len(listener.messages) >= behind, DRAINED_WITHIN_S)
            return time.monotonic() - first, first - began
        finally:
            await daemon.stop()
            await daemon.close()

    drained_s, waited_s = asyncio.run(body())
    return drained_s, waited_s, listener.payloads(f"tables/{TABLE}/events")
