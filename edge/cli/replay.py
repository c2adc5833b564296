"""``table-edge replay``: a session script, or a capture of a device, through the ruling, without hardware."""

import dataclasses
import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from edge.captures import beside, capture_steps, is_capture
from edge.errors import ScriptInvalid
from edge.house_rules import check_house, house_text
from edge.replay import Published, Replayed, Unreadable, replay
from edge.requests import Reply
from edge.script import read_script


class Format(Enum):
    """How events are printed."""

    JSONL = "jsonl"
    TEXT = "text"


def replay_script(  # noqa: PLR0913 - a command line
    script: Annotated[
        Path,
        typer.Argument(
            readable=False,
            help="A session script (JSON Lines), - for standard input, or a capture of a device (.log).",
        ),
    ],
    *,
    rules: Annotated[str, typer.Option(help="A house that comes with the product, or a house file.")],
    form: Annotated[
        Format, typer.Option("--format", help="jsonl: events as they would be published; text: for eyes.")
    ] = Format.JSONL,
    seed: Annotated[int, typer.Option(help="Seed of the nonces that seal face-down cards.")] = 0,
    commands: Annotated[
        Path | None,
        typer.Option(
            "--with",
            readable=False,
            show_default=False,
            help="Beside a capture: a session script with what the game server asked meanwhile.",
        ),
    ] = None,
    replies: Annotated[bool, typer.Option("--replies", help="Print the replies to requests, too.")] = False,
) -> None:
    """Print the events that a session script, or a capture of a device, causes."""
    house = house_text(rules)
    check_house(house, source=rules)
    text = _read(script)
    if is_capture(script):
        steps = capture_steps(text, source=script, seed=seed)
        if commands is not None:
            steps = beside(steps, read_script(_read(commands), source=str(commands), seed=seed))
    elif commands is not None:
        raise ScriptInvalid("--with is for captures.", hint="Write everything into the one script.")
    else:
        steps = read_script(text, source=str(script), seed=seed)
    for each in replay(steps, house=house):
        line = _text(each) if form is Format.TEXT else _json(each)
        if replies or isinstance(each, Published):
            typer.echo(line)


def _read(script: Path) -> str:
    try:
        return sys.stdin.read() if str(script) == "-" else script.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptInvalid(
            f"The {'capture' if is_capture(script) else 'script'} {script} cannot be read: {error.strerror}.",
            hint="Check its path and rights.",
        ) from None
    except UnicodeDecodeError as error:
        raise ScriptInvalid(
            f"{script} is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8."
        ) from None


def _json(each: Replayed) -> str:
    match each:
        case Published():
            return each.payload.decode()
        case Reply():
            return json.dumps({"reply": dataclasses.asdict(each)}, default=lambda value: value.value)
        case Unreadable():
            return json.dumps({"reply": {"outcome": "refused", "code": "malformed", "message": each.message}})


def _text(each: Replayed) -> str:
    match each:
        case Published():
            content = json.loads(each.payload)["data"]
            told = ", ".join(f"{key} {json.dumps(value)}" for key, value in content.items())
            return f"{each.sequence:>5}  {each.event.type:<20} {told}"
        case Reply():
            return f"{'':>5}  {each.outcome.value} {each.code}: {each.message}"
        case Unreadable():
            return f"{'':>5}  refused malformed: {each.message}"
