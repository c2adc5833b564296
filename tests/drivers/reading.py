"""A pump that reads for ever, and what it reported: what the tests of single transports share."""

import asyncio
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from drivers import (
    CardPassed,
    CommandAnswered,
    CutCardPassed,
    DeviceDisconnected,
    DeviceSettings,
    Fault,
    Position,
    Pump,
    Report,
    Tap,
)

PATIENCE_S: Final = 10.0
Kind = TypeVar("Kind")


def position_of(report: Report) -> Position | None:
    return None if isinstance(report, DeviceDisconnected | CommandAnswered) else report.position


def numbers(reports: Sequence[Report]) -> list[int]:
    return [at.number for report in reports if (at := position_of(report)) is not None]


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def threads_of(url: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(url)]


class Reading:
    """A consumer that commits what it gets and acknowledges it, as the journal does."""

    def __init__(
        self,
        settings: DeviceSettings,
        *,
        resume_from: Position | None = None,
        taps: Sequence[Tap] = (),
        faulty: Callable[[Fault], None] = lambda _fault: None,
    ) -> None:
        self.pump = Pump(
            settings,
            resume_from=resume_from,
            monotonic=time.monotonic,
            random=random.Random(1).random,
            taps=taps,
            faulty=faulty,
        )
        self.reports: list[Report] = []

    async def run(self) -> None:
        await self.pump.run(self.take)

    def take(self, batch: tuple[Report, ...]) -> bool:
        assert batch
        self.reports += batch
        positions = [at for report in batch if (at := position_of(report)) is not None]
        if positions:
            self.pump.acknowledge(positions[-1])
        return True

    async def until(self, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not condition():  # noqa: ASYNC110 - what is waited for is in another layer
                    await asyncio.sleep(0.002)
        except TimeoutError as error:
            raise AssertionError(f"it did not happen; reported were {self.kinds[-10:]}") from error

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [report for report in self.reports if isinstance(report, kind)]

    @property
    def kinds(self) -> list[str]:
        return [type(each).__name__ for each in self.reports]

    @property
    def cards(self) -> list[str]:
        return [
            "CUT" if isinstance(report, CutCardPassed) else str(report.card and report.card.turned())
            for report in self.reports
            if isinstance(report, CardPassed | CutCardPassed)
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Reading"]:
        task = asyncio.create_task(self.run())
        try:
            yield self
            if task.done():
                await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
