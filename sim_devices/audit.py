"""What a careful consumer checks in the events it took: one after the other, chained, sealed.

Written from the contract alone, against the bytes, so that it may disagree with the program that made
them. It keeps nothing but what it must know to judge the next event.
"""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Final

from sim_devices.errors import TableUnwell

FIRST_PREVHASH: Final = "0" * 64
_PREFIX: Final = "table-edge."
_SUFFIX: Final = ".v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One event, as it was taken."""

    raw: bytes
    """As published."""
    journal: str
    sequence: int
    prevhash: str
    type: str
    """Without prefix and version: ``card.dealt``."""
    content: dict[str, Any]
    """Its ``data``."""

    @classmethod
    def read(cls, raw: bytes) -> "Taken":
        """Read an envelope.

        Raises:
            TableUnwell: it is not what the contract says.
        """
        try:
            said = json.loads(raw)
            return cls(
                raw=raw,
                journal=str(said["journal"]),
                sequence=int(said["sequence"]),
                prevhash=str(said["prevhash"]),
                type=str(said["type"]).removeprefix(_PREFIX).removesuffix(_SUFFIX),
                content=dict(said["data"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise TableUnwell(f"An event cannot be read: {error!r}") from error


@dataclass(slots=True)
class Auditor:
    """Checks events in the order in which they were taken, from a journal's first on."""

    journal: str | None = None
    sequence: int = 0
    """Of the last event."""
    digest: str = FIRST_PREVHASH
    """Of the last event's bytes."""
    seals_opened: int = 0
    faults: list[str] = field(default_factory=list)
    """What was wrong, one sentence each."""
    _seals: dict[tuple[int, int], str] = field(default_factory=dict)

    def take(self, event: Taken) -> None:
        """Check the next event."""
        if event.journal != self.journal:
            self.journal, self.sequence, self.digest = event.journal, 0, FIRST_PREVHASH
            self._seals.clear()
        if event.sequence != self.sequence + 1:
            self._fault(event, f"follows {self.sequence}")
        elif event.prevhash != self.digest:
            self._fault(event, "does not carry the digest of the event before it")
        self.sequence = event.sequence
        self.digest = hashlib.sha256(event.raw).hexdigest()
        self._check_seal(event)

    @property
    def seals_closed(self) -> int:
        """Cards that went face down and have not been turned."""
        return len(self._seals)

    def _check_seal(self, event: Taken) -> None:
        said = event.content
        if "seal" in said and "draw" in said:
            # a card that was set aside may come to lie face down: its seal stays the same
            before = self._seals.setdefault((said["shoe"], said["draw"]), said["seal"])
            if before != said["seal"]:
                self._fault(event, f"gives draw {said['draw']} another seal than before")
        if event.type != "card.revealed" and not (event.type == "card.dealt" and "nonce" in said):
            return
        sealed = self._seals.pop((said["shoe"], said["draw"]), None)
        if sealed is None and "entered_by" in said:
            return  # no device could read it, so nothing was sealed
        opened = hashlib.sha256(f"{said['nonce']}:{said['card']}".encode()).hexdigest()
        if sealed is None:
            self._fault(event, f"turns draw {said['draw']}, which was never sealed")
        elif sealed != opened:
            self._fault(event, f"turns draw {said['draw']} to a card that its seal does not hold")
        else:
            self.seals_opened += 1

    def _fault(self, event: Taken, what: str) -> None:
        self.faults.append(f"Event {event.sequence} ({event.type}) {what}")
