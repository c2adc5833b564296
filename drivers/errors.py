"""What can go wrong between a cable and a report.

::

    DriverError
    ├── LocalDriverError      our fault: fix the configuration
    │   ├── BadOption         an option of the protocol that cannot be
    │   ├── BadUrl            a device address that cannot be read
    │   ├── UnknownDriver     no driver, or no such kind of device for it
    │   └── NotCommandable    the device takes no commands
    └── DeviceLost            theirs: the device cannot be read; the pump tries for ever
        ├── DeviceAbsent      nothing is there
        ├── DeviceBusy        another program has it
        ├── NoPermission      we may not open it
        ├── Silent            it says nothing
        ├── NoAnswer          it is heard, and does not answer
        ├── Garbage           it says nothing that can be read
        └── WrongDevice       something answers, and it is not what belongs here

pyserial fails with three families of exceptions, one of them no OSError, and hides the error number in
``__context__``. :func:`lost` and :func:`not_opened` turn every one of them into ``DeviceLost``.
"""

import errno
import os
import termios
from typing import ClassVar, Final

from drivers.holders import Told, told_holders
from drivers.reports import Absence

PORT_FAILURES: Final = (OSError, termios.error, TypeError, ValueError)
"""Everything pyserial and the terminal layer raise when a port fails (SerialException is an OSError)."""

_ABSENT: Final = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, errno.ENOTDIR, errno.ELOOP})
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})
BUSY_ERRNOS: Final = frozenset({errno.EBUSY, errno.EAGAIN})
"""TIOCEXCL of another program, and its flock."""


LATER: Final = "; it is "
"""Begins what a hint says to whoever tries for ever: the pump goes on by itself."""


class DriverError(Exception):
    """Any error of this package.

    Attributes:
        url: the device's address as configured.
        sentence: what is wrong, for an operator.
        hint: what to do about it.
    """

    def __init__(self, *, url: str, sentence: str, hint: str) -> None:
        super().__init__(f"{sentence}. {hint}.")
        self.url = url
        self.sentence = sentence
        self.hint = hint


class LocalDriverError(DriverError):
    """The configuration is wrong; waiting will not help."""


class BadUrl(LocalDriverError):
    """A device address that cannot be read."""


class UnknownDriver(LocalDriverError):
    """No driver of that name, or it does not serve that kind of device."""


class BadOption(LocalDriverError):
    """An option of the protocol that is unknown, missing, or has a value that may not be.

    Attributes:
        key: the option.
    """

    def __init__(self, *, url: str, key: str, sentence: str, hint: str) -> None:
        super().__init__(url=url, sentence=sentence, hint=hint)
        self.key = key


class NotCommandable(LocalDriverError):
    """The device's protocol has no commands."""


class DeviceLost(DriverError):
    """The device cannot be read, whatever layer noticed it."""

    absence: ClassVar[Absence] = Absence.LOST


class DeviceAbsent(DeviceLost):
    """Nothing is at that address."""

    absence = Absence.ABSENT


class DeviceBusy(DeviceLost):
    """Another program has the port."""

    absence = Absence.BUSY


class NoPermission(DeviceLost):
    """The port is there and we may not open it."""

    absence = Absence.NO_PERMISSION


class Silent(DeviceLost):
    """It is open, and nothing comes."""

    absence = Absence.SILENT


class NoAnswer(DeviceLost):
    """It is heard, and does not answer."""

    absence = Absence.NO_ANSWER


class Garbage(DeviceLost):
    """Bytes come, and nothing readable among them."""

    absence = Absence.GARBAGE


class WrongDevice(DeviceLost):
    """Something answers, and it is not what belongs here."""

    absence = Absence.WRONG_DEVICE


def for_once(told: str) -> str:
    """A hint, or an error's whole text, for whoever has tried once and tries no more.

    Args:
        told: with or without the full stop at its end.

    Returns:
        without that stop.
    """
    said, later, _ = told.removesuffix(".").partition(LATER)
    return f"{said}, and begin again" if later else said


def unread(error: OSError, *, denied: str) -> str:
    """What to do about a file that cannot be read, as a hint without the full stop.

    Args:
        error: what was raised.
        denied: what to do where this user may not.
    """
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return "Check its name: there is no such file"
        case IsADirectoryError():
            return "Name a file: this is a directory"
        case PermissionError():
            return denied
        case _:
            return "Check the disk it is on"


def errno_of(error: BaseException | None) -> int | None:
    """The error number behind an exception, wherever pyserial hid it, or None."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if isinstance(error, termios.error) and error.args and isinstance(error.args[0], int):
            return error.args[0]
        error = error.__cause__ or error.__context__
    return None


def lost(url: str, doing: str, error: BaseException | None) -> DeviceLost:
    """A port that worked and now fails.

    Args:
        url: the device's address.
        doing: what was tried, as in ``reading from``.
        error: what was raised; None when it was ready to read and gave nothing.
    """
    number = errno_of(error)
    seen = "it reports an end of file" if error is None else _seen(error, number)
    return DeviceLost(
        url=url,
        sentence=f"The connection broke while {doing} {url}: {seen}",
        hint=f"Check the cable, the plug and the device's power{LATER}reopened as soon as it is back",
    )


def not_opened(url: str, place: str, error: BaseException) -> DeviceLost:
    """A port that could not be opened.

    Args:
        url: the device's address.
        place: the port's name, for an operator.
        error: what was raised.
    """
    number = errno_of(error)
    if number in _ABSENT:
        return DeviceAbsent(
            url=url,
            sentence=f"There is no device at {place}",
            hint=f"Plug it in and switch it on{LATER}opened as soon as it appears",
        )
    if number in _DENIED:
        return NoPermission(
            url=url,
            sentence=f"{place} is there, but this program may not open it",
            hint="Install the udev rule that gives the port to the service's group",
        )
    if number in BUSY_ERRNOS:
        return in_use(url, place, told_holders(()))
    return DeviceLost(
        url=url,
        sentence=f"{place} cannot be opened: {_seen(error, number)}",
        hint="Check that it is a serial port and that the device is switched on",
    )


def in_use(url: str, place: str, holders: Told) -> DeviceBusy:
    """A port that somebody else has.

    Args:
        url: the device's address.
        place: the port's name, for an operator.
        holders: who has it.
    """
    return DeviceBusy(
        url=url, sentence=f"{place} is in use by {holders.names or 'another program'}", hint=holders.remedy
    )


def no_server(url: str, place: str, error: BaseException) -> DeviceLost:
    """A device server that could not be reached.

    Args:
        url: the device's address.
        place: its host and port.
        error: what was raised.
    """
    why = _seen(error, errno_of(error))
    return DeviceAbsent(
        url=url,
        sentence=f"The device server at {place} cannot be reached: {why}",
        hint=f"Check its power, its network cable and its address{LATER}connected as soon as it answers",
    )


def _seen(error: BaseException, number: int | None) -> str:
    return os.strerror(number) if number is not None and number > 0 else str(error) or type(error).__name__
