"""``table-edge devices``, ``probe`` and ``capture``: beside a running daemon, and alone."""

import asyncio
import contextlib
import json
import os
import pty
import stat
import threading
import tty
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drivers import Fault, Pump, Take
from edge.cli.app import app
from edge.cli.capture import capture_commands
from edge.errors import CaptureClosed, DeviceUnreadable
from edge.fault_files import FaultFiles, Whose
from edge.house_rules import house_text
from edge.inputs import HouseRulesAdopted
from edge.journal import Moment, open_journal, read_journal
from edge.requests import Asked, Desk, InstallShoe
from edge.ruling import RULING_VERSION, evolve, new_table
from edge.status import StatusBoard
from edge.table import Table
from firmware_protocols import Capture, Carried, Provenance, Way, encode_code, read_capture
from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from tests.edge.cli.served import served

NOT_THERE = ("serial:/dev/nothing-here", "socket://127.0.0.1:1", "rfc2217://127.0.0.1:1")


def test_beside_a_daemon_devices_asks_it_and_a_fault_is_kept_closed(tmp_path: Path) -> None:
    async def body() -> None:
        async with served(tmp_path) as table:
            config = ("-c", str(table.settings.configuration))
            told = await table.run("devices", *config)
            assert told.code == 0, told.err
            assert f"serial:{tmp_path}/shoe?baud=115200\n" in told.out
            assert "    table t1 reads it as shoe: connected\n" in told.out
            table.shoe.unplug()
            await table.until(lambda: "device.offline" in table.types)
            gone, as_json = await asyncio.gather(
                table.run("devices", *config), table.run("devices", *config, "--json")
            )
            assert "NOT CONNECTED (absent): There is no device at" in gone.out
            (read,) = json.loads(as_json.out)["read"]
            assert (read["table"], read["device"], read["trouble"]) == ("t1", "shoe", "absent")
            kept = sorted((table.settings.journal.parent / "faults").iterdir())
            assert len(kept) == 1
            assert stat.S_IMODE(kept[0].stat().st_mode) == 0o600
            assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700
            listed = await table.run("capture", "faults", *config)
            assert f"{kept[0]}  The connection broke while reading from" in listed.out
            shown = await table.run("capture", "show", str(kept[0]), *config)
            assert shown.code == 0, shown.err
            capture = read_capture(shown.out, source="shown")
            assert capture.provenance.protocol == "table_link"
            assert capture.provenance.table == "t1"
            with read_journal(table.settings.journal) as journal:
                assert capture.provenance.journal == journal.id
            assert capture.carried(Way.TO_DEVICE).startswith(b"\x04\x84\x30\xfc\x00")

    asyncio.run(body())


@pytest.mark.parametrize(
    ("made", "notes", "in_play", "refused"),
    [
        (("t1", "j1"), "during shoe 3: a gap", 3, "still in play"),
        (("t1", "j1"), "a gap", 3, "still in play"),  # the same shoe may have been in the device already
        (("t1", "j1"), "during shoe 2: a gap", 3, None),
        (("t1", "j1"), "during shoe 3: a gap", None, None),
        (("t2", "j2"), "during shoe 3: a gap", None, "is of table t2"),
        (("t2", "j1"), "during shoe 3: a gap", None, "is of table t2"),
        (("t1", "j0"), "during shoe 2: a gap", 3, "still in play"),  # its numbers are another journal's
        (("t1", "j0"), "during shoe 3: a gap", None, "was made when table t1 wrote journal j0"),
        (("t1", ""), "during shoe 3: a gap", None, "was made when table t1 wrote journal unknown"),
        (("", ""), "during shoe 3: a gap", 3, "still in play"),
        (("", ""), "during shoe 2: a gap", 3, "does not say which table"),
        (("", ""), "made by hand", None, "does not say which table"),
    ],
)
def test_a_capture_is_shown_where_its_own_table_knows_that_its_shoe_is_closed(  # noqa: PLR0913 - a case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    made: tuple[str, str],
    notes: str,
    in_play: int | None,
    refused: str | None,
) -> None:
    shown = _shown(tmp_path, monkeypatch, made=made, notes=notes, in_play=in_play)
    if refused is None:
        assert shown is None
    else:
        assert isinstance(shown, CaptureClosed)
        assert refused in str(shown)
    answered = _shown(tmp_path, monkeypatch, "--shoe-closed", made=made, notes=notes, in_play=in_play)
    assert (answered is None) == (refused is None or refused.startswith(("was made", "does not say")))


