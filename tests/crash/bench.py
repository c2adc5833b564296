"""A table whose daemon, broker and shoe die by plan while play goes on; a supervisor answers for the gaps."""

import asyncio
import contextlib
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final

from edge.errors import JournalError
from sim_devices import ShoeContents, SimulatedShoe
from sim_devices.dealer import Dealer, Pace
from sim_devices.errors import SimulationError
from sim_devices.play import Programme
from sim_devices.screen import Screen
from tests.crash.ailments import Ailments
from tests.crash.doom import Doom
from tests.crash.lives import Lives
from tests.crash.story import Archive, Verdict, compare
from tests.end_to_end.harness import Bench, Plan, assert_verifies

CARDS_A_SHOE: Final = 60
"""Cards in front of the cut card: a few rounds, then the next shoe."""
SNAPSHOT_EVERY: Final = 7
RETENTION_MS: Final = 3_000
ARCHIVED_EVERY_S: Final = 0.5
"""Much oftener than anything is old enough to leave."""
CHECKPOINT_EVERY_S: Final = 0.05
ENDLESS: Final = 10**6
DIES_WITHIN_S: Final = 30.0
"""A life whose place never comes is ended from the outside, and counts for nothing."""
DEADLINE_S: Final = 600.0
TAKEN_WITHIN_S: Final = 10.0
STOPS: Final = 3
AT_THE_WORST_MOMENT: Final = 0.7
"""Share of power-cycles that wait until the shoe has something that nobody acknowledged yet."""
WORST_MOMENT_WITHIN_S: Final = 2.0


class CrashDealer(Dealer):
    """A dealer who knows that the table did not see every card: what was lost is not counted twice."""

    def __init__(self, shoe: SimulatedShoe, *, seed: int) -> None:
        super().__init__(
            shoe,
            pace=Pace(cards_per_second=1000, jitter=0),
            next_shoe=lambda number: contents(seed, number),
        )
        self.shoe = shoe
        self.unseen = 0
        """Cards of the shoe in play that left it and that the table will never hear of."""
        self._present: int | None = None

    def see(self, screen: Screen) -> None:
        """The screen shows this now."""
        if screen.shoe is not None and screen.shoe != self._present:
            self._present, self.unseen = screen.shoe, 0
        super().see(screen)

    @property
    def due(self) -> bool:
        """A card is due, and it is in the shoe."""
        screen = self._screen
        return (
            screen is not None
            and not screen.held
            and screen.expected_draw == self.shoe.cards_drawn + 1 - self.unseen
            and self.shoe.remaining > 0
        )


def contents(seed: int, number: int) -> ShoeContents:
    """The cards of an episode's n-th shoe."""
    return ShoeContents.shuffled(decks=8, seed=seed * 10_000 + number, cut_from_back=8 * 52 - CARDS_A_SHOE)


@dataclass(slots=True, kw_only=True)
class Toll:
    """What died, by the notes of the dying."""

    windows: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    unreached: int = 0
    """Lives whose place never came."""
    broker_kills: int = 0
    power_cycles: int = 0
    memories_lost: int = 0
    """Of the power-cycles."""
    confirmed: int = 0
    """Rounds that went on after the pit had looked at the layout."""


