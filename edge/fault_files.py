"""The last frames before a device's fault, kept as captures that belong to the service's user alone.

A capture names cards that may lie face down. So a file says of which table and journal it is and during which
shoe it was made, its mode is 0600, and the command that shows one asks first whether that shoe is closed
(docs/operations.md).
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import structlog

from drivers import DeviceSettings, Fault, one_line
from firmware_protocols import Capture, Provenance, write_capture

FOLDER: Final = "faults"
"""Beside the journal."""
KEPT: Final = 10
"""Files a device; the oldest go."""
_DURING: Final = re.compile(r"during shoe (\d+): ")

log = structlog.get_logger("edge.faults")


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """What a table has in play, as a capture's head names it."""

    table: str
    """Its id."""
    journal: str
    """The id of its journal; shoes are numbered within one."""
    shoe: int | None
    """The number of the shoe that is installed; None: there is none."""

    def marked(self, provenance: Provenance) -> Provenance:
        """The same, and of this table and this journal."""
        return replace(provenance, table=self.table, journal=self.journal)


class FaultFiles:
    """Keeps them.

    Args:
        folder: made when the first is kept.
        whose: the table, as of now.
        wall_ms: UTC, milliseconds since 1970.
    """

    def __init__(self, folder: Path, *, whose: Callable[[], Whose], wall_ms: Callable[[], int]) -> None:
        self._folder = folder
        self._whose = whose
        self._wall_ms = wall_ms

    def keep(self, fault: Fault) -> None:
        """Write one down. A disk that refuses is told in the log and harms nothing else."""
        whose, now = self._whose(), self._wall_ms()
        told = whose.marked(fault.capture.provenance)
        notes = fault.sentence if whose.shoe is None else f"during shoe {whose.shoe}: {fault.sentence}"
        provenance = replace(told, date=dated_at(now), notes=one_line(notes))
        text = write_capture(Capture(provenance=provenance, entries=fault.capture.entries))
        path = self._folder / f"{fault.device}-{stamp(now)}.log"
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
            for old in self.of(fault.device)[:-KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("fault.not_kept", device=fault.device, why=error.strerror)
            return
        log.warning("fault.kept", device=fault.device, last_frames=str(path), why=fault.sentence)

    def of(self, device: str) -> list[Path]:
        """A device's files, oldest first."""
        return sorted(self._folder.glob(f"{device}-{'?' * 8}T{'?' * 6}Z.log"))


def made_during(capture: Capture) -> int | None:
    """The shoe during which a fault's capture was made; None: there was none."""
    found = _DURING.match(capture.provenance.notes)
    return None if found is None else int(found[1])


def capture_path(folder: Path, settings: DeviceSettings, at: str) -> Path:
    """Where a device's capture of this moment goes."""
    return folder / f"{settings.id}-{at}.log"


def dated_at(wall_ms: int) -> str:
    """A moment as it stands in a capture's head (docs/wire.md section 4)."""
    return datetime.fromtimestamp(wall_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stamp(wall_ms: int) -> str:
    """A moment as it stands in a file's name."""
    return datetime.fromtimestamp(wall_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
