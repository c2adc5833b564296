"""A disk that is full, read-only or slow: no card is acknowledged that is not stored, and it mends."""

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import uuid4

import pytest

from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.crash.ailments import Ailments
from tests.crash.disk import MountedDisk, SmallDisk, disks
from tests.crash.sickbed import DEADLINE_S, Sickbed, nurse
from tests.end_to_end.harness import Plan, assert_nothing_lost_or_doubled

pytestmark = pytest.mark.mosquitto

Disk = Callable[[Path], AbstractContextManager[SmallDisk]]
each_disk = pytest.mark.parametrize("disk", disks(), ids=lambda disk: disk.__name__)
one_disk = pytest.mark.parametrize("disk", disks()[:1], ids=lambda disk: disk.__name__)
TRIES = 3
SAYS = "table-edge: The disk refused the journal"


async def a_round_begins(bench: Sickbed) -> None:
    bench.serve()
    await bench.open_shoe()
    assert (await bench.ask("round.open", round_id="r1", seats=[1])).accepted
    await bench.pull()
    await bench.settle()


async def the_round_ends(bench: Sickbed) -> None:
    await bench.until(lambda: bench.screen is not None and bench.screen.phase == "decision")
    assert (await bench.ask("hand.decide", seat=1, hand=1, action="stand")).accepted
    await bench.until(lambda: bench.screen is not None and bench.screen.phase in {"ready", "card_due"})


async def refuses_cards_and_requests(bench: Sickbed) -> asyncio.Task[object]:
    """The disk refuses: nothing of what happens now is acknowledged or answered; all of it waits."""
    before, replies = bench.journaled_sequence, len(bench.payloads("replies"))
    for _ in range(TRIES):
        bench.shoe.draw()
    await bench.until(lambda: "storage" in bench.reasons)
    assert bench.status["status"] == "degraded"
    asking: asyncio.Task[object] = asyncio.create_task(bench.ask("round.open", round_id="r2", seats=[1]))
    await bench.until(lambda: bench.daemon.said.count('"storage.failed"') >= TRIES)
    await bench.until(lambda: '"upstream.storage_failed"' in bench.daemon.said)
    assert bench.unacknowledged == TRIES
    assert bench.journaled_sequence == before
    assert len(bench.payloads("replies")) == replies
    assert not asking.done()
    assert bench.daemon.running
    return asking


async def goes_on(bench: Sickbed, asking: asyncio.Task[object]) -> None:
    await asking
    await bench.until(lambda: bench.unacknowledged == 0)
    await bench.until(lambda: bench.status["status"] == "online")
    await the_round_ends(bench)
    await bench.finish()
    assert_nothing_lost_or_doubled(bench)


@each_disk
def test_a_full_disk_loses_nothing_and_the_table_goes_on_when_there_is_room(
    tmp_path: Path, disk: Disk
) -> None:
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            small.fill(bench.daemon.pid)
            asking = await refuses_cards_and_requests(bench)
            assert "free" in bench.reasons["storage"].lower()  # some space, or: check the free space
            small.mend(bench.daemon.pid)
            await goes_on(bench, asking)

        nurse(play, tmp_path)


@one_disk
def test_a_disk_that_only_a_request_met_is_told_and_mends_with_the_request(
    tmp_path: Path, disk: Disk
) -> None:
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            small.fill(bench.daemon.pid)
            asking = asyncio.create_task(bench.ask("round.open", round_id="r2", seats=[1]))
            await bench.until(lambda: "storage" in bench.reasons)
            assert not asking.done()
            small.mend(bench.daemon.pid)
            assert (await asking).code == "round_in_progress"
            await bench.until(lambda: bench.status["status"] == "online")
            await bench.pull(3)
            await the_round_ends(bench)
            await bench.finish()
            assert_nothing_lost_or_doubled(bench)

        nurse(play, tmp_path)


@one_disk
def test_a_disk_that_nobody_asks_for_any_more_is_told_as_mended_all_the_same(
    tmp_path: Path, disk: Disk
) -> None:
    """Whoever met it has gone: the request went with the session of a broker that was killed."""
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            small.fill(bench.daemon.pid)
            bench.publish("commands", json.dumps({"id": str(uuid4()), "command": "shoe.polish"}).encode())
            await bench.until(lambda: "storage" in bench.reasons)
            bench.broker.kill()
            bench.broker.start()
            small.mend(bench.daemon.pid)
            await bench.until(lambda: bench.status.get("status") == "online")
            await bench.pull(3)
            await the_round_ends(bench)
            await bench.finish()
            assert_nothing_lost_or_doubled(bench)

        nurse(play, tmp_path)


