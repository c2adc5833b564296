"""The status board: what is wrong right now, in sentences. Pure memory, so it works with a full disk.

Anybody on the loop may :meth:`~StatusBoard.degrade` and :meth:`~StatusBoard.restore`; the upstream
publishes what the board says as the retained ``status``, and the CLI shows it. A reason is a word of the
contract (``storage``, ``broker``, ``broker_denied``, ``held``, ``device:shoe`` ...) with one sentence that
says what was seen and what to do. No sentence ever names a card.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Presence(Enum):
    """What the game server says of itself on the ``server`` topic."""

    UNKNOWN = "unknown"
    ONLINE = "online"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """One thing that is wrong."""

    reason: str
    sentence: str
    since_ms: int
    """UTC, milliseconds since 1970: when this reason first appeared."""


class StatusBoard:
    """The reasons why the table is not fully well; none: it is online.

    To be used from the event loop only. Several may watch: take :attr:`changed`, look at the board, then
    wait for the event taken.
    """

    def __init__(self, *, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._reasons: dict[str, Degradation] = {}
        self._changed = asyncio.Event()
        self._since_ms = wall_ms()
        self._server = Presence.UNKNOWN
        self._server_since_ms = self._since_ms

    @property
    def changed(self) -> asyncio.Event:
        """Set at the next change. Each change has its own event."""
        return self._changed

    @property
    def reasons(self) -> tuple[Degradation, ...]:
        """What is wrong, by reason."""
        return tuple(self._reasons[reason] for reason in sorted(self._reasons))

    @property
    def degraded(self) -> bool:
        """True while there is a reason."""
        return bool(self._reasons)

    @property
    def since_ms(self) -> int:
        """When :attr:`degraded` last turned, UTC in milliseconds."""
        return self._since_ms

    @property
    def server(self) -> Presence:
        """What the game server last said of itself."""
        return self._server

    @property
    def server_since_ms(self) -> int:
        """When :attr:`server` last turned, UTC in milliseconds."""
        return self._server_since_ms

    def degrade(self, reason: str, sentence: str) -> None:
        """Put up a reason, or give it a new sentence."""
        before = self._reasons.get(reason)
        if before is not None and before.sentence == sentence:
            return
        now = self._wall_ms()
        if not self._reasons:
            self._since_ms = now
        since = now if before is None else before.since_ms
        self._reasons[reason] = Degradation(reason=reason, sentence=sentence, since_ms=since)
        self._tell()

    def restore(self, reason: str) -> None:
        """Take a reason down; no harm if it is not up."""
        if self._reasons.pop(reason, None) is None:
            return
        if not self._reasons:
            self._since_ms = self._wall_ms()
        self._tell()

    def server_is(self, presence: Presence) -> None:
        """Note what the game server says of itself."""
        if presence is not self._server:
            self._server = presence
            self._server_since_ms = self._wall_ms()
            self._tell()

    def _tell(self) -> None:
        told, self._changed = self._changed, asyncio.Event()
        told.set()
