"""The pit's page: every line on it that can be typed is understood."""

import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from edge.cli import pit as pit_module
from edge.cli.app import app
from edge.control import SUPERVISED, verb
from edge.irregular import FITTING, REPORTABLE, Kind, Resolution
from edge.requests import Asked, Desk, ReportIrregularity, Request, ResolveIrregularity
from edge.upstream import read_request

PAGE: Final = (Path(__file__).parents[2] / "docs" / "pit.md").read_text(encoding="utf-8")
LINES: Final = re.findall(r"^table-edge (pit [a-z].*)$", PAGE, re.MULTILINE)


def asked(line: str, monkeypatch: pytest.MonkeyPatch) -> Request:
    """What a line of the page asks the table for."""
    said: list[bytes] = []

    def ask(_paths: object, request: bytes, *, table: str) -> dict[str, Any]:
        del table
        said.append(request)
        return {"outcome": "refused", "code": "-", "message": "-"}

    monkeypatch.setattr(pit_module, "ask", ask)
    _, *rest = shlex.split(line)
    told = CliRunner().invoke(app, ["pit", "-t", "t7", *rest])
    assert told.exit_code == 1, told.output
    heard = read_request(said[0], Desk.SUPERVISOR)
    assert isinstance(heard, Asked), heard
    return heard.request


@pytest.mark.parametrize("line", LINES)
def test_every_line_on_the_page_can_be_typed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(line, monkeypatch)


def test_every_command_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {line.split()[1] for line in LINES}
    assert shown == {verb(kind) for kind in SUPERVISED}
    for kind in SUPERVISED:
        assert f"`{verb(kind)}`" in PAGE
    requests = [asked(line, monkeypatch) for line in LINES]
    reported = {each.kind for each in requests if isinstance(each, ReportIrregularity)}
    resolved = {each.resolution for each in requests if isinstance(each, ResolveIrregularity)}
    assert reported <= set(REPORTABLE)
    assert resolved <= {*Resolution}


@pytest.mark.parametrize("kind", [*Kind])
def test_every_kind_finds_its_situation(kind: Kind) -> None:
    assert re.search(rf"\b{kind.value}\b", PAGE)
    assert all(resolution.value in PAGE for resolution in FITTING[kind])
