"""Settling: each stake with what it was raised to, what goes back to the player, and why.

Laws:

1. Every amount is a whole number of minor units, computed without floats. What a line returns is stake
   and winnings together; over all lines ``staked == returned + house``: no money is made or lost.
2. A fraction of a minor unit arises in two places only, at 3:2 and at half for surrender, when the stake
   is odd. :class:`Rounding` says who gets it; a line's reason says so where it happened.
3. The odds are those that the table published, and the contract's: a result that contradicts itself or
   the house is refused (:mod:`edge.settlement.possible`). Who won is never judged here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from edge.events import HandResult, Odds, RoundResult, SeatResult, Verdict
from edge.house_rules import HouseRules
from edge.settlement.checking import check_kinds, check_stakes
from edge.settlement.errors import StakesInvalid
from edge.settlement.payouts import Line, Payout, Rounding, Settlement
from edge.settlement.possible import check_result_in
from edge.settlement.raises import Raises, raises_in
from edge.settlement.reading import read_result
from edge.settlement.reasons import hand_told, pair_told, raise_told
from edge.settlement.stakes import BehindBet, Insurance, PairBet, SeatBet, Stake

INSURANCE: Final[Odds] = (2, 1)
"""What insurance wins (BJ-8)."""


def settle(
    result: RoundResult | Mapping[str, Any] | bytes | str,
    stakes: Sequence[Stake],
    *,
    house: HouseRules,
    rounding: Rounding = Rounding.DOWN,
    raises: Raises | None = None,
) -> Settlement:
    """Settle a round that has a result.

    Args:
        result: the ``round.result``: the noun, the envelope as published, or its data as JSON.
        stakes: every bet to be settled; bets of one seat may be settled apart from those of another, an
            insurance only along with the bet it insures.
        house: the house file that the table plays by, as :func:`edge.house_rules.parse_house` reads it.
        rounding: who gets the fraction of a minor unit at 3:2 and at surrender; down by default.
        raises: the round's doubles and splits by its events. The result tells them by itself, except where
            ``dealer.natural_takes = "original"`` (see :mod:`edge.settlement.raises`); if they are given,
            they must agree with it.

    Raises:
        SettlementRefused: with a sentence; nothing was settled.
    """
    check_kinds(stakes, house, rounding)
    read, given = read_result(result), tuple(stakes)
    check_result_in(read, house)
    known = raises_in(read, house, raises)
    check_stakes(given, known, house)
    seats = {seat.seat: seat for seat in read.seats}
    order = {seat: place for place, seat in enumerate(seats)}
    payouts = [
        _Table(result=read, house=house, raises=known, rounding=rounding).payout(stake, seats[seat])
        for stake, seat in sorted(_seated(given), key=lambda each: order[each[1]])
    ]
    return Settlement(payouts=tuple(payouts))


def refund(stakes: Sequence[Stake], *, house: HouseRules, raises: Raises) -> Settlement:
    """Give everything back: the round was voided (DLX-32, SAG-13, SAG-14).

    Args:
        stakes: every bet to be given back.
        house: the house file that the table plays by.
        raises: what had been added to the stakes until then, and the seats dealt in; ``round.voided`` does
            not say it, :func:`edge.settlement.raises_of` makes it of the round's events.

    Raises:
        SettlementRefused: with a sentence; nothing was given back.
    """
    check_kinds(stakes, house)
    given = tuple(stakes)
    check_stakes(given, raises, house)
    payouts = [
        Payout(stake=stake, seat=seat, lines=tuple(_all_back(stake, raises, "The round was voided")))
        for stake, seat in sorted(_seated(given), key=lambda each: each[1])
    ]
    return Settlement(payouts=tuple(payouts))


def _seated(stakes: Sequence[Stake]) -> list[tuple[Stake, int]]:
    """Each stake with the seat it is on."""
    seats = {stake.bet: stake.seat for stake in stakes if not isinstance(stake, Insurance)}
    return [(stake, seats[stake.on] if isinstance(stake, Insurance) else stake.seat) for stake in stakes]


def _units(stake: SeatBet | BehindBet, raises: Raises) -> dict[int, int]:
    """How many times its amount lies on each hand."""
    if isinstance(stake, SeatBet):
        return {hand: raises.units(stake.seat, hand) for hand in raises.hands(stake.seat)}
    hands = raises.hands(stake.seat) if stake.follows_split else (1,)
    return {hand: 2 if hand in stake.follows_double else 1 for hand in hands}


def _all_back(stake: Stake, raises: Raises, why: str) -> Iterable[Line]:
    reason = f"{why}: the whole stake goes back."
    if isinstance(stake, SeatBet | BehindBet):
        for hand, units in _units(stake, raises).items():
            amount = stake.amount * units
            yield Line(hand=hand, staked=amount, returned=amount, reason=reason)
    else:
        yield Line(hand=None, staked=stake.amount, returned=stake.amount, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """What one round's payouts depend on beside the stake itself."""

    result: RoundResult
    house: HouseRules
    raises: Raises
    rounding: Rounding

    def payout(self, stake: Stake, seat: SeatResult) -> Payout:
        """The stake, settled."""
        match stake:
            case SeatBet() | BehindBet():
                units = _units(stake, self.raises)
                lines = tuple(
                    self._on_hand(stake, hand, units[hand.hand]) for hand in seat.hands if hand.hand in units
                )
            case PairBet():
                lines = (self._pair(stake, seat),)
            case Insurance():
                lines = (self._insurance(stake, seat),)
            case _:
                assert_never(stake)
        return Payout(stake=stake, seat=seat.seat, lines=lines)

    def _on_hand(self, stake: SeatBet | BehindBet, hand: HandResult, units: int) -> Line:
        """A seat's or a behind bet's part that lies on one hand."""
        staked = stake.amount * units
        riding = stake.amount * min(units, hand.units)
        back, fraction = self._back(riding, hand.odds)
        told = raise_told(stake, units, hand) + hand_told(hand, self.result.dealer)
        reason = f"Hand {hand.hand}: {told}{fraction}."
        if riding < staked or self._spared(hand):
            reason += " The dealer's natural takes the original stake only."
        return Line(hand=hand.hand, staked=staked, returned=back + staked - riding, reason=reason)

    def _pair(self, stake: PairBet, seat: SeatResult) -> Line:
        hand = None if stake.hand is None else seat.hands[stake.hand - 1]
        if (hand or seat.hands[0]).outcome is Verdict.VOID:
            (line,) = _all_back(stake, self.raises, "The bet on this box is void")
            return line
        found = seat.pair if hand is None else hand.pair
        where = "The first two cards make" if hand is None else f"Hand {hand.hand} begins with"
        back, fraction = self._back(stake.amount, found.odds) if found else (0, "")
        return Line(
            hand=stake.hand,
            staked=stake.amount,
            returned=back,
            reason=f"{where} {pair_told(found)}{fraction}.",
        )

    def _insurance(self, stake: Insurance, seat: SeatResult) -> Line:
        match seat.insurance:
            case "won":
                back, _ = self._back(stake.amount, INSURANCE)
                reason = "The dealer has a natural: insurance pays 2:1."
            case "lost":
                back, reason = 0, "The dealer has no natural: insurance loses."
            case None:
                raise StakesInvalid(
                    f"Insurance {stake.bet!r} is on seat {seat.seat}, which is not among the insured of "
                    "this round.",
                    hint="insurance.close must name every seat with insurance, behind players' included.",
                )
        return Line(hand=None, staked=stake.amount, returned=back, reason=reason)

    def _back(self, riding: int, odds: Odds) -> tuple[int, str]:
        """What goes back of this stake at these odds, and the words for a fraction."""
        won, per = odds
        whole, rest = divmod(riding * (per + won), per)
        if rest == 0:
            return whole, ""
        match self.rounding:
            case Rounding.DOWN:
                return whole, ", rounded down"
            case Rounding.UP:
                return whole + 1, ", rounded up"
            case Rounding.EVEN:
                up = 2 * rest > per or (2 * rest == per and whole % 2 == 1)
                return (whole + 1 if up else whole), f", rounded {'up' if up else 'down'} to even"
            case _:
                assert_never(self.rounding)

    def _spared(self, hand: HandResult) -> bool:
        """Whether this second hand of a split goes back because of ``natural_takes`` (SAG-3)."""
        original = self.house.dealer.natural_takes == "original" and self.result.dealer.natural
        return original and hand.hand > 1 and hand.outcome is Verdict.PUSH
