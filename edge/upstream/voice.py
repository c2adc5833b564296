"""The voice: what the retained ``status`` says, now and in the will."""

from collections.abc import Callable
from typing import Final

from edge.errors import StorageFailed
from edge.status import StatusBoard
from edge.upstream.faces import Outbox
from edge.upstream.payloads import Condition, Status

EPOCH: Final = "epoch"
"""The cursor that counts connections, so that a late will is known for what it is."""


class StatusVoice:
    """Turns the board into the status topic."""

    def __init__(
        self, *, board: StatusBoard, outbox: Outbox, version: str, wall_ms: Callable[[], int]
    ) -> None:
        self._board = board
        self._outbox = outbox
        self._version = version
        self._wall_ms = wall_ms
        self._stopped_ms: int | None = None
        self._farewell: str | None = None
        self.epoch = 0

    @property
    def farewell(self) -> str | None:
        """Why the daemon goes; None: it does not."""
        return self._farewell

    def say_farewell(self, reason: str) -> None:
        """From now on the table is offline, for this reason."""
        self._farewell = reason
        self._stopped_ms = self._wall_ms()

    def count_epoch(self) -> None:
        """A new connection begins."""
        self.epoch = max(self.epoch, self._outbox.cursor(EPOCH)) + 1
        try:
            self._outbox.move_cursor(EPOCH, self.epoch)
        except StorageFailed:
            # counted in memory; after a restart on a full disk an epoch may be used twice
            return

    def will(self) -> bytes:
        """What the broker says when we are gone without goodbye."""
        return self._said(Condition.OFFLINE, since_ms=None, reason="The connection to the table was lost.")

    def status(self) -> bytes:
        """What is true now."""
        if self._farewell is not None:
            return self._said(Condition.OFFLINE, since_ms=self._stopped_ms, reason=self._farewell)
        condition = Condition.DEGRADED if self._board.degraded else Condition.ONLINE
        return self._said(condition, since_ms=self._board.since_ms)

    def _said(self, condition: Condition, *, since_ms: int | None, reason: str | None = None) -> bytes:
        return Status(
            condition=condition,
            journal=self._outbox.id,
            epoch=self.epoch,
            version=self._version,
            since_ms=since_ms,
            reasons=self._board.reasons,
            reason=reason,
        ).payload()