class CrashBench(Bench):
    """A bench on which things die."""

    daemon: Lives
    dealer: CrashDealer

    def __init__(self, folder: Path, doom: Doom) -> None:
        plan = Plan(
            contents=contents(doom.seed, 1),
            programme=Programme(seed=doom.seed, shoes=ENDLESS),
            daemon=False,
            pit=False,  # it has its own
            deadline_s=DEADLINE_S,
        )
        super().__init__(folder, plan)
        self.doom = doom
        self.toll = Toll()
        self.daemon = Lives(
            self.settings,
            Ailments(
                snapshot_every=SNAPSHOT_EVERY,
                checkpoint_every_s=CHECKPOINT_EVERY_S,
                retention_ms=RETENTION_MS,
                quick_retries=True,
            ),
        )
        self.dealer = CrashDealer(self.shoe, seed=doom.seed)
        self.archive = Archive()
        self._chance = random.Random(f"moments {doom.seed}")
        self._one_at_a_time = asyncio.Lock()
        self._troubles: set[asyncio.Task[None]] = set()
        self._last_life_after = 0
        self._dealing: asyncio.Task[None] | None = None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.daemon.close()

    # --- dying

    async def suffer(self) -> None:
        """Live every life of the doom to its end, with what else happens; then one more, that lasts."""
        self._dealing = self.chore(self.dealer.deal(), "dealer")
        self.serve()
        self.chore(self._supervise(), "supervisor")
        self.chore(self._look_into_the_journal(), "archivist")
        troubles = self.doom.troubles()
        for number, fuse in enumerate(self.doom.fuses()):
            await self.daemon.start(fuse)
            for kind in troubles.get(number, ()):
                self._begin(kind)
            await self._die()
        self._last_life_after = self.journaled_sequence
        await self.daemon.start()
        await asyncio.gather(*self._troubles)
        for line in self.daemon.notes.read_text().splitlines():
            note = json.loads(line)
            self.toll.windows[note["window"]] += 1
            self.toll.points[f"{note['window']}: {note['point']}"] += 1

    async def _look_into_the_journal(self) -> None:
        while True:
            await asyncio.sleep(ARCHIVED_EVERY_S)
            with contextlib.suppress(JournalError):  # it may be in the middle of anything
                self.archive.look(self.settings.journal)

    async def _die(self) -> None:
        try:
            async with asyncio.timeout(DIES_WITHIN_S):
                await self.daemon.dead()
        except TimeoutError:
            self.toll.unreached += 1
        await self.until(lambda: True)  # what failed on the bench is told now
        await self.daemon.kill()

    def _begin(self, kind: str) -> None:
        happen = {
            "broker": self._broker_dies,
            "power": lambda: self._power_goes(keep_memory=True),
            "power, memory lost": lambda: self._power_goes(keep_memory=False),
        }[kind]
        self._troubles.add(self.chore(self._at_some_moment(happen), kind))

    async def _at_some_moment(self, happen: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(self._chance.uniform(0, 0.2))
        async with self._one_at_a_time:
            await happen()

    async def _broker_dies(self) -> None:
        await self.bounce_broker()
        self.toll.broker_kills += 1

    async def _power_goes(self, *, keep_memory: bool) -> None:
        if self._chance.random() < AT_THE_WORST_MOMENT:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WORST_MOMENT_WITHIN_S):
                    await self.until(lambda: self.shoe.end.oldest <= self.shoe.end.newest)
        self.shoe.power_cycle(keep_memory=keep_memory)
        self.toll.power_cycles += 1
        self.toll.memories_lost += not keep_memory

    # --- the pit

    async def _supervise(self) -> None:
        """Whenever the table is held: look, count, decide.

        After a restart alone the cards lie as the table has them. Where the shoe lost its memory a round is
        voided; else, or else, a new shoe.
        """
        while True:
            await self.until(lambda: self._held_and_quiet, within_s=DEADLINE_S)
            screen = self.screen
            assert screen is not None
            shoe = screen.said["shoe"]
            if shoe is not None:
                self.dealer.unseen = self.shoe.cards_drawn - shoe["drawn"]
            cut_is_lost = shoe is not None and self._cut_is_out != (shoe["cut_after"] is not None)
            if {each["kind"] for each in screen.said["irregularities"]} == {"power_lost"}:
                self.toll.confirmed += (await self.confirm()).accepted
            elif screen.said["round"] is not None and not cut_is_lost:
                await self.supervise("round.void", reason="the shoe lost its memory")
            else:
                await self.supervise("shoe.retire", reason="the shoe lost its memory")
            await self.until(lambda: self.screen is not screen, within_s=DEADLINE_S)  # noqa: B023

    @property
    def _cut_is_out(self) -> bool:
        return self.shoe.drawn > self.shoe.cards_drawn

    @property
    def _held_and_quiet(self) -> bool:
        """It is held, and nothing more is on its way from the shoe."""
        screen, end = self.screen, self.shoe.end
        return (
            screen is not None
            and screen.held
            and end.resumed
            and end.oldest > end.newest
            and self._journal_is_shown(screen)
        )

    def _journal_is_shown(self, screen: Screen) -> bool:
        with contextlib.suppress(Exception):  # it may be in the middle of anything
            return screen.as_of == self.journaled_sequence
        return False

    # --- the end

    async def come_to_rest(self) -> None:
        """Let what is on its way arrive, stop the daemon in good order, and let the server take the rest.

        Where the broker went right before the stop, the rest is the next start's to publish.
        """
        if self._dealing is not None:
            self._dealing.cancel()
        for _ in range(STOPS):
            await self.until(lambda: self._at_rest, within_s=DEADLINE_S)
            assert await self.daemon.stop() == 0, self.told
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TAKEN_WITHIN_S):
                    await self.until(lambda: self.server.game.sequence >= self.journaled_sequence)
                    return
            self._last_life_after = self.journaled_sequence
            await self.daemon.start()
        raise AssertionError(f"the server does not get the rest\n{self.told}")

    @property
    def _at_rest(self) -> bool:
        """All that left the shoe is acknowledged, all that was committed is shown, and no gap is open."""
        screen, end = self.screen, self.shoe.end
        return (
            screen is not None
            and not screen.held
            and screen.as_of > self._last_life_after
            and screen.devices_online > 0
            and end.resumed
            and end.oldest > end.newest
            and self.server.game.sequence >= screen.as_of
            and self._journal_is_shown(screen)
        )

    def judge(self) -> Verdict:
        """What three witnesses say."""
        return compare(
            shoe_log=self.shoe_log,
            journal=self.settings.journal,
            received=self.received,
            heard=self.payloads("events"),
            archive=self.archive,
        )


def torture(folder: Path, doom: Doom) -> tuple[CrashBench, Verdict]:
    """One episode: everything in the doom happens, and everything is held against each other."""

    async def body() -> CrashBench:
        bench = CrashBench(folder, doom)
        async with bench:
            try:
                async with asyncio.timeout(DEADLINE_S):
                    await bench.suffer()
                    await bench.come_to_rest()
            except (TimeoutError, SimulationError) as error:
                raise AssertionError(f"seed {doom.seed}: {error!r}\n{bench.told}") from error
        return bench

    bench = asyncio.run(body())
    verdict = bench.judge()
    assert not verdict.faults, "\n".join([f"seed {doom.seed}, {bench.folder}:", *verdict.faults])
    assert bench.server.faults == []
    assert_verifies(bench)
    return bench, verdict
