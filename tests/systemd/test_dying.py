"""A part that dies takes the daemon down and shows no card; a part that is stuck starves the watchdog."""

import asyncio
import signal
from pathlib import Path
from typing import Final

import pytest

from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from tests.systemd.program import nowhere, play, program

SPOILED_CARD: Final = """
import edge.following
heard = edge.following.heard
def spoiled(report, nonce, keys):
    card = getattr(report, "card", None)
    if card is not None:
        raise LookupError(f"the hole card is {card.turned().value}")
    return heard(report, nonce, keys)
edge.following.heard = spoiled
"""
SPOILED_UPSTREAM: Final = """
from edge.upstream.upstream import Upstream
async def spoiled(self):
    card = "7h"
    raise LookupError(f"the hole card is {card}")
Upstream._tick = spoiled
"""
SPOILED_CALLBACK: Final = """
import asyncio, edge.daemon
on_signals = edge.daemon._on_signals
def spoiled(card):
    raise LookupError(f"the hole card is {card}")
def arm():
    asyncio.get_running_loop().call_later(0.2, spoiled, "7h")
    return on_signals()
edge.daemon._on_signals = arm
"""
SPOILED_START: Final = """
import edge.daemon
def spoiled(loaded, state):
    card = "7h"
    raise LookupError(f"the hole card is {card}")
edge.daemon._first_inputs = spoiled
"""
SPOILED_REHEARSAL: Final = """
import edge.rehearsing
edge.rehearsing.CARD_DUE = tuple(edge.rehearsing.Phase)
def spoiled(card, state, shoe, journal):
    raise LookupError(f"the hole card is 7h")
edge.rehearsing.go_over = spoiled
"""
ENDED_PART: Final = """
from edge.systemd_notify import Vigil
async def ended(self):
    pass
Vigil.run = ended
"""
STUCK_PART: Final = """
import asyncio, edge.systemd_notify
from drivers import Pump
edge.systemd_notify.STILL_S = 1.0
edge.systemd_notify.LOOK_S = 0.05
async def stuck(self, take):
    await asyncio.Event().wait()
Pump.run = stuck
"""
FULL_DISK: Final = """
import edge.systemd_notify
from edge.errors import StorageFailed
from edge.inputs import EdgeStarted, HouseRulesAdopted
from edge.journal import Journal
edge.systemd_notify.STILL_S = 2.5
append = Journal.append
def refused(self, input, ruled, **how):
    if not isinstance(input, EdgeStarted | HouseRulesAdopted):
        raise StorageFailed("The disk is full.", hint="Make room.")
    append(self, input, ruled, **how)
Journal.append = refused
"""
STUCK_LOOP: Final = """
import asyncio, time, edge.daemon
on_signals = edge.daemon._on_signals
def arm():
    asyncio.get_running_loop().call_later(1.0, time.sleep, 1e6)
    return on_signals()
edge.daemon._on_signals = arm
"""


@pytest.mark.parametrize(
    ("spoil", "part", "error"),
    [
        (SPOILED_CARD, "device:shoe", "LookupError"),
        (SPOILED_UPSTREAM, "upstream", "LookupError"),
        (SPOILED_CALLBACK, "callback", "LookupError"),
        (SPOILED_START, "daemon", "LookupError"),
        (ENDED_PART, "vigil", "by itself"),
    ],
)
def test_a_part_that_dies_takes_the_daemon_down_in_one_sentence(
    tmp_path: Path, spoil: str, part: str, error: str
) -> None:
    async def work() -> None:
        async with (
            SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written("7h 2c 3c")) as shoe,
            program(tmp_path, nowhere(), spoil=spoil) as daemon,
        ):
            if part == "device:shoe":
                await daemon.told("shoe connected")
                shoe.draw()
            code, _ = await daemon.end()
            said = daemon.said
            assert code == 1, said
            sentences = [line for line in said.splitlines() if line.startswith("table-edge: ")]
            assert len(sentences) == 1, said
            assert f"The part {part} of the daemon" in sentences[0]
            assert error in sentences[0]
            assert "Traceback" not in said
            assert "hole card" not in said
            assert "7h" not in said
            assert "STOPPING=1" not in daemon.lines

    play(work)


def test_a_rehearsal_that_fails_ends_the_rehearsing_and_not_the_table(tmp_path: Path) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere(), spoil=SPOILED_REHEARSAL) as daemon:
            await daemon.told("READY=1")
            await asyncio.sleep(0.5)
            assert daemon.said.count('"event": "rehearsal.failed"') == 1, daemon.said
            assert '"error": "LookupError"' in daemon.said
            assert "7h" not in daemon.said
            assert (await daemon.end(signal.SIGTERM))[0] == 0

    play(work)


def test_a_stuck_part_starves_the_watchdog_and_is_named(tmp_path: Path) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere(), spoil=STUCK_PART, watchdog_s=0.6) as daemon:
            await daemon.told("STATUS=Stuck: device:shoe did not move")
            fed = daemon.lines.count("WATCHDOG=1")
            assert fed > 1
            await asyncio.sleep(1.0)
            assert daemon.lines.count("WATCHDOG=1") == fed
            assert '"stuck": ["device:shoe"]' in daemon.said
            assert (await daemon.end(signal.SIGTERM))[0] == 0

    play(work)


def test_a_stuck_loop_feeds_nothing_and_shows_where_it_was_stuck(tmp_path: Path) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere(), spoil=STUCK_LOOP, watchdog_s=0.3) as daemon:
            await daemon.told("READY=1")
            await asyncio.sleep(1.5)
            fed = daemon.lines.count("WATCHDOG=1")
            await asyncio.sleep(0.8)
            assert daemon.lines.count("WATCHDOG=1") == fed
            code, _ = await daemon.end(signal.SIGABRT)  # as the watchdog does
            assert code == -signal.SIGABRT
            assert "Fatal Python error: Aborted" in daemon.said

    play(work)


def test_a_part_that_waits_for_a_full_disk_is_alive_and_says_so(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written("7h 2c 3c")),
            program(tmp_path, nowhere(), spoil=FULL_DISK, watchdog_s=0.6) as daemon,
        ):
            await daemon.told("storage")
            fed = daemon.lines.count("WATCHDOG=1")
            await asyncio.sleep(5)
            assert daemon.lines.count("WATCHDOG=1") > fed + 3
            assert not any("Stuck" in line for line in daemon.lines)
            assert "The disk is full. Make room." in daemon.said
            assert (await daemon.end(signal.SIGTERM))[0] == 0

    play(work)
