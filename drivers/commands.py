"""Commands under way: each is sent once, and its answer, or that none came, is reported once.

Law: an unanswered command is never repeated. Whether the device carried it out is not known, and doing it
again could be worse than not having done it: locking a shoe that a dealer was let into. It is questioned
instead: the device is asked who it is, which shows whether it lives, and whoever gave the command is told.
"""

from typing import Final

from drivers.reports import CommandAnswered, CommandOutcome
from firmware_protocols import Reply, ReplyResult

ANSWER_S: Final = 1.0
"""How long a reply is waited for. A device answers at once; its own resends take 250 ms."""
MAX_WAITING: Final = 64
"""Commands under way at a time. Beyond that a command is not sent."""

_OUTCOMES: Final = {
    ReplyResult.DONE: CommandOutcome.DONE,
    ReplyResult.REFUSED: CommandOutcome.REFUSED,
    ReplyResult.BUSY: CommandOutcome.BUSY,
    ReplyResult.UNKNOWN: CommandOutcome.UNKNOWN,
}


class Commands:
    """The commands that one device has not answered yet.

    Args:
        device: its id in the configuration.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._waiting: dict[int, tuple[float, int]] = {}
        """By its id on the wire, in the order they were sent: when it is given up, and what it is called."""

    @property
    def deadline(self) -> float | None:
        """When the oldest is given up."""
        oldest = next(iter(self._waiting.values()), None)
        return None if oldest is None else oldest[0]

    def takes(self, number: int) -> bool:
        """A command of this id may be sent now."""
        return number not in self._waiting and len(self._waiting) < MAX_WAITING

    def sent(self, number: int, now: float, *, called: int) -> None:
        """This one is on its way; its report will call it so."""
        self._waiting[number] = (now + ANSWER_S, called)

    def answered(self, reply: Reply) -> tuple[CommandAnswered, ...]:
        """The report of a reply; none, if nobody waits for it any more."""
        waited = self._waiting.pop(reply.id, None)
        if waited is None:
            return ()
        return (CommandAnswered(device=self._device, id=waited[1], outcome=_OUTCOMES[reply.result]),)

    def overdue(self, now: float) -> tuple[CommandAnswered, ...]:
        """The reports of those that are given up now."""
        return self._given_up([number for number, (at, _) in self._waiting.items() if at <= now])

    def dropped(self) -> tuple[CommandAnswered, ...]:
        """The connection is gone: no answer to any of them can come any more."""
        return self._given_up(list(self._waiting))

    def _given_up(self, numbers: list[int]) -> tuple[CommandAnswered, ...]:
        called = [self._waiting.pop(number)[1] for number in numbers]
        unanswered = CommandOutcome.UNANSWERED
        return tuple(CommandAnswered(device=self._device, id=each, outcome=unanswered) for each in called)