def _shown(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *more: str,
    made: tuple[str, str],
    notes: str,
    in_play: int | None,
) -> BaseException | None:
    """What ``capture show`` of table t1, whose journal is j1, raises for a capture."""
    now = Whose(table="t1", journal="j1", shoe=in_play)
    monkeypatch.setattr("edge.cli.capture._whose_now", lambda _which: now)
    config, file = folder / "t1.toml", folder / "fault.log"
    config.write_text('table = "t1"\nhouse = "deluxe"\n\n[mqtt]\nhost = "broker"\n', encoding="utf-8")
    head = f"# table-edge capture 1\n# protocol: table_link\n# table: {made[0]}\n# journal: {made[1]}\n"
    file.write_text(f"{head}# notes: {notes}\n0.000000 opened\n", encoding="utf-8")
    told = CliRunner().invoke(app, ["capture", "show", str(file), "-c", str(config), *more])
    assert ("opened" in told.output) == (told.exception is None)
    return told.exception


def test_another_tables_configuration_does_not_open_a_fault_of_a_shoe_in_play(tmp_path: Path) -> None:
    """No daemon runs: the journals answer."""
    configs, ids = {}, {}
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        journal, configs[name] = tmp_path / name / "journal.db", tmp_path / f"{name}.toml"
        configs[name].write_text(
            f'table = "{name}"\nhouse = "deluxe"\njournal = "{journal}"\n\n[mqtt]\nhost = "broker"\n',
            encoding="utf-8",
        )
        ids[name] = _journal_with(journal, table=name, shoe=name == "a")
    whose = Whose(table="a", journal=ids["a"], shoe=1)
    files = FaultFiles(tmp_path / "a" / "faults", whose=lambda: whose, wall_ms=lambda: 0)
    entries = (Carried(at_us=5, way=Way.FROM_DEVICE, octets=b"\x31"),)
    capture = Capture(provenance=Provenance(protocol="table_link"), entries=entries)
    files.keep(Fault(device="shoe", sentence="The cable broke.", capture=capture))
    (kept,) = files.of("shoe")
    for name, says in (
        ("a", "may name cards of shoe 1"),
        ("b", "is of table a, of whose shoes table b knows"),
    ):
        told = CliRunner().invoke(app, ["capture", "show", str(kept), "-c", str(configs[name])])
        assert isinstance(told.exception, CaptureClosed)
        assert says in str(told.exception)
        assert "31" not in told.output


def _journal_with(path: Path, *, table: str, shoe: bool) -> str:
    """The id of a journal, of a table with a shoe in or without one."""
    with contextlib.closing(open_journal(path, table=table).journal) as journal:
        now = Moment(at_ms=1, wall_ms=1_767_225_600_000, boot="b")
        state = journal.restore(new_table, evolve, RULING_VERSION)
        board = StatusBoard(wall_ms=lambda: 0)
        at_work = Table(journal=journal, state=state, now=lambda: now, status=board)
        at_work.hear([HouseRulesAdopted(text=house_text("deluxe"))])
        if shoe:
            at_work.ask(Asked(id="i1", desk=Desk.SERVER, request=InstallShoe(decks=8), digest="d"))
            assert at_work.state.shoe is not None
        return journal.id


def test_what_is_no_capture_is_said(tmp_path: Path) -> None:
    config = tmp_path / "t1.toml"
    config.write_text('table = "t1"\nhouse = "deluxe"\n\n[mqtt]\nhost = "broker"\n', encoding="utf-8")
    runner = CliRunner()
    (tmp_path / "text").write_text("hello\n", encoding="utf-8")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    says = {
        "text": "it is no capture",
        "bytes": "is not UTF-8 text. Name a capture.",
        "nothing": "Check its name: there is no such file.",
        ".": "Name a file: this is a directory.",
    }
    for name, said in says.items():
        told = runner.invoke(capture_commands, ["show", str(tmp_path / name), "-c", str(config)])
        assert isinstance(told.exception, DeviceUnreadable)
        assert said in str(told.exception)


def test_a_folder_of_faults_that_cannot_be_read_is_not_an_empty_one(tmp_path: Path) -> None:
    config = tmp_path / "t1.toml"
    journal = f'journal = "{tmp_path}/journal.db"\n'
    config.write_text(
        f'table = "t1"\nhouse = "deluxe"\n{journal}\n[mqtt]\nhost = "broker"\n', encoding="utf-8"
    )
    runner = CliRunner()
    none = runner.invoke(capture_commands, ["faults", "-c", str(config)])
    assert "Nothing was kept" in none.output
    (tmp_path / "faults").touch()
    told = runner.invoke(capture_commands, ["faults", "-c", str(config)])
    assert isinstance(told.exception, DeviceUnreadable)
    assert "faults cannot be read: Not a directory." in str(told.exception)


