"""The contract for machines: a JSON Schema per event and one AsyncAPI document, generated from the models.

Two corrections are made to what pydantic generates. A field that is left out when there is nothing to
say (``Absent``) is optional, not nullable. And the docstrings beside fields become descriptions, since
whoever reads a schema has no other place to look.
"""

import ast
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from edge.events import EVENTS
from edge.requests import COMMANDS, Desk, Reply

ROOT: Final = Path(__file__).resolve().parents[1]
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]


class _Untitled(GenerateJsonSchema):
    """Without the titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002 - the overridden signature
        return False


# Schemas --------------------------------------------------------------------------------------------


def schema_of(kind: type[object], mode: Mode) -> Schema:
    """The JSON Schema of one dataclass, as people and machines may rely on it."""
    schema = TypeAdapter(kind).json_schema(mode=mode, schema_generator=_Untitled)
    described = {each.__name__: each for each in _dataclasses_in(kind)}
    for name, part in [(kind.__name__, schema), *schema.get("$defs", {}).items()]:
        if "description" in part:
            part["description"] = _plain(part["description"])
        if name in described:
            _describe(described[name], part)
    return schema


def _describe(kind: type[object], part: Schema) -> None:
    optional = set(_absent_fields(kind))
    said = _field_docstrings(kind)
    for name, field in part["properties"].items():
        if name in optional:
            _make_optional(field)
        if name in said:
            part["properties"][name] = {"description": said[name], **field}


def _make_optional(field: Schema) -> None:
    choices = [choice for choice in field.pop("anyOf") if choice != {"type": "null"}]
    field.pop("default", None)
    field.update(choices[0] if len(choices) == 1 else {"anyOf": choices})


def _absent_fields(kind: type[object]) -> Iterator[str]:
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is Annotated and any(
            isinstance(each, FieldInfo) and each.exclude_if is not None for each in get_args(hint)[1:]
        ):
            yield name


def _field_docstrings(kind: type[object]) -> dict[str, str]:
    """What the strings below the fields say, those of the bases included."""
    said: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not is_dataclass(base):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)  # noqa: S101 - the source of a class is a class
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    said[name] = _plain(text)
    return said


def _dataclasses_in(hint: object) -> Iterator[type[object]]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
        for field in get_type_hints(hint).values():
            yield from _dataclasses_in(field)
    else:
        for part in get_args(hint):
            yield from _dataclasses_in(part)


def _plain(text: str) -> str:
    """Docstring markup to plain text."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return " ".join(text.replace("``", "`").split())


def event_schemas() -> dict[str, Schema]:
    """One schema per event type: of the envelope's ``data``."""
    return {
        kind.type: {
            "$schema": DIALECT,
            "$id": f"urn:table-edge:{kind.type}.v1",
            **schema_of(kind, "serialization"),
            "title": kind.type,
        }
        for kind in EVENTS
    }


# AsyncAPI -------------------------------------------------------------------------------------------

_SEQUENCE: Final[Schema] = {"type": "string", "pattern": "^[0-9]{20}$"}
_UUID: Final[Schema] = {"type": "string", "format": "uuid"}
_HASH: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}

ENVELOPE: Final[Schema] = {
    "type": "object",
    "description": "CloudEvents 1.0, structured JSON.",
    "required": [
        *("specversion", "id", "source", "type", "time", "datacontenttype", "data"),
        *("sequence", "journal", "prevhash"),
    ],
    "properties": {
        "specversion": {"const": "1.0"},
        "id": {"type": "string", "description": "{journal}:{seq}"},
        "source": {"type": "string", "description": "/tables/{table}"},
        "type": {"type": "string"},
        "subject": {"type": "string", "description": "shoe/{n} or shoe/{n}/round/{n}"},
        "time": {"type": "string", "format": "date-time", "description": "UTC, milliseconds."},
        "datacontenttype": {"const": "application/json"},
        "data": {"type": "object"},
        "sequence": {**_SEQUENCE, "description": "Contiguous per journal, starts at 1."},
        "journal": {**_UUID, "description": "Made with the journal."},
        "prevhash": {**_HASH, "description": "SHA-256 of the previous event's bytes; zeros for the first."},
    },
}

_CHANNELS: Final[dict[str, tuple[str, str]]] = {
    "events": ("tables/{table}/events", "Every event, in order. QoS 1, not retained."),
    "state": ("tables/{table}/state", "A snapshot for late joiners. QoS 1, retained."),
    "status": ("tables/{table}/status", "Online, degraded or offline, and why. QoS 1, retained."),
    "commands": ("tables/{table}/commands", "From the game server. QoS 1, not retained."),
    "supervisor": ("tables/{table}/supervisor", "From the pit. QoS 1, not retained."),
    "replies": ("tables/{table}/replies", "Unless the command names a response topic. QoS 1, not retained."),
}
_PARAMETERS: Final = {
    "table": {"description": "The table's id."},
}


def asyncapi() -> Schema:
    """The AsyncAPI 3.0 document: what the daemon sends and what it receives."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "table-edge",
            "version": project["version"],
            "description": f"{project['description']} In words: contract.md.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {name: _channel(name) for name in _CHANNELS},
        "operations": {name: _operation(name) for name in _CHANNELS},
        "components": {
            "schemas": {
                "envelope": ENVELOPE,
                **_components("reply", schema_of(Reply, "serialization")),
                **{
                    key: part
                    for name, kind in COMMANDS.items()
                    for key, part in _components(f"command.{name}", schema_of(kind, "validation")).items()
                },
            },
            "messages": {
                **_event_messages(),
                **_command_messages(),
                "reply": {
                    "name": "reply",
                    "summary": "What was done, or why not.",
                    "payload": {"$ref": "#/components/schemas/reply"},
                },
                **{
                    name: {
                        "name": name,
                        "summary": "Its fields: contract.md, section State and status.",
                        "payload": {"type": "object"},
                    }
                    for name in ("state", "status")
                },
            },
        },
    }


def _carried(channel: str) -> list[str]:
    """The messages of one channel."""
    match channel:
        case "events":
            return [kind.type for kind in EVENTS]
        case "commands" | "supervisor":
            return [name for name, kind in COMMANDS.items() if kind.desk is Desk(channel)]
        case "replies":
            return ["reply"]
        case _:
            return [channel]


def _channel(name: str) -> Schema:
    address, description = _CHANNELS[name]
    return {
        "address": address,
        "description": description,
        "parameters": {each: said for each, said in _PARAMETERS.items() if f"{{{each}}}" in address},
        "messages": {each: {"$ref": f"#/components/messages/{each}"} for each in _carried(name)},
    }


def _operation(name: str) -> Schema:
    asked = name in {desk.value for desk in Desk}
    operation: Schema = {
        "action": "receive" if asked else "send",
        "channel": {"$ref": f"#/channels/{name}"},
        "bindings": {"mqtt": {"qos": 1, "retain": name in {"state", "status"}}},
    }
    if asked:
        operation["reply"] = {"channel": {"$ref": "#/channels/replies"}}
    return operation


def _event_messages() -> dict[str, Schema]:
    return {
        kind.type: {
            "name": f"table-edge.{kind.type}.v1",
            "summary": _plain((kind.__doc__ or "").partition("\n\n")[0]),
            "contentType": "application/cloudevents+json",
            "payload": {
                "allOf": [{"$ref": "#/components/schemas/envelope"}],
                "properties": {
                    "type": {"const": f"table-edge.{kind.type}.v1"},
                    "data": {"$ref": f"./schemas/{kind.type}.json"},
                },
            },
        }
        for kind in EVENTS
    }


def _command_messages() -> dict[str, Schema]:
    return {
        name: {
            "name": name,
            "summary": _plain((kind.__doc__ or "").partition("\n\n")[0]),
            "payload": {
                "type": "object",
                "required": ["id", "command", "data"],
                "properties": {
                    "id": {**_UUID, "description": "The same id asks for the same answer again."},
                    "command": {"const": name},
                    "data": {"$ref": f"#/components/schemas/command.{name}"},
                    "if_sequence": {
                        "type": "integer",
                        "description": "Refused as `stale` if the table has moved on since this event.",
                    },
                    "journal": {**_UUID, "description": "The journal that if_sequence counts in."},
                },
            },
        }
        for name, kind in COMMANDS.items()
    }


def _components(name: str, schema: Schema) -> dict[str, Schema]:
    """A schema and what it refers to, each under its own name among the document's components."""
    moved = json.loads(json.dumps(schema).replace("#/$defs/", "#/components/schemas/"))
    return {**moved.pop("$defs", {}), name: moved}


# Files ----------------------------------------------------------------------------------------------


def documents() -> dict[Path, str]:
    """Every generated file with its content."""
    return {
        **{ROOT / "docs" / "schemas" / f"{name}.json": _text(each) for name, each in event_schemas().items()},
        ROOT / "docs" / "asyncapi.json": _text(asyncapi()),
    }


def _text(document: Schema) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write them, and take away the schemas of events that are no more."""
    written = documents()
    (ROOT / "docs" / "schemas").mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "docs" / "schemas").glob("*.json"):
        if path not in written:
            path.unlink()
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(written)} documents written below docs/")


if __name__ == "__main__":
    main()
