"""The reference server over irregular play: each case of the table, taken as a consumer takes it."""

from pathlib import Path

import pytest

from edge.replay import Published
from sim_devices.audit import Auditor, Taken
from sim_devices.comparison import Departed, differences
from sim_devices.game import Game
from tests.edge.test_irregular_cases import PATHS, read_case, replayed


def taken(path: Path) -> list[Taken]:
    return [Taken.read(each.payload) for each in replayed(read_case(path)) if isinstance(each, Published)]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_a_server_knows_of_the_cards_is_what_the_result_says(path: Path) -> None:
    game, auditor = Game(house=read_case(path)["rules"]), Auditor()
    for event in taken(path):
        auditor.take(event)
        if event.type == "round.result":
            assert game.deal is not None
            hands = {
                (seat["seat"], hand["hand"]): hand["cards"]
                for seat in event.content["seats"]
                for hand in seat["hands"]
                if hand["cards"]
            }
            assert game.deal.hands == hands
            shown = [card for card in game.deal.lying.dealer if card is not None]
            assert shown == event.content["dealer"]["cards"]
        game.take(event)
    assert auditor.faults == []
    assert game.faults == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_card_has_one_place_at_a_time(path: Path) -> None:
    """The draws of an event-by-event story without holes; which cards left no log says here."""
    events = taken(path)
    for number in {event.content["shoe"] for event in events if isinstance(event.content.get("shoe"), int)}:
        nothing = Departed(cards=(), unread=frozenset(), cut_after=None)
        faults = differences(nothing, events, number=number)
        assert [each for each in faults if "already" in each or "order" in each] == []


def test_a_dispute_is_settled_by_the_result_that_stands() -> None:
    game = Game()
    (path,) = [each for each in PATHS if "dispute" in each.stem][:1]
    for event in taken(path):
        game.take(event)
    assert game.disputes
    for dispute in game.disputes:
        assert dispute.result == game.results[dispute.round]
