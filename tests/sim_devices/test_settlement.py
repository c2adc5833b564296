"""The simulators' own reckoning of house deluxe: where much went wrong it says what the table says."""

from random import Random
from typing import Any, Final

from edge.events import RoundResult, Spot
from edge.house_rules import HouseRules, house_text
from edge.inputs import Patience
from sim_devices.settlement import PlayedRound, settle
from tests.edge.ruling.playing import as_published, asking
from tests.properties.irregular import irregular_play
from tests.properties.ledger import Books

ENOUGH: Final = 250


class Settled(Books):
    """Books that are settled when the table's result comes."""

    pairs: list[tuple[dict[str, Any], dict[str, Any]]]

    def _result(self, event: RoundResult, rules: HouseRules) -> None:
        super()._result(event, rules)
        dealer = [(draw, str(card)) for draw, card in self.table["dealer"] if card is not None]
        hands = {
            (spot.seat, spot.hand): [str(card) for _, card in lying]
            for spot, lying in self.table.items()
            if isinstance(spot, Spot)
        }
        played = PlayedRound(
            hands=hands,
            how={spot: how.value for spot, how in self.ends.items()},
            doubled=frozenset(self.doubled),
            dealer=[card for _, card in dealer],
            up_card=next((card for draw, card in dealer if draw not in self.holes), ""),
            insured=self.insured,
        )
        told = as_published(event)
        self.pairs.append((settle(played), {key: told[key] for key in ("dealer", "seats")}))


def test_a_round_put_in_order_again_is_reckoned_as_the_table_has_it() -> None:
    met: set[str] = set()
    count = 0
    for seed in range(10_000):
        chance = Random(f"sim {seed}")
        house = chance.choice((house_text("deluxe"), asking("deluxe")))
        books = Settled()
        books.pairs = []
        for step in irregular_play(house, chance.randbytes(700), Patience()):
            if step.after.shoe is not None and step.after.shoe.rules.name != "deluxe":
                break
            books.follow(step.events, step.before, step.after)
            met.update(event.type for event in step.events)
        for mine, told in books.pairs:
            count += 1
            assert mine == told
        if count >= ENOUGH:
            break
    assert {"card.moved", "card.corrected", "card.discarded", "hand.voided"} <= met
