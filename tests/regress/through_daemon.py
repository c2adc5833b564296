"""A capture through a pty into the real daemon: what its journal has heard in the end."""

import asyncio
from pathlib import Path
from typing import Final

from edge.errors import EdgeError
from edge.inputs import HostLeft
from edge.journal import read_journal
from sim_devices.broker import BrokerAddress, free_port
from sim_devices.daemon import Daemon, TableSettings
from sim_devices.player import CapturePlayer, load_capture
from tests.regress.pairs import FOLDER, lines_of

DEADLINE_S: Final = 60.0
_FILES: Final = frozenset({"code_table"})


async def heard_by_daemon(log: Path, folder: Path, *, lines: int) -> list[str]:
    """Play a capture to a daemon of its own until it has heard so much; returns what it heard.

    Args:
        log: the capture.
        folder: where the daemon lives; empty.
        lines: how many things it is to hear.
    """
    capture = load_capture(log)
    told = capture.provenance
    options = {name: str(FOLDER / value) if name in _FILES else value for name, value in told.options.items()}
    settings = TableSettings(
        folder=folder,
        broker=BrokerAddress(port=free_port()),  # nobody is there: the table does not mind
        port=folder / "device",
        protocol=told.protocol,
        kind=told.kind,
        options=options,
    )
    player = CapturePlayer(capture, port=settings.port)
    playing = asyncio.create_task(player.play(linger_s=DEADLINE_S))
    # a port that comes after the daemon is one that was away
    while not settings.port.exists():  # noqa: ASYNC110 - the file system tells nobody
        await asyncio.sleep(0.01)
    async with Daemon(settings) as daemon:
        try:
            async with asyncio.timeout(DEADLINE_S):
                while len(heard := journaled(settings.journal)) < lines:
                    assert not daemon.ended_by_itself, daemon.said
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{log.name}: it heard only {heard}\n{daemon.said[-2000:]}") from None
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        assert await daemon.stop() == 0, daemon.said
    return journaled(settings.journal)


def journaled(journal: Path) -> list[str]:
    """What stands in a journal; empty while there is none."""
    try:
        with read_journal(journal) as opened:
            inputs = (record.input for record in opened.records())
            return list(
                lines_of(each for each in inputs if not isinstance(each, HostLeft))
            )  # no broker is there
    except (EdgeError, OSError):
        return []
