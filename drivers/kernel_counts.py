"""What the kernel counts on a serial line: bytes that came damaged, and bytes that came too fast.

Framing and parity errors are invisible to whoever reads: the byte is replaced or dropped. They are the
plainest sign there is of a wrong line speed or a bad cable. Linux hands them out by the ioctl TIOCGICOUNT;
USB adapters' drivers and the computer's own ports have it, pseudo-terminals and device servers do not.
"""

import fcntl
import struct
from dataclasses import dataclass
from typing import Final

TIOCGICOUNT: Final = 0x545D
"""linux/include/uapi/asm-generic/ioctls.h, as on x86 and ARM."""
_COUNTS: Final = struct.Struct("20i")
"""struct serial_icounter_struct: cts dsr rng dcd rx tx frame overrun parity brk buf_overrun, 9 spare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineErrors:
    """Counted by the kernel since the port appeared: from 0 again when an adapter is plugged in anew."""

    frame: int
    """Bytes without a stop bit."""
    parity: int
    overrun: int
    """Bytes that the hardware or the kernel had no room for."""
    breaks: int


def line_errors(fd: int) -> LineErrors | None:
    """The counts of a port; None where it has none."""
    try:
        counted = _COUNTS.unpack(fcntl.ioctl(fd, TIOCGICOUNT, bytes(_COUNTS.size)))
    except OSError:
        return None
    _cts, _dsr, _rng, _dcd, _rx, _tx, frame, overrun, parity, breaks, buffer_overrun, *_ = counted
    return LineErrors(frame=frame, parity=parity, overrun=overrun + buffer_overrun, breaks=breaks)
