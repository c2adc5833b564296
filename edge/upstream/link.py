"""One connection to the broker: paho on the event loop, its callbacks turned into values.

Laws:

* **One paho client per connection.** paho keeps unacknowledged messages in memory and sends them again
  after whatever was published meanwhile; a client that never reconnects has nothing to send again.
* **Callbacks only put values down.** An exception in one of paho's callbacks is swallowed or fatal
  depending on the version; here none can raise.
* **The only truth about a publish is its PUBACK's reason code.** ``publish()`` and ``MessageInfo`` lie
  in both directions.

Connecting (DNS, TCP, TLS) blocks, so it is done in a thread of its own; from then on everything is on
the loop. After anything happened :attr:`Link.turn` is set; its one waiter clears it and looks.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from edge.upstream.mqtt_properties import publish_properties
from edge.upstream.packets import NO_LIMIT, UNSPECIFIED, Connack, Delivery, Ended, Outgoing, Puback, Suback

RECEIVE_MAXIMUM: Final = 16
"""Requests the broker may hand us before the first is acknowledged: it keeps the rest."""
LARGEST_PACKET: Final = 64 * 1024
"""The broker sends nothing larger, which bounds what one connection can make us hold."""
MOST_WAITING: Final = 256
"""Messages read and not yet taken. Beyond it QoS 0 is dropped and counted (its sender asked for no
promise), and the socket is not read until half of them are taken. The receive maximum does not suffice:
Mosquitto 2.0.11 loses count of it while it takes publishes from us."""
PACKETS_PER_TURN: Final = 64
"""Read from TLS before other tasks get the loop."""
PUBLISH_OVERHEAD: Final = 1024
"""Topic, properties and header beside a payload, generously, when the broker limits packets."""


class Link:
    """A connected paho client on the running loop, until :attr:`ended`."""

    def __init__(self, client: mqtt.Client, *, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic
        self._loop = asyncio.get_running_loop()
        self._watching_writes = False
        self._resting = False
        self.turn: Final = asyncio.Event()
        self.deliveries: Final[deque[Delivery]] = deque()
        """To be acknowledged, in this order."""
        self.arrivals: Final[deque[Delivery]] = deque()
        """The same, to be looked at as soon as they come."""
        self.pubacks: Final[deque[Puback]] = deque()
        self.subacks: Final[deque[Suback]] = deque()
        self.connack: Connack | None = None
        self.ended: Ended | None = None
        self.dropped = 0
        """QoS 0 messages that came faster than they were taken."""
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        client.on_subscribe = self._on_subscribe
        client.on_socket_close = self._on_socket_close
        client.on_socket_register_write = _nothing_to_do
        sock = client.socket()
        if sock is None:
            self.end("The connection was closed as soon as it was made.")
            return
        self._loop.add_reader(sock, self._readable)
        self._flush()

    # --- outwards

    def publish(self, message: Outgoing) -> int:
        """Queue a publish; :meth:`flush` sends it. Returns its packet id."""
        published = self._client.publish(
            message.topic,
            message.payload,
            qos=message.qos,
            retain=message.retain,
            properties=publish_properties(message.content_type, message.correlation),
        )
        return published.mid

    def fits(self, message: Outgoing) -> bool:
        """False if the broker said that it takes no packet as large."""
        limit = None if self.connack is None else self.connack.maximum_packet
        return limit is None or len(message.payload) + PUBLISH_OVERHEAD <= limit

    def take(self) -> None:
        """The oldest delivery is done with: PUBACK it; :meth:`flush` sends that."""
        delivery = self.deliveries.popleft()
        if self.ended is not None:
            return
        if delivery.qos == 1:
            self._client.ack(delivery.mid, delivery.qos)
        sock = self._client.socket()
        if self._resting and sock is not None and len(self.deliveries) <= MOST_WAITING // 2:
            self._resting = False
            self._loop.add_reader(sock, self._readable)
            self._loop.call_soon(self._readable)  # TLS may hold what no selector sees

    def subscribe(self, filters: list[tuple[str, SubscribeOptions]]) -> int:
        """Ask for these topics; returns the packet id its SUBACK will carry."""
        _, mid = self._client.subscribe(filters)
        return mid or 0

    def disconnect(self) -> None:
        """Say goodbye in order: the broker drops the will."""
        if self.ended is None:
            self._client.disconnect()
            self.flush()

    def flush(self) -> None:
        """Send what is queued, as far as the socket takes it."""
        self._guarded(self._flush)

    @property
    def up(self) -> bool:
        """True until the end."""
        return self.ended is None

    @property
    def opening(self) -> bool:
        """True until CONNACK, or the end."""
        return self.connack is None and self.ended is None

    @property
    def resting(self) -> bool:
        """True while nothing is read, PUBACKs included, because too much waits to be taken."""
        return self._resting

    @property
    def congested(self) -> bool:
        """True while the socket takes no more."""
        return self._client.want_write()

    # --- the loop's turns

    async def next_turn(self) -> None:
        """Wait until something came, or the end."""
        await self.turn.wait()
        self.turn.clear()

    def tick(self) -> None:
        """Keepalive: to be called about once a second."""
        self._guarded(self._misc)

    def _misc(self) -> None:
        self._client.loop_misc()
        self._flush()

    def _readable(self) -> None:
        self._guarded(self._read)
        self.turn.set()

    def _writable(self) -> None:
        self._guarded(self._flush)

    def _read(self) -> None:
        if self._resting:
            return
        self._client.loop_read()
        for _ in range(PACKETS_PER_TURN):
            if self._rest():
                break
            # what openssl has already decrypted does not wake the selector
            sock = self._client.socket()
            if not isinstance(sock, ssl.SSLSocket) or not sock.pending():
                break
            self._client.loop_read()
        else:
            self._loop.call_soon(self._readable)
        self._flush()

    def _rest(self) -> bool:
        sock = self._client.socket()
        if sock is not None and len(self.deliveries) >= MOST_WAITING:
            self._resting = True
            self._loop.remove_reader(sock)
        return self._resting

    def _flush(self) -> None:
        if self._client.want_write():
            self._client.loop_write()
        sock = self._client.socket()
        wanted = sock is not None and self._client.want_write()
        if sock is not None and wanted != self._watching_writes:
            if wanted:
                self._loop.add_writer(sock, self._writable)
            else:
                self._loop.remove_writer(sock)
            self._watching_writes = wanted

    def _guarded(self, step: Callable[[], None]) -> None:
        if self.ended is not None:
            return
        try:
            step()
        except Exception as error:  # noqa: BLE001 - paho's decoders let a broker's garbage raise anything
            self.end(f"The broker sent what MQTT does not have ({type(error).__name__}).")
        self._close_if_ended()

    def _close_if_ended(self) -> None:
        if self.ended is not None:  # a callback said so
            self.close()
            self.turn.set()

    # --- the end

    def end(self, sentence: str, *, code: int | None = None) -> None:
        """Give the connection up, without goodbye: the broker publishes the will."""
        if self.ended is None:
            self.ended = Ended(sentence=sentence, code=code)
        self.turn.set()
        self.close()

    def close(self) -> None:
        """Close the socket; no harm if it is closed."""
        close_client(self._client)

    # --- paho's callbacks: they put values down and never raise

    def _on_socket_close(self, _client: object, _userdata: object, sock: object) -> None:
        if isinstance(sock, int) or hasattr(sock, "fileno"):
            self._loop.remove_reader(sock)
            self._loop.remove_writer(sock)
            self._watching_writes = False

    def _on_connect(
        self,
        _client: object,
        _userdata: object,
        flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self.connack = Connack(
            code=reason.value,
            name=str(reason),
            session_present=flags.session_present,
            receive_maximum=getattr(properties, "ReceiveMaximum", NO_LIMIT),
            maximum_packet=getattr(properties, "MaximumPacketSize", None),
            retain_available=bool(getattr(properties, "RetainAvailable", 1)),
            maximum_qos=getattr(properties, "MaximumQoS", 2),
        )

    def _on_disconnect(
        self,
        _client: object,
        _userdata: object,
        flags: mqtt.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if self.ended is None:
            if flags.is_disconnect_packet_from_server:
                self.ended = Ended(
                    sentence=f"The broker ended the connection: {reason} (0x{reason.value:02X}).",
                    code=reason.value,
                )
            else:
                self.ended = Ended(sentence=_lost(reason))

    def _on_publish(
        self,
        _client: object,
        _userdata: object,
        mid: int,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self.pubacks.append(Puback(mid=mid, code=reason.value, name=str(reason)))

    def _on_subscribe(
        self,
        _client: object,
        _userdata: object,
        mid: int,
        reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        self.subacks.append(Suback(mid=mid, codes=tuple(reason.value for reason in reasons)))

    def _on_message(self, _client: object, _userdata: object, message: mqtt.MQTTMessage) -> None:
        if len(self.deliveries) >= MOST_WAITING and message.qos == 0:
            self.dropped += 1
            return
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""  # no topic of ours: taken and let go, in its order
        expiry = getattr(message.properties, "MessageExpiryInterval", None)
        delivery = Delivery(
            mid=message.mid,
            qos=message.qos,
            topic=topic,
            payload=bytes(message.payload),
            retained=bool(message.retain),
            response_topic=getattr(message.properties, "ResponseTopic", None),
            correlation=getattr(message.properties, "CorrelationData", None),
            expires_at=None if expiry is None else self._monotonic() + expiry,
        )
        self.deliveries.append(delivery)
        self.arrivals.append(delivery)


def _lost(reason: ReasonCode) -> str:
    if reason.value == UNSPECIFIED:  # paho's word for a socket that was closed
        return "The connection to the broker was closed from afar, and nothing was said."
    return f"The connection to the broker was lost ({reason})."


def close_client(client: mqtt.Client) -> None:
    """Close a client's socket without DISCONNECT; the socket may already be gone."""
    sock = client.socket()
    if sock is not None:
        if client.on_socket_close is not None:
            client.on_socket_close(client, None, sock)
            client.on_socket_close = None
        sock.close()


def _nothing_to_do(_client: object, _userdata: object, _sock: object) -> None:
    """With this callback set paho queues packets instead of writing inside callbacks; we flush."""
