"""What the table listens to, and asking again where the broker said no."""

from random import Random

from paho.mqtt.subscribeoptions import SubscribeOptions

from edge.upstream.link import Link
from edge.upstream.packets import FAILURE
from edge.upstream.patience import Backoff, Patience
from edge.upstream.publisher import Publisher
from edge.upstream.topics import Topics


class Subscriptions:
    """Asked for at every connection, whatever the session remembers."""

    def __init__(self, *, topics: Topics, publisher: Publisher, patience: Patience, random: Random) -> None:
        never_retained = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        self._filters = {
            # a retained command would be carried out again at every connection
            topics.commands: never_retained,
            topics.supervisor: never_retained,
            topics.server: SubscribeOptions(qos=1),
            topics.status: SubscribeOptions(qos=1),
        }
        self._publisher = publisher
        self._asked: dict[int, tuple[str, ...]] = {}
        self._denied: set[str] = set()
        self._not_before = 0.0
        self._backoff = Backoff(first_s=patience.denied_s, last_s=patience.last_retry_s, random=random)

    @property
    def answered(self) -> bool:
        """True if no SUBACK is outstanding."""
        return not self._asked

    def begin(self, link: Link) -> None:
        """Subscribe to everything, on a new link."""
        self._asked.clear()
        self._ask(link, tuple(self._filters))

    def take_in(self, link: Link, now: float) -> None:
        """Look at the SUBACKs that have come."""
        while link.subacks:
            suback = link.subacks.popleft()
            topics = self._asked.pop(suback.mid, ())
            for topic, code in zip(topics, suback.codes, strict=False):
                if code >= FAILURE:
                    self._denied.add(topic)
                    self._publisher.refuse_subscription(topic, code)
                else:
                    self._denied.discard(topic)
                    self._publisher.allow_subscription(topic)
            if topics and self._denied:
                self._not_before = now + self._backoff.wait_s()
            elif topics:
                self._backoff.reset()

    def retry(self, link: Link, now: float) -> None:
        """Ask again for what was denied, now and then."""
        if self._denied and self.answered and now >= self._not_before:
            self._ask(link, tuple(sorted(self._denied)))

    def _ask(self, link: Link, topics: tuple[str, ...]) -> None:
        mid = link.subscribe([(topic, self._filters[topic]) for topic in topics])
        self._asked[mid] = topics
        link.flush()
