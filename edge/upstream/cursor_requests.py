"""Requests that move a cursor or read the journal, and are no records: acknowledge and replay."""

from typing import Annotated, ClassVar, Final, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

Sequence: TypeAlias = Annotated[int, Field(ge=1)]
JournalId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]


class _CursorRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    journal: JournalId


class AcknowledgeEvents(_CursorRequest):
    """``events.acknowledge``: the server has every event up to ``sequence`` durably."""

    command: ClassVar[str] = "events.acknowledge"

    sequence: Sequence


class ReplayEvents(_CursorRequest):
    """``events.replay``: publish again the events ``from`` .. ``to``, or those of a round.

    Without ``to``: up to the last event committed when the request is answered.
    """

    command: ClassVar[str] = "events.replay"

    first: Annotated[Sequence | None, Field(alias="from")] = None
    last: Annotated[Sequence | None, Field(alias="to")] = None
    round: str | None = None
    """The server's id of the round."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.first is None) == (self.round is None):
            raise ValueError("give either from (and to), or round")
        if self.round is not None and self.last is not None:
            raise ValueError("to has no meaning beside round")
        if self.first is not None and self.last is not None and self.last < self.first:
            raise ValueError("to is before from")
        return self


CursorRequest: TypeAlias = AcknowledgeEvents | ReplayEvents

CURSOR_REQUESTS: Final[dict[str, type[AcknowledgeEvents] | type[ReplayEvents]]] = {
    AcknowledgeEvents.command: AcknowledgeEvents,
    ReplayEvents.command: ReplayEvents,
}
