import asyncio
from collections import Counter
from pathlib import Path

import pytest
import serial

from firmware_protocols import Decoder, Event, Noise, Reject, Resume, encode
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.errors import BadFaults
from sim_devices.faults import Faults, Mangler

PIECE = bytes(range(1, 65))


def mangled(faults: Faults, pieces: int = 200) -> list[bytes]:
    mangler = Mangler(faults)
    return [b"".join(part.octets for part in mangler.mangle(PIECE)) for _ in range(pieces)]


def test_the_same_seed_does_the_same_and_another_does_not() -> None:
    faults = Faults(flip=0.2, drop=0.2, double=0.2, split=0.2, stall=0.2, burst=0.2, seed=3)
    assert mangled(faults) == mangled(faults)
    assert mangled(faults) != mangled(Faults(flip=0.2, drop=0.2, double=0.2, seed=4))


def test_without_faults_nothing_happens() -> None:
    assert mangled(Faults()) == [PIECE] * 200
    assert Mangler(Faults(flip=1.0)).mangle(b"") == []


def test_each_fault_does_what_it_says() -> None:
    (flipped,) = mangled(Faults(flip=1.0), 1)
    assert sum((one ^ other).bit_count() for one, other in zip(flipped, PIECE, strict=True)) == 1
    (dropped,) = mangled(Faults(drop=1.0), 1)
    assert 52 <= len(dropped) < 64
    assert not Counter(dropped) - Counter(PIECE)
    assert mangled(Faults(double=1.0), 1) == [PIECE * 2]
    first, second = Mangler(Faults(split=1.0)).mangle(PIECE)
    assert first.octets + second.octets == PIECE
    assert second.after_s > 0
    (stalled,) = Mangler(Faults(stall=1.0)).mangle(PIECE)
    assert (stalled.octets, stalled.after_s) == (PIECE, 0.5)
    burst = mangled(Faults(burst=0.5, seed=1))
    assert b"".join(burst) == PIECE * (len(b"".join(burst)) // 64)
    assert b"" in burst
    assert PIECE * 2 in burst


def test_faults_are_counted() -> None:
    mangler = Mangler(Faults(flip=1.0, double=1.0))
    mangler.mangle(PIECE)
    assert mangler.done == 2


def test_faults_as_they_are_typed() -> None:
    assert Faults.written("flip=0.01, drop=1,seed=7") == Faults(flip=0.01, drop=1.0, seed=7)
    assert Faults.written("") == Faults()


@pytest.mark.parametrize("text", ["flop=0.1", "flip", "flip=x", "flip=1.1", "flip=-1", "flip=nan", "seed=x"])
def test_what_is_no_fault_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(BadFaults, match="burst, double, drop, flip, seed, split, stall"):
        Faults.written(text)


def test_over_a_bad_cable_every_event_arrives_in_the_end(tmp_path: Path) -> None:
    faults = Faults(flip=0.2, drop=0.2, double=0.2, split=0.3, burst=0.2, seed=5)

    async def run() -> None:
        settings = ShoeSettings(port=tmp_path / "shoe", faults=faults)
        async with SimulatedShoe(settings, ShoeContents.shuffled(decks=1, seed=1)) as shoe:
            with serial.Serial(str(settings.port), timeout=0) as line:
                decoder, numbers, unreadable = Decoder(), set[int](), 0
                line.write(encode(Resume(boot=shoe.end.boot, after=0)))
                await asyncio.sleep(0.02)
                for _ in range(8):
                    shoe.draw()
                while numbers != set(range(1, 9)):
                    await asyncio.sleep(0.01)
                    for said in decoder.receive(line.read(4096)):
                        unreadable += isinstance(said, Noise | Reject)
                        numbers |= {said.number} if isinstance(said, Event) else set()
                assert unreadable > 0

    asyncio.run(run())
