"""What the events share: the small words, the places, and what every event's data has."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import Field

T = TypeVar("T")

Absent = Annotated[T | None, Field(exclude_if=lambda value: value is None)]
"""A field that is left out of the JSON when there is nothing to say."""

Odds: TypeAlias = tuple[int, int]
"""What a bet wins per unit staked, as numerator and denominator: ``(3, 2)``; negative when lost."""


class Face(Enum):
    """Which side of a dealt card is up."""

    UP = "up"
    DOWN = "down"


class How(Enum):
    """How a hand came to its end."""

    NATURAL = "natural"
    TWENTY_ONE = "twenty_one"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT_ACE = "split_ace"
    BUST = "bust"
    SURRENDER = "surrender"
    EVEN_MONEY = "even_money"
    VOID = "void"


class Verdict(Enum):
    """What a hand won or lost."""

    BLACKJACK = "blackjack"
    WIN = "win"
    EVEN_MONEY = "even_money"
    PUSH = "push"
    LOSE = "lose"
    SURRENDER = "surrender"
    VOID = "void"


class PairKind(Enum):
    """What the pair side bet made of two cards (DLX-23, SAG-10, HTS-5)."""

    PAIR = "pair"
    MIXED = "mixed"
    COLOURED = "coloured"
    PERFECT = "perfect"
    SUITED_TRIPLE = "suited_triple"


class Reason(Enum):
    """Why a turn was acted otherwise than asked, or by whom if not by the player in time."""

    INSUFFICIENT_FUNDS = "insufficient_funds"
    TIMEOUT = "timeout"
    EARLY = "early"
    ILLEGAL = "illegal"


class Why(Enum):
    """Why a card is set aside."""

    IRREGULAR = "irregular"
    """It has no rightful place, and holds the table."""
    HELD = "held"
    """It was drawn while the table was held."""
    EARLY = "early"
    """It waits for a command that is on its way (docs/round.md, Early draws)."""
    NEXT = "next"
    """It fills the next draw that is due, with its own draw number, before any new card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A hand's place on the layout."""

    seat: int
    """1-based; seat 1 is first base."""
    hand: int
    """1-based; 2 only after a split."""


Place: TypeAlias = Spot | Literal["dealer"]
"""Where a card goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvent:
    """What every event's data has."""

    shoe: Absent[int] = None
    """The shoe's number, from 1 in each journal."""
    round: Absent[int] = None
    """The round's number, from 1 in each shoe."""
