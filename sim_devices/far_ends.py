"""What simulated devices speak that are not sound table_link devices.

A device that numbers nothing forgets what happens while its cable is out, and cannot say everything: what it
has no word for is refused, as the device itself could not say it.
"""

from collections.abc import Callable
from typing import Final

from firmware_protocols import (
    AngelEyeEnd,
    AngelEyeOptions,
    CardOverdrawn,
    CardPushedBack,
    CardScan,
    Command,
    CutCardScan,
    DeviceEvent,
    FaultCleared,
    FaultRaised,
    ForeignHello,
    KeyStroke,
    ReplyResult,
    UnknownEvent,
    UnreadScan,
    encode,
    encode_draw,
)
from sim_devices.errors import NotSayable

_IN_ERROR_MODE: Final = 0xC0
_BUTTON, _OVERDRAWN, _REVERSED = 3, 2, 4
_CODES: Final = 0x40


class UnnumberedEnd:
    """What devices have in common that say a thing to whoever listens."""

    def __init__(self, *, boot: int, now: float) -> None:
        self._boot = boot
        self._booted_at = now
        self._newest = 0
        self._connected = False

    @property
    def boot(self) -> int:
        """This power-on, for the bench's own log: the wire does not tell it."""
        return self._boot

    @property
    def newest(self) -> int:
        """Events since the power-on."""
        return self._newest

    @property
    def oldest(self) -> int:
        """Nothing is kept."""
        return self._newest + 1

    @property
    def resumed(self) -> bool:
        """The cable is in; more the device cannot know."""
        return self._connected

    def at_ms(self, now: float) -> int:
        """Milliseconds since the power-on."""
        return round((now - self._booted_at) * 1000)

    def reply(self, command: Command, result: ReplyResult) -> None:
        """There are no commands, so there is nothing to answer."""


class AngelEyeShoe(UnnumberedEnd):
    """A shoe that speaks as an Angel Eye does.

    Args:
        boot: of the bench's log.
        now: when it was switched on.
        options: how it is set.
        gap_s: seconds between the copies of a message.
    """

    def __init__(self, *, boot: int, now: float, options: AngelEyeOptions, gap_s: float) -> None:
        super().__init__(boot=boot, now=now)
        self._mode = options.mode
        self._end = AngelEyeEnd(
            copies=options.copies,
            gap_s=gap_s,
            bcc=options.bcc_from_shoe,
            bcc_of_orders=options.bcc_to_shoe,
        )

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""
        return self._end.deadline

    def opened(self, now: float) -> None:
        """A cable was plugged in."""
        self._connected = True
        self._end.opened(now)

    def closed(self) -> None:
        """The cable is out."""
        self._connected = False
        self._end.closed()

    def power_cycled(self, *, boot: int, now: float) -> None:
        """Off and on again."""
        self._boot, self._booted_at, self._newest = boot, now, 0
        self._end.power_cycled(now)

    def emit(self, what: DeviceEvent, now: float) -> int:
        """Something happened. Returns how many things did since the power-on.

        Raises:
            NotSayable: this shoe has no word for it.
        """
        self._end.emit(self._said(what), now)
        self._newest += 1
        return self._newest

    def receive(self, octets: bytes, now: float) -> tuple[Command, ...]:
        """Take bytes from the host: acknowledgements."""
        self._end.receive(octets, now)
        return ()

    def tick(self, now: float) -> None:
        """Say the next copy."""
        self._end.tick(now)

    def data_to_send(self) -> bytes:
        """Bytes for the host."""
        return self._end.data_to_send()

    def _said(self, what: DeviceEvent) -> bytes:
        match what:
            case CardScan() | UnreadScan():
                card = what.card.turned() if isinstance(what, CardScan) and what.card is not None else None
                draw = encode_draw(card, mode=self._mode, index=self._newest % 3)
                return b"R" + draw[1:] if isinstance(what, CardScan) and what.reread else draw
            case CutCardScan():
                return b"C"
            case CardOverdrawn():
                return bytes((ord("E"), _IN_ERROR_MODE | _OVERDRAWN))
            case CardPushedBack():
                return bytes((ord("E"), _IN_ERROR_MODE | _REVERSED))
            case KeyStroke():
                return bytes((ord("E"), _IN_ERROR_MODE | _BUTTON))
            case FaultRaised(code=code) if code < _CODES:
                return bytes((ord("E"), _IN_ERROR_MODE | code))
            case FaultCleared(code=code) if code < _CODES:
                return bytes((ord("e"), _IN_ERROR_MODE | code))
            case UnknownEvent():
                return bytes((what.code,)) + what.body
            case _:
                raise NotSayable("an Angel Eye", type(what).__name__)


