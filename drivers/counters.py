"""What a pump counts, for telemetry and for whoever looks for a bad cable."""

from collections import deque
from dataclasses import dataclass, fields
from typing import Final

SAMPLES: Final = 512
"""Batches whose time is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCounters:
    """What a pump counted since it was made."""

    frames: int
    """Readable frames of every type."""
    noise_bytes: int
    rejects: int
    """What looked like a frame and was none."""
    repeats: int
    """Events the device sent again."""
    early: int
    """Events out of order, or before the link was resumed; they come again."""
    gaps: int
    strangers: int
    """Readable frames that no device of this version sends."""
    oddities: int
    """Messages that do not fit what is known of their protocol, and were taken all the same."""
    bytes_since_frame: int
    """Growing: bytes come, but no frame. Wrong line speed, or another protocol."""
    bytes_read: int
    bytes_written: int
    opened: int
    """Times the port was opened."""
    not_opened: int
    """Attempts that failed."""
    reconnects: int
    """Times the link was resumed, after the first."""
    looks: int
    """Times the pump looked at its port. It grows at least every ten seconds, however quiet the device is."""
    unanswered: int
    """Commands that got no answer."""
    commit_us_p50: int
    """Microseconds from a batch's arrival until it was committed: the median of the last 512."""
    commit_us_p99: int
    commit_us_max: int
    """The longest of the last 512."""
    framing_errors: int | None
    """Bytes without a stop bit, by the kernel; these four are None where it counts nothing."""
    parity_errors: int | None
    overruns: int | None
    """Bytes that the hardware or the kernel had no room for."""
    breaks: int | None

    def whole_numbers(self) -> dict[str, int]:
        """As the telemetry has it: what is not counted is left out."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: number for name, number in told.items() if number is not None}


class CommitTimes:
    """How long the last batches took from arrival to commit."""

    def __init__(self) -> None:
        self._took: deque[float] = deque(maxlen=SAMPLES)

    def took(self, seconds: float) -> None:
        """One more."""
        self._took.append(seconds)

    def percentiles_us(self) -> tuple[int, int, int]:
        """Median, 99th percentile and longest, microseconds; zeros before the first."""
        ordered = sorted(self._took)
        if not ordered:
            return 0, 0, 0
        last = len(ordered) - 1
        return (
            round(ordered[last // 2] * 1e6),
            round(ordered[last * 99 // 100] * 1e6),
            round(ordered[last] * 1e6),
        )
