"""What the upstream needs of the journal and of the table: declared here, by their consumer."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from edge.requests import Asked, Reply


class Outbox(Protocol):
    """The journal's face: committed events, and cursors over them."""

    @property
    def id(self) -> str:
        """The journal's uuid."""

    @property
    def last_sequence(self) -> int:
        """The last committed event; 0: none."""

    def events_after(self, sequence: int, limit: int) -> list[tuple[int, bytes]]:
        """At most ``limit`` committed events after ``sequence``, in order, as published.

        What has been pruned is left out: the first may then be later than ``sequence + 1``.

        Raises:
            StorageFailed: the disk refused.
        """

    def cursor(self, name: str) -> int:
        """Where the cursor stands; 0: it never moved."""

    def move_cursor(self, name: str, value: int) -> None:
        """Move the cursor forward; a lower value is ignored.

        Raises:
            StorageFailed: the disk refused.
        """

    def round_span(self, round_id: str) -> tuple[int, int] | None:
        """First and last event of the round the server knows by this id; None: no such round."""


class Table(Protocol):
    """The table's face: it rules on requests, and tells when something was committed."""

    def ask(self, asked: Asked) -> Reply:
        """Rule on a request. The answer is committed when this returns; idempotent by id.

        Raises:
            StorageFailed: the disk refused; nothing happened.
        """

    @property
    def committed(self) -> asyncio.Event:
        """Set after every commit. The upstream is its only waiter, and clears it."""

    def public_state(self) -> bytes:
        """JSON of the ``state`` topic as of the last commit."""


Telemetry: TypeAlias = Callable[[], Mapping[str, Mapping[str, int]]]
"""Counters by device, read every few seconds."""
