"""What a house does about irregularities, as data: kind and stage to a way (docs/irregularities.md).

A way is ``ask``, so that a supervisor decides, or a resolution. The house's own resolution is applied by
itself as soon as everything it needs is known: what only a person can say, a person is asked for.
"""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from edge.irregular import FITTING, LATCHES, HouseWay, Kind, Resolution, Stage

ROLE: Final = r"^[a-z][a-z0-9_]{0,31}$"
"""What a role may be called."""
SUPERVISOR: Final = "supervisor"
"""The role that decides where a house names no other."""


class Policy(BaseModel):
    """``[irregularities.KIND]``: what this house does about one kind."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    house: HouseWay = "ask"
    """At every stage that ``at`` does not name."""
    at: Mapping[Stage, HouseWay] = Field(default_factory=dict)
    """By stage."""
    allowed: tuple[Resolution, ...] | None = None
    """What a supervisor may do; absent: whatever fits the kind."""
    role: Annotated[str, Field(pattern=ROLE)] = SUPERVISOR
    """The role that may do it."""

    def way(self, stage: Stage) -> HouseWay:
        """What the house does at this stage."""
        return self.at.get(stage, self.house)


ASK: Final = Policy()
_WARN: Final = Policy(house=Resolution.ACCEPT)
_UNNAMED: Final[Mapping[Kind, Policy]] = {Kind.CUT_CARD_MISSING: _WARN}
"""Where a house says nothing and yet does not ask."""

ENDS: Final = (Resolution.VOID_ROUND, Resolution.RETIRE_SHOE)
"""What fits every kind that holds the table."""


def policy_of(policies: Mapping[Kind, Policy], kind: Kind) -> Policy:
    """What these policies say about a kind; a kind they do not name is asked about."""
    return policies.get(kind) or _UNNAMED.get(kind, ASK)


def may_be_allowed(kind: Kind) -> tuple[Resolution, ...]:
    """Everything that fits a kind, in the order in which it is offered."""
    return (*FITTING[kind], *ENDS)


def ways_of(kind: Kind) -> tuple[Resolution, ...]:
    """What a house file may say about a kind: a latch is only ever cleared."""
    return (Resolution.CLEAR,) if kind in LATCHES else may_be_allowed(kind)
