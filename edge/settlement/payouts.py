"""What a settlement says: payouts, each with its lines, and who gets a fraction."""

from dataclasses import dataclass
from enum import Enum

from edge.settlement.stakes import Stake


class Rounding(Enum):
    """Who gets the fraction of a minor unit."""

    DOWN = "down"
    """What is returned is rounded down: the house keeps the fraction."""
    UP = "up"
    """What is returned is rounded up: the player gets it."""
    EVEN = "even"
    """To the even minor unit: over many rounds nobody gets more of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One item of a payout."""

    hand: int | None
    """The hand it is on; None: the item is on the seat."""
    staked: int
    """Minor units, doubled and followed parts included."""
    returned: int
    """Minor units that go to the player, the stake's own among them."""
    reason: str
    """For a bet record: one sentence."""

    @property
    def net(self) -> int:
        """What the player won; negative: lost."""
        return self.returned - self.staked


@dataclass(frozen=True, slots=True, kw_only=True)
class Payout:
    """One stake, settled."""

    stake: Stake
    seat: int
    lines: tuple[Line, ...]

    @property
    def bet(self) -> str:
        """The server's name for the stake."""
        return self.stake.bet

    @property
    def staked(self) -> int:
        """Minor units at stake in the end, whatever was added during the round included."""
        return sum(line.staked for line in self.lines)

    @property
    def returned(self) -> int:
        """Minor units to credit to the player."""
        return sum(line.returned for line in self.lines)

    @property
    def net(self) -> int:
        """What the player won; negative: lost."""
        return self.returned - self.staked


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """All the stakes of a round, settled."""

    payouts: tuple[Payout, ...]
    """In the house's payment order of seats (KRF-9); on one seat, in the order in which stakes were given."""

    @property
    def staked(self) -> int:
        """Minor units that all players staked."""
        return sum(payout.staked for payout in self.payouts)

    @property
    def returned(self) -> int:
        """Minor units that go to all players."""
        return sum(payout.returned for payout in self.payouts)

    @property
    def house(self) -> int:
        """Minor units that the house won; negative: lost."""
        return self.staked - self.returned

    def payout(self, bet: str) -> Payout:
        """The payout of this bet.

        Raises:
            KeyError: no stake had this name.
        """
        found = next((payout for payout in self.payouts if payout.bet == bet), None)
        if found is None:
            raise KeyError(bet)
        return found
