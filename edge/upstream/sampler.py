"""Logging at a bounded rate: what a client or a broker can cause must not fill the log."""

from collections.abc import Callable
from typing import Final

import structlog

EVERY_S: Final = 10.0
"""One line per kind of event in this time; the next line says how many were not written."""


class Sampler:
    """A warning log that writes each kind of event at most every ten seconds."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._log = structlog.get_logger("edge.upstream")
        self._monotonic = monotonic
        self._next: dict[str, float] = {}
        self._unwritten: dict[str, int] = {}

    def warn(self, event: str, **fields: str | int | None) -> None:
        """Write the event, or count it. The fields never hold a payload, a card or a password."""
        now = self._monotonic()
        if now < self._next.get(event, now):
            self._unwritten[event] = self._unwritten.get(event, 0) + 1
            return
        self._next[event] = now + EVERY_S
        self._log.warning(event, unwritten=self._unwritten.pop(event, 0), **fields)
