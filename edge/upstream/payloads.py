"""What is said upstream beside events: status, replies and telemetry, as JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from edge.requests import Outcome
from edge.status import Degradation, Presence

_JOURNAL: Final = re.compile(r"[0-9a-f-]{1,64}")


class Condition(Enum):
    """The one word of the ``status`` topic."""

    ONLINE = "online"
    DEGRADED = "degraded"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The retained ``status``. Not journaled, so it can report a full disk."""

    condition: Condition
    journal: str
    epoch: int
    """Grows with every connection; a reader ignores a lower one of the same journal."""
    version: str
    since_ms: int | None
    """UTC; None in the will, which nobody can date beforehand."""
    reasons: tuple[Degradation, ...] = ()
    reason: str | None = None
    """Why offline."""

    def payload(self) -> bytes:
        """JSON of the topic."""
        said: dict[str, object] = {
            "status": self.condition.value,
            "journal": self.journal,
            "epoch": self.epoch,
            "version": self.version,
            "since": None if self.since_ms is None else utc(self.since_ms),
        }
        if self.reason is not None:
            said["reason"] = self.reason
        if self.condition is Condition.DEGRADED:
            said["reasons"] = [
                {"reason": each.reason, "sentence": each.sentence, "since": utc(each.since_ms)}
                for each in self.reasons
            ]
        return written(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply as it is sent; ``id`` and ``command`` are null where they could not be read."""

    id: str | None
    command: str | None
    outcome: Outcome
    code: str
    message: str
    sequence: int
    replay: Mapping[str, str | int] | None = None
    """Of an accepted ``events.replay``: topic, first and last."""

    def payload(self) -> bytes:
        """JSON of the reply."""
        said: dict[str, object] = {
            "id": self.id,
            "command": self.command,
            "outcome": self.outcome.value,
            "code": self.code,
            "message": self.message,
            "sequence": self.sequence,
        }
        if self.replay is not None:
            said["replay"] = dict(self.replay)
        return written(said)


def written(said: Mapping[str, object]) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def utc(wall_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds: the only form a time has in this contract."""
    moment = datetime.fromtimestamp(wall_ms // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{wall_ms % 1000:03d}Z"


def presence(payload: bytes) -> Presence:
    """What the game server says of itself: the word alone, or an object with it as ``status``."""
    if len(payload) > 4096:  # noqa: PLR2004 - far more than one word needs
        return Presence.UNKNOWN
    word: object
    try:
        text = payload.decode("utf-8").strip()
        word = json.loads(text) if text.startswith(("{", '"')) else text
    except (ValueError, RecursionError):
        return Presence.UNKNOWN
    if isinstance(word, dict):
        word = word.get("status")
    return (
        Presence.ONLINE if word == "online" else Presence.OFFLINE if word == "offline" else Presence.UNKNOWN
    )


def condition(payload: bytes) -> Condition | None:
    """The condition in a ``status`` payload; None: there is none."""
    try:
        said = json.loads(payload)
        return Condition(said["status"])
    except (ValueError, RecursionError, TypeError, KeyError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who said a ``status``."""

    journal: str
    epoch: int


def speaker(payload: bytes) -> Speaker | None:
    """Who said this ``status``; None: it is none, or does not say."""
    try:
        said = json.loads(payload)
        Condition(said["status"])
        journal, epoch = said["journal"], said["epoch"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    if type(journal) is not str or not _JOURNAL.fullmatch(journal) or type(epoch) is not int:
        return None
    return Speaker(journal=journal, epoch=epoch)
