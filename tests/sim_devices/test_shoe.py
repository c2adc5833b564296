import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import serial

from firmware_protocols import (
    Ack,
    CardScan,
    Command,
    CommandCode,
    Decoded,
    Decoder,
    Event,
    Hello,
    LidMoved,
    Ping,
    Reply,
    ReplyResult,
    Resume,
    encode,
)
from sim_devices import ShoeContents, ShoeRunDry, ShoeSettings, SimulatedShoe

SEQUENCE = ShoeContents.written("As 7s CUT 7s")


def bench(tmp_path: Path, scenario: Callable[[SimulatedShoe], Awaitable[None]]) -> list[dict[str, int | str]]:
    """Run a scenario with a shoe; returns the truth it logged."""
    log = tmp_path / "truth.jsonl"

    async def run() -> None:
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe", log=log), SEQUENCE) as shoe:
            await scenario(shoe)

    asyncio.run(run())
    return [json.loads(line) for line in log.read_text().splitlines()]


async def talk(line: serial.Serial, decoder: Decoder, octets: bytes) -> tuple[Decoded, ...]:
    line.write(octets)
    await asyncio.sleep(0.05)
    return decoder.receive(line.read(4096))


def test_the_log_tells_what_left_the_shoe(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe) -> None:
        while shoe.remaining:
            shoe.draw()
        shoe.emit(LidMoved(open=True))
        assert shoe.drawn == 4
        with pytest.raises(ShoeRunDry):
            shoe.draw()
        shoe.power_cycle(keep_memory=False)
        shoe.load(ShoeContents.written("2c"))
        shoe.draw()

    truth = bench(tmp_path, scenario)
    assert [(line.get("number"), line.get("left", line.get("noticed"))) for line in truth] == [
        (None, None),
        (1, "As"),
        (2, "7s"),
        (3, "CUT"),
        (4, "7s"),
        (5, "LidMoved"),
        (None, None),
        (1, "2c"),
    ]
    assert truth[0]["boot"] != truth[-1]["boot"]
    assert (tmp_path / "truth.jsonl").stat().st_mode & 0o777 == 0o600


def test_it_is_another_power_on_each_time_it_is_started_unless_seeded(tmp_path: Path) -> None:
    async def boots(seed: int | None) -> set[int]:
        found = set()
        for _ in range(2):
            async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe", seed=seed), SEQUENCE) as shoe:
                found.add(shoe.end.boot)
        return found

    assert len(asyncio.run(boots(None))) == 2
    assert len(asyncio.run(boots(7))) == 1


def test_it_speaks_table_link_over_a_real_port(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe) -> None:
        shoe.draw()
        shoe.draw()
        decoder = Decoder()
        with serial.Serial(str(tmp_path / "shoe"), timeout=0) as line:
            (hello,) = await talk(line, decoder, encode(Ping()))
            assert isinstance(hello, Hello)
            assert (hello.oldest, hello.newest) == (1, 2)
            first, second = await talk(line, decoder, encode(Resume(boot=hello.boot, after=0)))
            assert isinstance(first, Event)
            assert isinstance(second, Event)
            assert isinstance(second.what, CardScan)
            assert await talk(line, decoder, encode(Ack(boot=hello.boot, number=2))) == ()
            assert shoe.end.oldest == 3
            command = Command(id=9, code=CommandCode.LOCK)
            assert await talk(line, decoder, encode(command)) == (Reply(id=9, result=ReplyResult.DONE),)
            assert shoe.commands == [command]

    bench(tmp_path, scenario)


@pytest.mark.parametrize("keep_memory", [True, False])
def test_a_power_cycle_forgets_unless_a_battery_remembers(tmp_path: Path, *, keep_memory: bool) -> None:
    async def scenario(shoe: SimulatedShoe) -> None:
        boot = shoe.end.boot
        shoe.draw()
        shoe.power_cycle(keep_memory=keep_memory)
        assert not shoe.end.resumed
        assert (shoe.end.boot == boot, shoe.end.newest) == ((True, 1) if keep_memory else (False, 0))

    bench(tmp_path, scenario)


def test_cards_leave_also_while_the_cable_is_out(tmp_path: Path) -> None:
    async def scenario(shoe: SimulatedShoe) -> None:
        shoe.unplug()
        assert not shoe.plugged
        shoe.draw()
        shoe.replug()
        assert (shoe.end.oldest, shoe.end.newest) == (1, 1)

    assert bench(tmp_path, scenario)[-1]["left"] == "As"
