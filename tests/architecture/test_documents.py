"""The documents that others build on are true: generated ones are fresh, written ones complete and linked."""

import ast
import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from drivers import LinkCounters, Signal
from edge.config import Config, DeviceConfig, OperatorConfig, load_config
from edge.envelope import FIRST_PREVHASH, published
from edge.events import (
    EVENTS,
    CardDealt,
    EdgeStarted,
    Face,
    How,
    Reason,
    RoundClosed,
    RoundResult,
    Spot,
    Verdict,
)
from edge.house_rules import house_text
from edge.inputs import DealerKey, Patience
from edge.irregular import Kind, Resolution
from edge.replay import Published, replay
from edge.requests import COMMANDS, Asked, Desk, Outcome
from edge.script import KEYS, read_script
from edge.status import Degradation
from edge.upstream import (
    Answer,
    Condition,
    Malformed,
    MqttSettings,
    Status,
    TlsSettings,
    read_request,
    request_models,
)
from scripts import contract_documents
from tests.architecture.source import ROOT, Project

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "systemd").glob("*.md")])
STALE = "run scripts/schemas and commit what it writes"


def test_the_generated_documents_are_fresh() -> None:
    fresh = contract_documents.documents()
    kept = {*(ROOT / "docs" / "schemas").glob("*.json"), ROOT / "docs" / "asyncapi.json"}
    assert kept == fresh.keys(), STALE
    stale = [
        path.name for path, text in fresh.items() if json.loads(path.read_text("utf-8")) != json.loads(text)
    ]
    assert stale == [], STALE


def test_a_field_that_may_be_absent_is_optional_and_not_nullable() -> None:
    schema = contract_documents.schema_of(CardDealt, "serialization")
    assert "card" not in schema["required"]
    assert schema["properties"]["card"] == {
        "description": "Absent while face down.",
        "$ref": "#/$defs/Card",
    }
    assert schema["properties"]["total"]["type"] == "integer"


def test_a_field_that_is_published_as_null_stays_nullable() -> None:
    schema = contract_documents.schema_of(EdgeStarted, "serialization")
    assert "recovered" in schema["required"]
    assert {"type": "null"} in schema["properties"]["recovered"]["anyOf"]


def test_what_an_event_dumps_is_what_its_schema_lists() -> None:
    down = CardDealt(
        shoe=1, round=1, draw=12, to=Spot(seat=1, hand=1), position=1, face=Face.DOWN, seal="0" * 64
    )
    dumped = TypeAdapter(CardDealt).dump_python(down, mode="json")
    schema = contract_documents.schema_of(CardDealt, "serialization")
    assert set(schema["required"]) <= dumped.keys() <= schema["properties"].keys()
    assert None not in dumped.values()


def test_every_reference_in_the_asyncapi_document_resolves() -> None:
    document = json.loads(json.dumps(contract_documents.asyncapi()))
    references = _references(document)
    assert len(references) > len(EVENTS)
    for reference in references:
        _resolve(document, reference)


def _references(part: object) -> list[str]:
    if isinstance(part, dict):
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [each for value in part.values() for each in _references(value)]
    if isinstance(part, list):
        return [each for value in part for each in _references(value)]
    return []


def _resolve(document: Any, reference: str) -> None:
    file, _, pointer = reference.partition("#")
    if file:
        assert (ROOT / "docs" / file).is_file(), reference
        return
    for step in pointer.strip("/").split("/"):
        assert step in document, reference
        document = document[step]


# Codes ----------------------------------------------------------------------------------------------


def _reply_codes() -> set[str]:
    """Every code a reply may carry, by the source: ``code="…"``, or given to ``_refused``."""
    calls = [
        node
        for module in Project.read().modules.values()
        if module.name.startswith(
            ("edge.ruling", "edge.upstream", "edge.journal", "edge.daemon", "edge.engine")
        )
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
    ]
    given = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "code"]
    given += [each for call in calls if ast.unparse(call.func) == "self._refused" for each in call.args[2:3]]
    return {each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)}


# Pages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    assert list(_broken_links(page)) == []


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n[here](#a-page) [web](https://example.org) [gone](gone.md) [no](#nowhere)\n")
    assert list(_broken_links(page)) == ["gone.md", "#nowhere"]


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: str(kind.type))
def test_the_contract_tells_every_event(kind: Any) -> None:
    assert f"`{kind.type}`" in _contract()


