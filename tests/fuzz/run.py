"""``scripts/fuzz``: fuzzes every codec, or those named, for so many seconds each.

Guided by coverage where atheris is there, else by chance; what reaches new code is kept in tests/fuzz/corpus.
"""

import argparse
import importlib.util
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.inputs import corpus, keep
from tests.fuzz.targets import TARGETS


def main(arguments: Sequence[str] | None = None) -> int:
    """0: nothing was found; 1: something was, and is told."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each codec")
    parser.add_argument("codecs", nargs="*", metavar="CODEC", help=", ".join(TARGETS))
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.codecs if name not in TARGETS]
    if unknown:
        parser.error(f"there is no codec {unknown[0]!r}; there are {', '.join(TARGETS)}")
    guided = importlib.util.find_spec("atheris") is not None
    faulty = 0
    for name in asked.codecs or TARGETS:
        found, kept = (_guided if guided else _by_chance)(name, asked.seconds)
        faulty += bool(found)
        sys.stdout.write(f"{name}: {found or 'nothing found'}, {kept} inputs kept\n")
    return 1 if faulty else 0


def _guided(name: str, seconds: float) -> tuple[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        smallest = Path(folder) / "smallest"
        for each in (inputs, smallest):
            each.mkdir()
        known = corpus(name)
        for nth, octets in enumerate(known):
            (inputs / f"{nth:06}").write_bytes(octets)
        program = [sys.executable, "-m", "tests.fuzz.guided", name]
        again = Path(folder) / "again"
        again.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n')
        again.chmod(0o700)
        limits = [
            f"-max_total_time={max(1, round(seconds))}",
            "-max_len=600",
            f"-artifact_prefix={folder}/crash-",
        ]
        ran = subprocess.run([*program, str(inputs), *limits], capture_output=True, text=True, check=False)
        if ran.returncode:
            crash = next(Path(folder).glob("crash-*"), None)
            octets = b"" if crash is None else crash.read_bytes()
            return f"{ran.stderr[-3000:]}\ninput: {octets.hex()}", keep(name, [octets])
        subprocess.run(
            [*program, "-merge=1", str(smallest), str(inputs)],
            capture_output=True,
            check=False,
            env={**os.environ, "AGAIN": str(again)},
        )
        fresh = sorted((each.read_bytes() for each in smallest.iterdir()), key=len)
    return "", keep(name, fresh)


def _by_chance(name: str, seconds: float) -> tuple[str, int]:
    chance, target = random.Random(), TARGETS[name]
    known = corpus(name) or [b"\0"]
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        octets = mutated(chance, known)
        try:
            target(octets)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            return f"{error!r}\ninput: {octets.hex()}", keep(name, [octets])
    return "", 0


def mutated(chance: random.Random, known: Sequence[bytes]) -> bytes:
    """Two inputs spliced, and a few bytes changed, dropped or added."""
    one, other = chance.choice(known), chance.choice(known)
    octets = bytearray(one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :])
    for _ in range(chance.randint(0, 4)):
        at = chance.randint(0, len(octets))
        match chance.randrange(4):
            case 0 if at < len(octets):
                octets[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(octets):
                del octets[at]
            case 2:
                octets.insert(at, chance.randrange(256))
            case _:
                octets[at:at] = chance.choice(known)[:20]
    return bytes(octets)


if __name__ == "__main__":
    sys.exit(main())
