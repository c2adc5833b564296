"""Making a connection: DNS, TCP and TLS block, so they happen in a thread of their own."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from edge.aside import aside
from edge.errors import ConfigInvalid
from edge.upstream.link import LARGEST_PACKET, RECEIVE_MAXIMUM, Link, close_client
from edge.upstream.mqtt_properties import new_properties
from edge.upstream.packets import Ended
from edge.upstream.settings import MqttSettings, TlsSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Will:
    """What the broker publishes, retained, when we are gone without goodbye."""

    topic: str
    payload: bytes


async def connect(
    settings: MqttSettings, *, client_id: str, will: Will, monotonic: Callable[[], float]
) -> Link | Ended:
    """A link whose CONNECT is sent and whose CONNACK is still to come, or why there is none."""
    client = _client(client_id=client_id, will=will)
    where = f"{settings.host}:{settings.effective_port}"
    try:
        await aside(
            lambda: _connect(client, settings),
            name="upstream.connect",
            abandoned=lambda: close_client(client),
        )
    except ConfigInvalid as error:
        return Ended(sentence=str(error))
    except ssl.SSLCertVerificationError as error:
        return Ended(
            sentence=f"The certificate of the broker at {where} was refused: {error.verify_message}."
        )
    except (OSError, ssl.SSLError, ValueError) as error:
        close_client(client)
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Ended(sentence=f"There is no connection to the broker at {where}: {why}.")
    return Link(client, monotonic=monotonic)


def _client(*, client_id: str, will: Will) -> mqtt.Client:
    client = mqtt.Client(
        CallbackAPIVersion.VERSION2,
        client_id=client_id,
        protocol=mqtt.MQTTv5,
        reconnect_on_failure=False,
        manual_ack=True,
    )
    client.suppress_exceptions = True
    client.max_inflight_messages = 0  # no second window: the publisher has its own
    client.will_set(will.topic, will.payload, qos=1, retain=True, properties=_will_properties())
    client.on_socket_open = _no_delay
    return client


def _will_properties() -> Properties:
    properties = new_properties(PacketTypes.WILLMESSAGE)
    properties.ContentType = "application/json"
    return properties


def _connect(client: mqtt.Client, settings: MqttSettings) -> None:
    if settings.username is not None:
        client.username_pw_set(settings.username, settings.password())
    if settings.tls is not None:
        client.tls_set_context(_tls_context(settings.tls))
    properties = new_properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = settings.session_expiry_s
    properties.ReceiveMaximum = RECEIVE_MAXIMUM
    properties.MaximumPacketSize = LARGEST_PACKET
    client.connect(
        settings.host,
        settings.effective_port,
        keepalive=settings.keepalive_s,
        clean_start=False,  # paho's default throws away the session at the first connection
        properties=properties,
    )


def _tls_context(tls: TlsSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
        context.sslsocket_class = _ClosedOnFailure
        if tls.cert_file is not None:
            context.load_cert_chain(tls.cert_file, tls.key_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigInvalid(
            f"The TLS files cannot be used: {error.strerror or error}.",
            hint="Check ca_file, cert_file and key_file under [mqtt.tls].",
        ) from None
    return context


class _ClosedOnFailure(ssl.SSLSocket):
    """paho lets go of the socket of a failed handshake without closing it."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of ssl
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _no_delay(_client: object, _userdata: object, sock: object) -> None:
    # paho leaves Nagle on: a small publish after another then waits for the broker's delayed ACK, 40 ms
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
