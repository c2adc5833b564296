"""The publisher: takes from the lanes in order of precedence and keeps one bounded window in flight.

What is in flight is judged by its PUBACK only. A PUBACK later than the patience allows is not coming:
the connection is given up, and each lane begins again where it must. Nothing here grows while the broker
is away: a lane reads its backlog from the journal when there is room to send it.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from edge.status import StatusBoard
from edge.upstream.lanes import EventsLane, Lane
from edge.upstream.link import Link
from edge.upstream.packets import Outgoing
from edge.upstream.patience import Patience
from edge.upstream.sampler import Sampler

WINDOW: Final = 64
"""Publishes in flight at most; fewer if the broker's receive maximum says so."""
PACKET_TOO_LARGE: Final = 0x95
DENIED: Final = "broker_denied"
"""The reason on the status board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flight:
    lane: Lane
    tag: int
    due: float


class Publisher:
    """Publishes what the lanes have, over whichever link is attached."""

    def __init__(
        self, *, lanes: tuple[Lane, ...], board: StatusBoard, patience: Patience, sampler: Sampler
    ) -> None:
        self._lanes = lanes
        self._board = board
        self._patience = patience
        self._sampler = sampler
        self._link: Link | None = None
        self._window = 0
        self._flights: dict[int, _Flight] = {}
        self._in_flight: Counter[str] = Counter()
        self._refusals: dict[str, str] = {}
        self.counters: Counter[str] = Counter()

    @property
    def idle(self) -> bool:
        """True if nothing is in flight."""
        return not self._flights

    def attach(self, link: Link) -> None:
        """Publish over this link from now on: it is connected and subscribed."""
        self._link = link
        allowed = WINDOW if link.connack is None else link.connack.receive_maximum
        self._window = max(1, min(WINDOW, allowed))

    def detach(self) -> None:
        """The link is gone, and with it all that was in flight."""
        self._link = None
        self._flights.clear()
        self._in_flight.clear()
        for lane in self._lanes:
            lane.rewind()

    def narrow(self, *lanes: Lane) -> None:
        """From now on, only these: the end is near."""
        self._lanes = lanes

    def settle(self, now: float) -> None:
        """Take in the PUBACKs that have come."""
        if self._link is None:
            return
        while self._link.pubacks:
            puback = self._link.pubacks.popleft()
            flight = self._flights.pop(puback.mid, None)
            if flight is None:
                continue
            self._in_flight[flight.lane.name] -= 1
            if puback.denied:
                self._refused(flight.lane, flight.tag, puback.code, puback.name, now)
            else:
                self.counters["published"] += 1
                flight.lane.taken(flight.tag)
                self._allowed(flight.lane.name)

    def pump(self, now: float) -> None:
        """Send what may be sent."""
        link = self._link
        if link is None or link.ended is not None:
            return
        if len(self._flights) < self._window and self._send_one(link, now):
            link.flush()  # the first need not wait until the others are drawn up
            while len(self._flights) < self._window and self._send_one(link, now):
                pass
        link.flush()

    def hurry(self, lane: EventsLane, now: float) -> None:
        """Send what this lane has, before all else; the others follow with the next :meth:`pump`."""
        link = self._link
        if link is None or link.ended is not None or lane not in self._lanes:
            return
        while len(self._flights) < self._window and self._send_of(lane, link, now):
            link.flush()
            if not lane.waiting:
                return

    def overdue(self, now: float) -> bool:
        """True if a PUBACK should have come by now."""
        oldest = next(iter(self._flights.values()), None)
        return oldest is not None and now >= oldest.due

    def _send_one(self, link: Link, now: float) -> bool:
        return any(self._send_of(lane, link, now) for lane in self._lanes)

    def _send_of(self, lane: Lane, link: Link, now: float) -> bool:
        flying = self._in_flight[lane.name]
        if flying >= lane.share(self._window):
            return False
        chosen = lane.next(now, flying)
        if chosen is None:
            return False
        self._launch(link, lane, chosen, now)
        return True

    def _launch(self, link: Link, lane: Lane, chosen: tuple[int, Outgoing], now: float) -> None:
        tag, message = chosen
        if not link.fits(message):
            self._refused(lane, tag, PACKET_TOO_LARGE, "Packet too large", now)
            return
        mid = link.publish(message)
        self._flights[mid] = _Flight(lane=lane, tag=tag, due=now + self._patience.puback_s)
        self._in_flight[lane.name] += 1

    def _refused(self, lane: Lane, tag: int, code: int, name: str, now: float) -> None:
        self.counters["denied"] += 1
        lane.denied(tag, now)
        self._sampler.warn("upstream.denied", topic=lane.name, code=code, reason=name)
        sentence = f"The broker refuses {lane.name}: {name} (0x{code:02X})."
        if self._refusals.get(lane.name) != sentence:
            self._refusals[lane.name] = sentence
            self._post()

    def _allowed(self, topic: str) -> None:
        if self._refusals.pop(topic, None) is not None:
            self._post()

    def refuse_subscription(self, topic: str, code: int) -> None:
        """Note that the broker does not let us listen there."""
        self._refusals[f"<{topic}"] = f"The broker refuses the subscription to {topic} (0x{code:02X})."
        self._post()

    def allow_subscription(self, topic: str) -> None:
        """Note that it does."""
        self._allowed(f"<{topic}")

    def _post(self) -> None:
        if self._refusals:
            hint = "Give this daemon's user the rights that its topics need."
            sentences = [self._refusals[topic] for topic in sorted(self._refusals)]
            self._board.degrade(DENIED, " ".join([*sentences, hint]))
        else:
            self._board.restore(DENIED)
