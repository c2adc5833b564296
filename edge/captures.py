"""Captures through the ruling: a cable's bytes become what the table heard, as steps of a replay.

A capture knows what the devices did, and nothing of what the game server asked meanwhile: a session script
beside it says that, each line at its own time.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

from drivers import LocalDriverError, captured_reports
from edge.errors import ScriptInvalid
from edge.hearing import heard
from edge.script import DEFAULT_DEVICE, Step
from firmware_protocols import Capture, CaptureInvalid, read_capture

SUFFIX: Final = ".log"
_US_PER_MS: Final = 1000


def is_capture(file: Path) -> bool:
    """Whether this file is a capture, by its name."""
    return file.suffix == SUFFIX


def capture_steps(text: str, *, source: Path, seed: int, device: str = DEFAULT_DEVICE) -> Iterator[Step]:
    """What the table heard of a device, as its capture tells.

    Args:
        text: the capture.
        source: its file; files that it names lie beside it.
        seed: of the nonces that seal face-down cards.
        device: the id of the device.

    Raises:
        ScriptInvalid: it is no capture, or it names a driver or an option that is not there.
    """
    numbers = count()

    def nonce() -> str:
        return sha256(f"{seed}:{next(numbers)}".encode()).hexdigest()[:32]

    try:
        for at_us, report in captured_reports(_read(text, source), device=device, source=source):
            said = heard(report, nonce)
            if said is not None:
                yield Step(line=0, at_ms=at_us // _US_PER_MS, said=said)
    except LocalDriverError as error:
        raise ScriptInvalid(f"{source}: {error.sentence}.", hint=f"{error.hint}.") from None


def beside(captured: Iterable[Step], script: Iterable[Step]) -> Iterator[Step]:
    """Two sources of steps as one, by their time; at the same time the script goes first.

    A line of a script without a time follows the line before it at once.
    """
    waiting = list(_timed(script))
    for at_ms, step in _timed(captured):
        while waiting and waiting[0][0] <= at_ms:
            yield waiting.pop(0)[1]
        yield step
    yield from (step for _, step in waiting)


def _timed(steps: Iterable[Step]) -> Iterator[tuple[int, Step]]:
    at_ms = 0
    for step in steps:
        at_ms = max(at_ms, step.at_ms or 0)
        yield at_ms, step


def _read(text: str, source: Path) -> Capture:
    try:
        return read_capture(text, source=str(source))
    except CaptureInvalid as error:
        raise ScriptInvalid(
            f"{error.sentence}.", hint=f"{error.hint}. docs/wire.md describes captures."
        ) from None
