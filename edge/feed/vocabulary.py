"""The nouns of a feed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

NO_DIGEST: Final = "0" * 64
"""The ``prevhash`` of a journal's first event."""


class Start(Enum):
    """Where a feed without a remembered position begins."""

    BEGINNING = "beginning"
    """At the first event of the table's journal."""
    NOW = "now"
    """At the next event that comes; take the table's ``state`` for what was before."""


class SealCheck(Enum):
    """What became of the seal of a card that was turned, or dealt after it was set aside."""

    TRUE = "true"
    BROKEN = "broken"
    UNSEEN = "unseen"
    """The seal was published before this feed began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The last event a consumer has durably. Keep it in the transaction that applies the event."""

    journal: str
    sequence: int
    digest: str | None = None
    """SHA-256 of that event's bytes, hex. None: the feed asks for the event again to learn it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEvent:
    """One event, delivered exactly once and in order."""

    journal: str
    sequence: int
    type: str
    """As in the contract, without prefix and version: ``card.dealt``."""
    subject: str
    time: str
    data: Mapping[str, Any]
    digest: str
    """SHA-256 of :attr:`raw`, hex."""
    raw: bytes
    """As published."""
    seal: SealCheck | None = None
    """Of a ``card.revealed``, and of a ``card.dealt`` with a nonce; None on every other event."""

    @property
    def position(self) -> Position:
        """What to remember once this event is applied."""
        return Position(journal=self.journal, sequence=self.sequence, digest=self.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Events that are missing: to be asked for with ``events.replay``."""

    journal: str
    first: int
    last: int
