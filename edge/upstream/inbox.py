"""The inbox: deliveries of the present connection, taken one by one in the order of their receipt.

When the disk refuses, the oldest request stays where it is and is tried again: to acknowledge a later one
first would break MQTT's order, and every later one would meet the same disk. What waits behind it is
bounded by the receive maximum; the broker keeps the rest. When the connection ends, whatever was not
acknowledged is let go: the broker hands it out again on the next one.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from edge.errors import StorageFailed
from edge.upstream.desk import RequestDesk
from edge.upstream.lanes import RepliesLane
from edge.upstream.link import Link
from edge.upstream.patience import Patience
from edge.upstream.sampler import Sampler


class Inbox:
    """Feeds the desk; ``answered`` is called after each answer, so that it leaves at once."""

    def __init__(  # noqa: PLR0913 - what one inbox connects, by keyword
        self,
        *,
        desk: RequestDesk,
        replies: RepliesLane,
        patience: Patience,
        monotonic: Callable[[], float],
        answered: Callable[[], None],
        sampler: Sampler,
    ) -> None:
        self._desk = desk
        self._replies = replies
        self._retry_s: Final = patience.tick_s
        self._monotonic = monotonic
        self._answered = answered
        self._sampler = sampler
        self._link: Link | None = None
        self._filled = asyncio.Event()
        self._shut = False

    def look(self, link: Link | None) -> None:
        """There may be deliveries on this link; None: there is no link."""
        self._link = link
        if link is not None and link.deliveries:
            self._filled.set()

    def shut(self) -> None:
        """Take no more: what is not acknowledged is for the daemon that comes after."""
        self._shut = True

    async def serve(self) -> None:
        """Answer for ever."""
        while True:
            await self._filled.wait()
            link = self._link
            if self._shut or link is None or not link.deliveries:
                self._filled.clear()
                continue
            # while the link rests, the PUBACKs that would make room for replies are not read either
            full = self._replies.full and not link.resting
            if full or not self._take(link):
                await asyncio.sleep(self._retry_s)
                continue
            await asyncio.sleep(0)  # a card goes before the next request

    def _take(self, link: Link) -> bool:
        delivery = link.deliveries[0]
        try:
            self._desk.answer(delivery, self._monotonic())
        except StorageFailed as error:
            self._sampler.warn("upstream.storage_failed", topic=delivery.topic, why=error.sentence)
            return False
        link.take()
        self._answered()
        return True
