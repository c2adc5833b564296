"""A second set of books: where every draw of a shoe is, kept from the published events alone.

It shares nothing with the ruling: it follows the events card by card, and holds what they say (totals,
positions, results) and what the table's state says against its own books.
"""

from collections import Counter
from dataclasses import dataclass, field

from edge.events import (
    CardBurned,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    CardRevealed,
    DealerFinished,
    Event,
    HandFinished,
    HandResult,
    HandSplit,
    HandVoided,
    How,
    InsuranceClosed,
    Place,
    RoundClosed,
    RoundOpened,
    RoundResult,
    RoundVoided,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReady,
    Spot,
    TurnActed,
    TurnOffered,
)
from edge.house_rules import HouseRules
from edge.requests import Action
from edge.ruling import TableState
from edge.ruling.state import Shoe
from firmware_protocols import DECK, Card
from tests.edge.ruling.naive import blackjack, points

Lying = list[tuple[int, Card | None]]
"""Draw and card of what lies at a place; None: face down."""


def counts(cards: list[str]) -> tuple[int, bool]:
    return points(cards)


@dataclass
class Books:
    """One table's, from its first event."""

    where: dict[int, str] = field(default_factory=dict)
    """By draw: first, burned, parked, table, discarded, retracted, played or voided."""
    faces: dict[int, Card | None] = field(default_factory=dict)
    """By draw: what it showed; None: nothing yet, or no more."""
    out: set[int] = field(default_factory=set)
    """Draws that count as out of the shoe; a continuous shuffler has them back after a round."""
    table: dict[Place, Lying] = field(default_factory=dict)
    lost: int = 0
    """Parked cards that a voided round took with it."""
    doubled: set[tuple[int, int]] = field(default_factory=set)
    ends: dict[tuple[int, int], How] = field(default_factory=dict)
    split: set[int] = field(default_factory=set)
    holes: set[int] = field(default_factory=set)
    """Draws that were dealt face down."""
    insured: tuple[int, ...] = ()
    hits: Counter[tuple[int, int]] = field(default_factory=Counter)
    results: int = 0

    def follow(self, events: tuple[Event, ...], before: TableState, after: TableState) -> None:
        """Enter the events of one input, and hold the books against the state after it."""
        rules = None if before.shoe is None else before.shoe.rules
        if rules is None and after.shoe is not None:
            rules = after.shoe.rules
        for place, event in enumerate(events):
            self._enter(event, rules)
            if isinstance(event, HandVoided):
                following = events[place + 1]
                assert isinstance(following, HandFinished)
                assert (following.seat, following.hand, following.how) == (event.seat, event.hand, How.VOID)
        self._compare(after)

    # -- entering ---------------------------------------------------------------------------------

    def _enter(self, event: Event, rules: HouseRules | None) -> None:
        match event:
            case ShoeInstalled():
                self._new_shoe()
            case ShoeOpened():
                self._come(event.draw, "first", event.first_card)
            case CardBurned():
                self._come(event.draw, "burned", None)
            case CardDealt():
                self._dealt(event)
            case CardParked():
                self._parked(event)
            case CardMoved():
                self._moved(event)
            case CardCorrected():
                self._corrected(event)
            case CardRevealed():
                self._revealed(event)
            case CardDiscarded(draw=int() as draw):
                self._left(draw, event.taken_from, "discarded")
            case CardRetracted():
                self._left(event.draw, event.taken_from, "retracted")
                self.out.discard(event.draw)
            case ShoeReady():
                assert event.burned == sum(each == "burned" for each in self.where.values())
            case ShoeClosed():
                assert event.dealt == sum(each != "retracted" for each in self.where.values())
            case _:
                self._enter_round(event, rules)

    def _enter_round(self, event: Event, rules: HouseRules | None) -> None:
        match event:
            case RoundOpened():
                self._new_round(event)
            case HandSplit():
                self._split(event)
            case TurnActed():
                self._acted(event)
            case TurnOffered():
                assert counts(self._codes(Spot(seat=event.seat, hand=event.hand))) == (
                    event.total,
                    event.soft,
                )
            case HandVoided():
                spot = Spot(seat=event.seat, hand=event.hand)
                assert event.draws == tuple(draw for draw, _ in self.table[spot])
            case HandFinished():
                self.ends[event.seat, event.hand] = event.how
                spot = Spot(seat=event.seat, hand=event.hand)
                assert counts(self._codes(spot))[0] == event.total
            case InsuranceClosed():
                self.insured = event.insured
            case DealerFinished():
                assert list(map(str, event.cards)) == self._codes("dealer")
            case RoundResult():
                assert rules is not None
                self._result(event, rules)
            case RoundClosed() | RoundVoided():
                self._round_over(event, rules)
            case _:
                pass

    def _new_shoe(self) -> None:
        self.where, self.faces, self.out, self.table, self.lost = {}, {}, set(), {}, 0

    def _come(self, draw: int, place: str, card: Card | None) -> None:
        """A card that is new, or was parked."""
        if draw in self.where:
            assert self.where[draw] == "parked", f"draw {draw} is {self.where[draw]} already"
        else:
            assert draw == len(self.where) + 1
        self.where[draw], self.faces[draw] = place, card
        self.out.add(draw)

    def _codes(self, place: Place) -> list[str]:
        return [str(card) for _, card in self.table[place] if card is not None]

    def _dealt(self, event: CardDealt) -> None:
        self._come(event.draw, "table", event.card)
        lying = self.table[event.to]
        lying.append((event.draw, event.card))
        assert event.position == len(lying)
        if event.card is None:
            self.holes.add(event.draw)
        else:
            assert counts(self._codes(event.to)) == (event.total, event.soft)

    def _parked(self, event: CardParked) -> None:
        if event.draw is None:
            return
        if event.taken_from is not None:
            self._left(event.draw, event.taken_from, "parked")
            self.faces[event.draw] = None
        else:
            self._come(event.draw, "parked", None)

    def _left(self, draw: int, place: Place | None, now: str) -> None:
        if place is None:
            if self.where.get(draw) != "parked":
                self._come(draw, now, None)
        else:
            assert self.where[draw] == "table"
            assert any(each == draw for each, _ in self.table[place]), f"draw {draw} is not at {place}"
            self.table[place] = [each for each in self.table[place] if each[0] != draw]
        self.where[draw] = now

    def _moved(self, event: CardMoved) -> None:
        self._left(event.draw, event.taken_from, "table")
        self.table[event.to].insert(event.position - 1, (event.draw, event.card))
        assert self.faces[event.draw] is event.card
        if event.card is not None:
            assert counts(self._codes(event.to)) == (event.total, event.soft)

    def _corrected(self, event: CardCorrected) -> None:
        assert self.table[event.to][event.position - 1] == (event.draw, event.was)
        self.table[event.to][event.position - 1] = (event.draw, event.card)
        self.faces[event.draw] = event.card
        assert counts(self._codes(event.to)) == (event.total, event.soft)

    def _revealed(self, event: CardRevealed) -> None:
        assert (event.draw, None) in self.table["dealer"]
        self.faces[event.draw] = event.card
        self.table["dealer"] = [
            (draw, event.card if draw == event.draw else card) for draw, card in self.table["dealer"]
        ]

    def _new_round(self, event: RoundOpened) -> None:
        self.table = {Spot(seat=seat, hand=1): [] for seat in event.seats} | {"dealer": []}
        self.doubled, self.ends, self.split, self.insured, self.hits = set(), {}, set(), (), Counter()
        self.holes = set()

    def _split(self, event: HandSplit) -> None:
        whole = self.table[Spot(seat=event.seat, hand=1)]
        for half, lying in zip(event.hands, whole, strict=True):
            self.table[Spot(seat=event.seat, hand=half.hand)] = [lying]
            assert half.cards == (lying[1],)
        self.split.add(event.seat)

    def _acted(self, event: TurnActed) -> None:
        if event.action in {Action.HIT, Action.DOUBLE}:
            self.hits[event.seat, event.hand] += 1
        if event.action is Action.DOUBLE:
            self.doubled.add((event.seat, event.hand))

    def _round_over(self, event: RoundClosed | RoundVoided, rules: HouseRules | None) -> None:
        over = ["table", "parked"] if isinstance(event, RoundVoided) else ["table"]
        if isinstance(event, RoundVoided):
            parked = sorted(draw for draw, place in self.where.items() if place == "parked")
            assert list(event.parked or ()) == parked
            self.lost += len(parked)
        self.where = {draw: "over" if place in over else place for draw, place in self.where.items()}
        self.table = {}
        if rules is not None and rules.continuous_shuffler:
            self.out = {draw for draw in self.out if self.where[draw] == "parked"}

    # -- the result -------------------------------------------------------------------------------

    def _result(self, event: RoundResult, rules: HouseRules) -> None:
        self.results += 1
        dealer = self._codes("dealer")
        assert list(map(str, event.dealer.cards)) == dealer
        assert event.dealer.total == (counts(dealer)[0] if dealer else 0)
        assert event.dealer.natural is blackjack(dealer)
        assert event.dealer.unseen == len(self.table["dealer"]) - len(dealer)
        told = {(seat.seat, hand.hand): hand for seat in event.seats for hand in seat.hands}
        assert set(told) == {(spot.seat, spot.hand) for spot in self.table if isinstance(spot, Spot)}
        for seat in event.seats:
            won = None if seat.seat not in self.insured else ("won" if blackjack(dealer) else "lost")
            assert seat.insurance == won
        for at, hand in told.items():
            self._hand(at, hand, dealer, rules)

    def _hand(self, at: tuple[int, int], told: HandResult, dealer: list[str], rules: HouseRules) -> None:
        cards = self._codes(Spot(seat=at[0], hand=at[1]))
        assert list(map(str, told.cards)) == cards
        assert (told.total, told.soft) == (counts(cards) if cards else (0, False))
        assert told.how == self.ends.get(at)
        assert told.units == (2 if at in self.doubled else 1)
        if told.how not in {How.VOID, How.SURRENDER, How.EVEN_MONEY, None}:
            assert len(cards) >= 2 + self.hits[at]
        assert told.outcome.value == self._outcome(at, told.how, cards, dealer, rules)

    def _outcome(
        self, at: tuple[int, int], how: How | None, cards: list[str], dealer: list[str], rules: HouseRules
    ) -> str:
        if how is How.VOID or how is How.SURRENDER or how is How.EVEN_MONEY:
            return str(how.value)
        own, bank = counts(cards)[0], counts(dealer)[0]
        natural = at[0] not in self.split and blackjack(cards)
        if blackjack(dealer):
            up = next(str(card) for draw, card in self.table["dealer"] if draw not in self.holes)
            tied = rules.dealer.natural_under_ten_pushes_21 and up[0] in "TJQK" and own == 21
            return "push" if natural or tied else "lose"
        if own > 21:
            return "lose"
        if natural:
            return "blackjack"
        return "win" if bank > 21 or own > bank else "push" if own == bank else "lose"

    # -- against the state ------------------------------------------------------------------------

    def _compare(self, state: TableState) -> None:
        if state.round is not None:
            for hand in state.round.hands:
                assert list(zip(hand.draws, hand.cards, strict=True)) == self.table[hand.spot]
            assert [(each.draw, each.card) for each in state.round.dealer] == self.table["dealer"]
        if state.shoe is None:
            return
        shoe, kinds = state.shoe, Counter(self.where.values())
        assert sorted(self.where) == list(range(1, shoe.drawn + 1))
        assert sorted(each.draw for each in state.parked if each.draw is not None) == sorted(
            draw for draw, place in self.where.items() if place == "parked"
        )
        assert kinds["burned"] == shoe.burned
        assert kinds["first"] == (shoe.first_card is not None)
        assert (kinds["discarded"] + self.lost, kinds["retracted"]) == (shoe.discarded, shoe.retracted)
        self._counted(shoe)

    def _counted(self, shoe: Shoe) -> None:
        """What is out of the shoe was seen or lies hidden, and the rest is in it."""
        seen = Counter(card for draw, card in self.faces.items() if draw in self.out and card is not None)
        assert tuple(seen[card] for card in DECK) == shoe.seen
        hidden = sorted(draw for draw in self.out if self.faces[draw] is None)
        assert sorted(each.draw for each in shoe.concealed) == hidden
        assert shoe.remaining == shoe.rules.cards - len(self.out)
