"""Seals: what was committed to face down or set aside, checked when it is turned or dealt.

A seal is ``sha256(nonce + ":" + card)``. It is remembered by shoe and draw until the shoe after the next.
"""

from hashlib import sha256
from typing import Final

from edge.feed.vocabulary import FeedEvent, SealCheck

SHOES_KEPT: Final = 2


class Seals:
    """The seals of the cards that lie face down."""

    def __init__(self) -> None:
        self._seals: dict[int, dict[int, set[str]]] = {}

    def check(self, event: FeedEvent) -> SealCheck | None:
        """Remember the seals an event carries; of a card that shows itself, say whether its seal was true."""
        shoe, draw = event.data.get("shoe"), event.data.get("draw")
        if not isinstance(shoe, int) or not isinstance(draw, int):
            return None
        seal = event.data.get("seal")
        if isinstance(seal, str):
            self._remember(shoe, draw, seal)
        opens = event.type == "card.revealed" or (event.type == "card.dealt" and "nonce" in event.data)
        if not opens:
            return None
        sealed = self._seals.get(shoe, {}).get(draw)
        if sealed is None:
            # what no device could read was named by hand, and never had a seal
            return None if "entered_by" in event.data else SealCheck.UNSEEN
        opened = f"{event.data.get('nonce')}:{event.data.get('card')}"
        return SealCheck.TRUE if sealed == {sha256(opened.encode()).hexdigest()} else SealCheck.BROKEN

    def _remember(self, shoe: int, draw: int, seal: str) -> None:
        # a second, different seal for one draw is kept too: then no card can be true to both
        self._seals.setdefault(shoe, {}).setdefault(draw, set()).add(seal)
        for old in sorted(self._seals)[:-SHOES_KEPT]:
            del self._seals[old]
