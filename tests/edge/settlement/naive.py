"""Payouts a second time, from card strings alone: as a pit clerk would reckon them with a pencil.

On purpose it shares nothing with the program: no import of it, no result read, no odds taken over. What
it knows of the four houses it says itself.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

PAIR_ODDS: Final = {"deluxe": None, "sa-gaming": 11, "ho-tram-strip": 11, "korean-floor": 0}
"""None: by kind; 0: the house has no pair bet."""
HOLE_CARD: Final = {"deluxe", "korean-floor"}


@dataclass
class Player:
    """One bet and everything around it."""

    seat: int
    bet: int
    behind: bool = False
    follows_split: bool = False
    follows_double: tuple[int, ...] = ()
    insurance: int = 0
    pair: int = 0
    split_pairs: tuple[int, int] = (0, 0)


@dataclass
class Layout:
    """The cards on the table when all is over, and what the players did."""

    house: str
    hands: dict[tuple[int, int], list[str]]
    doubled: set[tuple[int, int]]
    surrendered: set[int]
    even_money: set[int]
    dealer: list[str]
    """All of them, the hole card too, seen or not; the card on show is the first."""


def points(cards: list[str]) -> int:
    low = 0
    for card in cards:
        low += 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])
    return low + 10 if "A" in "".join(card[0] for card in cards) and low <= 11 else low


def is_natural(cards: list[str]) -> bool:
    return len(cards) == 2 and points(cards) == 21


def returned(layout: Layout, player: Player) -> Fraction:
    """What goes back to this player, stakes included, to the exact fraction."""
    back = Fraction(0)
    seat = player.seat
    split = (seat, 2) in layout.hands
    for number in (1, 2) if split else (1,):
        if player.behind and number == 2 and not player.follows_split:
            continue
        stake = player.bet
        if player.behind:
            stake *= 2 if number in player.follows_double else 1
        else:
            stake *= 2 if (seat, number) in layout.doubled else 1
        back += stake * times(layout, seat, number, split=split)
    if player.insurance and is_natural(layout.dealer[:2]):
        back += 3 * player.insurance
    first_two = [layout.hands[seat, 1][0], layout.hands[seat, 2][0] if split else layout.hands[seat, 1][1]]
    back += player.pair * pair_times(layout, first_two)
    for number, pair in enumerate(player.split_pairs, start=1):
        if pair:
            back += pair * pair_times(layout, layout.hands[seat, number][:2])
    return back


def staked(layout: Layout, player: Player) -> int:
    seat, lying = player.seat, player.bet
    split = (seat, 2) in layout.hands
    if split and (player.follows_split or not player.behind):
        lying += player.bet
    if player.behind:
        lying += player.bet * len(player.follows_double)
    else:
        lying += player.bet * len([1 for spot in layout.doubled if spot[0] == seat])
    return lying + player.insurance + player.pair + sum(player.split_pairs)


def times(layout: Layout, seat: int, number: int, *, split: bool) -> Fraction:
    """How many times a stake on this hand comes back."""
    mine, theirs = layout.hands[seat, number], layout.dealer
    if seat in layout.surrendered:
        return Fraction(1, 2)
    if seat in layout.even_money:
        return Fraction(2)
    my_natural = is_natural(mine) and not split
    if is_natural(theirs):
        if my_natural:
            return Fraction(1)
        # The Korean floor does not look under a ten: 21 made in play has not lost to a natural found late.
        late = layout.house == "korean-floor" and theirs[0][0] != "A"
        return Fraction(1) if late and points(mine) == 21 else Fraction(0)
    if points(mine) > 21:
        return Fraction(0)
    if my_natural:
        return Fraction(5, 2)
    if points(theirs) > 21 or points(mine) > points(theirs):
        return Fraction(2)
    return Fraction(1) if points(mine) == points(theirs) else Fraction(0)


def pair_times(layout: Layout, cards: list[str]) -> int:
    odds = PAIR_ODDS[layout.house]
    one, other = cards
    if odds == 0 or one[0] != other[0]:
        return 0
    if odds is not None:
        return odds + 1
    if one == other:
        return 51 if layout.dealer[0] == one else 31
    colours = {"d": "red", "h": "red", "c": "black", "s": "black"}
    return 11 if colours[one[1]] == colours[other[1]] else 6
