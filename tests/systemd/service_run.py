"""``scripts/long service``: a table as a service, under a systemd that is really there.

Inside a booted Debian: systemd, the product as docs/operations.md installs it, its unit as shipped. Outside:
the shoe behind a pty, Mosquitto, the dealer, the game server. Every step is printed with its time; the first
one that is not as it should be ends the run, non-zero.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.systemd.container import Container, ContainerFailed
from tests.systemd.service_bench import Bench, Steps
from tests.systemd.service_life import (
    deal,
    freeze,
    install,
    kill,
    no_configuration,
    power_off,
    sandbox,
    start_without_broker,
    stick,
    stop,
    stop_without_broker,
    supervisor,
    the_books_agree,
)


async def life(bench: Bench) -> None:
    """From the install to the stop."""
    await install(bench)
    await no_configuration(bench)
    await start_without_broker(bench)
    await sandbox(bench)
    await supervisor(bench)
    await deal(bench)
    await kill(bench)
    await freeze(bench)
    await stick(bench)
    await stop(bench)
    await the_books_agree(bench)
    await stop_without_broker(bench)
    await power_off(bench)


async def run(debian: Path, wheels: Path, place: Path) -> None:
    steps = Steps()
    bench = Bench(place, steps)
    async with bench.outside():
        with Container(debian, place, binds={bench.pty: bench.port}) as container:
            steps.passed(
                "booted: Debian and its systemd run",
                container.run("systemctl", "--version").out.split("\n")[0],
            )
            bench.inside(container, wheels)
            try:
                await life(bench)
            except BaseException:
                sys.stdout.write(f"\nThe service said last:\n{bench.last_words()}\n")
                raise
    steps.passed("the container is gone")


def main() -> int:
    """Run it; 0 if every step was as it should be."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("debian", type=Path, help="a Debian root")
    arguments.add_argument("wheels", type=Path, help="wheels of everything the product needs")
    given = arguments.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="table-edge-service-") as name:
        place = Path(name)
        # In memory and in this mount namespace only: gone with the last program of the run.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(place)], check=True)
        try:
            asyncio.run(run(given.debian.resolve(), given.wheels.resolve(), place))
        except (AssertionError, ContainerFailed, TimeoutError) as error:
            sys.stdout.write(f"FAILED: {error}\n")
            return 1
        finally:
            subprocess.run(["umount", "--recursive", "--lazy", str(place)], check=True)
    sys.stdout.write(f"All of it as it should be, in {time.monotonic() - began:.1f} s.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
