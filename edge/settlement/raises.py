"""Raises: which hands were doubled and which seats split, that is, what was staked beyond the first bets.

``round.result`` tells it in all but one case. Where a dealer's natural found after play takes the
original stake only (``dealer.natural_takes = "original"``), a hand lost to it has ``units`` 1 whether it
was doubled or not. If it was, ``how`` says ``double``, unless the third card busted it: then ``how`` is
``bust``, as after a hit, and only the round's ``turn.acted`` can tell. ``round.voided`` tells nothing at
all of stakes. For both there is :func:`raises_of`, which folds a round's events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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


def raises_of(events: Iterable[tuple[str, Mapping[str, Any]]]) -> Raises:
    """The raises of the last round opened in these events, up to where they end.

    It needs ``round.opened`` and ``turn.acted``. A split is told by ``turn.acted`` and, where it comes, by
    ``hand.split``; a round whose events have both must have both of every split.

    Args:
        events: pairs of an event's type, without prefix and version (``turn.acted``), and its published
            data, in order. Events that raise nothing are passed over.

    Raises:
        RaisesDiffer: no table has published this: a raise on a seat not dealt in or on a hand that is not
            there, a hand doubled or a seat split twice, two events that disagree.
    """
    history = _History(seats=())
    for kind, said in _last_round(events):
        match kind:
            case "round.opened":
                history = _History(seats=tuple(said["seats"]))
            case "hand.split":
                history.told(said["seat"])
            case "turn.acted":
                history.acted(Spot(seat=said["seat"], hand=said["hand"]), said["action"])
            case _:
                pass
    return history.raises()


def _last_round(events: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, Mapping[str, Any]]]:
    """The events from the last ``round.opened`` on: what was before raises nothing in that round."""
    since: list[tuple[str, Mapping[str, Any]]] = []
    for kind, said in events:
        if kind == "round.opened":
            since.clear()
        since.append((kind, said))
    return since


@dataclass(slots=True, kw_only=True)
class _History:
    """What the events of one round have said so far."""

    seats: tuple[int, ...]
    by_turn: list[int] = field(default_factory=list)
    """Seats split, by ``turn.acted``."""
    by_split: list[int] = field(default_factory=list)
    """Seats split, by ``hand.split``."""
    doubled: list[Spot] = field(default_factory=list)
    pending: int | None = None
    """The seat whose split was the last thing acted: its ``hand.split`` may not have come yet."""

    def acted(self, spot: Spot, action: str) -> None:
        """A ``turn.acted``."""
        self.pending = None
        if action not in {"double", "split"}:
            return
        self._dealt_in(spot.seat, action)
        if spot in self.doubled:
            raise _impossible(f"{_named(spot)} was doubled, and then {_DONE[action]}")
        if action == "split":
            if spot.seat in self.by_turn or spot.hand != 1:
                raise _impossible(f"{_named(spot)} was split, which only an unsplit hand 1 can be")
            self.by_turn.append(spot.seat)
            self.pending = spot.seat
            return
        if spot.hand not in self.raises().hands(spot.seat):
            raise _impossible(f"{_named(spot)} was doubled, and there is no such hand")
        self.doubled.append(spot)

    def told(self, seat: int) -> None:
        """A ``hand.split``."""
        self._dealt_in(seat, "split")
        if seat in self.by_split:
            raise _impossible(f"hand 1 of seat {seat} was split, and then split")
        if seat not in self.by_turn and any(spot.seat == seat for spot in self.doubled):
            raise _impossible(f"hand 1 of seat {seat} was doubled, and then split")
        self.by_split.append(seat)

    def raises(self) -> Raises:
        """What all this added to the stakes."""
        if self.by_turn and self.by_split:
            due = set(self.by_turn) - {self.pending}
            if not due <= set(self.by_split) <= set(self.by_turn):
                raise _impossible(
                    f"seats {_listed(tuple(self.by_turn))} were split by turn.acted, "
                    f"seats {_listed(tuple(self.by_split))} by hand.split"
                )
        split = tuple(dict.fromkeys((*self.by_turn, *self.by_split)))
        return Raises(seats=self.seats, split=split, doubled=tuple(self.doubled))

    def _dealt_in(self, seat: int, action: str) -> None:
        if seat not in self.seats:
            raise _impossible(
                f"seat {seat} was {_DONE[action]}, and dealt in were seats {_listed(self.seats)}"
            )


_DONE: Final = {"double": "doubled", "split": "split"}


def _impossible(what: str) -> RaisesDiffer:
    return RaisesDiffer(
        f"By the events {what}.", hint="Give all round.opened and turn.acted of the round, in their order."
    )


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
