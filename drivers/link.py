"""What a pump needs of a link: the host's end of any protocol, declared by its consumer.

Every protocol's host end has this surface, whether its device numbers events or not:

* a numbering link (table_link) tells ``Resumed``, ``Missed`` and ``Event``, and takes ``acknowledge``;
* a link without numbers tells ``Opened`` once a connection and ``Said`` for what happened; there is nothing
  to acknowledge, and what was said while nobody listened is lost.

``now`` is monotonic seconds, from any origin, the same for every call to one link.
"""

from typing import Protocol, runtime_checkable

from firmware_protocols import Command, HostNews, LinkCounts, Mark


class Link(Protocol):
    """The host's end of one device. It outlives connections: ``opened`` and ``closed`` mark them."""

    @property
    def counts(self) -> LinkCounts:
        """What was counted since it was made."""

    @property
    def running(self) -> bool:
        """The device is there as far as the protocol can tell."""

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None: not before something arrives."""

    def opened(self, now: float) -> None:
        """The port is open."""

    def closed(self) -> None:
        """The port is closed: what was half read is gone, what was told stays told."""

    def receive(self, octets: bytes, now: float) -> tuple[HostNews, ...]:
        """Take bytes from the device; everything they completed, in order. Never raises."""

    def tick(self, now: float) -> tuple[HostNews, ...]:
        """Do what is due."""

    def data_to_send(self) -> bytes:
        """Bytes for the device, each given once."""

    def acknowledge(self, mark: Mark) -> None:
        """Everything up to ``mark`` is on disk. A link without numbers is never called so."""


@runtime_checkable
class CommandLink(Link, Protocol):
    """A link whose device can be told to do something, and answers."""

    def send(self, command: Command) -> bool:
        """Tell the device once; False: there is no device to tell, and nothing is kept for later."""

    def question(self, now: float) -> None:
        """Ask the device again who it is."""
