"""``table-edge pit``, beside a daemon that runs as a program of its own, without a broker."""

import asyncio
import contextlib
import json
import os
import pwd
import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
import typer
from typer.testing import CliRunner

from edge import config as configuration
from edge.cli import pit as pit_module
from edge.cli.app import UNSURE, app, main
from edge.cli.pit import _subcommand, pit_commands
from edge.control import SUPERVISED, client, verb
from edge.requests import Desk, KnownRequest
from tests.edge.cli.served import Served, served

OWN_NAME = pwd.getpwuid(os.getuid()).pw_name


def test_a_held_table_is_seen_and_ended_without_a_broker(tmp_path: Path) -> None:
    async def body() -> None:
        async with served(tmp_path) as table:
            await table.drawn()
            seen, void, missing, stranger = await asyncio.gather(
                table.pit(),
                table.pit("void", "--operator", "mina", "--reason", "a card too many"),
                table.pit("retire", "--operator", "mina"),
                table.pit("retire", "--reason", "a card too many"),
            )
            assert seen.code == 0
            assert "! 1 unexpected_draw: A card was drawn when none was due here. (device shoe)" in seen.out
            assert "      No shoe in, since 20" in seen.out
            assert "UTC, just now; the house asks a supervisor" in seen.out
            assert "   1  discard       The card goes to the discards" in seen.out
            assert "-  void          not now: No round is in progress." in seen.out
            assert "retire        A supervisor takes the shoe out of play" in seen.out
            assert "\x1b" not in seen.out
            assert (void.code, void.err) == (
                1,
                "table-edge: refused (no_round): No round is in progress.\n",
            )
            assert missing.code == 2
            assert "--reason is missing" in missing.err
            assert stranger.code == 1
            assert f"{OWN_NAME!r} is not an operator of this table" in stranger.err
            done = await table.pit("retire", "--operator", "mina", "--reason", "a card too many")
            assert done.code == 0
            assert done.out.startswith("shoe.retire: accepted. Done. (event ")
            assert done.out.endswith("Table t1: no shoe is in; house deluxe\n")
            assert table.types[-2:] == ["table.released", "request.answered"]
            _assert_logged(table)

    asyncio.run(body())


def _assert_logged(table: Served) -> None:
    logged = [json.loads(line) for line in table.daemon.said.splitlines() if '"control.asked"' in line]
    assert len(logged) == 3
    assert {line["user"] for line in logged} == {OWN_NAME}
    assert (logged[-1]["operator"], logged[-1]["outcome"]) == ("mina", "accepted")
    holds = [json.loads(line) for line in table.daemon.said.splitlines() if '"table.hold' in line]
    assert [(line["event"], line["reason"]) for line in holds] == [
        ("table.hold", "held"),
        ("table.hold_over", "held"),
    ]


def test_two_at_once_both_have_an_answer_and_one_has_done_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with served(tmp_path) as table:
            await table.drawn()
            command = ("resolve", "--id", "1", "--resolution", "discard", "--operator", "mina")
            told = await asyncio.gather(*(table.pit(*command) for _ in range(2)))
            assert sorted(each.code for each in told) == [0, 1]
            (second,) = (each.err for each in told if each.code)
            assert second == (
                "table-edge: refused (already_resolved): "
                "Irregularity 1 has been resolved: somebody was first.\n"
            )
            assert table.types.count("irregularity.resolved") == 1

    asyncio.run(body())


def test_on_a_terminal_it_asks(tmp_path: Path) -> None:
    async def body() -> None:
        async with served(tmp_path, operator=OWN_NAME) as table:
            await table.drawn()
            here = ("-c", str(table.settings.configuration))
            told = await table.type(
                "pit",
                *here,
                answers=[
                    ("Number, or q to leave", "1"),
                    ("Reason", "seen on the floor"),
                    ("Do it?", "n"),
                    ("Nothing was sent.", None),
                    ("Number, or q to leave", "1"),
                    ("Reason", "seen on the floor"),
                    ("reason seen on the floor. Do it?", "y"),
                    ("irregularity.resolve: accepted.", None),
                    ("no shoe is in", None),
                    ("Number, or q to leave", "q"),
                ],
            )
            assert told.code == 0, told.out
            assert "Traceback" not in told.out
            assert table.types.count("irregularity.resolved") == 1
            one = await table.type("pit", *here, "void", answers=[])
            assert one.code == 1
            assert "table-edge: not now: No round is in progress." in one.out

    asyncio.run(body())


