"""A naive referee is asked about random rounds; the ruling and it must agree on everything."""

import ast
import random
from collections import Counter
from pathlib import Path

import pytest

from firmware_protocols import DECK
from tests.edge.ruling import naive
from tests.edge.ruling.playing import ready

ROUNDS = 400
"""For each house."""


class Script:
    """A round played at random, and its script as the referee wants it."""

    def __init__(self, house: str, rng: random.Random) -> None:
        self.table = ready(house)
        self.rng = rng
        self.before = self.drawn
        self.seats = rng.sample(range(1, 8), rng.randint(1, 7))
        self.cards: list[str] = []
        self.decisions: dict[tuple[int, int], list[naive.Said]] = {}
        self.insured: list[int] = []
        self.even_money: list[int] = []
        # A biased deck, so that pairs, naturals and pushes come often.
        often = [card for card in DECK if card.rank.value in "A8TKQ"] * 2
        self.deck = [str(card) for card in (*DECK, *often)]
        self.table.open(*self.seats)
        while self.table.state.round is not None:
            self._go_on()

    @property
    def drawn(self) -> int:
        return self.table.state.shoe.drawn if self.table.state.shoe else 0

    def _go_on(self) -> None:
        now = self.table.state.round
        assert now is not None
        assert not self.table.state.irregularities
        if now.insurance_open and now.insurance:
            self.insured = [seat for seat in now.insurance.offered if self.rng.random() < 0.3]
            self.even_money = [seat for seat in now.insurance.even_money_offered if self.rng.random() < 0.5]
            code = self.table.insure(*self.insured, even_money=tuple(self.even_money))
            assert code == "done"
        elif now.offer is not None:
            self._decide(now.offer.spot.seat, now.offer.spot.hand, [a.value for a in now.offer.actions])
        else:
            code = self._card()
            self.cards.append(code)
            self.table.draw(code)

    def _card(self) -> str:
        """A card of which fewer than the house's copies are out."""
        out = Counter(self.cards)
        while True:
            code = self.rng.choice(self.deck)
            if out[code] < 5:
                return code

    def _decide(self, seat: int, hand: int, legal: list[str]) -> None:
        said = self.decisions.setdefault((seat, hand), [])
        if self.rng.random() < 0.08:
            said.append(("auto", True))
            assert self.table.time_out(seat) == "done"
            return
        wanted = "split" if "split" in legal and self.rng.random() < 0.6 else self.rng.choice(legal)
        funded = self.rng.random() < 0.8
        said.append((wanted, funded))
        assert self.table.decide(seat, wanted, hand=hand, funded=funded) == "done"


@pytest.mark.rule(
    "BJ-1", "BJ-2", "BJ-3", "BJ-4", "BJ-5", "BJ-6", "BJ-7", "BJ-8", "BJ-9", "BJ-10", "BJ-11", "BJ-12",
    "DLX-5", "DLX-6", "DLX-8", "DLX-9", "DLX-10", "DLX-13", "DLX-16", "DLX-17", "DLX-18", "DLX-19",
    "DLX-20", "DLX-21", "DLX-22", "DLX-23", "SAG-2", "SAG-3", "SAG-7", "SAG-8", "SAG-9", "SAG-10",
    "HTS-1", "HTS-3", "HTS-4", "HTS-5", "HTS-6", "KRF-3", "KRF-4", "KRF-5", "KRF-6", "KRF-7", "KRF-8",
    "KRF-9",
)  # fmt: skip
@pytest.mark.parametrize("house", sorted(naive.HOUSES))
def test_the_referee_agrees(house: str) -> None:
    rng = random.Random(f"a round at {house}")
    seen: Counter[str] = Counter()
    for _ in range(ROUNDS):
        script = Script(house, rng)
        referee = naive.Referee(
            house,
            seats=script.seats,
            cards=script.cards,
            decisions=script.decisions,
            insured=script.insured,
            even_money=script.even_money,
        )
        result = script.table.result
        assert {"dealer": result["dealer"], "seats": result["seats"]} == referee.result
        assert referee.taken == len(script.cards) == script.drawn - script.before
        for seat in result["seats"]:
            seen.update(str(hand[key]) for hand in seat["hands"] for key in ("outcome", "how"))
            seen[str(seat["insurance"])] += 1
    assert {"blackjack", "win", "lose", "push", "surrender", "stand", "bust", "double", "won", "lost"} <= set(
        seen
    )


def test_the_referee_imports_nothing() -> None:
    tree = ast.parse(Path(naive.__file__).read_text(encoding="utf-8"))
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))
