"""Stakes: what lay on the layout when bets were closed, and what followed it during the round.

Amounts are whole numbers of minor units (cents, won, dong: whatever the server counts in). A stake says
what **was staked**, never what somebody would have liked to stake: a follow that failed for want of funds
is no follow (DLX-25, DLX-26).
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBet:
    """The bet of the player who sits there; the table's doubles and splits raise it by themselves."""

    bet: str
    """The server's own name for it; each is used once."""
    seat: int
    """From 1."""
    amount: int
    """Minor units, at least 1, before any double or split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BehindBet:
    """A bet on a seat by somebody who does not sit there: it follows the seat's result (DLX-24)."""

    bet: str
    seat: int
    amount: int
    """Minor units, at least 1, before anything was followed."""
    follows_split: bool = False
    """False: the first split hand only. True: the same amount lies on the second, too (DLX-26, SAG-11)."""
    follows_double: tuple[int, ...] = ()
    """Hands whose double it followed with the same amount; on others the third card was a hit (DLX-25)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairBet:
    """A pair side bet on a seat, no matter whose (DLX-23, SAG-10)."""

    bet: str
    seat: int
    amount: int
    hand: int | None = None
    """None: on the seat's first two cards. 1 or 2: placed anew on that split hand (HTS-5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insurance:
    """Insurance of a seat bet or of a behind bet: at most half of it (DLX-19, DLX-24, SAG-8)."""

    bet: str
    on: str
    """The name of the seat bet or behind bet it insures."""
    amount: int
    """Minor units; twice this is at most the insured bet before it was raised."""


Stake: TypeAlias = SeatBet | BehindBet | PairBet | Insurance
"""One bet, settled by itself."""