def test_a_capture_is_recorded_both_ways_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    output = tmp_path / "shoe.log"

    async def body() -> None:
        async with SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written("As Kd")) as shoe:
            asyncio.get_running_loop().call_later(0.5, lambda: [shoe.draw(), shoe.draw()])
            arguments = ["record", f"serial:{tmp_path}/shoe", "-o", str(output), "--seconds", "1.2"]
            told = await asyncio.to_thread(CliRunner().invoke, capture_commands, arguments)
            assert told.exception is None
            assert "0 noise bytes" in told.output
            assert (shoe.end.oldest, shoe.end.newest) == (1, 2)

    asyncio.run(body())
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    capture = read_capture(output.read_text(encoding="utf-8"), source="shoe.log")
    assert capture.carried(Way.FROM_DEVICE).count(b"\x00") >= 3
    again = CliRunner().invoke(capture_commands, ["record", str(tmp_path / "shoe"), "-o", str(output)])
    assert isinstance(again.exception, DeviceUnreadable)
    assert "cannot be made: File exists" in str(again.exception)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["record", "ttyUSB0", "-o", "x"], "is no device URL"),
        (["record", "/dev/x", "-o", "x", "--protocol", "morse"], "There is no protocol 'morse'"),
        (["record", "/dev/x", "-o", "x", "--option", "code_table"], "is no option"),
        (["record", "/dev/x", "-o", "x", "--protocol", "barcode"], "options.code_table is missing"),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence(arguments: list[str], says: str) -> None:
    told = CliRunner().invoke(capture_commands, arguments)
    assert isinstance(told.exception, DeviceUnreadable)
    assert says in str(told.exception)


def test_a_port_that_does_not_open_is_said_and_leaves_no_file(tmp_path: Path) -> None:
    output = tmp_path / "shoe.log"
    for url in NOT_THERE:
        told = CliRunner().invoke(capture_commands, ["record", url, "-o", str(output)])
        _assert_nobody_goes_on_trying(told.exception)
        assert "Writing" not in told.output
        assert not output.exists()


def test_a_port_that_does_not_open_in_time_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_self: Pump, _take: Take) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("edge.cli.capture.Pump.run", never)
    output = tmp_path / "shoe.log"
    arguments = ["record", "socket://127.0.0.1:1", "-o", str(output), "--seconds", "0.1"]
    told = CliRunner().invoke(capture_commands, arguments)
    assert isinstance(told.exception, DeviceUnreadable)
    assert "did not open within 0.1 s. Give it more --seconds." in str(told.exception)
    assert not output.exists()


def _assert_nobody_goes_on_trying(error: BaseException | None) -> None:
    assert isinstance(error, DeviceUnreadable)
    assert error.hint.endswith(", and begin again.")
    assert "as soon as" not in str(error)


def test_probe_finds_a_scanner_and_says_what_to_configure() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    over = threading.Event()

    def scan() -> None:
        while not over.wait(0.05):
            os.write(master, encode_code("SA-000017"))

    scanning = threading.Thread(target=scan)
    scanning.start()
    try:
        url = f"serial:{os.ttyname(slave)}?baud=9600"
        told = CliRunner().invoke(app, ["probe", url, "--seconds", "0.4"])
    finally:
        over.set()
        scanning.join()
        os.close(master)
        os.close(slave)
    assert told.exit_code == 0, told.output
    assert "of barcode: lines of text" in told.output
    assert f'url = "{url}"\nprotocol = "barcode"\nkind = "scanner"\noptions = {{ code_table = ' in told.output
    assert "SA-000017" not in told.output  # it may be a card that lies face down


def test_probe_says_what_to_try_where_nothing_speaks() -> None:
    master, slave = pty.openpty()
    try:
        url = f"serial:{os.ttyname(slave)}?baud=9600"
        told = CliRunner().invoke(app, ["probe", url, "--seconds", "0.1"])
        assert told.exit_code == 1
        assert "9600 baud: nothing came" in told.output
        assert "With --write" in told.output
    finally:
        os.close(master)
        os.close(slave)
    for url in NOT_THERE:
        _assert_nobody_goes_on_trying(CliRunner().invoke(app, ["probe", url]).exception)


def test_devices_without_any_table_lists_what_is_plugged_in() -> None:
    told = CliRunner().invoke(app, ["devices", "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.output)["read"] == []


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_devices_of_a_table_that_does_not_answer_are_listed_and_end_with_1(more: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, ["devices", "-t", "nosuch", *more])
    assert told.exit_code == 1
    assert "nosuch" in told.output
