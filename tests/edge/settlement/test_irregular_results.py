"""Results of rounds in which much went wrong are settled as any other: a void hand's bet goes back."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest

from edge.events import Event, RoundOpened, RoundResult, SeatResult, Verdict
from edge.house_rules import HouseRules
from edge.settlement import Insurance, PairBet, SeatBet, Stake, raises_of, settle
from tests.edge.ruling.playing import as_published
from tests.properties.irregular import seeded_plays

RESULTS: Final = 1000
STAKE: Final = 100
HALVES: Final = {Verdict.BLACKJACK: 5, Verdict.SURRENDER: 1, Verdict.LOSE: 0}
"""What goes back of two units: of the others the stake does, and as much again where it is won."""


def results() -> Iterator[tuple[HouseRules, list[Event], RoundResult]]:
    """Results of random irregular play, each with its house and the events of its round."""
    for play in seeded_plays(500):
        events: list[Event] = []
        for step in play:
            for event in step.events:
                if isinstance(event, RoundOpened):
                    events = []
                events.append(event)
                if isinstance(event, RoundResult):
                    assert step.before.shoe is not None
                    yield step.before.shoe.rules, list(events), event


def stakes_on(seat: SeatResult, house: HouseRules) -> list[Stake]:
    name = f"seat {seat.seat}"
    stakes: list[Stake] = [SeatBet(bet=name, seat=seat.seat, amount=STAKE)]
    if seat.insurance is not None:
        stakes.append(Insurance(bet=f"{name} insured", on=name, amount=STAKE // 2))
    if house.pair_bet.kinds != "none":
        stakes.append(PairBet(bet=f"{name} pair", seat=seat.seat, amount=STAKE))
    return stakes


def due(seat: SeatResult) -> int:
    """What goes back on the hands of a seat."""
    won = {Verdict.WIN: 4, Verdict.EVEN_MONEY: 4}
    return sum(
        STAKE * hand.units * HALVES.get(hand.outcome, won.get(hand.outcome, 2)) // 2 for hand in seat.hands
    )


@pytest.mark.rule("DLX-32", "HTS-I8")
def test_every_result_of_irregular_play_is_settled() -> None:
    met: Counter[str] = Counter()
    for house, events, result in results():
        published: list[tuple[str, dict[str, Any]]] = [(each.type, as_published(each)) for each in events]
        stakes = [stake for seat in result.seats for stake in stakes_on(seat, house)]
        settled = settle(as_published(result), stakes, house=house, raises=raises_of(published))
        for seat in result.seats:
            name = f"seat {seat.seat}"
            assert settled.payout(name).returned == due(seat)
            if seat.insurance is not None:
                assert settled.payout(f"{name} insured").returned == (150 if seat.insurance == "won" else 0)
            first = seat.hands[0]
            if first.outcome is Verdict.VOID:
                met[f"void with {len(first.cards)} cards"] += 1
                assert settled.payout(name).net == 0
                if house.pair_bet.kinds != "none":
                    assert settled.payout(f"{name} pair").net == 0
        met.update({type(each).__name__ for each in events})
        met["results"] += 1
        if met["results"] == RESULTS:
            break
    repaired = ("CardCorrected", "CardMoved", "CardDiscarded", "CardRetracted", "HandVoided")
    assert min(met[word] for word in repaired) > 0
    assert met["void with 0 cards"]
    assert met["void with 1 cards"]
