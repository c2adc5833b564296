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
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from edge.events import EVENTS
from edge.public_state import PublicState
from edge.requests import COMMANDS, Desk, belongs
from edge.upstream import request_models

ROOT: Final = Path(__file__).resolve().parents[1]
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]


class _Untitled(GenerateJsonSchema):
    """Without the titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002 - the overridden signature
        return False


# Schemas --------------------------------------------------------------------------------------------


def schema_of(kind: type[object], mode: Mode, *, told_by: type[object] | None = None) -> Schema:
    """The JSON Schema of one model, as people and machines may rely on it.

    Args:
        kind: the model.
        mode: ``validation`` for what is read, ``serialization`` for what is written.
        told_by: the dataclass whose field docstrings describe it, where that is another.
    """
    schema = TypeAdapter(kind).json_schema(mode=mode, schema_generator=_Untitled)
    described = {each.__name__: each for each in _dataclasses_in(told_by or kind)}
    for name, part in [(kind.__name__, schema), *schema.get("$defs", {}).items()]:
        if "description" in part:
            part["description"] = _plain(part["description"])
        if name in described:
            _describe(described[name], part)
    return schema


def _describe(kind: type[object], part: Schema) -> None:
    part["description"] = _plain(kind.__doc__ or "")  # not every pydantic does
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

_TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_TIME: Final[Schema] = {"type": "string", "format": "date-time"}

REPLY: Final[Schema] = {
    "type": "object",
    "required": ["id", "command", "outcome", "code", "message", "sequence"],
    "properties": {
        "id": {**_TEXT_OR_NULL, "description": "Null: none could be made out."},
        "command": {**_TEXT_OR_NULL, "description": "Null: none could be made out."},
        "outcome": {"enum": ["accepted", "refused"]},
        "code": {"type": "string", "description": "contract.md, section Replies."},
        "message": {"type": "string", "description": "One sentence."},
        "sequence": {"type": "integer", "description": "The last event committed; 0: none yet."},
        "replay": {
            "type": "object",
            "description": "Of an accepted events.replay: where the events follow.",
            "required": ["topic", "first", "last", "count"],
            "properties": {
                "topic": {"type": "string"},
                "first": {"type": "integer"},
                "last": {"type": "integer"},
                "count": {"type": "integer"},
            },
        },
    },
}

STATUS: Final[Schema] = {
    "type": "object",
    "required": ["status", "journal", "epoch", "version", "since"],
    "properties": {
        "status": {"enum": ["online", "degraded", "offline"]},
        "journal": _UUID,
        "epoch": {"type": "integer", "description": "Grows with every connection."},
        "version": {"type": "string"},
        "since": {"type": ["string", "null"], "format": "date-time", "description": "Null in the will."},
        "reason": {"type": "string", "description": "Why offline."},
        "reasons": {
            "type": "array",
            "description": "Why degraded.",
            "items": {
                "type": "object",
                "required": ["reason", "sentence", "since"],
                "properties": {"reason": {"type": "string"}, "sentence": {"type": "string"}, "since": _TIME},
            },
        },
    },
}

_PRESENCE: Final[Schema] = {
    "anyOf": [
        {"enum": ["online", "offline"]},
        {"type": "object", "required": ["status"], "properties": {"status": {"enum": ["online", "offline"]}}},
    ]
}
_COUNTERS: Final[Schema] = {"type": "object", "additionalProperties": {"type": "integer"}}


@dataclass(frozen=True, kw_only=True)
class Channel:
    """One topic of the contract."""

    below: str
    """Of tables/{table}/."""
    description: str
    carries: tuple[str, ...]
    received: bool = False
    """The daemon receives there; else it sends."""
    retained: bool = False
    qos: int = 1


def channels() -> dict[str, Channel]:
    """Every topic, in the contract's order."""
    events = tuple(kind.type for kind in EVENTS)
    asked = {desk: tuple(name for name in request_models() if _belongs(name, desk)) for desk in Desk}
    return {
        "events": Channel(below="events", description="Every event, in order.", carries=events),
        "state": Channel(
            below="state", description="A snapshot for late joiners.", carries=("state",), retained=True
        ),
        "status": Channel(
            below="status",
            description="Online, degraded or offline, and why.",
            carries=("status",),
            retained=True,
        ),
        "server": Channel(
            below="server",
            description="The game server's own presence, offline by its will.",
            carries=("server",),
            received=True,
            retained=True,
        ),
        "telemetry": Channel(
            below="telemetry/{device}", description="Counters.", carries=("telemetry",), qos=0
        ),
        "commands": Channel(
            below="commands", description="From the game server.", carries=asked[Desk.SERVER], received=True
        ),
        "supervisor": Channel(
            below="supervisor", description="From the pit.", carries=asked[Desk.SUPERVISOR], received=True
        ),
        "replies": Channel(
            below="replies",
            description="Answers to commands that name no response topic.",
            carries=("reply",),
        ),
        "replay": Channel(
            below="replay/{id}", description="Events asked for again, byte for byte.", carries=events
        ),
    }


def _belongs(command: str, desk: Desk) -> bool:
    """Whether a command may be asked there; those that move a cursor are the server's."""
    return belongs(COMMANDS[command], desk) if command in COMMANDS else desk is Desk.SERVER


_PARAMETERS: Final = {
    "table": {"description": "The table's id."},
    "device": {"description": "The device's id, or upstream for the connection to the broker."},
    "id": {"description": "The id of the command that asked."},
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
        "channels": {name: _channel(channel) for name, channel in channels().items()},
        "operations": {name: _operation(name, channel) for name, channel in channels().items()},
        "components": {"schemas": _schemas(), "messages": _messages()},
    }


def _channel(channel: Channel) -> Schema:
    address = f"tables/{{table}}/{channel.below}"
    return {
        "address": address,
        "description": channel.description,
        "parameters": {each: said for each, said in _PARAMETERS.items() if f"{{{each}}}" in address},
        "messages": {each: {"$ref": f"#/components/messages/{each}"} for each in channel.carries},
    }


def _operation(name: str, channel: Channel) -> Schema:
    operation: Schema = {
        "action": "receive" if channel.received else "send",
        "channel": {"$ref": f"#/channels/{name}"},
        "bindings": {"mqtt": {"qos": channel.qos, "retain": channel.retained}},
    }
    if name in {desk.value for desk in Desk}:
        operation["reply"] = {"channel": {"$ref": "#/channels/replies"}}
    return operation


def _schemas() -> dict[str, Schema]:
    commands = [
        _components(f"command.{name}", schema_of(model, "validation", told_by=COMMANDS.get(name)))
        for name, model in request_models().items()
    ]
    return {
        "envelope": ENVELOPE,
        "reply": REPLY,
        "status": STATUS,
        "server": _PRESENCE,
        "telemetry": _COUNTERS,
        **_components("state", schema_of(PublicState, "serialization")),
        **{key: part for parts in commands for key, part in parts.items()},
    }


def _messages() -> dict[str, Schema]:
    said = {
        "reply": "What was done, or why not.",
        "state": "The table as anyone may see it.",
        "status": "How the daemon is.",
        "server": "How the game server is.",
        "telemetry": "Counters since the daemon's start.",
    }
    return {
        **_event_messages(),
        **_command_messages(),
        **{
            name: {
                "name": name,
                "summary": summary,
                "payload": {"$ref": f"#/components/schemas/{name}"},
            }
            for name, summary in said.items()
        },
    }


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
            "summary": _plain((model.__doc__ or "").partition("\n\n")[0]),
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
        for name, model in request_models().items()
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
