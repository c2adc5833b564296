"""The topics of one table (docs/contract.md, section Topics)."""

from dataclasses import dataclass

LONGEST_RESPONSE_TOPIC = 512
"""Characters; more is not a topic anybody subscribes to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """Every topic of one table, and the rule for where an answer may go."""

    prefix: str
    table: str

    def _of(self, name: str) -> str:
        return f"{self.prefix}/{self.table}/{name}"

    @property
    def events(self) -> str:
        """Up: every event, in order."""
        return self._of("events")

    @property
    def state(self) -> str:
        """Up, retained: the snapshot for late joiners."""
        return self._of("state")

    @property
    def status(self) -> str:
        """Up, retained: online, degraded or offline."""
        return self._of("status")

    @property
    def server(self) -> str:
        """Down, retained: the game server's own online or offline."""
        return self._of("server")

    @property
    def commands(self) -> str:
        """Down: from the game server."""
        return self._of("commands")

    @property
    def supervisor(self) -> str:
        """Down: from the pit."""
        return self._of("supervisor")

    @property
    def replies(self) -> str:
        """Up: answers to whoever gave no response topic."""
        return self._of("replies")

    def telemetry(self, device: str) -> str:
        """Up, QoS 0: the counters of a device."""
        return self._of(f"telemetry/{device}")

    def replay(self, request_id: str) -> str:
        """Up: the events asked for again by this request."""
        return self._of(f"replay/{request_id}")

    def answer_to(self, response_topic: str | None) -> str:
        """Where the answer goes: the response topic, or ``replies`` if that would lend our voice.

        The broker lets this daemon write what a client may not write (events, other tables' topics); an
        asker must not borrow that. Below the prefix only this table's ``replies`` and what is under it
        will do; ``$`` topics, wildcards and the like never.
        """
        if not response_topic or len(response_topic) > LONGEST_RESPONSE_TOPIC:
            return self.replies
        if response_topic.startswith("$") or any(sign in response_topic for sign in "+#\0"):
            return self.replies
        below = response_topic == self.prefix or response_topic.startswith(f"{self.prefix}/")
        ours = response_topic == self.replies or response_topic.startswith(f"{self.replies}/")
        return response_topic if ours or not below else self.replies
