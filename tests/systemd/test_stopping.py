"""SIGTERM: commit, flush what the broker takes, say offline, disconnect; the journal keeps the rest."""

import asyncio
import contextlib
import json
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.broker import BrokerAddress, free_port
from sim_devices.daemon import program as program_path
from sim_devices.mqtt_line import MqttLine
from tests.mosquitto import Mosquitto
from tests.systemd.program import TABLE, Program, nowhere, play, program

AT_ONCE_S: Final = 2.5
"""Less than the flush; most of it is a busy test machine's."""
FLUSH_S: Final = 3.0
WITHIN_S: Final = 12.0
"""Flush and two farewells of 2 s make 7; the unit's TimeoutStopSec is 15."""

mosquitto = pytest.mark.mosquitto


@asynccontextmanager
async def statuses(broker: Mosquitto) -> AsyncIterator[list[dict[str, Any]]]:
    """What the retained status says, as it is said."""
    said: list[dict[str, Any]] = []

    async def listen() -> None:
        async for heard in line:
            said.append(json.loads(heard.payload))  # noqa: PERF401 - as they come

    async with MqttLine(BrokerAddress(port=broker.port), topics=[f"tables/{TABLE}/status"]) as line:
        listener = asyncio.create_task(listen())
        try:
            yield said
        finally:
            listener.cancel()


def stopped(daemon: Program) -> list[object]:
    """The reasons of every edge.stopped."""
    return [
        event["data"]["reason"]  # type: ignore[index]
        for event in daemon.events()
        if event["type"] == "table-edge.edge.stopped.v1"
    ]


async def sound(daemon: Program) -> None:
    """``table-edge journal verify`` finds nothing."""
    verifying = await asyncio.create_subprocess_exec(
        program_path(), "journal", "verify", str(daemon.settings.journal), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await verifying.communicate()
    assert verifying.returncode == 0, said.decode()


@mosquitto
def test_a_stop_says_offline_and_disconnects(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:

        async def work() -> None:
            async with statuses(broker) as said, program(tmp_path, BrokerAddress(port=broker.port)) as daemon:
                await daemon.told("broker connected")
                code, _ = await daemon.end(signal.SIGTERM)
                assert code == 0, daemon.said
                await daemon.until(lambda: said[-1]["status"] == "offline", "offline")
                await asyncio.sleep(0.3)  # a will would come now
                assert (said[-1]["status"], said[-1]["reason"]) == ("offline", "SIGTERM")
                assert said[-1]["since"] is not None
                assert stopped(daemon) == ["SIGTERM"]
                assert daemon.lines.count("STOPPING=1") == 1
                assert daemon.lines.index("READY=1") < daemon.lines.index("STOPPING=1")

        play(work)
        assert "Client table-edge-t1 disconnected." in broker.log  # without DISCONNECT it says otherwise


def test_without_a_broker_nothing_is_waited_for(tmp_path: Path) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere()) as daemon:
            await daemon.told("READY=1")
            code, took = await daemon.end(signal.SIGTERM)
            assert code == 0, daemon.said
            assert took < AT_ONCE_S
            assert stopped(daemon) == ["SIGTERM"]

    play(work)


@mosquitto
def test_what_the_broker_did_not_take_is_kept_for_the_next_start(tmp_path: Path) -> None:
    port = free_port()

    async def alone() -> None:
        async with (
            SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.shuffled(decks=1, seed=1)),
            program(tmp_path, BrokerAddress(port=port)) as daemon,
        ):
            await daemon.told("shoe connected")
            assert (await daemon.end(signal.SIGTERM))[0] == 0

    play(alone)

    with Mosquitto(tmp_path) as broker:

        async def together() -> None:
            topics = [f"tables/{TABLE}/events"]
            async with (
                MqttLine(BrokerAddress(port=broker.port), topics=topics) as line,
                program(tmp_path, BrokerAddress(port=broker.port)) as daemon,
            ):
                await daemon.told("broker connected")
                assert (await daemon.end(signal.SIGTERM))[0] == 0
                kept = daemon.events()
                heard = []
                async for each in line:
                    heard.append(json.loads(each.payload))
                    if len(heard) == len(kept):
                        break
                assert heard == kept
                assert stopped(daemon) == ["SIGTERM", "SIGTERM"]

        play(together)


@mosquitto
@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGTERM, signal.SIGTERM, signal.SIGINT)])
def test_a_broker_that_takes_nothing_is_not_waited_for_long(
    tmp_path: Path, signals: tuple[signal.Signals, ...]
) -> None:
    with Mosquitto(tmp_path) as broker:

        async def work() -> None:
            async with program(tmp_path, BrokerAddress(port=broker.port)) as daemon:
                await daemon.told("broker connected")
                broker.freeze()
                code, took = await daemon.end(*signals)
                broker.thaw()
                assert code == 0, daemon.said
                assert FLUSH_S < took < WITHIN_S
                assert stopped(daemon) == ["SIGTERM"]  # once, however often it was asked for
                assert "Traceback" not in daemon.said

        play(work)


@pytest.mark.parametrize("after_s", [0.0, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 1.0])
def test_a_stop_at_any_moment_of_the_start_leaves_a_sound_journal(tmp_path: Path, after_s: float) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere()) as daemon:
            await asyncio.sleep(after_s)
            code, took = await daemon.end(signal.SIGTERM)
            assert code in {0, -signal.SIGTERM}, (
                daemon.said
            )  # before it listens, the signal ends it as any program
            assert took < AT_ONCE_S
            assert "Traceback" not in daemon.said
            if code == 0:
                assert stopped(daemon) == ["SIGTERM"]
        async with program(tmp_path, nowhere()) as daemon:
            await daemon.told("READY=1")
            assert (await daemon.end(signal.SIGTERM))[0] == 0
            await sound(daemon)

    play(work)


@mosquitto
def test_a_stop_at_any_moment_of_its_life_is_a_stop(tmp_path: Path) -> None:
    """Ten daemons at once, each with a broker and a shoe, each stopped at a moment of its own after READY."""
    chance = random.Random(11)

    async def one(number: int, broker: Mosquitto) -> None:
        after_s = chance.uniform(0, 1.5)
        folder = tmp_path / str(number)
        async with program(folder, BrokerAddress(port=broker.port)) as daemon:
            with_shoe = SimulatedShoe(
                ShoeSettings(port=folder / "shoe"), ShoeContents.shuffled(decks=1, seed=number)
            )
            async with with_shoe:
                await daemon.told("READY=1")
                await asyncio.sleep(after_s)
                code, took = await daemon.end(signal.SIGTERM)
                assert code == 0, f"{after_s}\n{daemon.said}"
                assert took < WITHIN_S
                assert "Traceback" not in daemon.said
                assert stopped(daemon) == ["SIGTERM"]
                await sound(daemon)

    with contextlib.ExitStack() as running:
        brokers = [Mosquitto(tmp_path / str(number)) for number in range(10)]
        for broker in brokers:
            running.enter_context(broker)

        async def work() -> None:
            async with asyncio.TaskGroup() as tasks:
                for number, broker in enumerate(brokers):
                    tasks.create_task(one(number, broker))

        play(work)


def test_ready_waits_for_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        async with program(tmp_path, nowhere()) as daemon:
            await daemon.told("READY=1")
            assert f"STATUS=Table {TABLE}: shoe not connected, broker not connected." in daemon.lines
            assert "WATCHDOG=1" in daemon.lines

    play(work)
