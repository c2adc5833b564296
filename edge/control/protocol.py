"""What is said on the control socket: one JSON object a line, each way (docs/pit.md, The socket).

::

    -> {"show": "state"}                    <- the table's public state, as on the topic ``state``
    -> {"show": "status"}                   <- how daemon, devices, broker and journal are
    -> {"show": "pit"}                      <- what holds the table, what may be asked, who may sign
    -> {"id": ..., "command": ..., ...}     <- the reply

A request is, byte for byte, what would be published on the topic ``supervisor``, and so is its reply. Lines
are answered in their order. What cannot be understood is answered like a malformed request, and is the
last that is heard on that connection. ``{"error": {"code", "message"}}`` stands where there is no reply:
``storage``: the disk refused, nothing happened, the same request may be sent again; ``busy``: too many
connections.
"""

import json
from enum import Enum
from typing import Final

from edge.requests import Desk
from edge.upstream import Heard, Malformed, read_request

LONGEST_LINE: Final = 16 * 1024
"""Bytes, without the line's end: what a request may have on MQTT."""
ASK_AGAIN: Final = "storage"
"""The code of an error after which the same request may be sent again."""
BUSY: Final = "busy"


class Question(Enum):
    """What may be looked at."""

    STATE = "state"
    STATUS = "status"
    PIT = "pit"


def understood(line: bytes) -> Question | Heard:
    """What a line says. Any bytes give a value, never an exception."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or said.keys() != {"show"}:
        return read_request(line, Desk.SUPERVISOR)
    for question in Question:
        if said["show"] == question.value:
            return question
    known = ", ".join(question.value for question in Question)
    return Malformed(id=None, command=None, message=f"show must be one of {known}.")


def written_question(question: Question) -> bytes:
    """The line that asks it."""
    return _written({"show": question.value})


def written_error(code: str, message: str) -> bytes:
    """The line that stands where there is no reply."""
    return _written({"error": {"code": code, "message": message}})


def _written(said: dict[str, object]) -> bytes:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
