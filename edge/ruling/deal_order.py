"""The expected order of the cards: every draw has exactly one rightful place (BJ-13)."""

from edge.events import Place, Spot
from edge.house_rules import HouseRules


def first_deal(seats: tuple[int, ...], rules: HouseRules) -> tuple[Place, ...]:
    """Where the first cards of a round go, in order (DLX-5, DLX-6, SAG-2, HTS-1, KRF-3).

    Two passes over the seats in ascending order; the dealer's first card ends the first pass, a hole
    card, in houses that have one, the second.
    """
    spots: tuple[Place, ...] = tuple(Spot(seat=seat, hand=1) for seat in seats)
    first_pass: tuple[Place, ...] = (*spots, "dealer")
    return (*first_pass, *spots, "dealer") if rules.dealer.hole_card else (*first_pass, *spots)


def second_cards(seat: int, rules: HouseRules) -> tuple[Place, ...]:
    """Where the cards after a split go: both hands at once, or the first hand only (DLX-18)."""
    first, second = Spot(seat=seat, hand=1), Spot(seat=seat, hand=2)
    return (first, second) if rules.split.second_cards == "both_first" else (first,)


def deals_face_down(position: int, rules: HouseRules) -> bool:
    """Whether the dealer's card at this position (from 1) is dealt face down (DLX-6, KRF-3)."""
    if not rules.dealer.hole_card:
        return False
    return position == (1 if rules.dealer.first_card == "down" else 2)
