"""A control socket in this program, on a real journal, and a client that says whatever it likes."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Self
from uuid import uuid4

from edge.control import BrokerLook, Control, LinkLook, Patience, Sources, happened
from edge.house_rules import house_text
from edge.inputs import CardDrawn, EdgeStarted, HouseRulesAdopted, Input, Operator, RequestMade
from edge.journal import Moment, open_journal
from edge.requests import Asked, Desk, InstallShoe, OpenRound, Request
from edge.ruling import RULING_VERSION, evolve, new_table
from edge.status import StatusBoard
from edge.table import Table
from edge.upstream import Topics
from firmware_protocols import Card, FaceDownCard

QUICK: Final = Patience(idle_s=0.4, write_s=0.2, pace_s=0.001, look_s=0.05)
WITHIN_S: Final = 5.0
ADA: Final = Operator(name="ada", roles=("supervisor",))
BEN: Final = Operator(name="ben", roles=("supervisor",))
WALL_MS: Final = 1_767_225_600_000


def request(command: str, *, id: str | None = None, operator: str = "ada", **more: Any) -> bytes:  # noqa: A002 - the contract's word
    said = {"id": id or str(uuid4()), "command": command, "data": {"operator": operator, "reason": "a test"}}
    return json.dumps(said | more).encode()


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()

    def say(self, line: bytes) -> None:
        self.writer.write(line + b"\n")

    async def hear(self) -> dict[str, Any]:
        """The next answer."""
        async with asyncio.timeout(WITHIN_S):
            line = await self._reader.readline()
        assert line.endswith(b"\n"), line
        said = json.loads(line)
        assert isinstance(said, dict)
        return said

    async def ask(self, line: bytes) -> dict[str, Any]:
        self.say(line)
        return await self.hear()

    async def show(self, what: str) -> dict[str, Any]:
        return await self.ask(json.dumps({"show": what}).encode())

    async def ended(self) -> bool:
        """The daemon let go of it, without another word."""
        async with asyncio.timeout(WITHIN_S):
            with contextlib.suppress(ConnectionError):
                return await self._reader.read() == b""
        return True


@dataclass(kw_only=True)
class Place:
    """A table, its control socket, and who comes to it."""

    path: Path
    table: Table
    board: StatusBoard
    control: Control
    task: "asyncio.Task[None]"
    links: list[LinkLook] = field(default_factory=list)

    async def client(self) -> Client:
        async with asyncio.timeout(WITHIN_S):
            while True:
                with contextlib.suppress(OSError):
                    return Client(*await asyncio.open_unix_connection(self.path))
                await asyncio.sleep(0.005)

    def hear(self, *inputs: Input) -> None:
        self.table.hear(list(inputs))

    def serve(self, request: Request) -> None:
        """As the game server asks."""
        asked = Asked(id=str(uuid4()), desk=Desk.SERVER, request=request, digest=str(uuid4()))
        self.hear(RequestMade(asked=asked))

    def draw(self, *codes: str | None) -> None:
        for code in codes:
            card = None if code is None else FaceDownCard(Card(code))
            self.hear(
                CardDrawn(
                    device="shoe", position=None, device_ms=0, card=card, nonce=uuid4().hex, reread=False
                )
            )

    def open_round(self, *, burned: str = "9c") -> None:
        """A shoe is in and two seats wait for their cards."""
        self.serve(InstallShoe(decks=8))
        self.draw("2h", burned, "Ks")
        self.serve(OpenRound(round_id="r1", seats=(1, 3)))


@contextlib.asynccontextmanager
async def place(
    folder: Path,
    *,
    patience: Patience = QUICK,
    operators: Sequence[Operator] = (ADA, BEN),
    path: Path | None = None,
) -> AsyncIterator[Place]:
    """A table with a house and no shoe, and its socket."""
    journal = open_journal(folder / "journal.db", table="t1").journal
    with contextlib.closing(journal):
        board = StatusBoard(wall_ms=lambda: WALL_MS)
        moment = Moment(at_ms=1, wall_ms=WALL_MS, boot="b")
        state = journal.restore(new_table, evolve, RULING_VERSION)
        table = Table(journal=journal, state=state, now=lambda: moment, status=board)
        table.hear(
            [
                HouseRulesAdopted(text=house_text("deluxe")),
                EdgeStarted(version="0", config_hash="c" * 64, operators=tuple(operators), shoes=("shoe",)),
            ]
        )
        links: list[LinkLook] = []
        where = path or folder / "control.sock"
        control = Control(
            where,
            table=table,
            sources=Sources(
                table="t1",
                version="0",
                board=board,
                links=lambda: links,
                broker=lambda: BrokerLook(address="broker:1883", connected=False, counters={}),
                published=lambda: 1,
                happened=partial(happened, journal),
            ),
            topics=Topics(prefix="tables", table="t1"),
            monotonic=time.monotonic,
            patience=patience,
        )
        task = asyncio.create_task(control.run())
        try:
            yield Place(path=where, table=table, board=board, control=control, task=task, links=links)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
