"""What a simulated device cannot do.

::

    SimulationError
    ├── ShoeRunDry     a draw from a shoe with nothing left in it
    ├── BadSequence    a text that is no sequence of cards
    └── CableState     plugging what is plugged, or using what is not
"""


class SimulationError(Exception):
    """Any error of this package."""


class ShoeRunDry(SimulationError):
    """A draw from a shoe with nothing left in it."""

    def __init__(self) -> None:
        super().__init__("Nothing is left in the simulated shoe: load new contents")


class BadSequence(SimulationError):
    """A text that is no sequence of cards, or a cut card beyond the last one."""


class CableState(SimulationError):
    """Plugging what is plugged, or using what is not."""
