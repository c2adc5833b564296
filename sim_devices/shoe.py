"""A simulated shoe: a device's end of a link behind a real pty, with a log of the truth.

It speaks table_link, or whatever :class:`ShoeSettings` has it speak; a shuffler is the same with other
events.

The log is what tests compare the table with: JSON Lines, one per thing that left the shoe or was noticed,
flushed line by line before the device says anything of it::

    {"boot": 439041101, "number": 1, "at_ms": 1000, "left": "As"}
    {"boot": 439041101, "number": 2, "at_ms": 2500, "left": "CUT"}
    {"boot": 439041101, "number": 3, "at_ms": 2700, "noticed": "LidMoved"}
    {"boot": 439041101, "number": 4, "at_ms": 3100, "left": "Kd", "read": false}
    {"boot": 77, "powered": "on"}

It names cards, so its mode is 0600; it belongs to a test bench, never to a table.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from firmware_protocols import (
    Card,
    CardScan,
    Command,
    CutCardScan,
    DeviceEnd,
    DeviceEvent,
    DeviceIdentity,
    DeviceKind,
    FaceDownCard,
    ReplyResult,
    UnreadScan,
)
from sim_devices.decks import CutCard, ShoeContents, ShoeItem
from sim_devices.errors import CableState, NotSayable, ShoeRunDry
from sim_devices.far_end import FarEnd
from sim_devices.far_ends import Scanner
from sim_devices.faults import Cable, Faults, FaultyCable
from sim_devices.paced_cable import PacedCable
from sim_devices.pty_port import PtyPort
from sim_devices.usb_port import UsbIdentity, UsbPort

SERIAL: Final = "TE-0042"
FIRMWARE: Final = (1, 4, 2)
_CONFIDENCE: Final = 100
_MAX_BOOT: Final = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSettings:
    """A simulated shoe, as it is set up on the bench."""

    port: Path
    """The name under which it appears, a symlink."""
    log: Path | None = None
    """Where the truth is written, appended; None: nowhere."""
    serial: str = SERIAL
    seed: int | None = None
    """Of the boot numbers, for a bench that must be repeatable; None: random, as of a real device."""
    kind: DeviceKind = DeviceKind.SHOE
    firmware: tuple[int, int, int] = FIRMWARE
    end: Callable[[int, float], FarEnd] | None = None
    """Makes the end that speaks, of a boot number and the time; None: table_link."""
    usb: UsbIdentity | None = None
    """Plugged into a simulated USB bus, whose port is ``port``; None: behind a pseudo-terminal."""
    baud: int | None = None
    """Each byte takes its time, as on a wire; None: none."""
    faults: Faults | None = None
    """What happens to the bytes that leave; None: nothing."""


class SimulatedShoe:
    """A shoe on the bench. ``async with`` plugs it in and unplugs it; its traffic runs by itself.

    Args:
        settings: how it is set up.
        contents: what is in it.
    """

    def __init__(self, settings: ShoeSettings, contents: ShoeContents) -> None:
        self._settings = settings
        self._boots = random.Random(settings.seed)
        self._contents = contents
        self._items: tuple[ShoeItem, ...] = contents.items
        self._gone = 0
        port: Cable = (
            PtyPort(settings.port, self._received)
            if settings.usb is None
            else UsbPort(settings.port, self._received, settings.usb)
        )
        if settings.baud is not None:
            port = PacedCable(port, settings.baud)
        self._cable = port if settings.faults is None else FaultyCable(port, settings.faults)
        self._end: FarEnd | None = None
        self._log = -1
        self._timer: asyncio.TimerHandle | None = None
        self.commands: list[Command] = []
        """Every command the table sent, oldest first."""
        self.obey: Callable[[Command], ReplyResult] = lambda _command: ReplyResult.DONE
        """What becomes of a command."""

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Switch on and plug in. Needs a running event loop."""
        if self._settings.log is not None:
            self._log = os.open(self._settings.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        settings, boot = self._settings, self._new_boot()
        if settings.end is not None:
            self._end = settings.end(boot, self._now())
        else:
            identity = DeviceIdentity(kind=settings.kind, serial=settings.serial, firmware=settings.firmware)
            self._end = DeviceEnd(identity=identity, boot=boot, now=self._now())
        self.replug()

    def stop(self) -> None:
        """Unplug and switch off."""
        self.unplug()
        if self._log >= 0:
            os.close(self._log)
            self._log = -1

    @property
    def end(self) -> FarEnd:
        """The device's end of the link, to look at."""
        if self._end is None:
            raise RuntimeError("the simulated shoe was not started")
        return self._end

    @property
    def port(self) -> Path:
        """The name it was set up to appear under."""
        return self._settings.port

    @property
    def plugged(self) -> bool:
        """The cable is in."""
        return self._cable.plugged

    @property
    def contents(self) -> ShoeContents:
        """What was put in last."""
        return self._contents

    def card_of(self, draw: int) -> str:
        """The card of a draw since ``load``, the first is 1: what somebody sees who turns it."""
        return str(self._contents.cards[draw - 1].value)

    @property
    def drawn(self) -> int:
        """Items that left since ``load``, the cut card included."""
        return self._gone

    @property
    def cards_drawn(self) -> int:
        """Cards that left since ``load``, the cut card not among them: the number of the last draw."""
        return sum(isinstance(item, Card) for item in self._items[: self._gone])

    @property
    def remaining(self) -> int:
        """Items left, the cut card included."""
        return len(self._items) - self._gone

    def load(self, contents: ShoeContents) -> None:
        """Put new cards in. The device does not notice."""
        self._contents = contents
        self._items = contents.items
        self._gone = 0

    def draw(self, *, read: bool = True) -> ShoeItem:
        """The next item leaves, past the reader, whether the cable is in or not.

        Args:
            read: False: if it is a card, the reader misses what it is.

        Raises:
            ShoeRunDry: nothing is left.
        """
        if not self.remaining:
            raise ShoeRunDry
        item = self._items[self._gone]
        self._gone += 1
        match item:
            case Card() if not read:
                self._happen(UnreadScan(), {"left": item.value, "read": False})
            case Card():
                scan = CardScan(card=FaceDownCard(item), face_up=False, reread=False, confidence=_CONFIDENCE)
                self._happen(scan, {"left": item.value})
            case CutCard.CUT_CARD:
                self._happen(CutCardScan(), {"left": "CUT"})
        return item

    def emit(self, event: DeviceEvent) -> int:
        """Anything else happens at the device. Returns its number.

        Raises:
            NotEncodable: the event holds a value that does not fit its field.
        """
        return self._happen(event, {"noticed": type(event).__name__})

    def say_code(self, code: str) -> None:
        """A scanner reads this code, whatever it is.

        Raises:
            NotSayable: this is no scanner.
            NotEncodable: no scanner can say it.
        """
        if not isinstance(self.end, Scanner):
            raise NotSayable("what is no scanner", "a printed code")
        self._write({"boot": self.end.boot, "code": code})
        self.end.say(code)
        self._move()

    def power_cycle(self, *, keep_memory: bool) -> None:
        """Off and on again, with the cable in or out.

        Args:
            keep_memory: True: a battery kept boot, numbers and unacknowledged events, only the connection is
                new. False: as the wire has it, a new boot, and what was not acknowledged is gone.
        """
        now = self._now()
        if keep_memory:
            if self.plugged:
                self.end.opened(now)
        else:
            self.end.power_cycled(boot=self._new_boot(), now=now)
        self._move()

    def unplug(self) -> None:
        """Pull the cable. What the table has not read yet is lost on the way."""
        self._cable.unplug()
        if self._end is not None:
            self._end.closed()
        self._rearm()

    def unplug_after(self, octets: int) -> None:
        """Pull the cable when that many more bytes have gone out, in the middle of a frame."""
        self._cable.unplug_after(octets)

    def replug(self, name: Path | None = None) -> None:
        """Plug the cable in again: another terminal, under the same name or under another, as adapters do.

        Raises:
            CableState: it is plugged in already.
        """
        if name is not None:
            if self.plugged:
                raise CableState(
                    f"{self._settings.port} is plugged in: it keeps its name until it is unplugged"
                )
            port = PtyPort(name, self._received)
            self._cable = port if self._settings.faults is None else FaultyCable(port, self._settings.faults)
        self._cable.plug()
        self.end.opened(self._now())
        self._move()

    def _happen(self, event: DeviceEvent, what: dict[str, str | bool]) -> int:
        now = self._now()
        number = self.end.emit(event, now)
        at_ms = self.end.at_ms(now)
        self._write({"boot": self.end.boot, "number": number, "at_ms": at_ms, **what})
        self._move()
        return number

    def _new_boot(self) -> int:
        boot = self._boots.randint(1, _MAX_BOOT)
        self._write({"boot": boot, "powered": "on"})
        return boot

    def _write(self, line: dict[str, int | str | bool]) -> None:
        if self._log >= 0:
            os.write(self._log, json.dumps(line).encode() + b"\n")

    def _received(self, octets: bytes) -> None:
        for command in self.end.receive(octets, self._now()):
            self.commands.append(command)
            self.end.reply(command, self.obey(command))
        self._move()

    def _move(self) -> None:
        """Send what is to be sent, and be called again when something is due."""
        self._cable.write(self.end.data_to_send())
        if not self._cable.plugged:
            self.end.closed()
        self._rearm()

    def _rearm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._end is not None and (deadline := self._end.deadline) is not None:
            self._timer = asyncio.get_running_loop().call_at(deadline, self._due)

    def _due(self) -> None:
        self.end.tick(self._now())
        self._move()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
