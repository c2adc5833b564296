"""Regression pairs: a capture ``X.log``, and in ``X.chk`` what a table hears of it, one thing a line.

``scripts/regress`` compares all of them; ``scripts/regress --rebuild`` writes each .chk anew, to be read and
committed. A capture without a .chk fails. New captures come from a table's tap or from ``sim-devices``; their
heads say from where.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

from drivers import Position
from edge.captures import capture_steps
from edge.inputs import (
    INPUTS,
    EdgeStarted,
    EdgeStopped,
    HouseRulesAdopted,
    Input,
    RequestMade,
)
from firmware_protocols import FaceDownCard

FOLDER: Final = Path(__file__).parent
_NOT_OF_A_DEVICE: Final = (EdgeStarted, EdgeStopped, HouseRulesAdopted, RequestMade)
_NOT_OF_THE_WIRE: Final = frozenset({"device", "nonce", "detail", "absence", "position"})
"""What depends on how a capture is played: by which port, from which cause the port is gone."""


def captures() -> list[Path]:
    """Every capture, by name."""
    return sorted(FOLDER.glob("*.log"))


def expectation(log: Path) -> Path:
    """The .chk of a capture."""
    return log.with_suffix(".chk")


def lines_of(inputs: Iterable[Input]) -> Iterator[str]:
    """What the table heard of a device, one thing a line; a port that is gone is gone once."""
    before = ""
    for heard in inputs:
        if not isinstance(heard, _NOT_OF_A_DEVICE):
            line = json.dumps({"heard": heard.type, **_said(heard)}, sort_keys=False)
            if line != before or heard.type != "device.offline":
                yield line
            before = line


def heard_of(log: Path) -> list[str]:
    """What a table hears of a capture, by replay."""
    steps = capture_steps(log.read_text(encoding="utf-8"), source=log, seed=0)
    return list(lines_of(step.said for step in steps if isinstance(step.said, INPUTS)))


def _said(heard: Input) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for each in dataclasses.fields(heard):
        value = getattr(heard, each.name)
        if each.name == "position" and isinstance(value, Position):
            said["boot"], said["number"] = value.boot, value.number
        elif each.name not in _NOT_OF_THE_WIRE and value is not None and value is not False:
            said[each.name] = _plain(value)
    return said


def _plain(value: object) -> object:
    match value:
        case FaceDownCard():
            return str(value.turned())
        case Enum():
            return value.value
        case tuple():
            return " ".join(map(str, value))
        case _:
            return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or rebuild. 0: all agree; 1: one does not, or has no .chk."""
    parser = argparse.ArgumentParser(prog="scripts/regress", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rebuild", action="store_true", help="write each .chk anew")
    parser.add_argument("names", nargs="*", help="only these captures, as in table_link-shoe")
    asked = parser.parse_args(arguments)
    chosen = [log for log in captures() if not asked.names or log.stem in asked.names]
    faulty = 0
    for log in chosen:
        heard = "".join(f"{line}\n" for line in heard_of(log))
        chk = expectation(log)
        wanted = chk.read_text(encoding="utf-8") if chk.exists() else None
        if asked.rebuild and heard != wanted:
            chk.write_text(heard, encoding="utf-8")
            _say(f"{'made' if wanted is None else 'changed'}  {chk.name}")
        elif heard != wanted:
            faulty += 1
            _say(f"{'no .chk' if wanted is None else 'differs'}  {log.name}")
    _say(f"{len(chosen)} captures, {faulty} faulty")
    return 1 if faulty or not chosen else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
