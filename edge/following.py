"""Following a device: what it reports is committed and published, then acknowledged (law 1).

::

    read ─> reports ─> inputs ─> commit ─> publish            within one turn of the loop
                                             └─ 1 ms later: acknowledge, status, state

Law: **subscribers first.** What is less urgent than an event waits a millisecond: done at once, it would take
from the broker and its subscribers the processor that they need to hand the event on.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence

import structlog

from drivers import CommandAnswered, DeviceConnected, DeviceDisconnected, Pump, Report
from edge.hearing import DealerKeys, heard, position_of
from edge.inputs import Input
from edge.status import StatusBoard
from edge.upstream import AFTERWARDS_S

log = structlog.get_logger("edge.following")


async def follow_device(  # noqa: PLR0913 - what lies between a device and its table
    device: str,
    pump: Pump,
    commit: Callable[[Sequence[Input]], bool],
    board: StatusBoard,
    tries: Counter[str],
    *,
    tell: Callable[[], None],
    keys: DealerKeys,
) -> None:
    """Read one device for ever.

    Args:
        device: its id.
        pump: what reads it.
        commit: commits and publishes; False: the disk refused.
        board: where operators are told whether the device is there.
        tries: counts, by device, the commits that the disk refused: whoever tries is alive.
        tell: tells whoever else waits for what was committed.
        keys: what the dealer's keys mean.
    """
    loop = asyncio.get_running_loop()

    def take(reports: tuple[Report, ...]) -> bool:
        inputs = [said for report in reports if (said := heard(report, _nonce, keys)) is not None]
        if inputs and not commit(inputs):
            tries[device] += 1
            return False
        loop.call_later(AFTERWARDS_S, afterwards, reports)
        return True

    def afterwards(reports: tuple[Report, ...]) -> None:
        positions = [position for report in reports if (position := position_of(report)) is not None]
        if positions:
            pump.acknowledge(positions[-1])
        tell()
        _show(device, reports, board)

    await pump.run(take)


def _show(device: str, reports: Sequence[Report], board: StatusBoard) -> None:
    """Tell operators whether the device is there."""
    for report in reports:
        if isinstance(report, DeviceConnected):
            board.restore(f"device:{device}")
            log.info("device.online", device=device, serial=report.serial, firmware=report.firmware)
        elif isinstance(report, DeviceDisconnected):
            board.degrade(f"device:{device}", report.detail)
            log.warning("device.offline", device=device, reason=report.absence.value, detail=report.detail)
        elif isinstance(report, CommandAnswered):
            log.info("device.answered", device=device, id=report.id, outcome=report.outcome.value)


def _nonce() -> str:
    """16 bytes of the kernel's randomness, hex."""
    return os.urandom(16).hex()
