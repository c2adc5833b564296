"""The broker of a simulated table: one inside this program, or one that is there already.

The embedded broker is rumqttd as the ``iotcore`` wheel brings it (extra ``demo``). It speaks MQTT 5 only,
listens on 127.0.0.1 only, and keeps nothing on disk. It has no way to be stopped and ends with the program,
so it is for demonstrations, not for tests of what happens when a broker goes away.
"""

import logging
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sim_devices.errors import BadAddress, BrokerUnavailable

LOCALHOST: Final = "127.0.0.1"
MQTT_PORT: Final = 1883
UP_WITHIN_S: Final = 10.0
_POLL_S: Final = 0.01
_LAST_PORT: Final = 65535

# A state with every seat split is about 4 KB; iotcore's own limit of 20 KB leaves too little room above it.
# dynamic_filters: a topic without a subscriber takes messages too, as at every other broker.
_CONFIGURATION: Final = """\
id = 0

[router]
id = 0
max_connections = 64
max_outgoing_packet_count = 200
max_segment_size = 104857600
max_segment_count = 10

[v5.1]
name = "v5-1"
listen = "{host}:{port}"
next_connection_delay_ms = 1

    [v5.1.connections]
    connection_timeout_ms = 60000
    max_payload_size = 1048576
    max_inflight_count = 100
    dynamic_filters = true
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAddress:
    """Where a broker listens."""

    host: str = LOCALHOST
    port: int = MQTT_PORT

    @classmethod
    def parse(cls, text: str) -> "BrokerAddress":
        """``host``, ``host:port`` or ``[v6]:port``.

        Raises:
            BadAddress: it is none of these.
        """
        host, colon, port = text.rpartition(":")
        if not colon or text.endswith("]"):
            host, port = text, str(MQTT_PORT)
        host = host.removeprefix("[").removesuffix("]")
        if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= _LAST_PORT:
            raise BadAddress(f"{text!r} is no broker: write host:port, as in 127.0.0.1:1883")
        return cls(host=host, port=int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def answers(self) -> bool:
        """Something takes connections there right now. Blocks for up to 0.2 s."""
        try:
            with socket.create_connection((self.host, self.port), timeout=0.2):
                return True
        except OSError:
            return False


def free_port() -> int:
    """A port of this machine that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind((LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port


def embedded_broker(folder: Path, *, port: int | None = None) -> BrokerAddress:
    """Start a broker inside this program; it ends with it. Blocks until it answers.

    Args:
        folder: where its configuration file is written.
        port: to listen on; None: any that is free.

    Raises:
        BrokerUnavailable: the wheel is not installed, the port is taken, or it does not come up.
    """
    try:
        from iotcore import IotCoreBroker  # noqa: PLC0415 - only the extra ``demo`` brings it
    except ImportError as error:
        raise BrokerUnavailable(
            "The embedded broker is not installed: pip install 'table-edge[demo]', or name a broker that runs"
        ) from error
    # Its spans come out as ERROR records, one or more per message.
    logging.getLogger("rumqttd").setLevel(logging.CRITICAL + 1)
    address = BrokerAddress(port=free_port() if port is None else port)
    configuration = folder / "broker.toml"
    configuration.write_text(_CONFIGURATION.format(host=address.host, port=address.port), encoding="utf-8")
    broker = IotCoreBroker(config_path=str(configuration))
    try:
        broker.check_ports()
    except OSError as error:
        raise BrokerUnavailable(f"The embedded broker cannot listen on {address}: {error}") from error
    broker.start()
    deadline = time.monotonic() + UP_WITHIN_S
    while not address.answers:
        if time.monotonic() > deadline:
            raise BrokerUnavailable(
                f"The embedded broker did not answer on {address} within {UP_WITHIN_S:g} s"
            )
        time.sleep(_POLL_S)
    return address
