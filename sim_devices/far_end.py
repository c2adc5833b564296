"""What a simulated device speaks: the device's end of one protocol or another, in one shape.

table_link's ``DeviceEnd`` has this shape by itself; the others are in ``far_ends``.
"""

from typing import Protocol

from firmware_protocols import Command, DeviceEvent, ReplyResult


class FarEnd(Protocol):
    """The device's end of a link, whatever it speaks."""

    @property
    def boot(self) -> int:
        """This power-on."""

    @property
    def newest(self) -> int:
        """Events since the power-on."""

    @property
    def oldest(self) -> int:
        """The oldest event still kept; newest + 1 when none is."""

    @property
    def resumed(self) -> bool:
        """A host listens, as far as the device can know."""

    @property
    def deadline(self) -> float | None:
        """When ``tick`` wants to be called, or None."""

    def opened(self, now: float) -> None:
        """A cable was plugged in."""

    def closed(self) -> None:
        """The cable is out."""

    def power_cycled(self, *, boot: int, now: float) -> None:
        """Off and on again, everything forgotten."""

    def at_ms(self, now: float) -> int:
        """Milliseconds since the power-on."""

    def emit(self, what: DeviceEvent, now: float) -> int:
        """Something happened. Returns how many things did since the power-on."""

    def receive(self, octets: bytes, now: float) -> tuple[Command, ...]:
        """Take bytes from the host; the commands in them."""

    def reply(self, command: Command, result: ReplyResult) -> None:
        """Answer a command."""

    def tick(self, now: float) -> None:
        """Do what is due."""

    def data_to_send(self) -> bytes:
        """Bytes for the host, each given once."""
