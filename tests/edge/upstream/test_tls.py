import asyncio
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge.status import Presence
from tests.edge.upstream.listener import say_all
from tests.edge.upstream.world import World, request
from tests.mosquitto import Mosquitto, free_port

pytestmark = pytest.mark.mosquitto


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    cert: Path
    key: Path


def self_signed(home: Path, name: str) -> Certificate:
    made = Certificate(cert=home / f"{name}.pem", key=home / f"{name}.key")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    where = ["-keyout", str(made.key), "-out", str(made.cert)]
    whose = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *where, *whose], check=True, capture_output=True)
    return made


def broker_with_tls(home: Path, certificate: Certificate, port: int) -> Mosquitto:
    tls = (f"listener {port} 127.0.0.1", f"certfile {certificate.cert}", f"keyfile {certificate.key}")
    return Mosquitto(home, extra=tls)


def test_everything_goes_through_tls(tmp_path: Path) -> None:
    certificate, port = self_signed(tmp_path, "broker"), free_port()
    with broker_with_tls(tmp_path, certificate, port) as broker:
        world = World({"port": port, "tls": {"ca_file": str(certificate.cert)}})
        world.table.deal(1000)

        async def scene() -> None:
            async with world.running():
                await world.until(lambda: world.upstream.published == 1000)
                # many small packets in one TLS record: what openssl holds does not wake the selector
                openings = [request("round.open", {"round_id": f"r{n}", "seats": [1]}) for n in range(200)]
                await asyncio.to_thread(say_all, broker.port, "tables/bj-1/commands", openings)
                await asyncio.to_thread(say_all, broker.port, "tables/bj-1/server", [b"online"])
                await world.until(lambda: len(world.table.asked) == 200)
                await world.until(lambda: world.board.server is Presence.ONLINE)
                await world.until(lambda: world.upstream.published == 1200)

        asyncio.run(scene())


def test_a_certificate_of_somebody_else_is_refused_and_named(tmp_path: Path) -> None:
    certificate, other, port = self_signed(tmp_path, "broker"), self_signed(tmp_path, "other"), free_port()
    with broker_with_tls(tmp_path, certificate, port):
        world = World({"port": port, "tls": {"ca_file": str(other.cert)}})

        async def scene() -> None:
            async with world.running():
                await world.until(lambda: "certificate" in world.reasons.get("broker", ""))
                assert not world.upstream.connected

        asyncio.run(scene())


def test_tls_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    world = World({"port": free_port(), "tls": {"ca_file": str(tmp_path / "none.pem")}})

    async def scene() -> None:
        async with world.running():
            await world.until(lambda: "ca_file" in world.reasons.get("broker", ""))

    asyncio.run(scene())
