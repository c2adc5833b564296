"""``table-edge status``: one look, with the daemon and without."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from edge.cli.app import app
from edge.cli.status import WAITED_FOR
from edge.cli.wording import printable
from edge.inputs import DeadlineName, EdgeStarted, HostLeft, Patience
from edge.journal import read_journal
from edge.requests import ReconcileShoe, Scan
from edge.ruling import RULING_VERSION, evolve, new_table
from tests.edge.cli.served import Served, served
from tests.edge.control.desk import ADA, Client, Place, place, request


def test_a_technician_finds_the_faulty_cable_with_one_command(tmp_path: Path) -> None:
    async def body() -> None:
        async with served(tmp_path) as table:
            well, as_json = await asyncio.gather(table.status(), table.status("--json"))
            assert well.code == 0
            assert "Table t1, version " in well.out
            assert "Play      no shoe is in; house deluxe" in well.out
            assert f"shoe      connected\n            serial:{tmp_path}/shoe?baud=115200\n" in well.out
            assert "serial number TE-0042, firmware 1.4.2" in well.out
            assert "0 noise bytes, 0 rejects, 0 reconnects" in well.out
            assert "Broker    NOT CONNECTED to 127.0.0.1:1" in well.out
            assert "Backlog   2 events waiting for the broker" in well.out
            assert "\x1b" not in well.out
            said = json.loads(as_json.out)
            assert (said["running"], said["status"], said["devices"][0]["connected"]) == (
                True,
                "degraded",
                True,
            )
            assert [each["reason"] for each in said["reasons"]] == ["broker"]
            assert said["state"]["phase"] == "no_shoe"
            table.shoe.unplug()
            await table.until(lambda: "device.offline" in table.types)
            unplugged = await table.status()
            assert unplugged.code == 0
            assert "shoe      NOT CONNECTED (absent) since " in unplugged.out
            assert f"            There is no device at {tmp_path}/shoe. Plug it in" in unplugged.out
            assert "last known as serial number TE-0042" in unplugged.out
            await _without_daemon(table)

    asyncio.run(body())


async def _without_daemon(table: Served) -> None:
    """What the journal last knew, whether the daemon left in good order or not."""
    await table.daemon.kill()
    assert table.socket.exists()  # nobody took it away, and nobody is there
    gone, as_json = await asyncio.gather(table.status(), table.status("--json"))
    assert gone.code == as_json.code == 1
    assert "The daemon of table t1 does not run" in gone.err
    assert "systemctl start table-edge@t1" in gone.err
    assert "When it last wrote its journal, 20" in gone.out
    assert "Play      no shoe is in; house deluxe" in gone.out
    assert "shoe      not connected: absent" in gone.out
    said = json.loads(as_json.out)
    assert (said["running"], said["state"]["phase"]) == (False, "no_shoe")
    with read_journal(table.settings.journal) as journal:
        assert said["journal"]["sequence"] == journal.last_sequence == said["journal"]["backlog"]
        state = journal.folded(new_table, evolve, RULING_VERSION)
        assert state.sequence == journal.last_sequence
        assert journal.stored_cursor("published") == 0
    await table.daemon.start()  # what the dead one left is replaced
    await table.until(lambda: table.types.count("edge.started") == 2)
    for _ in range(20):
        if (again := await table.status()).code == 0:
            break
    assert again.code == 0, again.err


def test_where_nothing_ever_ran_that_is_said(tmp_path: Path) -> None:
    config = tmp_path / "t7.toml"
    config.write_text(
        f'table = "t7"\nhouse = "deluxe"\njournal = "{tmp_path}/journal.db"\n\n[mqtt]\nhost = "broker"\n'
    )
    told = CliRunner().invoke(app, ["status", "-c", str(config)])
    assert told.exit_code == 1
    assert f"There is no journal at {tmp_path}/journal.db." in told.output
    by_id = CliRunner().invoke(app, ["status", "-t", "t-nowhere", "--json"])
    assert by_id.exit_code == 1
    assert json.loads(by_id.output) | {"why": ""} == {
        "running": False,
        "why": "",
        "state": None,
        "journal": None,
    }


def test_what_stands_in_the_way_of_play_is_told_in_a_line_each(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path) as here:
            config = tmp_path / "t1.toml"
            config.write_text(
                f'table = "t1"\nhouse = "deluxe"\ncontrol = "{here.path}"\n\n[mqtt]\nhost = "broker"\n'
            )

            async def told() -> str:
                with structlog.testing.capture_logs():
                    command = ["status", "-c", str(config)]
                    return (await asyncio.to_thread(CliRunner().invoke, app, command)).stdout

            async with await here.client() as ada:
                await _in_the_way(here, ada, told)

    asyncio.run(body())


async def _in_the_way(here: Place, ada: Client, told: Callable[[], Awaitable[str]]) -> None:
    waits = Patience(host_lost_ms=5000)
    here.hear(EdgeStarted(version="0", config_hash="c", operators=(ADA,), shoes=("shoe",), patience=waits))
    here.open_round()
    well = await told()
    assert not any(label in well for label in ("Held", "Latched", "Host", "Waits", "Scan-out"))
    here.hear(HostLeft(why="no_broker"))
    here.draw("9h", None)
    await ada.ask(request("table.hold"))
    held = await told()
    assert "Held      unread_card (number 1): table-edge pit -t t1\n" in held
    assert "Held      by ada: a test\n" in held
    assert "Host      the game server is gone, the deal goes on for now\n" in held
    assert "Waits     for the game server, 5 s at most\n" in held
    await ada.ask(request("table.release"))
    await ada.ask(request("shoe.retire"))
    for step in ("start", "finish"):
        here.serve(ReconcileShoe(step=Scan(step)))
        if step == "start":
            here.draw("9h")
            assert "Scan-out  of shoe 1: 1 card read, 0 unread so far\n" in await told()
    assert "Latched   count_mismatch (number 2): nothing new begins until it is cleared\n" in await told()


def test_every_deadline_has_its_words() -> None:
    assert set(WAITED_FOR) == set(DeadlineName)


@pytest.mark.parametrize(
    ("text", "shown"), [("Ünïcode 1.4", "Ünïcode 1.4"), ("a\x1b[2Jb\n", r"a\x1b[2Jb\n"), ("", "")]
)
def test_what_others_wrote_does_nothing_to_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
