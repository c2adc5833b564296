"""A desk that sends commands to a table: the same id again until there is an answer."""

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sim_devices.errors import TableUnwell
from sim_devices.mqtt_line import Heard, MqttLine

AGAIN_S: Final = 1.0
"""Without an answer for so long, the command goes out again."""
PATIENCE_S: Final = 120.0
"""Without an answer for so long, the table is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the table answered."""

    id: str
    command: str
    accepted: bool
    code: str
    message: str
    sequence: int
    sent: int = 1
    """Times the command went out before the answer came."""


class Desk:
    """Sends commands and waits for answers.

    Args:
        line: a connection that has subscribed to ``replies``; every reply it hears goes to :meth:`hear`.
        base: the table's topics without the last level, ``tables/t1``.
        again_s: when to repeat a command.
        patience_s: when to give up.
    """

    def __init__(
        self, line: MqttLine, *, base: str, again_s: float = AGAIN_S, patience_s: float = PATIENCE_S
    ) -> None:
        self._line = line
        self._base = base
        self._again_s = again_s
        self._patience_s = patience_s
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.codes: Counter[str] = Counter()
        """Answers, by code."""
        self.repeats = 0
        """Commands that had to go out again."""

    @property
    def replies(self) -> str:
        """The topic to subscribe to."""
        return f"{self._base}/replies"

    def hear(self, heard: Heard) -> None:
        """A message came on the line; if it answers one of this desk's commands, the answer is in."""
        if heard.topic != self.replies:
            return
        try:
            said = json.loads(heard.payload)
            waiting = self._waiting.get(said["id"])
        except (ValueError, KeyError, TypeError) as error:
            raise TableUnwell(f"A reply cannot be read: {error!r}") from error
        if waiting is not None and not waiting.done():
            waiting.set_result(said)

    async def ask(
        self,
        command: str,
        content: Mapping[str, Any],
        *,
        id: str | None = None,  # noqa: A002 - the contract's word
        topic: str = "commands",
    ) -> Answered:
        """Send a command until it is answered.

        Args:
            command: its name.
            content: its ``data``.
            id: None: a new one.
            topic: ``commands`` or ``supervisor``.

        Raises:
            TableUnwell: no answer came for a long time.
        """
        request_id = id or str(uuid.uuid4())
        payload = json.dumps({"id": request_id, "command": command, "data": dict(content)}).encode()
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = waiting
        sent = 0
        try:
            async with asyncio.timeout(self._patience_s):
                while not waiting.done():
                    await self._line.wait_ready()
                    sent += self._line.publish(f"{self._base}/{topic}", payload)
                    await asyncio.wait([waiting], timeout=self._again_s)
        except TimeoutError:
            raise TableUnwell(
                f"The table has not answered {command} for {self._patience_s:g} s, sent {sent} times"
            ) from None
        finally:
            del self._waiting[request_id]
        return self._answered(waiting.result(), sent)

    def _answered(self, said: Mapping[str, Any], sent: int) -> Answered:
        self.repeats += max(0, sent - 1)
        self.codes[said["code"]] += 1
        return Answered(
            id=said["id"],
            command=said["command"],
            accepted=said["outcome"] == "accepted",
            code=said["code"],
            message=said["message"],
            sequence=said["sequence"],
            sent=sent,
        )
