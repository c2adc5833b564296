import asyncio
import json
import time
from pathlib import Path

import pytest

from tests.edge.upstream.listener import Listener
from tests.edge.upstream.world import World
from tests.mosquitto import Mosquitto

pytestmark = pytest.mark.mosquitto

EVENTS = "tables/bj-1/events"


def test_a_backlog_drains_in_order(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})
        world.table.deal(5000)

        async def play() -> float:
            async with world.running():
                began = time.monotonic()
                await world.until(lambda: world.upstream.published == 5000)
                return time.monotonic() - began

        seconds = asyncio.run(play())
        listener.wait(lambda: len(listener.on(EVENTS)) >= 5000)
        assert listener.payloads(EVENTS) == world.outbox.events
        assert world.outbox.cursor("published") == 5000
        print(f"{5000 / seconds:.0f} events/s")
        print(json.loads(listener.payloads("tables/bj-1/status")[0]))
