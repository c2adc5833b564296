"""Why a broker refused the connection, in a sentence that says what to do."""

from typing import Final

from edge.upstream.packets import Connack

_REMEDIES: Final[dict[int, str]] = {
    0x84: "It must speak MQTT 5.",
    0x85: "Configure another client_id.",
    0x86: "Check username and password_file.",
    0x87: "Give this daemon's user the right to connect.",
    0x88: "It will be tried again.",
    0x89: "It will be tried again.",
    0x8A: "The broker has banned this client: ask whoever runs it.",
    0x8C: "The broker wants another way of authentication.",
    0x90: "The broker does not allow a will on the status topic: check its access list.",
    0x95: "The broker's packet limit is too small for this daemon.",
    0x97: "A quota of the broker is used up.",
    0x9A: "The broker must allow retained messages.",
    0x9B: "The broker must allow QoS 1.",
    0x9C: "The broker names another server: configure that one.",
    0x9D: "The broker has moved: configure its new address.",
    0x9F: "It will be tried again more slowly.",
}


def connack_sentence(connack: Connack) -> str:
    """What the broker said, and the remedy."""
    remedy = _REMEDIES.get(connack.code, "It will be tried again.")
    return f"The broker refused the connection: {connack.name} (0x{connack.code:02X}). {remedy}"
