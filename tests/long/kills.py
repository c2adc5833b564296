"""Whole shoes at 20 cards/s, with plugs pulled at seeded moments: the full figures, plug by plug.

For each seed: 20 kills of the daemon; 10 of the broker; 10 times the cable out in the middle of a frame; and
all of it together.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.dealer import Pace
from sim_devices.play import Programme
from tests.end_to_end.harness import Bench, Plan, Troubles, assert_nothing_lost_or_doubled, run

pytestmark = pytest.mark.mosquitto

SEEDS = (1, 2, 3)


@dataclass(frozen=True, kw_only=True)
class Amount:
    kills: int = 0
    broker_kills: int = 0
    unplugs: int = 0


AMOUNTS = {
    "daemon": Amount(kills=20),
    "broker": Amount(broker_kills=10),
    "cable": Amount(unplugs=10),
    "all": Amount(kills=20, broker_kills=10, unplugs=10),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("what", list(AMOUNTS))
def test_nothing_is_lost_or_doubled(tmp_path: Path, what: str, seed: int) -> None:
    amount = AMOUNTS[what]

    async def play(bench: Bench) -> None:
        Troubles(
            seed=seed, kills=amount.kills, broker_kills=amount.broker_kills, unplugs=amount.unplugs
        ).plan(bench)
        bench.deal()
        await bench.finish()
        assert bench.troubles == {}

    plan = Plan(
        contents=ShoeContents.shuffled(decks=8, seed=seed, cut_from_back=60),
        programme=Programme(seed=seed),
        pace=Pace(cards_per_second=20, jitter=0.3, seed=seed),
        deadline_s=900,
    )
    began = time.monotonic()
    bench = run(play, tmp_path, plan)
    assert bench.daemon.lives == amount.kills + 1
    assert_nothing_lost_or_doubled(bench)
    heard = bench.payloads("events")
    sys.stdout.write(
        f"\n{what}, seed {seed}: {len(bench.received)} events of {bench.shoe.cards_drawn} cards, each once; "
        f"a bystander heard {len(heard)}, {len(heard) - len(set(heard))} of them again, byte for byte; "
        f"{bench.server.repeats} commands sent again; {time.monotonic() - began:.0f} s\n"
    )
