"""Two daemons with one client id: both logs say so, and the status of the one that keeps the session.

This Mosquitto hangs up without a word when another client takes a session over. Restarts of a broker look
much the same, and must not be taken for that.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from sim_devices.broker import BrokerAddress
from sim_devices.daemon import Daemon, TableSettings
from sim_devices.mqtt_line import MqttLine
from tests.mosquitto import Mosquitto

pytestmark = pytest.mark.mosquitto

SETTLED_WITHIN_S: Final = 40.0
REMEDIES: Final = (
    "Stop the other one, or give each its own mqtt.client_id.",
    "One daemon to a table: stop that one",
)


class NamedSettings(TableSettings):
    """A table whose configuration names its client id."""

    def write(self) -> None:
        super().write()
        said = self.configuration.read_text().replace("[mqtt]\n", '[mqtt]\nclient_id = "one-for-both"\n')
        self.configuration.write_text(said)


@contextlib.asynccontextmanager
async def daemons(folder: Path, broker: Mosquitto, *tables: str) -> AsyncIterator[list[Daemon]]:
    async with contextlib.AsyncExitStack() as running:
        found = []
        for number, table in enumerate(tables):
            home = folder / str(number)
            home.mkdir()
            settings = NamedSettings(
                folder=home, broker=BrokerAddress(port=broker.port), port=home / "shoe", table=table
            )
            found.append(await running.enter_async_context(Daemon(settings)))
        yield found


async def until(reached: Callable[[], bool], *told: Daemon) -> None:
    deadline = time.monotonic() + SETTLED_WITHIN_S
    while not reached():
        assert time.monotonic() < deadline, "\n\n".join(each.said for each in told)
        await asyncio.sleep(0.05)


def lines(daemon: Daemon, event: str) -> list[dict[str, Any]]:
    said = [json.loads(line) for line in daemon.said.splitlines()]
    return [line for line in said if line["event"] == event]


def _named(said: dict[str, dict[str, Any]]) -> bool:
    """Every status that stays names the rival."""
    staying = [status for status in said.values() if status["status"] != "offline"]
    named = [{each["reason"] for each in status.get("reasons", ())} for status in staying]
    return bool(named) and all("session_taken_over" in each for each in named)


@pytest.mark.parametrize("tables", [("t1", "t1"), ("t1", "t2")], ids=["one table", "two tables"])
def test_both_logs_and_the_status_that_stays_name_the_rival(tmp_path: Path, tables: tuple[str, str]) -> None:
    async def work(broker: Mosquitto) -> None:
        said: dict[str, dict[str, Any]] = {}

        async def listen(line: MqttLine) -> None:
            async for heard in line:
                said[heard.topic] = json.loads(heard.payload)

        async with (
            MqttLine(BrokerAddress(port=broker.port), topics=["tables/+/status"]) as line,
            daemons(tmp_path, broker, *tables) as both,
        ):
            listening = asyncio.create_task(listen(line))
            try:
                await until(lambda: all(lines(each, "upstream.session_taken_over") for each in both), *both)
                for daemon in both:
                    sentence = lines(daemon, "upstream.session_taken_over")[0]["sentence"]
                    assert any(remedy in sentence for remedy in REMEDIES), sentence
                    assert "Unspecified" not in daemon.said
                before: list[int] = []
                for _ in range(12):  # settled: one of them stays away for a minute
                    now = [len(lines(each, "upstream.connected")) for each in both]
                    if now == before:
                        break
                    before = now
                    await asyncio.sleep(5)
                else:
                    pytest.fail("the two never settled")
                await until(lambda: _named(said), *both)  # this broker drops a loser's will
                assert sum(before) <= 20
            finally:
                listening.cancel()

    with Mosquitto(tmp_path) as broker:
        asyncio.run(work(broker))


@pytest.mark.parametrize("persistence", [False, True], ids=["forgetful", "with a memory"])
def test_three_quick_restarts_of_the_broker_are_no_rival(tmp_path: Path, *, persistence: bool) -> None:
    async def work(broker: Mosquitto) -> None:
        async with daemons(tmp_path, broker, "t1") as (daemon,):
            for restarts in range(4):
                await until(lambda: len(lines(daemon, "upstream.connected")) == restarts + 1, daemon)  # noqa: B023
                await asyncio.sleep(0.2)
                if restarts < 3:
                    broker.kill() if restarts % 2 else broker.stop()
                    broker.start()
            assert lines(daemon, "upstream.session_taken_over") == []
            for line in lines(daemon, "upstream.disconnected"):
                assert line["retry_in_s"] <= 10

    with Mosquitto(tmp_path, persistence=persistence) as broker:
        asyncio.run(work(broker))
