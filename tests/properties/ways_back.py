"""The way back: from a held table into play again, without voiding what the house lets live."""

from collections.abc import Iterator

from edge.events import Spot
from edge.inputs import RequestMade
from edge.irregular import Resolution
from edge.requests import Asked, Desk, Outcome, ReleaseTable, Request, ResolveIrregularity, Target
from edge.ruling import TableState, decide
from edge.ruling.state import OpenIrregularity
from firmware_protocols import DECK, Card
from tests.properties.irregular import END, known, places, target

DEEP = 12
"""Resolutions in a row; what is set aside may be irregular one after another."""


def asked(state: TableState, request: Request) -> TableState | None:
    """The table after this request; None: it was refused."""
    heard = RequestMade(asked=Asked(id="way", desk=Desk.SUPERVISOR, request=request, digest="d"))
    ruling = decide(state, heard)
    answer = ruling.ruled[-1]
    return ruling.state if getattr(answer, "outcome", None) is Outcome.ACCEPTED else None


def only_ends(state: TableState) -> bool:
    """Something is open whose house lets nothing live."""
    return any(set(each.allowed) <= set(END) for each in state.irregularities if not each.latched)


def attempts(state: TableState, one: OpenIrregularity, how: Resolution) -> Iterator[ResolveIrregularity]:
    """Every set of details worth a try, the plainest first."""
    draws: tuple[int | None, ...] = (None, *known(state)) if one.draw is None else (None,)
    cards: tuple[Card | None, ...] = DECK if how in {Resolution.ENTER, Resolution.CORRECT} else (None,)
    tos: tuple[Target | None, ...] = (None,)
    seats: tuple[int | None, ...] = (None,)
    if state.round is not None and how is Resolution.MOVE:
        tos = (None, *(target(place) for place in places(state.round)))
    if state.round is not None and how in {Resolution.VOID_HAND, Resolution.DEAL_MISSING}:
        seats = (None, *(place.seat for place in places(state.round) if isinstance(place, Spot)))
    for override in (False, True):
        for natural in (None, False, True) if how is Resolution.PEEK else (None,):
            for draw in draws:
                for card in cards:
                    for to in tos:
                        for seat in seats:
                            yield ResolveIrregularity(
                                id=one.id,
                                resolution=how,
                                operator="ada",
                                override=override,
                                natural=natural,
                                draw=draw,
                                card=card,
                                to=to,
                                seat=seat,
                            )


def way_back(state: TableState, deep: int = DEEP) -> bool:
    """Whether this table plays on: free, and in the same round, unless only an end is allowed."""
    if not state.held or only_ends(state):
        return True
    if not deep:
        return False
    if state.pause is not None:
        released = asked(state, ReleaseTable(operator="ada", reason="r"))
        return released is not None and way_back(released, deep - 1)
    for one in state.irregularities:
        for how in one.allowed:
            if one.latched or how in END:
                continue
            for request in attempts(state, one, how):
                after = asked(state, request)
                if after is not None and way_back(after, deep - 1):
                    return True
    return False