EVERYWHERE = {"shoe", "round"}
"""Told once for all events."""


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: str(kind.type))
def test_the_contract_tells_every_field_of_an_event(kind: Any) -> None:
    if kind is RoundResult:
        return  # told by its example
    (row,) = re.findall(rf"^\| `{re.escape(kind.type)}` \|(.*)$", _contract(), re.MULTILINE)
    fields = {each.name for each in dataclasses.fields(kind)} - EVERYWHERE
    assert [name for name in sorted(fields) if not re.search(rf"`{name}\??`", row)] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_contract_tells_every_field_of_a_command(command: str) -> None:
    table = _contract().partition("## Commands")[2].partition("\n## ")[0]
    (row,) = re.findall(rf"^\| [^|]* \| [^|]*`{re.escape(command)}`[^|]* \|(.*)$", table, re.MULTILINE)
    fields = dataclasses.fields(COMMANDS[command])
    assert [each.name for each in fields if not re.search(rf"`{each.name}\??`", row)] == []


def test_the_contract_tells_everything_of_a_session_script() -> None:
    told = _contract().partition("## The session script")[2]
    words = [*KEYS, *(key for keys in KEYS.values() for key in keys)]
    words += [each.name for each in dataclasses.fields(Patience)]
    words += [key.value for key in DealerKey if not key.value.startswith("seat_")]
    words += [signal.value for signal in Signal]
    assert [word for word in words if f"`{word}`" not in told] == []


@pytest.mark.parametrize("command", request_models())
def test_the_contract_tells_every_command(command: str) -> None:
    assert f"`{command}`" in _contract()


@pytest.mark.parametrize("code", sorted(_reply_codes()))
def test_the_contract_tells_every_reply_code(code: str) -> None:
    assert f"`{code}`" in _contract().partition("## Replies")[2]


def test_the_codes_are_found_where_they_are_made() -> None:
    assert {"held", "round_exists", "malformed", "pruned"} <= _reply_codes()


@pytest.mark.parametrize("word", [*Kind, *Resolution], ids=lambda word: str(word.value))
def test_the_irregularities_and_their_ends_are_told(word: Kind | Resolution) -> None:
    page = (ROOT / "docs" / "irregularities.md").read_text(encoding="utf-8")
    assert f"`{word.value}`" in page


@pytest.mark.parametrize("word", [*Verdict, *How, *Reason], ids=lambda word: f"{word!s}")
def test_the_contract_tells_every_word_of_a_result(word: Verdict | How | Reason) -> None:
    assert f"`{word.value}`" in _contract()


def test_the_status_is_told_as_it_is_said() -> None:
    board = (Degradation(reason="held", sentence="A card too many.", since_ms=0),)
    said = json.loads(
        Status(
            condition=Condition.DEGRADED,
            journal="j",
            epoch=1,
            version="0",
            since_ms=0,
            reasons=board,
            reason="x",
        ).payload()
    )
    assert said.keys() == contract_documents.STATUS["properties"].keys()
    (reason,) = said["reasons"]
    assert reason.keys() == contract_documents.STATUS["properties"]["reasons"]["items"]["properties"].keys()


def test_the_reply_is_told_as_it_is_said() -> None:
    answer = Answer(
        id="i",
        command="c",
        outcome=Outcome.ACCEPTED,
        code="done",
        message="",
        sequence=1,
        replay={"topic": "t"},
    )
    assert json.loads(answer.payload()).keys() == contract_documents.REPLY["properties"].keys()


def test_the_envelope_is_told_as_it_is_said() -> None:
    said = published(
        RoundClosed(shoe=1, round=1), table="t", journal="j", sequence=1, wall_ms=0, prevhash=FIRST_PREVHASH
    )
    assert json.loads(said).keys() == contract_documents.ENVELOPE["properties"].keys()


@pytest.mark.parametrize("page", ["README.md", "docs/operations.md"])
def test_the_example_of_a_configuration_is_one(page: str, tmp_path: Path) -> None:
    example, *more = re.findall(
        r"^```toml\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    file = tmp_path / "t7.toml"
    for part in ("", *more):  # what a table may have besides
        head, _, tables = part.partition("\n[")
        file.write_text(f"{head}\n{example}" + (f"\n[{tables}" if tables else ""), encoding="utf-8")
        assert load_config(file).config.table == "t7"


def test_the_script_in_the_readme_opens_a_shoe() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"<<END\n(.*?)^END$", readme, re.MULTILINE | re.DOTALL)
    steps = read_script(script, source="README.md", seed=0)
    told = [
        each.event.type for each in replay(steps, house=house_text("deluxe")) if isinstance(each, Published)
    ]
    assert told == ["shoe.installed", "shoe.opened", "card.burned", "card.burned", "shoe.ready"]


def test_the_script_in_the_contract_is_understood() -> None:
    (script,) = re.findall(r"^```\n(\{.*?)^```", _contract(), re.MULTILINE | re.DOTALL)
    steps = list(read_script(script, source="contract.md", seed=0))
    assert len(steps) == len(script.splitlines())
    assert not any(isinstance(step.said, Malformed) for step in steps)


