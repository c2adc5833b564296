"""When something happened, by the journal: the time that its event was published with."""

import json
from collections.abc import Iterator
from typing import Protocol

from edge.errors import JournalError


class Events(Protocol):
    """The journal's face."""

    def events_between(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """The committed events from ``first`` to ``last``, as published.

        Raises:
            JournalError: they are not there, or the disk refused.
        """


def happened(journal: Events, sequence: int) -> str | None:
    """The time of the event of this sequence, RFC 3339 in UTC; None: the journal cannot say."""
    try:
        events = list(journal.events_between(sequence, sequence))
    except JournalError:
        return None
    return str(json.loads(events[0][1])["time"]) if events else None
