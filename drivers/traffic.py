"""What goes over one cable: counted, remembered, and handed to whoever taps it."""

from collections.abc import Sequence

from drivers.counters import CommitTimes, LinkCounters
from drivers.kernel_counts import LineErrors
from drivers.tap import LastFrames, Tap
from firmware_protocols import Cable, Entry, LinkCounts, Way


class Traffic:
    """The traffic of one pump.

    Args:
        since: now, monotonic seconds.
        taps: who gets everything.
    """

    def __init__(self, since: float, taps: Sequence[Tap]) -> None:
        self._last = LastFrames(since)
        self._taps: tuple[Tap, ...] = (self._last, *taps)
        self._read = self._written = 0
        self._opened = self._not_opened = self._looks = 0
        self.unanswered = 0
        """Commands that got no answer."""
        self.times = CommitTimes()

    @property
    def life(self) -> object:
        """Reads differently whenever something was done."""
        return self._looks, self._read, self._opened, self._not_opened

    @property
    def last_entries(self) -> tuple[Entry, ...]:
        """The last frames, if the device said any of them."""
        return self._last.entries() if self._last.spoke else ()

    def looked(self) -> None:
        """The port was looked at."""
        self._looks += 1

    def opened(self, now: float) -> None:
        """The port is open."""
        self._opened += 1
        for tap in self._taps:
            tap.moved(Cable.OPENED, now)

    def not_opened(self) -> None:
        """An attempt failed."""
        self._not_opened += 1

    def closed(self, now: float) -> None:
        """The port is closed."""
        for tap in self._taps:
            tap.moved(Cable.CLOSED, now)

    def came(self, octets: bytes, now: float) -> None:
        """One read brought this."""
        self._looks += 1
        if octets:
            self._read += len(octets)
            for tap in self._taps:
                tap.carried(Way.FROM_DEVICE, octets, now)

    def went(self, octets: bytes, taken: int, now: float) -> None:
        """This was handed to the port, which took so many bytes of it and of what had waited."""
        self._written += taken
        if octets:
            for tap in self._taps:
                tap.carried(Way.TO_DEVICE, octets, now)

    def counters(self, link: LinkCounts, line: LineErrors | None, *, ups: int) -> LinkCounters:
        """A snapshot, of a link that came up so often."""
        p50, p99, longest = self.times.percentiles_us()
        return LinkCounters(
            frames=link.frames,
            noise_bytes=link.noise_bytes,
            rejects=link.rejects,
            repeats=link.repeats,
            early=link.early,
            gaps=link.gaps,
            strangers=link.strangers,
            oddities=link.oddities,
            bytes_since_frame=link.octets_since_frame,
            bytes_read=self._read,
            bytes_written=self._written,
            opened=self._opened,
            not_opened=self._not_opened,
            reconnects=max(ups - 1, 0),
            looks=self._looks,
            unanswered=self.unanswered,
            commit_us_p50=p50,
            commit_us_p99=p99,
            commit_us_max=longest,
            framing_errors=None if line is None else line.frame,
            parity_errors=None if line is None else line.parity,
            overruns=None if line is None else line.overrun,
            breaks=None if line is None else line.breaks,
        )
