"""How a serial line is set: what the driver's row says, and what the device's URL says otherwise."""

from dataclasses import dataclass, fields
from typing import Final

MAX_BAUD: Final = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSettings:
    """How a serial line is set. No flow control throughout: none of these devices has any."""

    baud: int
    bits: int = 8
    """5..8 data bits."""
    parity: str = "N"
    """N none, E even, O odd, M mark, S space."""
    stop: float = 1
    """1, 1.5 or 2 stop bits."""
    dtr: bool = True
    """Set before the port opens. Many USB CDC devices send nothing while DTR is low."""
    rts: bool = True
    """Set before the port opens."""
    low_latency: bool = True
    """Ask the kernel to hand on each byte at once, where the port has such a mode (ASYNC_LOW_LATENCY)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChanges:
    """What a URL sets otherwise; None: as the driver has it."""

    baud: int | None = None
    bits: int | None = None
    parity: str | None = None
    stop: float | None = None
    dtr: bool | None = None
    rts: bool | None = None
    low_latency: bool | None = None

    def over(self, settings: LineSettings) -> LineSettings:
        """These settings, with the changes made."""
        merged = {
            each.name: getattr(settings if getattr(self, each.name) is None else self, each.name)
            for each in fields(self)
        }
        return LineSettings(**merged)
