"""A table to put before the upstream: an outbox in memory, a table that obeys, and a running upstream."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from random import Random
from typing import Any, Final
from uuid import uuid4

from edge.errors import StorageFailed
from edge.requests import Asked, Outcome, Reply
from edge.status import StatusBoard
from edge.upstream import MqttSettings, Patience, Upstream

JOURNAL: Final = "0d1c9d3e-5a0e-4f6e-9a51-6f6c5e1d2b10"
QUICK: Final = Patience(
    connack_s=1.0,
    puback_s=1.0,
    first_retry_s=0.02,
    last_retry_s=0.1,
    settled_s=1.0,
    takeover_s=0.5,
    denied_s=0.05,
    tick_s=0.02,
    farewell_s=1.0,
)
TABLE: Final = "bj-1"


def cloud_event(sequence: int, prevhash: str, kind: str = "table.held", **said: Any) -> bytes:
    event = {
        "specversion": "1.0",
        "id": f"{JOURNAL}:{sequence}",
        "source": f"/tables/{TABLE}",
        "type": f"table-edge.{kind}.v1",
        "subject": "shoe/1",
        "time": "2026-01-01T00:00:00.000Z",
        "datacontenttype": "application/json",
        "sequence": f"{sequence:020d}",
        "journal": JOURNAL,
        "prevhash": prevhash,
        "data": said,
    }
    return json.dumps(event, separators=(",", ":")).encode()


class MemoryOutbox:
    """The journal's face without the journal."""

    def __init__(self) -> None:
        self.id = JOURNAL
        self.events: list[bytes] = []
        self.cursors: dict[str, int] = {}
        self.rounds: dict[str, tuple[int, int]] = {}
        self.pruned = 0
        self.full = False
        self.unreadable = False
        self._digest = "0" * 64

    @property
    def last_sequence(self) -> int:
        return len(self.events)

    def append(self, kind: str = "table.held", **said: Any) -> int:
        payload = cloud_event(len(self.events) + 1, self._digest, kind, **said)
        self._digest = sha256(payload).hexdigest()
        self.events.append(payload)
        return len(self.events)

    def events_after(self, sequence: int, limit: int) -> list[tuple[int, bytes]]:
        if self.unreadable:
            raise StorageFailed("The disk does not answer.")
        first = max(sequence, self.pruned)
        chosen = self.events[first : first + limit]
        return [(first + index + 1, payload) for index, payload in enumerate(chosen)]

    def cursor(self, name: str) -> int:
        return self.cursors.get(name, 0)

    def move_cursor(self, name: str, value: int) -> None:
        if self.full:
            raise StorageFailed("The disk is full.")
        self.cursors[name] = max(value, self.cursor(name))

    def round_span(self, round_id: str) -> tuple[int, int] | None:
        return self.rounds.get(round_id)


class ObedientTable:
    """Accepts everything once, with one event for each request."""

    def __init__(self, outbox: MemoryOutbox) -> None:
        self.outbox = outbox
        self.committed = asyncio.Event()
        self.asked: list[Asked] = []
        self.replies: dict[str, Reply] = {}
        self.full = False

    def ask(self, asked: Asked) -> Reply:
        if self.full:
            raise StorageFailed("The disk is full.")
        if asked.id in self.replies:
            return self.replies[asked.id]
        self.asked.append(asked)
        sequence = self.deal()
        self.replies[asked.id] = Reply(
            id=asked.id,
            command=asked.request.command,
            outcome=Outcome.ACCEPTED,
            code="done",
            message="Done.",
            sequence=sequence,
        )
        return self.replies[asked.id]

    def deal(self, count: int = 1, **said: Any) -> int:
        for _ in range(count):
            self.outbox.append(**said)
        self.committed.set()
        return self.outbox.last_sequence

    def public_state(self) -> bytes:
        return json.dumps({"journal": JOURNAL, "as_of": self.outbox.last_sequence}).encode()


class World:
    """One table, its board, and the upstream between them and the broker."""

    def __init__(self, settings: Mapping[str, Any], *, patience: Patience = QUICK) -> None:
        self.outbox = MemoryOutbox()
        self.table = ObedientTable(self.outbox)
        self.settings = MqttSettings.model_validate({"host": "127.0.0.1", **settings})
        self.board = StatusBoard(wall_ms=_wall_ms)
        self.telemetry: dict[str, dict[str, int]] = {}
        self.patience = patience
        self.upstream = self.new_upstream()
        self._task: asyncio.Task[None] | None = None

    def new_upstream(self) -> Upstream:
        return Upstream(
            self.settings,
            table_id=TABLE,
            version="1.2.3",
            outbox=self.outbox,
            table=self.table,
            status=self.board,
            telemetry=lambda: self.telemetry,
            monotonic=time.monotonic,
            wall_ms=_wall_ms,
            random=Random(7),
            patience=self.patience,
        )

    @property
    def reasons(self) -> dict[str, str]:
        return {each.reason: each.sentence for each in self.board.reasons}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._task = asyncio.create_task(self.upstream.run())
        try:
            yield
        finally:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def until(self, condition: Any, *, seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if self._task is not None and self._task.done():
                self._task.result()
            assert time.monotonic() < deadline, f"waited {seconds} s in vain; status: {self.reasons}"
            await asyncio.sleep(0.005)


def request(command: str, said: Mapping[str, Any] | None = None, **more: Any) -> bytes:
    return json.dumps({"id": str(uuid4()), "command": command, "data": dict(said or {}), **more}).encode()


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
