"""The other end of the socket, for the commands: ask, and have the answer or a sentence that says why not."""

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from edge.control.listener import address
from edge.control.protocol import BUSY, Question, written_question
from edge.errors import ControlDeaf, ControlUnsure

ANSWER_S: Final = 10.0
"""How long an answer is waited for."""
AGAIN_S: Final = 15.0
"""How long a request of which no answer came is sent again: a daemon that fell is up again in a few."""
_PAUSE_S: Final = 0.5
_LARGEST_ANSWER: Final = 1 << 20

JOIN: Final = "Ask as the service's user, or join its pit: usermod -aG table-edge-pit NAME, then log in anew."
ELSEWHERE: Final = "If it does run, it may listen in {path}, which is closed to you: ask as its user."


class _NoAnswer(Exception):
    """The connection was made, and ended without an answer."""


def look(paths: Sequence[Path], *questions: Question, table: str) -> tuple[bytes, ...]:
    """The answers to these questions, in their order, of one moment's connection.

    Args:
        paths: where the daemon may listen, likeliest first.
        questions: to be asked.
        table: whose daemon it is, for the sentence if there is none.

    Raises:
        ControlDeaf: it does not run, or does not answer, or not to this user.
    """
    try:
        return _talk(paths, [written_question(each) for each in questions], table)
    except _NoAnswer:
        raise ControlDeaf(
            "The table's daemon took the connection and did not answer.",
            hint=f"Try again; systemctl status table-edge@{table} says how it is.",
        ) from None


def ask(paths: Sequence[Path], request: bytes, *, table: str) -> dict[str, Any]:
    """The reply to a request. Where none comes the same is sent again, which does nothing twice.

    Raises:
        ControlUnsure: it was sent, and no answer came.
        ControlDeaf: it does not run, or not to this user; nothing was sent.
    """
    until = time.monotonic() + AGAIN_S
    sent = False
    while True:
        try:
            (answer,) = _talk(paths, [request], table)
            read = _read(answer)
        except _NoAnswer:
            sent = True
        except ControlDeaf:
            if not sent:
                raise
        else:
            return read
        if time.monotonic() > until:
            raise ControlUnsure(
                "The request was sent, and no answer came: whether it was done is not known.",
                hint=f"Look with table-edge status -t {table} before you ask again.",
            )
        time.sleep(_PAUSE_S)


def _read(answer: bytes) -> dict[str, Any]:
    try:
        said = json.loads(answer)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise _NoAnswer
    return said


def _talk(paths: Sequence[Path], lines: Sequence[bytes], table: str) -> tuple[bytes, ...]:
    answers: list[bytes] = []
    with contextlib.closing(_connected(paths, table)) as line:
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have said why before
                line.sendall(b"".join(each + b"\n" for each in lines))
            for each in _lines(line, len(lines)):
                _see_if_busy(each)
                answers.append(each)
        except OSError:
            raise _NoAnswer from None
    return tuple(answers)


def _see_if_busy(answer: bytes) -> None:
    match _read(answer):
        case {"error": {"code": str(code), "message": str(message)}} if code == BUSY:
            raise ControlDeaf(message)
        case _:
            return


def _lines(line: socket.socket, count: int) -> Iterator[bytes]:
    read = bytearray()
    while count:
        end = read.find(b"\n")
        if end >= 0:
            yield bytes(read[:end])
            del read[: end + 1]
            count -= 1
            continue
        octets = line.recv(65536)
        if not octets or len(read) > _LARGEST_ANSWER:
            raise _NoAnswer
        read += octets


def _connected(paths: Sequence[Path], table: str) -> socket.socket:
    forbidden: list[Path] = []
    for path in paths:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(ANSWER_S)
        try:
            with address(path) as where:
                line.connect(where)
        except OSError as error:
            line.close()
            if isinstance(error, PermissionError):
                forbidden.append(path)
            continue
        return line
    in_sight = next((path for path in forbidden if os.path.lexists(path)), None)
    if in_sight is not None:
        raise ControlDeaf(f"You may not use {in_sight}.", hint=JOIN)
    out_of_sight = f" {ELSEWHERE.format(path=forbidden[0].parent)}" if forbidden else ""
    raise ControlDeaf(
        f"The daemon of table {table} does not run: nobody listens at {paths[-1]}.",
        hint=f"Start it with systemctl start table-edge@{table}.{out_of_sight}",
    )
