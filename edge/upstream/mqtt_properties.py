"""MQTT 5 properties as paho takes them."""

from functools import lru_cache
from typing import Final

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

UTF_8: Final = 1
"""Payload format indicator: the payload is text."""


def new_properties(packet_type: int) -> Properties:
    """Empty MQTT 5 properties."""
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho left its constructor untyped


def publish_properties(content_type: str | None, correlation: bytes | None) -> Properties:
    """The properties of a publish. To be left as they are: those without correlation are shared."""
    if correlation is None:
        return _packed(content_type)
    properties = _of_content(content_type)
    properties.CorrelationData = correlation
    return properties


@lru_cache(maxsize=8)
def _packed(content_type: str | None) -> Properties:
    """Packed once: every card is published with the same, and paho packs them anew for each."""
    properties = _of_content(content_type)
    octets = properties.pack()  # type: ignore[no-untyped-call]  # as above
    object.__setattr__(properties, "pack", lambda: octets)
    return properties


def _of_content(content_type: str | None) -> Properties:
    properties = new_properties(PacketTypes.PUBLISH)
    if content_type is not None:
        properties.ContentType = content_type
        properties.PayloadFormatIndicator = UTF_8
    return properties
