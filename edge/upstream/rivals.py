"""Rivals: other daemons that speak for this table, or with this client id, known by what they say.

Two clients of one id steal the session from each other, and a broker need not say so: Mosquitto 2.0.11 hangs
up without a word, as a network does. But each of them says ``status`` when it is connected, and the session
brings it to the other:

* on this table's own topic, of another journal, or of ours with a connection that we did not count yet;
* on the topic of another table, where the session still listens for the one who used it meanwhile.

What was there before this daemon first spoke may be of its own earlier life, and proves nothing; nor does its
repetition, by a broker that forgot what came after it.
"""

from typing import Final

from edge.upstream.payloads import speaker
from edge.upstream.topics import Topics

_STATUS: Final = "/status"


class Rivals:
    """Listens for another voice."""

    def __init__(self, *, topics: Topics, journal: str, client_id: str) -> None:
        self._topics = topics
        self._journal = journal
        self._client_id = client_id
        self._earlier: dict[str, int] = {}
        """By journal, the last connection that was heard of before we spoke."""
        self._spoke = False

    @property
    def by_cuts(self) -> str:
        """What is to be said where only the connections that end show it."""
        return self._of_the_id(f"Another client with the id {self._client_id} seems to take over the session")

    @property
    def by_the_broker(self) -> str:
        """What is to be said where the broker says it."""
        return self._of_the_id(f"Another client with the id {self._client_id} took over the session")

    def we_spoke(self) -> None:
        """The broker has our own status: whatever else it has from now on is somebody else's."""
        self._spoke = True

    def heard(self, topic: str, payload: bytes, *, epoch: int, connections: int) -> str | None:
        """What is to be said of the rival who said this, with the remedy; None: no rival did.

        Args:
            topic: where it was said.
            payload: what was said.
            epoch: of our present connection.
            connections: of this life, the present one included.
        """
        if topic == self._topics.status:
            return self._on_our_topic(payload, epoch)
        if connections > 1 and topic.endswith(_STATUS) and speaker(payload) is not None:
            whose = topic.removesuffix(_STATUS)
            return self._of_the_id(f"The daemon of {whose} has the client id {self._client_id} too")
        return None

    def _on_our_topic(self, payload: bytes, epoch: int) -> str | None:
        said = speaker(payload)
        if said is None or (said.journal == self._journal and said.epoch <= epoch):
            return None
        if not self._spoke:
            self._earlier[said.journal] = max(said.epoch, self._earlier.get(said.journal, 0))
            return None
        if said.epoch <= self._earlier.get(said.journal, -1):
            return None
        table = self._topics.status.removesuffix(_STATUS)
        which = "a copy of this journal" if said.journal == self._journal else f"the journal {said.journal}"
        return (
            f"Another daemon speaks for {table}, from {which}, and the two may take the session from each "
            "other. One daemon to a table: stop that one, or give it its own table and mqtt.client_id."
        )

    @staticmethod
    def _of_the_id(seen: str) -> str:
        return (
            f"{seen}: two daemons serve this table, or another program uses its client_id. Stop the other "
            "one, or give each its own mqtt.client_id."
        )
