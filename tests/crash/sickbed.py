"""A bench whose daemon lies on a small disk, and may be ill (:mod:`tests.crash.ailments`)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from sim_devices import ShoeContents
from sim_devices.play import Programme
from tests.crash.ailments import Ailments
from tests.crash.lives import Lives
from tests.end_to_end.harness import Bench, Plan

ONLY_CONSUME: Final = Programme(rounds=0)
DEADLINE_S: Final = 120.0
KING_FIRST: Final = "Kh 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc"
"""A king is first: ten cards are burned."""
A_ROUND: Final = f"{KING_FIRST} 5h 9c 6h Th 9d 8s 7h 2d 4c 9h"


class Sickbed(Bench):
    """A bench with :class:`Lives` for a daemon."""

    daemon: Lives

    def __init__(self, folder: Path, plan: Plan, ailments: Ailments) -> None:
        super().__init__(folder, plan)
        self.daemon = Lives(self.settings, ailments)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.daemon.close()

    @property
    def status(self) -> dict[str, Any]:
        """What the retained status said last; empty: nothing yet."""
        said = self.payloads("status")
        return dict(json.loads(said[-1])) if said else {}

    @property
    def reasons(self) -> dict[str, str]:
        """Why it is degraded, by reason, with the sentence."""
        return {each["reason"]: each["sentence"] for each in self.status.get("reasons", ())}

    @property
    def unacknowledged(self) -> int:
        """Events that the shoe still holds."""
        return self.shoe.end.newest - self.shoe.end.oldest + 1

    async def start_again(self) -> None:
        """Start the daemon after its end, and wait until it shows that it is up."""
        await self.daemon.kill()
        before = self.journaled_sequence
        await self.daemon.start()
        await self.until(lambda: self.screen is not None and self.screen.as_of > before)


def nurse(
    play: Callable[[Sickbed], Awaitable[None]],
    folder: Path,
    *,
    ailments: Ailments | None = None,
    plan: Plan | None = None,
) -> Sickbed:
    """Play on such a bench. Returns it, still to be looked at."""
    plan = plan or Plan(contents=ShoeContents.written(A_ROUND), programme=ONLY_CONSUME, deadline_s=DEADLINE_S)

    async def body() -> Sickbed:
        bench = Sickbed(folder, plan, ailments or Ailments())
        async with bench:
            try:
                async with asyncio.timeout(plan.deadline_s):
                    await play(bench)
            except TimeoutError as error:
                raise AssertionError(f"not over within {plan.deadline_s:g} s\n{bench.told}") from error
        return bench

    return asyncio.run(body())
