"""The opening of a link: CONNACK, then SUBACK; before both nothing may be published."""

import asyncio
from collections.abc import Callable

from edge.upstream.link import Link
from edge.upstream.packets import FAILURE, Ended
from edge.upstream.patience import Patience
from edge.upstream.refusals import connack_sentence
from edge.upstream.subscriptions import Subscriptions


async def open_link(
    link: Link, subscriptions: Subscriptions, patience: Patience, monotonic: Callable[[], float]
) -> None:
    """Bring the link up; if ``link.ended`` is set afterwards, it says why that was not to be."""
    try:
        async with asyncio.timeout(patience.connack_s):
            while link.opening:
                await link.next_turn()
        if _refused(link) or link.ended is not None:
            return
        subscriptions.begin(link)
        async with asyncio.timeout(patience.connack_s):
            subscriptions.take_in(link, monotonic())
            while link.up and not subscriptions.answered:
                await link.next_turn()
                subscriptions.take_in(link, monotonic())
    except TimeoutError:
        missing = "CONNACK" if link.connack is None else "SUBACK"
        link.end(f"The broker sent no {missing} for {patience.connack_s:g} seconds.")


def _refused(link: Link) -> bool:
    connack = link.connack
    if connack is None or connack.code < FAILURE:
        return False
    # the broker said why in so many words; that the line was closed then says less
    link.ended = Ended(sentence=connack_sentence(connack), code=connack.code)
    return True
