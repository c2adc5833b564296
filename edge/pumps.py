"""The pumps of a table: made from its configuration, each with its taps, and looked at."""

import re
from collections.abc import Callable, Mapping
from random import random
from typing import Final

import structlog

from drivers import CaptureFile, Pump, Tap
from edge.clock import monotonic, wall_ms
from edge.config import Config, DeviceConfig
from edge.control import LinkLook
from edge.fault_files import FOLDER, FaultFiles, Whose, capture_path, dated_at, stamp
from edge.ruling import TableState

PASSING: Final = re.compile(r"/dev/tty(USB|ACM)\d+")
"""Names that the kernel gives in the order of plugging in."""

log = structlog.get_logger("edge.pumps")


def make_pumps(config: Config, state: Callable[[], TableState]) -> dict[str, Pump]:
    """A pump a device, by its id, each to go on where the journal stands.

    Args:
        config: the table's.
        state: as of now.

    Raises:
        LocalDriverError: a device cannot be configured so.
    """

    def whose() -> Whose:
        now = state()
        number = None if now.shoe is None else now.shoe.number
        return Whose(table=config.table, journal=now.journal, shoe=number)

    faults = FaultFiles(config.journal_path.parent / FOLDER, whose=whose, wall_ms=wall_ms)
    for device in config.device:
        _warn_of_passing_name(device)
    return {
        device.id: Pump(
            device.settings(),
            resume_from=state().device(device.id).position,
            monotonic=monotonic,
            random=random,
            taps=_taps(device, whose()),
            faulty=faults.keep,
            restart_matters=lambda: state().shoe is not None,
        )
        for device in config.device
    }


def link_looks(config: Config, pumps: Mapping[str, Pump]) -> list[LinkLook]:
    """Each device's line, for the technician."""
    return [
        LinkLook(
            device=each.id,
            kind=each.kind,
            url=each.url,
            connected=pumps[each.id].connected,
            trouble=pumps[each.id].trouble,
            counters=pumps[each.id].counters.whole_numbers(),
        )
        for each in config.device
    ]


def _warn_of_passing_name(device: DeviceConfig) -> None:
    """A name by the order of plugging in may be another device's tomorrow."""
    if PASSING.search(device.url):
        log.warning(
            "device.passing_name",
            device=device.id,
            url=device.url,
            hint="Give it a role and use /dev/table-edge/ROLE: table-edge devices shows which names stay.",
        )


def _taps(device: DeviceConfig, whose: Whose) -> tuple[Tap, ...]:
    """Whoever wants everything that goes over a cable; a table deals without it as well."""
    if device.capture is None:
        return ()
    now, settings = wall_ms(), device.settings()
    path = capture_path(device.capture, settings, stamp(now))
    provenance = whose.marked(settings.provenance("everything, by the daemon", date=dated_at(now)))
    try:
        device.capture.mkdir(mode=0o700, exist_ok=True)
        tap = CaptureFile(path, provenance, since=monotonic(), failed=_ended)
    except OSError as error:
        _ended(f"The capture {path} cannot be made: {error.strerror}.")
        return ()
    log.warning("capture.begun", device=device.id, path=str(path), note="it names every card: keep it closed")
    return (tap,)


def _ended(sentence: str) -> None:
    log.warning("capture.ended", why=sentence)
