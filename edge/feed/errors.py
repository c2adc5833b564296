"""What can go wrong for a consumer of events.

::

    FeedError
    +-- FeedCorrupt          what came cannot be true; nothing of it was delivered
    |   +-- NotAnEvent       bytes on the events topic that are no event of this contract
    |   +-- RepeatDiffers    one sequence, two contents
    |   +-- ChainBroken      prevhash is not the digest of the event before
    |   +-- SealBroken       a card turned is not the card that was sealed; the event is in ``event``
    +-- JournalChanged       another journal: the table's memory was replaced; to be accepted by name
    +-- EventsPruned         events asked for are no longer kept by the table
    +-- FeedRefused          the broker does not let us in, or the table does not understand us
"""

from edge.errors import EdgeError
from edge.feed.vocabulary import FeedEvent


class FeedError(EdgeError):
    """The feed cannot go on by itself."""


class FeedCorrupt(FeedError):
    """What came cannot be true."""


class NotAnEvent(FeedCorrupt):
    """Bytes on the events topic that are no event of this contract."""


class RepeatDiffers(FeedCorrupt):
    """A repeat must be byte-identical, and was not."""


class ChainBroken(FeedCorrupt):
    """An event does not follow from the one before."""


class SealBroken(FeedCorrupt):
    """A card was turned that is not the card that was sealed."""

    def __init__(self, event: FeedEvent) -> None:
        super().__init__(
            f"The card turned in event {event.sequence} is not the card that was sealed.",
            hint="Settle nothing on it: call the floor, and keep this event for the auditors.",
        )
        self.event = event


class JournalChanged(FeedError):
    """Events of another journal come in: the table's memory was replaced.

    Call ``accept_journal(error.new)`` to follow it from its first event; until then nothing is delivered.
    """

    def __init__(self, *, old: str, new: str) -> None:
        super().__init__(
            f"The table's journal is {new}; this feed follows {old}.",
            hint="If the table was set up anew, accept the new journal; if not, ask the technician.",
        )
        self.old = old
        self.new = new


class EventsPruned(FeedError):
    """Events asked for are no longer kept by the table."""


class FeedRefused(FeedError):
    """The broker does not let this client in, or the table refuses what it asks."""
