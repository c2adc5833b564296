"""Raises: which hands were doubled and which seats split, that is, what was staked beyond the first bets.

``round.result`` tells it in all but one case. Where a dealer's natural found after play takes the
original stake only (``dealer.natural_takes = "original"``), a hand lost to it has ``units`` 1 whether it
was doubled or not. If it was, ``how`` says ``double``, unless the third card busted it: then ``how`` is
``bust``, as after a hit, and only the round's ``turn.acted`` can tell. ``round.voided`` tells nothing at
all of stakes. For both there is :func:`raises_of`, which folds a round's events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from edge.events import HandResult, How, RoundResult, Spot, Verdict
from edge.house_rules import HouseRules
from edge.settlement.errors import RaisesDiffer

CARDS_AFTER_A_DOUBLE: Final = 3
DOUBLED: Final = 2
"""Units on a doubled hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raises:
    """What the table's decisions added to the stakes of one round."""

    seats: tuple[int, ...]
    """Dealt in."""
    split: tuple[int, ...] = ()
    """Seats with two hands."""
    doubled: tuple[Spot, ...] = ()
    """Hands that took a double, done, not merely asked for."""

    def hands(self, seat: int) -> tuple[int, ...]:
        """The numbers of this seat's hands."""
        return (1, 2) if seat in self.split else (1,)

    def units(self, seat: int, hand: int) -> int:
        """Stakes of the seated player on this hand."""
        return DOUBLED if Spot(seat=seat, hand=hand) in self.doubled else 1


NOTHING: Final = Raises(seats=())


def raises_of(events: Iterable[tuple[str, Mapping[str, Any]]]) -> Raises:
    """The raises of the last round opened in these events, up to where they end.

    Args:
        events: pairs of an event's type, without prefix and version (``turn.acted``), and its published
            data, in order. Events that raise nothing are passed over.
    """
    raises = NOTHING
    for kind, said in events:
        match kind:
            case "round.opened":
                raises = Raises(seats=tuple(said["seats"]))
            case "hand.split":
                raises = replace(raises, split=(*raises.split, said["seat"]))
            case "turn.acted" if said["action"] == "double":
                spot = Spot(seat=said["seat"], hand=said["hand"])
                raises = replace(raises, doubled=(*raises.doubled, spot))
            case _:
                pass
    return raises


def raises_in(result: RoundResult, house: HouseRules, told: Raises | None) -> Raises:
    """The raises that the result tells, held against those of the events where they are given.

    Raises:
        RaisesDiffer: the two contradict each other, or the result cannot tell and nothing else does.
    """
    doubled = []
    for seat in result.seats:
        for hand in seat.hands:
            spot = Spot(seat=seat.seat, hand=hand.hand)
            if _doubled(result, hand, spot, house, told):
                doubled.append(spot)
    raises = Raises(
        seats=tuple(seat.seat for seat in result.seats),
        split=tuple(seat.seat for seat in result.seats if len(seat.hands) > 1),
        doubled=tuple(doubled),
    )
    for what, mine, theirs in (
        ("dealt in", raises.seats, raises.seats if told is None else told.seats),
        ("split", raises.split, raises.split if told is None else told.split),
    ):
        if set(mine) != set(theirs):
            raise RaisesDiffer(
                f"By the events seats {_listed(theirs)} were {what}, by the result seats {_listed(mine)}.",
                hint="Give the events of the round that this result is of.",
            )
    return raises


def _doubled(
    result: RoundResult, hand: HandResult, spot: Spot, house: HouseRules, told: Raises | None
) -> bool:
    """Whether this hand was doubled."""
    one_unit_only = hand.units == 1 and _lost_to_a_natural(result, hand, house)
    said = None if told is None else spot in told.doubled
    if not one_unit_only:
        doubled = hand.units == DOUBLED
        if not doubled and hand.how is How.DOUBLE:
            raise RaisesDiffer(
                f"{_named(spot)} ended by a double and has 1 unit, which house {house.name} does not do.",
                hint="Settle with the house file that the table plays by.",
            )
    elif hand.how is How.DOUBLE:
        doubled = True
    elif hand.how is How.BUST and len(hand.cards) == CARDS_AFTER_A_DOUBLE:
        if said is None:
            raise RaisesDiffer(
                f"{_named(spot)} went bust with three cards before the dealer's natural took the original "
                "stake: the result does not say whether it had been doubled.",
                hint="Give raises: raises_of() makes them of the round's events.",
            )
        doubled = said
    else:
        doubled = False
    if said is not None and said is not doubled:
        by_events, by_result = (_done(each) for each in (said, doubled))
        raise RaisesDiffer(
            f"By the events {_named(spot)} was {by_events}, by the result it was {by_result}.",
            hint="Give the events of the round that this result is of.",
        )
    return doubled


def _lost_to_a_natural(result: RoundResult, hand: HandResult, house: HouseRules) -> bool:
    """Whether a natural, found after play, took no more than the original stake of this hand."""
    found_after_play = result.dealer.natural and hand.how is not None
    return house.dealer.natural_takes == "original" and found_after_play and hand.outcome is Verdict.LOSE


def _done(doubled: bool) -> str:  # noqa: FBT001 - one word of a sentence
    return "doubled" if doubled else "not doubled"


def _named(spot: Spot) -> str:
    return f"hand {spot.hand} of seat {spot.seat}"


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(str(seat) for seat in sorted(seats)) or "none"
