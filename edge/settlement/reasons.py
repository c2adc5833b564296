"""Why a line pays what it pays, in words a player can read in a bet record."""

from typing import assert_never

from edge.events import DealerHand, HandResult, How, Odds, Pair, Verdict
from edge.settlement.stakes import BehindBet, SeatBet


def hand_told(hand: HandResult, dealer: DealerHand) -> str:
    """What became of the hand, and what it pays."""
    theirs = "a natural" if dealer.natural else "a bust" if dealer.bust else str(dealer.total)
    mine = "a bust" if hand.how is How.BUST else str(hand.total)
    match hand.outcome:
        case Verdict.BLACKJACK:
            return f"a natural pays {_odds(hand.odds)}"
        case Verdict.EVEN_MONEY:
            return f"even money was taken, pays {_odds(hand.odds)}"
        case Verdict.SURRENDER:
            return "surrendered, half goes back"
        case Verdict.VOID:
            return "void, the stake goes back"
        case Verdict.WIN:
            return f"{mine} against {theirs} wins {_odds(hand.odds)}"
        case Verdict.LOSE if hand.how is How.BUST:
            return "a bust loses"
        case Verdict.LOSE:
            return f"{mine} against {theirs} loses"
        case Verdict.PUSH:
            natural = hand.how is How.NATURAL or (dealer.natural and hand.how is None)
            return f"{'a natural' if natural else mine} against {theirs} pushes, the stake goes back"
        case _:
            assert_never(hand.outcome)


def raise_told(stake: SeatBet | BehindBet, units: int, hand: HandResult) -> str:
    """What of the stake was raised here, or was not although the seat's was."""
    if units > 1:
        return "double followed, " if isinstance(stake, BehindBet) else "doubled, "
    if isinstance(stake, BehindBet) and hand.how is How.DOUBLE:
        return "double not followed, "
    return ""


def pair_told(found: Pair | None) -> str:
    """What the pair bet found, and what it pays."""
    if found is None:
        return "no pair: the pair bet loses"
    name = found.kind.value.replace("_", " ")
    kind = "a pair" if name == "pair" else f"a {name}" if "triple" in name else f"a {name} pair"
    return f"{kind}: pays {_odds(found.odds)}"


def _odds(odds: Odds) -> str:
    return f"{odds[0]}:{odds[1]}"
