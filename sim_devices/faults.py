"""Seeded faults of cables, adapters and devices, the same for the same seed.

On the bytes that leave a device, per piece it writes, each by its chance:

    flip    one bit is turned                   drop    a run of bytes is gone
    double  the piece comes twice               split   it comes as several reads, a moment apart
    stall   nothing more comes for a while      burst   held back until the next piece, and then both at once

What happens to the cable as a whole is done to the device: ``unplug``, ``replug(name)`` for a port that
comes back as another, ``power_cycle(keep_memory=...)``, ``ForeignFirmware`` for a wrong firmware, and here
:class:`SecondReader` for another program that reads the same port.
"""

import asyncio
import contextlib
import os
import random
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from sim_devices.errors import BadFaults

STALL_S: Final = 0.5
SPLIT_S: Final = 0.005
LONGEST_DROP: Final = 12
_READ_BYTES: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Chances, 0 to 1, per piece of bytes that a device writes."""

    flip: float = 0.0
    drop: float = 0.0
    double: float = 0.0
    split: float = 0.0
    stall: float = 0.0
    burst: float = 0.0
    seed: int = 0

    @classmethod
    def written(cls, text: str) -> "Faults":
        """Faults as they are typed: ``flip=0.01,drop=0.02,seed=7``.

        Raises:
            BadFaults: a word is no fault, or its chance is none.
        """
        known = {field.name for field in fields(cls)}
        chances: dict[str, float] = {}
        seed = 0
        for word in filter(None, (word.strip() for word in text.split(","))):
            name, _, given = word.partition("=")
            try:
                if name == "seed":
                    seed = int(given)
                    continue
                chance = float(given)
            except ValueError:
                raise BadFaults(word, sorted(known)) from None
            if name not in known or not 0 <= chance <= 1:
                raise BadFaults(word, sorted(known))
            chances[name] = chance
        return cls(seed=seed, **chances)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes, and how long after those before them they come."""

    octets: bytes
    after_s: float = 0.0


class Mangler:
    """Does to a stream of pieces what its faults say. Knows no clock.

    Args:
        faults: what may happen.
    """

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._chance = random.Random(faults.seed)
        self._held = b""
        self.done = 0
        """Faults that happened."""

    def mangle(self, octets: bytes) -> list[Piece]:
        """What becomes of one piece, in order."""
        if not octets:
            return []
        faults = self._faults
        octets = self._held + octets
        self._held = b""
        if self._happens(faults.burst):
            self._held = octets
            return []
        if self._happens(faults.flip):
            broken = bytearray(octets)
            broken[self._chance.randrange(len(broken))] ^= 1 << self._chance.randrange(8)
            octets = bytes(broken)
        if self._happens(faults.drop):
            at = self._chance.randrange(len(octets))
            octets = octets[:at] + octets[at + self._chance.randint(1, LONGEST_DROP) :]
        if self._happens(faults.double):
            octets *= 2
        delay = STALL_S if self._happens(faults.stall) else 0.0
        if len(octets) > 1 and self._happens(faults.split):
            at = self._chance.randrange(1, len(octets))
            return [Piece(octets=octets[:at], after_s=delay), Piece(octets=octets[at:], after_s=SPLIT_S)]
        return [Piece(octets=octets, after_s=delay)]

    def _happens(self, chance: float) -> bool:
        happens = chance > 0 and self._chance.random() < chance
        self.done += happens
        return happens


class Cable(Protocol):
    """One end of a cable, as a simulated device uses it."""

    @property
    def plugged(self) -> bool:
        """The far end can be opened."""

    def plug(self) -> None:
        """Appear."""

    def unplug(self) -> None:
        """Disappear; what was on its way is lost."""

    def unplug_after(self, octets: int) -> None:
        """Disappear as soon as that many more bytes were written."""

    def write(self, octets: bytes) -> None:
        """Send. Never blocks."""


class FaultyCable:
    """A cable on whose way out faults happen.

    Args:
        cable: the sound one.
        faults: what may happen to bytes.
    """

    def __init__(self, cable: Cable, faults: Faults) -> None:
        self._cable = cable
        self._mangler = Mangler(faults)
        self._free_at = 0.0
        self._plugs = 0

    @property
    def plugged(self) -> bool:
        """The far end can be opened."""
        return self._cable.plugged

    @property
    def done(self) -> int:
        """Faults that happened."""
        return self._mangler.done

    def plug(self) -> None:
        """Appear."""
        self._plugs += 1
        self._free_at = 0.0
        self._cable.plug()

    def unplug(self) -> None:
        """Disappear; what was held back is lost as well."""
        self._plugs += 1
        self._cable.unplug()

    def unplug_after(self, octets: int) -> None:
        """Disappear as soon as that many more bytes were written."""
        self._cable.unplug_after(octets)

    def write(self, octets: bytes) -> None:
        """Send what the faults leave of it, in order."""
        loop = asyncio.get_running_loop()
        for piece in self._mangler.mangle(octets):
            at = max(loop.time(), self._free_at) + piece.after_s
            if at <= loop.time():
                self._cable.write(piece.octets)
            else:
                loop.call_at(at, self._late, piece.octets, self._plugs)
            self._free_at = at

    def _late(self, octets: bytes, plugs: int) -> None:
        if plugs == self._plugs:
            self._cable.write(octets)


class SecondReader:
    """Another program on the same port: it opens the name and takes what it can get.

    Args:
        port: the name that the table opens, too.
    """

    def __init__(self, port: Path) -> None:
        self._port = port
        self._fd = -1
        self.stolen = 0
        """Bytes that the table did not get."""

    def __enter__(self) -> Self:
        self._fd = os.open(self._port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        asyncio.get_running_loop().add_reader(self._fd, self._steal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)

    def _steal(self) -> None:
        with contextlib.suppress(OSError):
            self.stolen += len(os.read(self._fd, _READ_BYTES))