class Scanner(UnnumberedEnd):
    """A scanner beside the shoe: says the code of each card that passes, and misses what it cannot read.

    Args:
        boot: of the bench's log. now: when it was switched on. code_of: what is printed on the card, given
        that it is the how-manieth that passes; None for the cut card. encode: how a code goes on the wire.
    """

    def __init__(
        self,
        *,
        boot: int,
        now: float,
        code_of: Callable[[CardScan | None, int], str],
        encode: Callable[[str], bytes],
    ) -> None:
        super().__init__(boot=boot, now=now)
        self._code_of = code_of
        self._encode = encode
        self._out = bytearray()

    @property
    def deadline(self) -> float | None:
        """A scanner waits for nothing."""
        return None

    def opened(self, now: float) -> None:
        """A cable was plugged in. The scanner does not notice."""
        del now
        self.closed()
        self._connected = True

    def closed(self) -> None:
        """The cable is out."""
        self._connected = False
        self._out.clear()

    def power_cycled(self, *, boot: int, now: float) -> None:
        """Off and on again. It says nothing of it."""
        self._boot, self._booted_at, self._newest = boot, now, 0
        self._out.clear()

    def emit(self, what: DeviceEvent, now: float) -> int:
        """Something passed. Returns how many things did since the power-on.

        Raises:
            NotSayable: a scanner reads codes, and this is none.
        """
        del now
        match what:
            case CardScan(card=card) if card is not None:
                self.say(self._code_of(what, self._newest))
            case CardScan() | UnreadScan():
                pass  # the code was not read, so nothing is said
            case CutCardScan():
                self.say(self._code_of(None, self._newest))
            case _:
                raise NotSayable("a scanner", type(what).__name__)
        self._newest += 1
        return self._newest

    def say(self, code: str) -> None:
        """Read this code, whatever it is.

        Raises:
            NotEncodable: no scanner can say it.
        """
        octets = self._encode(code)
        if self._connected:
            self._out += octets

    def receive(self, octets: bytes, now: float) -> tuple[Command, ...]:
        """A scanner does not listen."""
        del octets, now
        return ()

    def tick(self, now: float) -> None:
        """Nothing is ever due."""

    def data_to_send(self) -> bytes:
        """Bytes for the host."""
        octets = bytes(self._out)
        self._out.clear()
        return octets


class ForeignFirmware(UnnumberedEnd):
    """A device whose firmware speaks a later table_link: a HELLO of another version, and nothing else.

    Args:
        boot: of the bench's log.
        now: when it was switched on.
        version: what it speaks.
    """

    def __init__(self, *, boot: int, now: float, version: int = 2) -> None:
        super().__init__(boot=boot, now=now)
        self._hello = encode(ForeignHello(version=version))
        self._out = bytearray()

    @property
    def deadline(self) -> float | None:
        """It waits for nothing."""
        return None

    def opened(self, now: float) -> None:
        """A cable was plugged in."""
        del now
        self._connected = True
        self._out += self._hello

    def closed(self) -> None:
        """The cable is out."""
        self._connected = False
        self._out.clear()

    def power_cycled(self, *, boot: int, now: float) -> None:
        """Off and on again."""
        self._boot, self._booted_at = boot, now
        self._out += self._hello

    def emit(self, what: DeviceEvent, now: float) -> int:
        """It happens, and nobody here would understand what is said of it."""
        del what, now
        self._newest += 1
        return self._newest

    def receive(self, octets: bytes, now: float) -> tuple[Command, ...]:
        """Whatever is asked is answered the same."""
        del now
        if octets and self._connected:
            self._out += self._hello
        return ()

    def tick(self, now: float) -> None:
        """Nothing is ever due."""

    def data_to_send(self) -> bytes:
        """Bytes for the host."""
        octets = bytes(self._out)
        self._out.clear()
        return octets
