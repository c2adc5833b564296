"""An ordinary day at a table of seven seats: shoe after shoe, as inputs for the pure ruling.

What comes next follows from the state alone, so the same seed gives the same day. Players hit under 17, split
aces and eights and double 11; nobody takes insurance. A cut card lies 60 cards before the end of each shoe.
"""

from hashlib import sha256
from typing import Final

from drivers import Position
from edge.house_rules import house_text, parse_house
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DeviceCameOnline,
    EdgeStarted,
    HouseRulesAdopted,
    Input,
    Operator,
    RequestMade,
)
from edge.requests import (
    Action,
    Asked,
    CloseInsurance,
    DecideHand,
    InstallShoe,
    KnownRequest,
    OpenRound,
    RetireShoe,
)
from edge.ruling import Phase, TableState, phase
from edge.ruling.state import Hand, Offer
from firmware_protocols import Card, FaceDownCard, Rank
from sim_devices.decks import shuffled

SEATS: Final = (1, 2, 3, 4, 5, 6, 7)
BEHIND_CUT_CARD: Final = 60
DRAWS_TO: Final = 17
DOUBLES_ON: Final = 11
BOOT: Final = 1
OPERATOR: Final = "mina"


class Day:
    """What a table hears all day, one input at a time."""

    def __init__(self, house: str, *, seed: int) -> None:
        self._text = house_text(house)
        self._decks = parse_house(self._text).decks
        self._seed = seed
        self._cards: list[Card] = []
        self._cut_at = 0
        self._count = 0
        self._heard = 0
        self._shoes = 0
        self._opening: list[Input] | None = None

    def _opened(self, state: TableState) -> list[Input]:
        """What the table hears before play: a shoe that is in from another day is taken out."""
        online = DeviceCameOnline(
            device="shoe",
            kind="shoe",
            serial="TE-0042",
            firmware="1.4.2",
            position=self._position(),
            skipped=0,
        )
        operators = (Operator(name=OPERATOR),)
        started = EdgeStarted(version="0", config_hash="0" * 64, operators=operators, shoes=("shoe",))
        setup: list[Input] = [HouseRulesAdopted(text=self._text), started, online]
        if state.shoe is not None:
            setup.append(self._asked(RetireShoe(operator=OPERATOR, reason="a new day")))
        return setup

    def next(self, state: TableState) -> Input:
        """What is heard now that the table is in this state."""
        if self._opening is None:
            self._opening = self._opened(state)
        if self._opening:
            return self._opening.pop(0)
        match phase(state):
            case Phase.NO_SHOE:
                self._shoes += 1
                self._cards = shuffled(self._decks, self._seed + self._shoes)
                self._cut_at = BEHIND_CUT_CARD
                return self._asked(InstallShoe(decks=self._decks))
            case Phase.READY:
                return self._asked(OpenRound(round_id=f"{self._seed}-{self._count}", seats=SEATS))
            case Phase.INSURANCE:
                return self._asked(CloseInsurance())
            case Phase.DECISION:
                return self._decision(state)
            case Phase.OPENING | Phase.BURNING | Phase.CARD_DUE:
                return self._draw()
            case Phase.HELD:
                raise AssertionError(f"an ordinary day holds no table: {state.irregularities}")

    def _draw(self) -> Input:
        position = self._position()
        if len(self._cards) == self._cut_at:
            self._cut_at = -1
            return CutCardDrawn(device="shoe", position=position, device_ms=position.number * 1000)
        return CardDrawn(
            device="shoe",
            position=position,
            device_ms=position.number * 1000,
            card=FaceDownCard(self._cards.pop()),
            nonce=sha256(f"{self._seed} {position.number}".encode()).hexdigest()[:32],
        )

    def _decision(self, state: TableState) -> Input:
        offer = state.round.offer if state.round else None
        hand = state.round.hand(offer.spot) if state.round and offer else None
        if offer is None or hand is None:
            raise AssertionError("a decision is due without an offer")
        action = _chosen(offer, hand)
        decided = DecideHand(seat=offer.spot.seat, hand=offer.spot.hand, action=action, offer=offer.sequence)
        return self._asked(decided)

    def _asked(self, request: KnownRequest) -> RequestMade:
        self._count += 1
        id_ = f"{self._seed:08x}-{self._count:012x}"
        digest = sha256(id_.encode()).hexdigest()
        return RequestMade(asked=Asked(id=id_, desk=request.desk, request=request, digest=digest))

    def _position(self) -> Position:
        self._heard += 1
        return Position(boot=BOOT, number=self._heard)


def _chosen(offer: Offer, hand: Hand) -> Action:
    if Action.SPLIT in offer.actions and hand.cards[0].rank in {Rank.ACE, Rank.EIGHT}:
        return Action.SPLIT
    if Action.DOUBLE in offer.actions and hand.total == DOUBLES_ON:
        return Action.DOUBLE
    return Action.HIT if hand.total < DRAWS_TO and Action.HIT in offer.actions else Action.STAND
