"""A floor table from end to end: a whole shoe from draws and keys alone, every result reckoned twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from edge.envelope import parse
from edge.events import Event, InsuranceClosed, RoundClosed, RoundOpened, RoundResult
from edge.house_rules import HouseRules, house_text, parse_house
from edge.inputs import DeviceSpokeUnknown, KeyPressed
from edge.journal import read_journal
from firmware_protocols import KeyStroke
from sim_devices import ShoeContents
from sim_devices.comparison import departed
from sim_devices.dealer import Pace
from sim_devices.floor_dealer import FloorDealer, Players
from sim_devices.play import Programme, Temper
from tests.edge.settlement.rounds import Played, layout_of
from tests.edge.settlement.test_random_rounds import settle_twice
from tests.end_to_end.harness import Bench, Plan, assert_nothing_lost_or_doubled, house_with, run

CODES: Final = {
    "stand": 1,
    "double": 2,
    "split": 3,
    "surrender": 4,
    "open": 5,
    "close": 6,
    "install": 7,
    "even_money": 8,
    **{f"seat_{seat}": 16 + seat for seat in range(1, 8)},
}
"""A card drawn in a hand's turn is its hit; so no key is."""
NO_KEY: Final = 99


@dataclass(frozen=True, kw_only=True)
class Floor:
    """A shoe of a floor table, and who plays it."""

    house: str
    seed: int
    cut_from_back: int
    cards_per_second: float = 200
    deadline_s: float = 120


@dataclass(frozen=True, kw_only=True)
class Shoe:
    """What became of it."""

    bench: Bench
    rounds: int
    keys: int


def deal_a_shoe(folder: Path, floor: Floor) -> Shoe:
    """Deal it, from the key that installs it to its close, and hold everything against everything."""
    rules = parse_house(house_text(floor.house))
    dealers: list[FloorDealer] = []

    async def play(bench: Bench) -> None:
        dealer = FloorDealer(
            bench.shoe,
            codes=CODES,
            players=Players(seed=floor.seed, temper=Temper(insured=0.5, by_the_book=0.6)),
            pace=Pace(cards_per_second=floor.cards_per_second),
        )
        dealers.append(dealer)
        bench.lookers.append(dealer.see)
        bench.serve()
        bench.chore(dealer.deal(), "floor dealer")
        await bench.until(lambda: bench.screen is not None and bench.screen.shoe is not None)
        bench.shoe.emit(KeyStroke(key=NO_KEY))
        await bench.until(lambda: bench.server.game.shoes_closed == 1, within_s=floor.deadline_s)
        await bench.finish()

    plan = Plan(
        contents=ShoeContents.shuffled(decks=rules.decks, seed=floor.seed, cut_from_back=floor.cut_from_back),
        programme=Programme(rounds=0),
        house=house_with(folder, floor.house, draw_is_hit=True),
        keys={code: key for key, code in CODES.items()},
        deadline_s=floor.deadline_s,
    )
    bench = run(play, folder, plan)
    assert_nothing_lost_or_doubled(bench)
    assert not bench.server.codes, "nobody but the dealer asked for anything"
    assert [each.content["reason"] for each in bench.of_type("shoe.closed")] == ["cut_card"]
    assert bench.of_type("irregularity.raised") == []
    assert_keys_are_recorded(bench, dealers[0].keys_pressed)
    return Shoe(bench=bench, rounds=reckon_twice(bench, floor, rules), keys=dealers[0].keys_pressed)


def assert_keys_are_recorded(bench: Bench, pressed: int) -> None:
    """Each key once; the one without a meaning as what it is."""
    with read_journal(bench.settings.journal) as journal:
        heard = [record.input for record in journal.records()]
    assert sum(isinstance(each, KeyPressed) for each in heard) == pressed
    assert [each.body for each in heard if isinstance(each, DeviceSpokeUnknown)] == [f"{NO_KEY:02x}"]


def reckon_twice(bench: Bench, floor: Floor, rules: HouseRules) -> int:
    """Settle each round as published, and again from the shoe's own log. Returns how many there were."""
    drawn, chance, rounds = departed(bench.shoe_log).cards, Random(floor.seed), 0
    for events in _rounds(bench):
        (result,) = (event for event in events if isinstance(event, RoundResult))
        closed = [event for event in events if isinstance(event, InsuranceClosed)]
        layout = layout_of(floor.house, events, drawn)
        played = Played(
            result=result, events=events, layout=layout, insured=closed[0].insured if closed else ()
        )
        settle_twice(played, chance, rules)
        rounds += 1
    return rounds


def _rounds(bench: Bench) -> Iterator[tuple[Event, ...]]:
    events: list[Event] = []
    for raw in bench.received:
        event = parse(raw).event
        if isinstance(event, RoundOpened):
            events = []
        events.append(event)
        if isinstance(event, RoundClosed):
            yield tuple(events)
