"""The table's screen: what the retained ``state`` topic says, as far as a dealer looks at it."""

import json
from dataclasses import dataclass
from typing import Any

from sim_devices.errors import TableUnwell


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One state of the table, read."""

    as_of: int
    """The last event it is true for."""
    journal: str
    phase: str
    held: bool
    shoe: int | None
    """The number of the shoe in play; None: there is none."""
    expected_draw: int | None
    """The number of the card that is due; None: none is."""
    said: dict[str, Any]
    """Everything, as JSON has it."""

    @property
    def devices_online(self) -> int:
        """Devices whose link is up."""
        return sum(bool(device["online"]) for device in self.said["devices"])

    @classmethod
    def read(cls, payload: bytes) -> "Screen":
        """Read a payload of the topic.

        Raises:
            TableUnwell: it is not what the contract says.
        """
        try:
            said = json.loads(payload)
            expected, shoe = said["expected"], said["shoe"]
            return cls(
                as_of=int(said["as_of"]),
                journal=str(said["journal"]),
                phase=str(said["phase"]),
                held=bool(said["held"]),
                shoe=None if shoe is None else int(shoe["number"]),
                expected_draw=None if expected is None else int(expected["draw"]),
                said=said,
            )
        except (ValueError, KeyError, TypeError) as error:
            raise TableUnwell(f"The state of the table cannot be read: {error!r}") from error
