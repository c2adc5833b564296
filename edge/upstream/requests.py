"""Payload to request: what a client sent, read strictly or refused with the field named.

Law: **any bytes give a value, never an exception.** What cannot be read is :class:`Malformed`, with a
sentence that names the field and never repeats the payload. Strings, lists and numbers are bounded here,
so nothing behind this door has to fear a long one. Types are strict: ``"3"`` is not 3, ``3.0`` is not 3.

A known command on the wrong topic and an unknown command are requests all the same: the ruling refuses
them and the refusal is journaled.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from edge.requests import COMMANDS, Asked, Desk, Request, UnknownCommand
from edge.upstream.cursor_requests import CURSOR_REQUESTS, CursorRequest
from edge.upstream.json_object import LARGEST_NUMBER, Unreadable, check_bounds, clipped, read_object
from edge.upstream.spelling import BRANCHES, model_of

LONGEST_COMMAND: Final = 64
"""Characters of a command's name; the unknown ones are journaled too."""

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ENVELOPE: Final = ("id", "command", "data", "if_sequence", "journal")


ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorAsked:
    """A request that is answered from the journal, and is no record."""

    id: str
    desk: Desk
    request: CursorRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Not a request: what of it could be read, and why it is none."""

    id: str | None
    command: str | None
    message: str


Heard: TypeAlias = Asked | CursorAsked | Malformed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    id: str
    command: str
    content: dict[str, Any]
    if_sequence: int | None
    journal: str | None


def read_request(payload: bytes, desk: Desk) -> Heard:
    """What ``payload``, come in at ``desk``, asks for."""
    request_id: str | None = None
    command: str | None = None
    try:
        envelope = read_object(payload)
        request_id = _id(envelope)
        command = _command(envelope)
        opened = _open(envelope, request_id, command)
        if command in CURSOR_REQUESTS:
            return _cursor_asked(opened, desk)
        return _asked(opened, desk)
    except Unreadable as error:
        return Malformed(id=request_id, command=command, message=str(error))


def _id(envelope: Mapping[str, Any]) -> str:
    request_id = envelope.get("id")
    if not isinstance(request_id, str) or not _UUID.fullmatch(request_id):
        raise Unreadable("id must be a UUID: 8-4-4-4-12 hexadecimal digits, new for each request.")
    return request_id.lower()  # a UUID is the same in either case (RFC 9562, 4): so is the request


def _command(envelope: Mapping[str, Any]) -> str:
    command = envelope.get("command")
    if not isinstance(command, str) or not command:
        raise Unreadable("command must be the name of a command, such as round.open.")
    if len(command) > LONGEST_COMMAND or not command.isprintable():
        raise Unreadable(f"command must be at most {LONGEST_COMMAND} printable characters.")
    return command


def _open(envelope: Mapping[str, Any], request_id: str, command: str) -> _Opened:
    for key in envelope:
        if key not in _ENVELOPE:
            raise Unreadable(f"{clipped(key)} is not a field of a request. It has {_listed(_ENVELOPE)}.")
    content = envelope.get("data", {})
    if not isinstance(content, dict):
        raise Unreadable("data must be an object.")
    check_bounds(content, "data")
    if_sequence = envelope.get("if_sequence")
    if if_sequence is not None and (
        type(if_sequence) is not int
        or not 0 <= if_sequence <= LARGEST_NUMBER  # a bool is an int to isinstance
    ):
        raise Unreadable("if_sequence must be the sequence of an event: a whole number.")
    journal = envelope.get("journal")
    if journal is not None and (not isinstance(journal, str) or not _UUID.fullmatch(journal)):
        raise Unreadable("journal must be the UUID of a journal.")
    if journal is not None and if_sequence is None:
        raise Unreadable("journal beside data has no meaning without if_sequence.")
    return _Opened(id=request_id, command=command, content=content, if_sequence=if_sequence, journal=journal)


def _asked(opened: _Opened, desk: Desk) -> Asked:
    request: Request = UnknownCommand(name=opened.command)
    kind = COMMANDS.get(opened.command)
    if kind is not None:
        model = _filled(_MODELS[opened.command], opened)
        request = kind(**{field.name: getattr(model, field.name) for field in fields(kind)})
    return Asked(
        id=opened.id,
        desk=desk,
        request=request,
        digest=_digest(opened, desk),
        if_sequence=opened.if_sequence,
        journal=opened.journal,
    )


def _cursor_asked(opened: _Opened, desk: Desk) -> CursorAsked:
    if opened.if_sequence is not None:
        raise Unreadable(f"if_sequence has no meaning for {opened.command}.")
    return CursorAsked(id=opened.id, desk=desk, request=_filled(CURSOR_REQUESTS[opened.command], opened))


def _filled(model: type[ModelT], opened: _Opened) -> ModelT:
    try:
        # strict, and from JSON: so that a list is a tuple and a word an enum, and nothing else bends
        return model.model_validate_json(json.dumps(opened.content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        within = [clipped(str(part)) for part in first["loc"] if part not in BRANCHES]
        where = ".".join(["data", *within])
        if first["type"] == "extra_forbidden" and len(within) == 1:
            known = [field.alias or name for name, field in model.model_fields.items()]
            sentence = f"{where} is not a field of {opened.command}. It has {_listed(known)}."
        elif first["type"] == "extra_forbidden":
            sentence = f"{where} is not a field that this object has."
        else:
            sentence = f"{where}: {first['msg'].removeprefix('Value error, ')}."
        raise Unreadable(sentence) from None


def _digest(opened: _Opened, desk: Desk) -> str:
    said = {
        "desk": desk.value,
        "command": opened.command,
        "data": opened.content,
        "if_sequence": opened.if_sequence,
        "journal": opened.journal,
    }
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(canonical.encode("utf-8")).hexdigest()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


_MODELS: Final[dict[str, type[BaseModel]]] = {name: model_of(kind) for name, kind in COMMANDS.items()}


def request_models() -> dict[str, type[BaseModel]]:
    """The model of each command's ``data``, by command, for the published schemas."""
    return {**_MODELS, **CURSOR_REQUESTS}
