"""The feed over MQTT: a context manager that is an iterator of events.

::

    with TableFeed("broker.example", table="bj-1", client_id="settlement", start=load_position()) as feed:
        for event in feed:
            with database.transaction():
                apply(event)
                store_position(event.position)
            feed.acknowledge(event)

It reconnects for ever, asks the table for what the broker lost, and raises what only a person or the
server's own code can decide (:mod:`edge.feed.errors`); after catching an error the iteration may go on.
To be used from one thread.
"""

import json
import queue
import ssl
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from edge.feed.errors import EventsPruned, FeedRefused, SealBroken
from edge.feed.reader import FeedReader
from edge.feed.vocabulary import FeedEvent, Gap, Position, SealCheck, Start

RECEIVE_MAXIMUM: Final = 64
"""Messages the broker hands out before we have taken the first: it bounds what is held here."""
ASK_AGAIN_S: Final = 5.0
"""After so long without progress a replay is asked for anew."""
GLANCE_S: Final = 0.5
"""How often the iterator looks up while nothing comes."""
KEEPALIVE_S: Final = 15

_NOT_LET_IN: Final = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})
"""CONNACK codes that no waiting cures."""


class TableFeed:
    """The events of one table, each exactly once and in order, from ``start`` on."""

    def __init__(  # noqa: PLR0913 - what a connection needs, by keyword
        self,
        host: str,
        *,
        table: str,
        client_id: str,
        start: Position | Start,
        port: int = 1883,
        prefix: str = "tables",
        username: str | None = None,
        password: str | None = None,
        tls: ssl.SSLContext | None = None,
        session_expiry_s: int = 86_400,
        ask_again_s: float = ASK_AGAIN_S,
        announce: bool = False,
    ) -> None:
        self._host, self._port = host, port
        self._topic = f"{prefix}/{table}"
        self._session_expiry_s = session_expiry_s
        self._ask_again_s = ask_again_s
        self._announce = announce
        self._reader = FeedReader(start=start)
        self._ready: deque[FeedEvent] = deque()
        self._arrivals: queue.SimpleQueue[tuple[int, mqtt.MQTTMessage]] = queue.SimpleQueue()
        self._connection = 0
        self._refusal: FeedRefused | None = None
        self._asked_id: str | None = None
        self._asked_at = 0.0
        self._asked_from = 0
        self._acknowledged: Position | None = None
        self._handed = start if isinstance(start, Position) else None
        self._client = self._make_client(client_id, username, password, tls)

    def _make_client(
        self, client_id: str, username: str | None, password: str | None, tls: ssl.SSLContext | None
    ) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=mqtt.MQTTv5, manual_ack=True
        )
        client.suppress_exceptions = True
        client.reconnect_delay_set(1, 30)
        client.on_connect = self._on_connect
        client.on_message = self._on_message
        if username is not None:
            client.username_pw_set(username, password)
        if tls is not None:
            client.tls_set_context(tls)
        if self._announce:
            client.will_set(f"{self._topic}/server", "offline", qos=1, retain=True)
        return client

    # --- for the server

    @property
    def position(self) -> Position | None:
        """The last event handed out, or where the feed began; None: none yet, and no position was given."""
        return self._handed

    @property
    def connected(self) -> bool:
        """True while the broker answers."""
        return self._client.is_connected()

    def __enter__(self) -> Self:
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = self._session_expiry_s
        properties.ReceiveMaximum = RECEIVE_MAXIMUM
        self._client.connect_async(
            self._host, self._port, keepalive=KEEPALIVE_S, clean_start=False, properties=properties
        )
        self._client.loop_start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._announce and self._client.is_connected():
            self._client.publish(f"{self._topic}/server", "offline", qos=0, retain=True)
        self._client.disconnect()
        self._client.loop_stop()

    def __iter__(self) -> Iterator[FeedEvent]:
        return self

    def __next__(self) -> FeedEvent:
        event = self.next()
        if event is None:  # without a timeout there is always an event, in the end
            raise StopIteration
        return event

    def next(self, timeout: float | None = None) -> FeedEvent | None:
        """The next event; None: none came within ``timeout`` seconds.

        Raises:
            FeedError: see :mod:`edge.feed.errors`.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._ready:
            if self._refusal is not None:
                refusal, self._refusal = self._refusal, None
                raise refusal
            self._speak()
            left = GLANCE_S if deadline is None else min(GLANCE_S, deadline - time.monotonic())
            try:
                connection, message = self._arrivals.get(timeout=max(0.0, left))
            except queue.Empty:
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            self._take(connection, message)
        event = self._ready.popleft()
        self._handed = event.position
        if event.seal is SealCheck.BROKEN:
            raise SealBroken(event)
        return event

    def acknowledge(self, event: FeedEvent | Position) -> None:
        """Tell the table that this event and all before are durable here: it may prune them some day.

        Cumulative, and sent when there is a connection; the newest replaces one that waits.
        """
        self._acknowledged = event.position if isinstance(event, FeedEvent) else event
        self._speak()

    def accept_journal(self, journal: str) -> None:
        """After :class:`JournalChanged`: follow the new journal from its first event."""
        self._reader.accept_journal(journal)
        self._asked_id = None

    # --- inwards

    def _take(self, connection: int, message: mqtt.MQTTMessage) -> None:
        try:
            topic = message.topic
            if topic == f"{self._topic}/state":
                self._hear_state(bytes(message.payload))
            elif topic == f"{self._topic}/replies":
                self._hear_reply(bytes(message.payload))
            elif topic == f"{self._topic}/events" or topic.startswith(f"{self._topic}/replay/"):
                self._ready.extend(self._reader.receive(bytes(message.payload)))
        finally:
            if connection == self._connection:
                self._client.ack(message.mid, message.qos)

    def _hear_state(self, payload: bytes) -> None:
        said = _said(payload)
        position = self._reader.position
        journal = said.get("journal", None if position is None else position.journal)
        as_of = said.get("as_of")
        if isinstance(journal, str) and isinstance(as_of, int):
            self._reader.heard_of(journal, as_of)

    def _hear_reply(self, payload: bytes) -> None:
        said = _said(payload)
        if self._asked_id is None or said.get("id") != self._asked_id or said.get("outcome") != "refused":
            return
        code, why = said.get("code"), str(said.get("message", ""))
        if code == "pruned":
            self._asked_at = time.monotonic()
            raise EventsPruned(why, hint="Begin anew from the table's state, or import an audit export.")
        if code in {"malformed", "wrong_topic"}:
            raise FeedRefused(f"The table refused a request for events: {why}")

    # --- outwards

    def _speak(self) -> None:
        if not self._client.is_connected():
            return
        if self._acknowledged is not None:
            position, self._acknowledged = self._acknowledged, None
            said: dict[str, str | int] = {"journal": position.journal, "sequence": position.sequence}
            self._request(str(uuid4()), "events.acknowledge", said)
        gap = self._reader.wanted
        if gap is None:
            self._forget_replay()
        elif self._asked_id is None or self._stalled(gap):
            self._ask(gap)

    def _stalled(self, gap: Gap) -> bool:
        now = time.monotonic()
        if gap.first > self._asked_from:
            self._asked_from, self._asked_at = gap.first, now
        return now - self._asked_at >= self._ask_again_s

    def _ask(self, gap: Gap) -> None:
        self._forget_replay()
        self._asked_id = str(uuid4())
        self._asked_at, self._asked_from = time.monotonic(), gap.first
        # one connection, in order: the broker knows the subscription before the table sees the request
        self._client.subscribe(f"{self._topic}/replay/{self._asked_id}", options=SubscribeOptions(qos=1))
        said: dict[str, str | int] = {"journal": gap.journal, "from": gap.first, "to": gap.last}
        self._request(self._asked_id, "events.replay", said)

    def _forget_replay(self) -> None:
        if self._asked_id is not None:
            self._client.unsubscribe(f"{self._topic}/replay/{self._asked_id}")
            self._asked_id = None

    def _request(self, request_id: str, command: str, said: dict[str, str | int]) -> None:
        payload = json.dumps({"id": request_id, "command": command, "data": said})
        self._client.publish(f"{self._topic}/commands", payload, qos=1)

    # --- paho's thread: these put values down and never raise

    def _on_connect(
        self,
        client: mqtt.Client,
        _userdata: object,
        _flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            if reason.value in _NOT_LET_IN:
                self._refusal = FeedRefused(f"The broker refused the connection: {reason}.")
            return
        self._connection += 1
        topics = ("events", "replies", "state")
        client.subscribe([(f"{self._topic}/{name}", SubscribeOptions(qos=1)) for name in topics])
        if self._announce:
            client.publish(f"{self._topic}/server", "online", qos=1, retain=True)

    def _on_message(self, _client: object, _userdata: object, message: mqtt.MQTTMessage) -> None:
        self._arrivals.put((self._connection, message))


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho left its constructor untyped


def _said(payload: bytes) -> dict[str, Any]:
    try:
        said = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
