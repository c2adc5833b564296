"""An MQTT 5 connection for simulators: subscriptions that come back, messages as an async iterator.

It reconnects for ever. Publishing while there is no connection does nothing: whoever wants an answer
asks again, as the contract says. Not for the table itself, which has promises to keep.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from sim_devices.broker import BrokerAddress

KEEPALIVE_S: Final = 15
MOST_WAITING: Final = 4096
"""Messages not taken yet; beyond it the oldest are dropped: a simulator that hangs must not grow."""
RETRY_S: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message."""

    topic: str
    payload: bytes
    retained: bool = False
    correlation: bytes | None = None


class MqttLine:
    """``async with`` connects and disconnects; ``async for`` gives every message on its topics.

    Args:
        broker: where.
        topics: filters to subscribe to, at every connection anew, with QoS 1.
        client_id: None: the broker or the library makes one up.
    """

    def __init__(self, broker: BrokerAddress, *, topics: Iterable[str], client_id: str | None = None) -> None:
        self._broker = broker
        self._topics = tuple(topics)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: asyncio.Queue[Heard] = asyncio.Queue(MOST_WAITING)
        self._subscribed = asyncio.Event()
        self.dropped = 0
        """Messages that nobody took in time."""
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=client_id or "", protocol=mqtt.MQTTv5
        )
        self._client.suppress_exceptions = True
        self._client.reconnect_delay_set(min_delay=RETRY_S, max_delay=RETRY_S)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_subscribe = self._answered
        self._client.on_message = self._message

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 0
        self._client.connect_async(
            self._broker.host, self._broker.port, keepalive=KEEPALIVE_S, properties=properties
        )
        self._client.loop_start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.disconnect()
        await asyncio.to_thread(self._client.loop_stop)

    def __aiter__(self) -> AsyncIterator[Heard]:
        return self

    async def __anext__(self) -> Heard:
        return await self._waiting.get()

    @property
    def ready(self) -> bool:
        """Connected, and the broker has taken the subscriptions."""
        return self._subscribed.is_set()

    async def wait_ready(self) -> None:
        """Until :attr:`ready`."""
        await self._subscribed.wait()

    def publish(self, topic: str, payload: bytes, *, response_topic: str | None = None) -> bool:
        """Publish with QoS 1, once; False: there is no connection, and nothing was sent."""
        if not self.ready:
            return False
        properties = _properties(PacketTypes.PUBLISH)
        properties.ContentType = "application/json"
        if response_topic is not None:
            properties.ResponseTopic = response_topic
        self._client.publish(topic, payload, qos=1, properties=properties)
        return True

    # Below: paho's thread. It only hands over.

    def _connected(
        self,
        client: mqtt.Client,
        _userdata: object,
        _flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if not reason.is_failure and self._topics:
            client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in self._topics])
        elif not reason.is_failure:
            self._hand_over(self._subscribed.set)

    def _disconnected(
        self,
        _client: mqtt.Client,
        _userdata: object,
        _flags: mqtt.DisconnectFlags,
        _reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._hand_over(self._subscribed.clear)

    def _answered(
        self,
        _client: mqtt.Client,
        _userdata: object,
        _mid: int,
        _reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        self._hand_over(self._subscribed.set)

    def _message(self, _client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
        correlation = getattr(message.properties, "CorrelationData", None)
        heard = Heard(
            topic=message.topic,
            payload=bytes(message.payload),
            retained=message.retain,
            correlation=correlation,
        )
        self._hand_over(self._put, heard)

    def _put(self, heard: Heard) -> None:
        if self._waiting.full():
            self._waiting.get_nowait()
            self.dropped += 1
        self._waiting.put_nowait(heard)

    def _hand_over(self, step: Callable[..., object], *arguments: object) -> None:
        # RuntimeError: the loop is gone, and so is whoever listened
        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(step, *arguments)


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho left its constructor untyped
