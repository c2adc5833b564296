"""For game servers written in Python: a table's events, each exactly once, in order, verified.

:class:`TableFeed` is the whole of it over MQTT; :class:`FeedReader` is its core without I/O, for servers
that have an MQTT client of their own.
"""

from edge.feed.errors import (
    ChainBroken,
    EventsPruned,
    FeedCorrupt,
    FeedError,
    FeedRefused,
    JournalChanged,
    NotAnEvent,
    RepeatDiffers,
    SealBroken,
)
from edge.feed.reader import FeedReader
from edge.feed.table_feed import TableFeed
from edge.feed.vocabulary import FeedEvent, Gap, Position, SealCheck, Start

__all__ = [
    "ChainBroken",
    "EventsPruned",
    "FeedCorrupt",
    "FeedError",
    "FeedEvent",
    "FeedReader",
    "FeedRefused",
    "Gap",
    "JournalChanged",
    "NotAnEvent",
    "Position",
    "RepeatDiffers",
    "SealBroken",
    "SealCheck",
    "Start",
    "TableFeed",
]
