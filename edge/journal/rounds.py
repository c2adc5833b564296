"""The index of rounds, kept while events are written: the first and the last event of each."""

import sqlite3

from edge.events import Event, RoundClosed, RoundOpened, RoundVoided


class RoundIndex:
    """Writes to ``rounds`` in whatever transaction is open.

    A round in progress reaches to the journal's last event, so nothing is written until it is over; then it
    reaches to the last event of its own.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._open: tuple[int | None, int | None] | None = None
        """The round that is known to be in progress."""

    def forget(self) -> None:
        """What was written is rolled back."""
        self._open = None

    def add(self, sequence: int, event: Event) -> None:
        """An event has been written.

        Raises:
            sqlite3.Error: the disk refused, or the file cannot be trusted.
        """
        if event.round is None:
            return
        if isinstance(event, RoundOpened):
            self._connection.execute(
                "INSERT OR IGNORE INTO rounds VALUES (?, ?, ?, ?, NULL)",
                (event.shoe, event.round, event.round_id, sequence),
            )
            self._open = event.shoe, event.round
            return
        over = isinstance(event, RoundClosed | RoundVoided)
        if not over and self._open == (event.shoe, event.round):
            return
        self._open = None
        self._connection.execute(
            "UPDATE rounds SET last = ? WHERE shoe = ? AND round = ? AND (? OR last IS NOT NULL)",
            (sequence, event.shoe, event.round, over),
        )