def test_without_a_daemon_it_says_what_to_start(tmp_path: Path) -> None:
    config = tmp_path / "t7.toml"
    config.write_text(
        f'table = "t7"\nhouse = "deluxe"\njournal = "{tmp_path}/journal.db"\n\n[mqtt]\nhost = "broker"\n'
    )
    for command in ([], ["void", "--reason", "x"]):
        told = CliRunner().invoke(app, ["pit", "-c", str(config), *command])
        assert told.exit_code == 1
        assert "The daemon of table t7 does not run" in str(told.exception)
        assert "systemctl start table-edge@t7" in str(told.exception)


def test_where_no_answer_came_it_says_that_it_may_have_been_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "t7.toml"
    config.write_text(
        f'table = "t7"\nhouse = "deluxe"\ncontrol = "{tmp_path}/control.sock"\n\n[mqtt]\nhost = "broker"\n'
    )

    def fall(daemon: socket.socket) -> None:
        with contextlib.closing(daemon.accept()[0]) as line:
            line.recv(1)

    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(str(tmp_path / "control.sock"))
        daemon.listen()
        falling = threading.Thread(target=fall, args=(daemon,))
        falling.start()
        monkeypatch.setattr(client, "AGAIN_S", 0)
        line = ["pit", "-c", str(config), "void", "--operator", "ada", "--reason", "x"]
        monkeypatch.setattr("sys.argv", ["table-edge", *line])
        with pytest.raises(SystemExit) as ended:
            main()
        falling.join()
    assert ended.value.code == UNSURE
    assert "whether it was done is not known. Look with table-edge status -t t7" in capsys.readouterr().err


# Which table ----------------------------------------------------------------------------------------


def test_the_only_table_need_not_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configuration, "RUN_DIRECTORY", tmp_path)

    def complaint() -> str:
        return str(CliRunner().invoke(app, ["pit"]).exception)

    assert "none runs here" in complaint()
    for table, sentence in (("t7", "The daemon of table t7 does not run"), ("t8", "Which table? t7, t8 run")):
        (tmp_path / table).mkdir()
        (tmp_path / table / "control.sock").touch()
        assert sentence in complaint()


def test_a_table_is_no_path() -> None:
    assert "is no id of a table" in str(CliRunner().invoke(app, ["pit", "-t", "../etc"]).exception)


# What joins -----------------------------------------------------------------------------------------


def test_every_command_of_the_desk_has_its_subcommand() -> None:
    assert {each.name for each in pit_commands.registered_commands} == {verb(kind) for kind in SUPERVISED}
    for kind in SUPERVISED:
        assert CliRunner().invoke(app, ["pit", verb(kind), "--help"]).exit_code == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Invented:
    """``shoe.polish``: a supervisor has the shoe polished."""

    command: ClassVar[str] = "shoe.polish"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    strokes: int
    seats: tuple[int, ...] = ()
    card: str | None = None
    dry: bool = False


def test_a_command_that_joins_has_its_fields_as_options(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[dict[str, Any]] = []

    def ask(_paths: object, request: bytes, *, table: str) -> dict[str, Any]:
        said.append(json.loads(request)["data"] | {"table": table})
        return {"outcome": "refused", "code": "worn", "message": "It shines."}

    monkeypatch.setattr(pit_module, "ask", ask)
    commands = typer.Typer()
    commands.callback(invoke_without_command=True)(pit_module.pit)
    commands.command("polish")(_subcommand(cast("type[KnownRequest]", _Invented)))
    given = ["--operator", "ada", "--strokes", "3", "--seats", "[1, 2]", "--card", "9h", "--dry"]
    told = CliRunner().invoke(commands, ["polish", "-t", "t7", *given])
    assert told.exit_code == 1, told.output
    assert said == [
        {"operator": "ada", "strokes": 3, "seats": [1, 2], "card": "9h", "dry": True, "table": "t7"}
    ]
    bare = ["--operator", "ada", "--strokes", "3"]
    assert CliRunner().invoke(commands, ["polish", "-t", "t7", *bare]).exit_code == 1
    assert said[1:] == [{"operator": "ada", "strokes": 3, "table": "t7"}]
    assert CliRunner().invoke(commands, ["polish", "-t", "t7", "--operator", "ada"]).exit_code == 2
    assert CliRunner().invoke(commands, ["polish", "-t", "t7", "--strokes", "many"]).exit_code == 2
