"""A client of the broker as a game server would be one: hears everything, says what it is told."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

PATIENCE_S: Final = 15.0


class Listener:
    """Remembers every message in the order of its coming."""

    def __init__(
        self,
        port: int,
        *topics: str,
        client_id: str = "",
        username: str | None = None,
        password: str | None = None,
    ) -> None:
        self._topics = topics or ("tables/bj-1/#",)
        self.messages: list[mqtt.MQTTMessage] = []
        self._heard = threading.Condition()
        self._subscribed = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=mqtt.MQTTv5)
        self.client.username_pw_set(username, password)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = self._on_connect
        self.client.on_message = self._on_message
        self.client.on_subscribe = self._on_subscribe
        self._port = port

    def _on_connect(self, client: mqtt.Client, *_: object) -> None:
        client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in self._topics])

    def _on_subscribe(self, *_: object) -> None:
        self._subscribed.set()

    def _on_message(self, _client: object, _userdata: object, message: mqtt.MQTTMessage) -> None:
        with self._heard:
            self.messages.append(message)
            self._heard.notify_all()

    def __enter__(self) -> Self:
        self.client.connect("127.0.0.1", self._port, keepalive=30)
        self.client.loop_start()
        assert self._subscribed.wait(PATIENCE_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def on(self, topic: str) -> list[mqtt.MQTTMessage]:
        with self._heard:
            return [message for message in self.messages if message.topic == topic]

    def payloads(self, topic: str) -> list[bytes]:
        return [bytes(message.payload) for message in self.on(topic)]

    def wait(self, condition: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            assert left > 0, f"not heard within {seconds} s: {[m.topic for m in self.messages][-20:]}"
            with self._heard:
                self._heard.wait(min(left, 0.05))

    def say(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, **properties: Any
    ) -> None:
        said = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho left it untyped
        for name, value in properties.items():
            setattr(said, name, value)
        self.client.publish(topic, payload, qos=qos, retain=retain, properties=said).wait_for_publish(
            PATIENCE_S
        )


def say_all(port: int, topic: str, payloads: list[bytes]) -> None:
    """Say all of it in one go, and leave."""
    with Listener(port, "nothing") as client:
        said = [client.client.publish(topic, payload, qos=1) for payload in payloads]
        for each in said:
            each.wait_for_publish(PATIENCE_S)
