"""A ruling under way: the state as it stands after everything ruled so far, and what was ruled."""

from typing import TypedDict

from edge.notes import Ruled
from edge.ruling.evolve import evolve
from edge.ruling.state import Offer, Round, Shoe, TableState


class Where(TypedDict):
    """What every event says first."""

    shoe: int | None
    round: int | None


class Ruling:
    """What one input causes, built event by event; the state always includes all of them."""

    __slots__ = ("_ruled", "state")

    def __init__(self, state: TableState) -> None:
        self.state = state
        self._ruled: list[Ruled] = []

    def rule(self, *ruled: Ruled) -> None:
        """Add events and notes, folding each at once."""
        for each in ruled:
            self.state = evolve(self.state, each)
            self._ruled.append(each)

    @property
    def ruled(self) -> tuple[Ruled, ...]:
        """Events and notes in the order in which they are folded."""
        return tuple(self._ruled)

    @property
    def shoe(self) -> Shoe:
        """The shoe in play; only asked in phases that have one."""
        if self.state.shoe is None:
            raise ValueError("no shoe is in play")
        return self.state.shoe

    @property
    def round(self) -> Round:
        """The round in progress; only asked in phases that have one."""
        if self.state.round is None:
            raise ValueError("no round is in progress")
        return self.state.round

    @property
    def offer(self) -> Offer:
        """The offer that is open; only asked while a decision is due."""
        if self.round.offer is None:
            raise ValueError("no offer is open")
        return self.round.offer

    @property
    def where(self) -> Where:
        """For an event's ``shoe`` and ``round``."""
        return Where(shoe=self.shoe_number, round=self.round_number)

    @property
    def shoe_number(self) -> int | None:
        """For an event's ``shoe``."""
        return self.state.shoe.number if self.state.shoe else None

    @property
    def round_number(self) -> int | None:
        """For an event's ``round``."""
        return self.state.round.number if self.state.round else None
