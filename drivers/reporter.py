"""From a link's news to a device's reports, with what has to be remembered between them.

Laws: an absence is reported once per change of its reason, not per attempt. What must end the connection is
kept as :attr:`Reporter.doom`, for whoever may raise it; after it nothing of that connection is reported.
"""

from collections.abc import Callable
from typing import Final, assert_never

from drivers.commands import Commands
from drivers.device_settings import DeviceSettings
from drivers.errors import DeviceLost
from drivers.reports import (
    Absence,
    DeviceConnected,
    DeviceDisconnected,
    EventsMissed,
    Position,
    Report,
)
from drivers.translate import begun, connected, happened, missed, unreadable_gap
from drivers.verdicts import lost_for_long, no_answer, silent, wrong
from firmware_protocols import (
    Event,
    Garbled,
    Heartbeat,
    HostNews,
    Missed,
    Noise,
    Opened,
    Refused,
    Reject,
    Reply,
    Resumed,
    Said,
    Unanswered,
    UnknownMessage,
    WasLost,
    WentSilent,
)

GAP_SHOWN_S: Final = 600.0
"""How long a device is shown with the reason ``gap`` after one."""
GAP: Final = "Something the device said is missing: a gap."


class Reporter:
    """Reports of one device.

    Args:
        settings: the device.
        place: what an operator calls where it is.
        commands: under way.
        monotonic: seconds, never backwards.
        faulty: told, in a sentence, that something went wrong.
        restart_matters: True: a device that was switched off and on may have said something meanwhile.
    """

    def __init__(  # noqa: PLR0913 - what one reporter must know, by keyword
        self,
        settings: DeviceSettings,
        *,
        place: str,
        commands: Commands,
        monotonic: Callable[[], float],
        faulty: Callable[[str], None],
        restart_matters: Callable[[], bool] = lambda: True,
    ) -> None:
        self._settings = settings
        self._place = place
        self._commands = commands
        self._monotonic = monotonic
        self._faulty = faulty
        self._restart_matters = restart_matters
        self._gap_at: float | None = None
        self._boot = 0
        self.absence: Absence | None = None
        """As last reported; None: it is there, or nothing was reported yet."""
        self.doom: DeviceLost | None = None
        """Why the connection must end."""
        self.heartbeat: Heartbeat | None = None
        """The last one."""
        self.ups = 0
        """Times the link came up."""

    @property
    def trouble(self) -> str | None:
        """A word for what is wrong: an ``Absence``, or ``gap`` for ten minutes after one; None: nothing."""
        if self.absence is not None:
            return self.absence.value
        recent = self._gap_at is not None and self._monotonic() < self._gap_at + GAP_SHOWN_S
        return "gap" if recent else None

    def lost(self, lost: DeviceLost) -> tuple[Report, ...]:
        """The connection broke, or could not be made."""
        if lost.absence is self.absence:
            return ()
        self.absence = lost.absence
        self._faulty(str(lost))
        return (DeviceDisconnected(device=self._settings.id, absence=lost.absence, detail=str(lost)),)

    def take(self, item: HostNews, *, port_serial: str | None) -> tuple[Report, ...]:
        """What a piece of news means.

        Args:
            item: the news.
            port_serial: the serial number of what is plugged in, where the port knows it.
        """
        device = self._settings.id
        match item:
            case Event():
                position = Position(boot=self._boot, number=item.number)
                return (happened(device, position, item.at_ms, item.what),)
            case Said():
                return () if self.doom is not None else (happened(device, None, item.at_ms, item.what),)
            case Resumed():
                self._boot = item.mark.boot
                return self._up(connected(device, item))
            case Opened():
                return self._begin(item, port_serial)
            case Missed():
                self._boot = item.mark.boot
                return self._gap(missed(device, item), restarted=item.last is None)
            case Garbled():
                return self._gap(unreadable_gap(device), restarted=item.octets == 0)
            case Reply():
                return self._commands.answered(item)
            case WentSilent():
                return self._silent(item)
            case Unanswered():
                return self.lost(no_answer(self._settings.url, self._place))
            case WasLost():
                self.doom = lost_for_long(self._settings.url, self._place, item.octets)
            case Refused():
                self.doom = wrong(self._settings.url, self._place, item)
            case Heartbeat():
                self.heartbeat = item
            case UnknownMessage() | Noise() | Reject():
                pass  # counted by the link
            case _:
                assert_never(item)
        return ()

    def _begin(self, opened: Opened, port_serial: str | None) -> tuple[Report, ...]:
        """A device without numbers. Where the port knows its serial number, that must be the right one."""
        found = opened.serial or port_serial
        if self._settings.serial not in {None, found}:
            refused = Refused(
                wanted=f"serial number {self._settings.serial}", found=f"serial number {found or '(none)'}"
            )
            self.doom = wrong(self._settings.url, self._place, refused)
            return ()
        return self._up(begun(self._settings.id, opened, serial=port_serial))

    def _up(self, report: DeviceConnected) -> tuple[Report, ...]:
        self.ups += 1
        self.absence = None
        return (report,)

    def _gap(self, report: EventsMissed, *, restarted: bool) -> tuple[Report, ...]:
        if self.doom is not None:
            return ()
        if not restarted or self._restart_matters():
            self._gap_at = self._monotonic()
            self._faulty(GAP)
        return (report,)

    def _silent(self, item: WentSilent) -> tuple[Report, ...]:
        if self.absence is Absence.LOST and not item.octets:
            return ()  # it was silent, was reopened, and is as silent as before
        return self.lost(silent(self._settings.url, self._place, item.octets))
