"""Upstream: the table's side of the broker. MQTT 5, at least once, in order, from the journal."""

from edge.upstream.cursor_requests import AcknowledgeEvents, ReplayEvents
from edge.upstream.desk import ACKNOWLEDGED
from edge.upstream.faces import Outbox, Table, Telemetry
from edge.upstream.lanes import PUBLISHED
from edge.upstream.patience import AFTERWARDS_S, Patience
from edge.upstream.payloads import Answer, Condition, Status, utc
from edge.upstream.requests import CursorAsked, Heard, Malformed, read_request, request_models
from edge.upstream.sampler import Sampler
from edge.upstream.settings import MqttSettings, TlsSettings
from edge.upstream.topics import Topics
from edge.upstream.upstream import BROKER, Upstream
from edge.upstream.voice import EPOCH

__all__ = [
    "ACKNOWLEDGED",
    "AFTERWARDS_S",
    "BROKER",
    "EPOCH",
    "PUBLISHED",
    "AcknowledgeEvents",
    "Answer",
    "Condition",
    "CursorAsked",
    "Heard",
    "Malformed",
    "MqttSettings",
    "Outbox",
    "Patience",
    "ReplayEvents",
    "Sampler",
    "Status",
    "Table",
    "Telemetry",
    "TlsSettings",
    "Topics",
    "Upstream",
    "read_request",
    "request_models",
    "utc",
]