@each_disk
def test_a_disk_that_is_full_at_the_start_ends_it_with_a_sentence_until_there_is_room(
    tmp_path: Path, disk: Disk
) -> None:
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            assert await bench.daemon.stop() == 0
            files = {each.name for each in bench.settings.journal.parent.iterdir()}
            small.fill(bench.daemon.launcher, at_the_start=True)
            bench.shoe.draw()
            for life in range(1, TRIES + 1):  # as the service manager has it, only without the two seconds
                await bench.daemon.start()
                assert await bench.daemon.dead() > 0
                await bench.daemon.kill()
                if isinstance(small, MountedDisk):  # the limit is on the log, too
                    sentences = [line for line in bench.daemon.said.splitlines() if line.startswith(SAYS)]
                    assert len(sentences) == life, bench.daemon.said[-3000:]
            assert bench.unacknowledged == 1
            assert "Traceback" not in bench.daemon.said
            small.mend(bench.daemon.launcher)
            assert files <= {each.name for each in bench.settings.journal.parent.iterdir()}
            await bench.daemon.start()
            await bench.until(lambda: bench.unacknowledged == 0)
            await bench.pull(2)
            await the_round_ends(bench)
            await bench.finish()
            assert_nothing_lost_or_doubled(bench)

        nurse(play, tmp_path)


@one_disk
def test_a_stop_on_a_full_disk_is_a_stop_and_the_shoe_keeps_its_cards(tmp_path: Path, disk: Disk) -> None:
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            small.fill(bench.daemon.pid)
            bench.shoe.draw()
            await bench.until(lambda: "storage" in bench.reasons)
            pid = bench.daemon.pid
            bench.daemon.send(signal.SIGTERM)
            assert await bench.daemon.dead() == 0
            await bench.until(lambda: bench.status["status"] == "offline")
            assert bench.status["reason"] == "SIGTERM"
            assert bench.unacknowledged == 1
            if isinstance(small, MountedDisk):  # a limit died with its program
                small.mend(pid)
            await bench.daemon.kill()
            await bench.daemon.start()
            await bench.until(lambda: bench.unacknowledged == 0)
            await bench.pull(2)
            await the_round_ends(bench)
            await bench.finish()
            assert_nothing_lost_or_doubled(bench)

        nurse(play, tmp_path)


def test_a_disk_that_becomes_read_only_is_waited_for(tmp_path: Path) -> None:
    sign = tmp_path / "read-only"

    async def play(bench: Sickbed) -> None:
        await a_round_begins(bench)
        sign.touch()
        asking = await refuses_cards_and_requests(bench)
        assert "write access" in bench.reasons["storage"]
        sign.unlink()
        await goes_on(bench, asking)

    nurse(play, tmp_path, ailments=Ailments(read_only=str(sign)))


@each_disk
def test_a_disk_that_is_read_only_at_the_start_ends_it_with_a_sentence(tmp_path: Path, disk: Disk) -> None:
    with disk(tmp_path / "journal") as small:

        async def play(bench: Sickbed) -> None:
            await a_round_begins(bench)
            assert await bench.daemon.stop() == 0
            small.set_read_only(read_only=True)
            bench.shoe.draw()
            await bench.daemon.start()
            assert await bench.daemon.dead() == 1
            assert "\ntable-edge: " in bench.daemon.said
            await bench.daemon.kill()
            small.set_read_only(read_only=False)
            await bench.daemon.start()
            await bench.until(lambda: bench.unacknowledged == 0)
            await bench.pull(2)
            await the_round_ends(bench)
            await bench.finish()
            assert_nothing_lost_or_doubled(bench)

        nurse(play, tmp_path)


def test_a_slow_disk_makes_a_slow_table_and_nothing_else(tmp_path: Path) -> None:
    seconds = tmp_path / "seconds"
    seconds.write_text("0.02")

    async def play(bench: Sickbed) -> None:
        bench.deal()
        await bench.until(lambda: bench.dealer.pulled >= 6)
        seconds.write_text("4 0.02")  # longer than a device may be silent
        await bench.finish()
        assert_nothing_lost_or_doubled(bench)
        assert bench.of_type("device.offline") == []
        assert "upstream.disconnected" not in bench.daemon.said
        assert "storage" not in bench.daemon.said

    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=5, cut_from_back=60),
        programme=Programme(seed=5, rounds=2),
        pace=Pace(cards_per_second=200, jitter=0),
        deadline_s=DEADLINE_S,
    )
    nurse(play, tmp_path, ailments=Ailments(slow_commit=str(seconds)), plan=plan)
