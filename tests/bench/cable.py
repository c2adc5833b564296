"""A pty with a device's end of a table_link, moved by whoever measures and by no thread or loop."""

import os
import pty
import select
import time
import tty
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from firmware_protocols import (
    Card,
    CardScan,
    CutCardScan,
    DeviceEnd,
    DeviceIdentity,
    DeviceKind,
    FaceDownCard,
)
from sim_devices.decks import CutCard, ShoeItem

READ_BYTES: Final = 4096
BOOT: Final = 7


class Cable:
    """A terminal under a stable name; what is written to the master arrives at the name."""

    def __init__(self, name: Path) -> None:
        self.name = name
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        name.symlink_to(os.ttyname(self._slave))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.name.unlink()
        os.close(self.master)
        os.close(self._slave)

    def say(self, octets: bytes) -> int:
        """Write all of it; when the last byte was about to be written (``time.perf_counter_ns``)."""
        at_ns = time.perf_counter_ns()
        written = os.write(self.master, octets)
        assert written == len(octets), "the far end reads nothing"
        return at_ns


class CableShoe:
    """A shoe at the end of a cable. :meth:`step` whenever there is time: it answers and beats then."""

    def __init__(self, cable: Cable) -> None:
        identity = DeviceIdentity(kind=DeviceKind.SHOE, serial="TE-0042", firmware=(1, 4, 2))
        self._cable = cable
        self._end = DeviceEnd(identity=identity, boot=BOOT, now=time.monotonic())
        self._end.opened(time.monotonic())
        self._flush()

    @property
    def unacknowledged(self) -> int:
        """Events the table has not acknowledged."""
        return self._end.newest - self._end.oldest + 1

    def step(self) -> None:
        """Take what the table said, and do what is due."""
        while select.select([self._cable.master], [], [], 0)[0]:
            self._end.receive(os.read(self._cable.master, READ_BYTES), time.monotonic())
        self._end.tick(time.monotonic())
        self._flush()

    def draw(self, item: ShoeItem) -> int:
        """It leaves the shoe; when its frame was about to be written (``time.perf_counter_ns``)."""
        match item:
            case Card():
                card = FaceDownCard(item)
                scan = CardScan(card=card, face_up=False, reread=False, confidence=100)
                self._end.emit(scan, time.monotonic())
            case CutCard.CUT_CARD:
                self._end.emit(CutCardScan(), time.monotonic())
        return self._flush()

    def _flush(self) -> int:
        octets = self._end.data_to_send()
        return self._cable.say(octets) if octets else time.perf_counter_ns()
