"""Whether these stakes can have lain on the layout of this round; the first that cannot is named."""

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from edge.house_rules import HouseRules
from edge.settlement.errors import SettlementRefused, StakesInvalid
from edge.settlement.payouts import Rounding
from edge.settlement.raises import Raises
from edge.settlement.stakes import BehindBet, Insurance, PairBet, SeatBet, Stake


def check_kinds(stakes: object, house: object, rounding: object = Rounding.DOWN) -> None:
    """Refuse arguments of a wrong type, before anything else is looked at.

    Raises:
        StakesInvalid: the stakes are no sequence.
        SettlementRefused: the house is no house, the rounding no rounding.
    """
    if not isinstance(stakes, Sequence) or isinstance(stakes, str | bytes | bytearray):
        raise StakesInvalid(
            f"The stakes are a {type(stakes).__name__}, no sequence.",
            hint="Give a list or a tuple of stakes.",
        )
    if not isinstance(house, HouseRules):
        raise SettlementRefused(
            f"The house is a {type(house).__name__}, no HouseRules.",
            hint="Give the house file as parse_house() of edge.house_rules reads it.",
        )
    if not isinstance(rounding, Rounding):
        raise SettlementRefused(
            f"The rounding is {rounding!r}, no Rounding.",
            hint="Give Rounding.DOWN, Rounding.UP or Rounding.EVEN.",
        )


def check_stakes(stakes: Sequence[Stake], raises: Raises, house: HouseRules) -> None:
    """Refuse stakes that cannot be.

    Raises:
        StakesInvalid: with the bet's name, what is wrong with it, and what would be right.
    """
    for stake in stakes:
        _check_name_and_amount(stake)
    _check_once(stakes)
    insured = {stake.bet: stake for stake in stakes if isinstance(stake, SeatBet | BehindBet)}
    for stake in stakes:
        match stake:
            case SeatBet():
                _check_seat(stake, raises)
            case BehindBet():
                _check_seat(stake, raises)
                _check_follows(stake, raises)
            case PairBet():
                _check_seat(stake, raises)
                _check_pair(stake, raises, house)
            case Insurance():
                if stake.on not in insured:
                    raise StakesInvalid(
                        f"Insurance {stake.bet!r} is on {stake.on!r}, no seat bet or behind bet here.",
                        hint="Give the insured bet along with it.",
                    )
            case _:
                assert_never(stake)
    _check_halves(stakes, insured)


def _check_name_and_amount(stake: object) -> None:
    if not isinstance(stake, SeatBet | BehindBet | PairBet | Insurance):
        raise StakesInvalid(
            f"A {type(stake).__name__} is no stake.", hint="Give SeatBet, BehindBet, PairBet or Insurance."
        )
    if not _is_a(str, stake.bet) or not stake.bet:
        raise StakesInvalid(f"A bet has the name {stake.bet!r}.", hint="Give each a name: text, not empty.")
    if not _is_a(int, stake.amount):
        raise StakesInvalid(
            f"Bet {stake.bet!r} is of {stake.amount!r}.",
            hint="Amounts are whole numbers of minor units: 1250, not 12.50.",
        )
    if stake.amount < 1:
        raise StakesInvalid(
            f"Bet {stake.bet!r} is of {stake.amount}.",
            hint="A bet is at least 1 minor unit; leave out others.",
        )


def _is_a(kind: type, value: object) -> bool:
    """Exactly this type: True is an int, and no amount."""
    return type(value) is kind


def _check_once(stakes: Sequence[Stake]) -> None:
    names = Counter(stake.bet for stake in stakes)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise StakesInvalid(f"Two bets are called {twice[0]!r}.", hint="Give each bet its own name.")
    seats = Counter(stake.seat for stake in stakes if isinstance(stake, SeatBet))
    crowded = [seat for seat, count in seats.items() if count > 1]
    if crowded:
        raise StakesInvalid(
            f"Seat {crowded[0]} has two seat bets.", hint="One is a behind bet, or a mistake."
        )


def _check_seat(stake: SeatBet | BehindBet | PairBet, raises: Raises) -> None:
    if _is_a(int, stake.seat) and stake.seat in raises.seats:
        return
    dealt_in = ", ".join(str(seat) for seat in sorted(raises.seats)) or "none"
    raise StakesInvalid(
        f"Bet {stake.bet!r} is on seat {stake.seat!r}, which was not dealt in; dealt in: {dealt_in}.",
        hint="A bet on a seat that was released goes back without a settlement (DLX-28).",
    )


def _check_follows(stake: BehindBet, raises: Raises) -> None:
    split = stake.seat in raises.split
    if not _is_a(bool, stake.follows_split) or not _is_a(tuple, stake.follows_double):
        raise StakesInvalid(
            f"Behind bet {stake.bet!r} does not say what it follows.",
            hint="follows_split is True or False, follows_double a tuple of hands: (1,), (2,) or (1, 2).",
        )
    if stake.follows_split and not split:
        raise StakesInvalid(
            f"Behind bet {stake.bet!r} follows a split, and seat {stake.seat} did not split.",
            hint="Say what was staked, not what was wished for.",
        )
    mine = (1, 2) if stake.follows_split else (1,)
    for hand in stake.follows_double:
        if hand not in mine:
            raise StakesInvalid(
                f"Behind bet {stake.bet!r} follows a double on hand {hand!r}, on which it has no stake.",
                hint=f"It lies on hand {' and '.join(str(each) for each in mine)}.",
            )
        if raises.units(stake.seat, hand) == 1:
            raise StakesInvalid(
                f"Behind bet {stake.bet!r} follows a double on hand {hand} of seat {stake.seat}, "
                "which was not doubled.",
                hint="Say what was staked, not what was wished for.",
            )


def _check_pair(stake: PairBet, raises: Raises, house: HouseRules) -> None:
    if house.pair_bet.kinds == "none":
        raise StakesInvalid(
            f"Bet {stake.bet!r} is a pair bet, and house {house.name} has none.",
            hint="Give the stake back, and settle without it.",
        )
    if stake.hand is None:
        return
    if not house.pair_bet.on_split_hands or stake.hand not in {1, 2} or stake.seat not in raises.split:
        raise StakesInvalid(
            f"Pair bet {stake.bet!r} is on hand {stake.hand!r} of seat {stake.seat}, "
            "where none can be placed.",
            hint="A split hand, 1 or 2, may have one in a house with pair_bet.on_split_hands (HTS-5).",
        )


def _check_halves(stakes: Sequence[Stake], insured: dict[str, SeatBet | BehindBet]) -> None:
    """All the insurance on a bet together is at most half of it."""
    total: Counter[str] = Counter()
    for stake in stakes:
        if isinstance(stake, Insurance):
            total[stake.on] += stake.amount
    for name, amount in total.items():
        bet = insured[name].amount
        if 2 * amount > bet:
            raise StakesInvalid(
                f"Bet {name!r} of {bet} is insured for {amount}, more than half.",
                hint=f"At most {bet // 2} can be taken: give the rest back.",
            )