def test_the_box_that_was_left_out_is_told_as_it_is_ruled() -> None:
    page = (ROOT / "docs" / "round.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```\n(\{.*?)^```", page, re.MULTILINE | re.DOTALL)
    steps = read_script(script, source="round.md", seed=0)
    told = [
        each.event.type for each in replay(steps, house=house_text("deluxe")) if isinstance(each, Published)
    ]
    table = page.partition("| after the third card |")[2].partition("\n\n")[0]
    assert (
        re.findall(r"^\| `([a-z_.]+)` \|", table, re.MULTILINE) == told[told.index("irregularity.raised") :]
    )


def test_the_examples_in_the_contract_are_of_this_contract() -> None:
    result, command, *_ = re.findall(r"^```json\n(.*?)^```", _contract(), re.MULTILINE | re.DOTALL)
    assert TypeAdapter(RoundResult).validate_json(result).seats
    assert isinstance(read_request(command.encode(), Desk.SERVER), Asked)


def test_every_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["demo"]]
    assert [each for each in wanted if f"| `{each}`" not in page] == []
    named = {re.split(r"[<>=]", each)[0] for each in project["optional-dependencies"]["dev"]}
    assert [each for each in sorted(named) if each not in page] == []


def test_the_contract_tells_every_counter() -> None:
    told = _contract().partition("## Telemetry")[2].partition("\n## ")[0]
    link, upstream = told.split("`telemetry/upstream`, of")
    counted = {each.name for each in dataclasses.fields(LinkCounters)}
    assert _keys(link) == counted
    assert _keys(upstream) == _upstream_counters()
    assert {"astray", "published", "connections", "replies_dropped"} <= _upstream_counters()


def _keys(section: str) -> set[str]:
    """What stands in the first column of its table."""
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def _upstream_counters() -> set[str]:
    """Every name counted, by the source: subscripts of ``counters`` and keywords of a ``Counter``."""
    found = {outcome.value for outcome in Outcome}
    for module in Project.read().modules.values():
        if not module.name.startswith("edge.upstream."):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("counters"):
                found |= {str(node.slice.value)} if isinstance(node.slice, ast.Constant) else set()
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Counter":
                found |= {keyword.arg for keyword in node.keywords if keyword.arg}
    return found


def test_operations_tell_every_key() -> None:
    tables: dict[str, type[BaseModel]] = {"": Config, "mqtt.": MqttSettings, "mqtt.tls.": TlsSettings}
    tables |= {"device.": DeviceConfig, "operator.": OperatorConfig}
    keys = {f"{prefix}{key}" for prefix, model in tables.items() for key in model.model_fields}
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [key for key in keys - {"mqtt", "mqtt.tls", "device", "operator"} if f"`{key}`" not in page] == []


def test_operations_tell_every_range() -> None:
    """Every number that bounds a key stands in the key's row."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    page = page.partition("## Configuration")[2].partition("\n## ")[0]
    models: dict[str, type[BaseModel]] = {"": Config, "mqtt.": MqttSettings}
    models |= {"device.": DeviceConfig, "operator.": OperatorConfig}
    for prefix, model in models.items():
        for key, said in model.model_json_schema()["properties"].items():
            (row,) = re.findall(rf"^\| [^|]*`{prefix}{key}`[^|]* \|.*$", page, re.MULTILINE) or [""]
            bounds = [said, *said.get("anyOf", ())]
            for bound in ("minimum", "maximum", "maxLength"):
                assert all(str(each[bound]) in row for each in bounds if bound in each), (key, bound, row)
            for pattern in (each["pattern"] for each in bounds if "pattern" in each):
                longest = int(re.findall(r"\{0,(\d+)\}", pattern)[0]) + 1
                assert f"at most {longest}" in row, (key, row)


def test_operations_tell_every_reason_of_a_status() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [reason for reason in sorted(_status_reasons()) if f"`{reason}`" not in page] == []
    assert {"held", "storage", "broker", "broker_denied", "device:{id}"} <= _status_reasons()


def _status_reasons() -> set[str]:
    """Every reason put on the status board, by the source; one that names a device is ``device:{id}``."""
    found: set[str] = set()
    for module in Project.read().modules.values():
        constants = {
            ast.unparse(target): node.value.value
            for node in module.tree.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant)
            for target in [node.target]
        }
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".degrade"):
                match node.args[0]:
                    case ast.Constant(value=str(reason)):
                        found.add(reason)
                    case ast.Name(id=name):
                        found.add(str(constants[name]))
                    case ast.JoinedStr():
                        found.add("device:{id}")
    return found


def _contract() -> str:
    return (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")


_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _broken_links(page: Path) -> list[str]:
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if not _leads_somewhere(page, link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return True
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    if not target.exists():
        return False
    return not anchor or anchor in _anchors(target)


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
