"""A round settled by the book of house ``deluxe``, from the cards alone: to hold the table's result against.

A second reading of the rules, on purpose as plain as a dealer would say them, and it shares no code with
the table. Of ``round.result`` it gives every field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_RED: Final = frozenset("dh")
_ODDS: Final = {
    "blackjack": [3, 2],
    "win": [1, 1],
    "push": [0, 1],
    "lose": [-1, 1],
    "surrender": [-1, 2],
    "void": [0, 1],
}
_PAIR_ODDS: Final = {"mixed": [5, 1], "coloured": [10, 1], "perfect": [30, 1], "suited_triple": [50, 1]}
_BEST: Final = 21
_ACE_MORE: Final = 10

Spot = tuple[int, int]
"""Seat and hand."""


def worth(cards: Sequence[str]) -> tuple[int, bool]:
    """Total, and whether an ace counts 11."""
    low = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)
    soft = any(card[0] == "A" for card in cards) and low + _ACE_MORE <= _BEST
    return (low + _ACE_MORE if soft else low), soft


def is_natural(cards: Sequence[str]) -> bool:
    """Ace and ten-valued card."""
    return len(cards) == 2 and worth(cards)[0] == _BEST  # noqa: PLR2004 - a natural has two cards


def pair_of(first_two: Sequence[str], up_card: str) -> dict[str, Any] | None:
    """What the pair bet pays on a seat's first two cards; nothing where a void hand lacks its second."""
    if len(first_two) < 2:  # noqa: PLR2004 - a pair is two cards
        return None
    first, second = first_two
    if first[0] != second[0]:
        return None
    if first == second:
        kind = "suited_triple" if first == up_card else "perfect"
    else:
        kind = "coloured" if (first[1] in _RED) == (second[1] in _RED) else "mixed"
    return {"kind": kind, "odds": _PAIR_ODDS[kind]}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """What lies on the layout when a round is over."""

    hands: Mapping[Spot, Sequence[str]]
    how: Mapping[Spot, str]
    """How each hand ended, where it did."""
    doubled: frozenset[Spot]
    """Hands whose stake was doubled."""
    dealer: Sequence[str]
    """Every card of the dealer, turned."""
    up_card: str
    """The first that was dealt face up."""
    insured: Sequence[int]
    """The seats with insurance."""


def settle(played: PlayedRound) -> dict[str, Any]:
    """``round.result`` without shoe and round."""
    total, _ = worth(played.dealer)
    natural = is_natural(played.dealer)
    return {
        "dealer": {
            "cards": list(played.dealer),
            "total": total,
            "natural": natural,
            "bust": total > _BEST,
            "unseen": 0,
        },
        "seats": [
            _seat(played, seat, natural=natural) for seat in sorted({seat for seat, _ in played.hands})
        ],
    }


def _seat(played: PlayedRound, seat: int, *, natural: bool) -> dict[str, Any]:
    whole = played.hands[seat, 1]
    first_two = [whole[0], played.hands[seat, 2][0]] if (seat, 2) in played.hands else whole[:2]
    insured = seat in played.insured
    return {
        "seat": seat,
        "pair": pair_of(first_two, played.up_card),
        "insurance": ("won" if natural else "lost") if insured else None,
        "hands": [_hand(played, spot) for spot in sorted(played.hands) if spot[0] == seat],
    }


def _hand(played: PlayedRound, spot: Spot) -> dict[str, Any]:
    cards = played.hands[spot]
    total, soft = worth(cards)
    split = (spot[0], 2) in played.hands
    how = played.how.get(spot)
    outcome = _outcome(cards, played.dealer, split=split, how=how)
    return {
        "hand": spot[1],
        "cards": list(cards),
        "total": total,
        "soft": soft,
        "how": how,
        "outcome": outcome,
        "odds": _ODDS[outcome],
        "units": 2 if spot in played.doubled else 1,
        "pair": None,
    }


def _outcome(cards: Sequence[str], dealer: Sequence[str], *, split: bool, how: str | None) -> str:
    mine, theirs = worth(cards)[0], worth(dealer)[0]
    my_natural, their_natural = is_natural(cards) and not split, is_natural(dealer)
    if how is not None and how in {"surrender", "void"}:
        return how
    if mine > _BEST:
        return "lose"
    if my_natural or their_natural:
        return "push" if my_natural and their_natural else "blackjack" if my_natural else "lose"
    if theirs > _BEST or mine > theirs:
        return "win"
    return "push" if mine == theirs else "lose"
