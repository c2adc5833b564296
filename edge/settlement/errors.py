"""What a settlement refuses, before a single amount is computed.

::

    EdgeError
    +-- SettlementRefused    one sentence what is wrong, and what to do
        +-- ResultUnreadable what was given is no ``round.result`` that a table can publish
        +-- StakesInvalid    a stake cannot be: its amount, its seat, what it follows, twice the same bet
        +-- RaisesDiffer     the stakes were raised otherwise than the result can tell, or it cannot tell
"""

from edge.errors import EdgeError


class SettlementRefused(EdgeError):
    """Nothing was settled."""


class ResultUnreadable(SettlementRefused):
    """What was given is no ``round.result`` that a table of this contract and house can publish."""


class StakesInvalid(SettlementRefused):
    """A stake that cannot be."""


class RaisesDiffer(SettlementRefused):
    """Doubles and splits that cannot be, that the result contradicts, or that it cannot tell by itself."""
