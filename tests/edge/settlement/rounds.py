"""Random rounds of a house, played at the table; of each, the result, the layout in card strings, stakes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from edge.events import (
    CardDealt,
    CardRevealed,
    Event,
    HandSplit,
    InsuranceClosed,
    RoundResult,
    Spot,
    TurnActed,
)
from edge.house_rules import HouseRules, house_text, parse_house
from edge.requests import Action, DecideHand
from edge.ruling import Phase, due, phase, verify
from edge.settlement import BehindBet, Insurance, PairBet, SeatBet, Stake
from tests.edge.ruling.playing import Table, as_published, made
from tests.edge.settlement.naive import Layout, Player

DECK: Final = tuple(rank + suit for suit in "cdhs" for rank in "A23456789TJQK")
ENOUGH: Final = 120
"""Cards that seven seats cannot use up in a round."""


EARLY: Final = 0.05
GONE: Final = 0.005
UNFUNDED: Final = 0.05
"""How often, of all moments or decisions."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """A round that has a result."""

    result: RoundResult
    events: tuple[Event, ...]
    layout: Layout
    insured: tuple[int, ...]

    @property
    def published(self) -> list[tuple[str, dict[str, Any]]]:
        return [(event.type, as_published(event)) for event in self.events]


def play(house: str, chance: Random, rounds: int, *, text: str | None = None) -> Iterator[Played]:
    """So many rounds from shuffled shoes, decided at random, mostly splitting where allowed."""
    shoe = _Shoe(house, chance, text)
    for number in range(rounds):
        if len(shoe.cards) < ENOUGH:
            shoe = _Shoe(house, chance, text)
        yield shoe.round(f"r{number}")


class _Shoe:
    def __init__(self, house: str, chance: Random, text: str | None) -> None:
        self.house, self.chance = house, chance
        self.table = Table(house, text=text)
        self.rules: HouseRules = parse_house(house_text(house) if text is None else text)
        self.cards = list(DECK) * self.rules.decks
        chance.shuffle(self.cards)
        self.drawn: list[str] = []
        assert self.table.install(self.rules.decks) == "done"
        while phase(self.table.state) is not Phase.READY:
            self._draw()

    def _draw(self) -> None:
        self.drawn.append(self.cards.pop())
        self.table.draw(self.drawn[-1])

    def round(self, name: str) -> Played:
        before = len(self.table.events)
        seats = sorted(self.chance.sample(range(1, 8), self.chance.randint(1, 7)))
        assert self.table.open(*seats, round_id=name) == "done"
        while (now := phase(self.table.state)) is not Phase.READY:
            self._one_party_is_waited_for()
            if self._speaks_early(seats):
                continue
            if now is Phase.CARD_DUE:
                self._draw()
            elif now is Phase.INSURANCE:
                self._insure(seats)
            else:
                self._decide()
        events = self.table.events[before:]
        (result,) = (event for event in events if isinstance(event, RoundResult))
        closed = [event for event in events if isinstance(event, InsuranceClosed)]
        self._cards_of_the_result_are_those_dealt(result, events)
        return Played(
            result=result,
            events=events,
            layout=layout_of(self.house, events, self.drawn),
            insured=closed[0].insured if closed else (),
        )

    def _one_party_is_waited_for(self) -> None:
        """Exactly one place for the next card, or one named party's action; and the offer is the truth."""
        state = self.table.state
        assert state.round is not None
        offer = state.round.offer
        assert [due(state) is not None, offer is not None, state.round.insurance_open].count(True) == 1
        if offer is not None:
            for action in Action:
                asked = made(DecideHand(seat=offer.spot.seat, hand=offer.spot.hand, action=action))
                assert (verify(state, asked) is None) is (action in offer.actions)

    def _speaks_early(self, seats: list[int]) -> bool:
        """Now and then somebody decides before the turn, or is gone."""
        if self.chance.random() < EARLY:
            seat, action = self.chance.choice(seats), self.chance.choice(tuple(Action))
            self.table.decide(seat, action.value, hand=self.chance.choice((1, 1, 2)))
            return True
        if self.chance.random() < GONE:
            assert self.table.time_out(self.chance.choice(seats)) == "done"
            return True
        return False

    @staticmethod
    def _cards_of_the_result_are_those_dealt(result: RoundResult, events: tuple[Event, ...]) -> None:
        faces = [event.card for event in events if isinstance(event, CardDealt | CardRevealed)]
        shown = [card for seat in result.seats for hand in seat.hands for card in hand.cards]
        shown += result.dealer.cards
        assert Counter(shown) == Counter(card for card in faces if card is not None)
        down = sum(event.card is None for event in events if isinstance(event, CardDealt))
        turned = sum(isinstance(event, CardRevealed) for event in events)
        assert result.dealer.unseen == down - turned

    def _insure(self, seats: list[int]) -> None:
        assert self.table.state.round is not None
        open_now = self.table.state.round.insurance
        assert open_now is not None
        even = open_now.even_money_offered if self.rules.even_money else ()
        taken = tuple(seat for seat in even if self.chance.random() < 0.9)
        insured = [seat for seat in seats if self.chance.random() < 0.5]
        assert self.table.insure(*insured, even_money=taken) == "done"

    def _decide(self) -> None:
        assert self.table.state.round is not None
        offer = self.table.state.round.offer
        assert offer is not None
        action = self.chance.choice(offer.actions)
        if Action.SPLIT in offer.actions and self.chance.random() < 0.8:
            action = Action.SPLIT
        funded = self.chance.random() > UNFUNDED
        self.table.decide(offer.spot.seat, action.value, hand=offer.spot.hand, funded=funded)


