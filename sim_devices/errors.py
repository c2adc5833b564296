"""What a simulated device cannot do.

::

    SimulationError
    ├── ShoeRunDry          a draw from a shoe with nothing left in it
    ├── BadSequence         a text that is no sequence of cards
    ├── NotSayable          an event that the simulated device has no word for
    ├── BadCapture          a file that is no capture of a cable
    ├── BadFaults           a text that is no list of faults
    ├── CableState          plugging what is plugged, or using what is not
    ├── BadAddress          a text that is no broker's address
    ├── BrokerUnavailable   no broker can be had
    └── TableUnwell         the table, or what it sent, is not as the contract has it
"""


class SimulationError(Exception):
    """Any error of this package."""


class ShoeRunDry(SimulationError):
    """A draw from a shoe with nothing left in it."""

    def __init__(self) -> None:
        super().__init__("Nothing is left in the simulated shoe: load new contents")


class BadSequence(SimulationError):
    """A text that is no sequence of cards, or a cut card beyond the last one."""


class NotSayable(SimulationError):
    """An event that the simulated device has no word for."""

    def __init__(self, device: str, event: str) -> None:
        super().__init__(f"{device.capitalize()} has no word for {event}")


class BadCapture(SimulationError):
    """A file that is no capture of a cable, or cannot be read."""


class BadFaults(SimulationError):
    """A text that is no list of faults."""

    def __init__(self, word: str, known: list[str]) -> None:
        super().__init__(
            f"{word!r} is no fault: write flip=0.01,drop=0.02 with chances from 0 to 1. "
            f"There are {', '.join(known)}"
        )


class CableState(SimulationError):
    """Plugging what is plugged, or using what is not."""


class BadAddress(SimulationError):
    """A text that is no broker's address."""


class BrokerUnavailable(SimulationError):
    """No broker can be had: not installed, not listening, or its port is taken."""


class TableUnwell(SimulationError):
    """The table does not do its part in time, or what it sent is not as the contract has it."""
