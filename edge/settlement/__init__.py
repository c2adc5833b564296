"""For game servers: stakes and a ``round.result`` give payouts, exact to the minor unit (docs/settlement.md).

Pure. :func:`settle` for a round with a result, :func:`refund` for one that was voided. It knows no
accounts and no balances: what may be staked, and whether there are funds for it, the server has decided.
"""

from edge.settlement.errors import RaisesDiffer, ResultUnreadable, SettlementRefused, StakesInvalid
from edge.settlement.paying import INSURANCE, refund, settle
from edge.settlement.payouts import Line, Payout, Rounding, Settlement
from edge.settlement.raises import Raises, raises_of
from edge.settlement.reading import read_result
from edge.settlement.stakes import BehindBet, Insurance, PairBet, SeatBet, Stake

__all__ = [
    "INSURANCE",
    "BehindBet",
    "Insurance",
    "Line",
    "PairBet",
    "Payout",
    "Raises",
    "RaisesDiffer",
    "ResultUnreadable",
    "Rounding",
    "SeatBet",
    "Settlement",
    "SettlementRefused",
    "Stake",
    "StakesInvalid",
    "raises_of",
    "read_result",
    "refund",
    "settle",
]
