"""A subscriber whose clock stops when a message is there: paho without a thread, asked by whoever waits."""

import select
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PATIENCE_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What came."""

    at_ns: int
    """When it was there to be read (``time.perf_counter_ns``)."""
    topic: str
    payload: bytes


class Listener:
    """Subscribed with QoS 1. Nothing is read but while somebody waits in :meth:`step`."""

    def __init__(self, port: int, topics: Sequence[str]) -> None:
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.on_message = self._on_message
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._port = port
        self._topics = topics
        self._subscribed = False
        self._misc_at = 0.0
        self._readable_ns = 0
        """Since when there is something to read: reading it is the subscriber's own, and takes paho the
        longer, the more properties a message has."""
        self.messages: Final[deque[Message]] = deque()

    def __enter__(self) -> Self:
        self._client.connect("127.0.0.1", self._port)
        deadline = time.monotonic() + PATIENCE_S
        while not self._subscribed:
            assert time.monotonic() < deadline, "the broker took no subscription"
            self.step(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.disconnect()
        self._client.loop_write()

    def fileno(self) -> int:
        """For whoever waits for more than this."""
        sock = self._client.socket()
        assert sock is not None, "the broker is gone"
        return sock.fileno()

    def step(self, timeout_s: float) -> None:
        """Wait for something to come, so long at most, and read it."""
        readable, _, _ = select.select([self], [], [], timeout_s)
        if readable:
            self._readable_ns = time.perf_counter_ns()
            self._client.loop_read()
        while self._client.want_write():
            self._client.loop_write()
        if time.monotonic() >= self._misc_at:
            self._client.loop_misc()
            self._misc_at = time.monotonic() + 1

    def publish(self, topic: str, payload: bytes) -> None:
        """Say something, with QoS 1."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho left it untyped
        properties.ContentType = "application/json"
        self._client.publish(topic, payload, qos=1, properties=properties)
        while self._client.want_write():
            self._client.loop_write()

    def _on_message(self, _client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
        self.messages.append(
            Message(at_ns=self._readable_ns, topic=message.topic, payload=bytes(message.payload))
        )

    def _on_connect(self, client: mqtt.Client, *_: object) -> None:
        client.subscribe([(topic, 1) for topic in self._topics])

    def _on_subscribe(self, *_: object) -> None:
        self._subscribed = True
