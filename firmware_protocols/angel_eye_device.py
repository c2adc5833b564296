"""The shoe's end of an Angel Eye link, for simulation: says each message, and says it again.

As little as a host may rely on: one message under way at a time, the same seq and bytes ``copies`` times
``gap_s`` apart unless an ACK comes, seq ``0`` to ``9`` and round again, nothing kept while the cable is out.
"""

from collections import deque
from typing import Final

from firmware_protocols.angel_eye import (
    ACK,
    AngelEyeAnswer,
    AngelEyeFramer,
    AngelEyeMessage,
    AngelEyeSignal,
    BccRange,
    encode_angel_eye,
)

COPIES: Final = 3
GAP_S: Final = 0.2
_FIRST_SEQ: Final = ord("0")
_SEQS: Final = 10


class AngelEyeEnd:
    """One shoe's end of the link.

    Args:
        copies: how often each message is said.
        gap_s: seconds between copies.
        bcc: what its own checksums cover.
        bcc_of_orders: what the checksums of orders cover.
    """

    def __init__(
        self,
        *,
        copies: int = COPIES,
        gap_s: float = GAP_S,
        bcc: BccRange = BccRange.WITHOUT_START,
        bcc_of_orders: BccRange = BccRange.WITH_START,
    ) -> None:
        self._copies = copies
        self._gap_s = gap_s
        self._bcc = bcc
        self._orders = AngelEyeFramer(bcc_of_orders)
        self._waiting: deque[bytes] = deque()
        self._left = 0
        self._next_at: float | None = None
        self._seq = 0
        self._out = bytearray()
        self._connected = False

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""
        return self._next_at

    @property
    def idle(self) -> bool:
        """Everything was said as often as it is to be said."""
        return not self._waiting

    def opened(self, now: float) -> None:
        """A cable was plugged in. The shoe does not notice."""
        del now
        self.closed()
        self._connected = True

    def closed(self) -> None:
        """The cable is out: what is said now is said to nobody."""
        self._connected = False
        self._orders.reset()
        self._out.clear()
        self._waiting.clear()
        self._next_at = None

    def power_cycled(self, now: float) -> None:
        """Off and on again: seq begins anew, and ``S`` says so."""
        self._waiting.clear()
        self._next_at = None
        self._seq = 0
        self.emit(b"S", now)

    def emit(self, octets: bytes, now: float) -> None:
        """Something happened: say this.

        Raises:
            NotEncodable: it is no data of a message.
        """
        frame = encode_angel_eye(AngelEyeMessage(seq=_FIRST_SEQ + self._seq, octets=octets), bcc=self._bcc)
        self._seq = (self._seq + 1) % _SEQS
        if not self._connected:
            return
        self._waiting.append(frame)
        if self._next_at is None:
            self._begin(now)

    def receive(self, octets: bytes, now: float) -> tuple[AngelEyeAnswer, ...]:
        """Take bytes from the host. Returns the orders in them."""
        orders: list[AngelEyeAnswer] = []
        for frame in self._orders.receive(octets):
            match frame:
                case AngelEyeSignal(code=code) if code == ACK and self._waiting:
                    self._done(now)
                case AngelEyeAnswer():
                    orders.append(frame)
                case _:
                    pass  # noise, and what no host says
        return tuple(orders)

    def tick(self, now: float) -> None:
        """Say the next copy, if it is due."""
        if self._next_at is None or now < self._next_at:
            return
        if self._left:
            self._say(now)
        else:
            self._done(now)

    def data_to_send(self) -> bytes:
        """Bytes for the host, each given once."""
        octets = bytes(self._out)
        self._out.clear()
        return octets

    def _begin(self, now: float) -> None:
        self._left = self._copies
        self._say(now)

    def _say(self, now: float) -> None:
        self._out += self._waiting[0]
        self._left -= 1
        self._next_at = now + self._gap_s

    def _done(self, now: float) -> None:
        self._waiting.popleft()
        self._next_at = None
        if self._waiting:
            self._begin(now)