def layout_of(house: str, events: Sequence[Event], drawn: Sequence[str]) -> Layout:
    """The cards on the table after a round, and what its players did.

    Args:
        house: its name.
        events: of the round.
        drawn: every card that left the shoe, in order: what lies face down is known here.
    """
    layout = Layout(house=house, hands={}, doubled=set(), surrendered=set(), even_money=set(), dealer=[])
    for event in events:
        match event:
            case CardDealt(to=Spot(seat=seat, hand=hand), draw=draw):
                layout.hands.setdefault((seat, hand), []).append(drawn[draw - 1])
            case CardDealt(draw=draw):
                layout.dealer.append(drawn[draw - 1])
            case HandSplit(seat=seat):
                layout.hands[seat, 2] = [layout.hands[seat, 1].pop()]
            case TurnActed(action=Action.DOUBLE, seat=seat, hand=hand):
                layout.doubled.add((seat, hand))
            case TurnActed(action=Action.SURRENDER, seat=seat):
                layout.surrendered.add(seat)
            case InsuranceClosed(even_money=taken):
                layout.even_money.update(taken or ())
            case CardRevealed(draw=draw, card=card):
                assert str(card) == drawn[draw - 1]
            case _:
                pass
    return layout


def players(played: Played, chance: Random, house: HouseRules) -> list[Player]:
    """On each seat its own player and up to two behind, with every bet the house allows, odd amounts too."""
    found = []
    for seat in sorted({seat for seat, _ in played.layout.hands}):
        split = (seat, 2) in played.layout.hands
        for behind in (False, *[True] * chance.randint(0, 2)):
            bet = chance.randint(1, 5000)
            follows_split = behind and split and chance.random() < 0.5
            mine = (1, 2) if follows_split else (1,)
            doubles = tuple(hand for hand in mine if (seat, hand) in played.layout.doubled)
            pairs = house.pair_bet.kinds != "none"
            anew = split and house.pair_bet.on_split_hands
            found.append(
                Player(
                    seat=seat,
                    bet=bet,
                    behind=behind,
                    follows_split=follows_split,
                    follows_double=tuple(hand for hand in doubles if behind and chance.random() < 0.5),
                    insurance=bet // 2 if seat in played.insured and chance.random() < 0.8 else 0,
                    pair=chance.randint(0, 300) if pairs else 0,
                    split_pairs=(chance.randint(0, 9), chance.randint(0, 9)) if anew else (0, 0),
                )
            )
    return found


def stakes_of(name: str, player: Player) -> list[Stake]:
    """What this player laid down, as the settlement takes it; every name begins with the player's."""
    seat = player.seat
    stakes: list[Stake] = [
        BehindBet(
            bet=name,
            seat=seat,
            amount=player.bet,
            follows_split=player.follows_split,
            follows_double=player.follows_double,
        )
        if player.behind
        else SeatBet(bet=name, seat=seat, amount=player.bet)
    ]
    if player.insurance:
        stakes.append(Insurance(bet=f"{name}:insurance", on=name, amount=player.insurance))
    if player.pair:
        stakes.append(PairBet(bet=f"{name}:pair", seat=seat, amount=player.pair))
    for hand, amount in enumerate(player.split_pairs, start=1):
        if amount:
            stakes.append(PairBet(bet=f"{name}:pair {hand}", seat=seat, amount=amount, hand=hand))
    return stakes
