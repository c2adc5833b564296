"""What the table is at any moment: one frozen value, folded from events and notes.

Laws:

1. Nothing here is known that an event or a note has not said; :mod:`edge.ruling.evolve` is the only
   writer.
2. Who is waited for is derived, never stored twice: :func:`due` names the one rightful place of the
   next card, an open :class:`Offer` the one decision, an open :class:`Insurance` the last call.
3. What lies face down is a ``ConcealedCard`` and nothing else here depends on it.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from drivers import Position
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.events import How, Kind, Place, Spot
from edge.house_rules import CARDS_IN_A_DECK, HouseRules
from edge.inputs import Operator
from edge.requests import Action
from edge.ruling.deal_order import deals_face_down
from edge.ruling.hands import DEALER_STANDS, natural, total, up_card_kind
from firmware_protocols import Card


class Phase(Enum):
    """Who or what the table waits for; one axis of the transition table."""

    NO_SHOE = "no_shoe"
    OPENING = "opening"
    BURNING = "burning"
    READY = "ready"
    CARD_DUE = "card_due"
    INSURANCE = "insurance"
    DECISION = "decision"
    HELD = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device as far as it was heard."""

    id: str
    kind: str = ""
    serial: str = ""
    firmware: str = ""
    online: bool = False
    reason: str = ""
    """Why it is not online."""
    position: Position | None = None
    faults: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Concealed:
    """A draw whose card lies face down or is parked."""

    draw: int
    card: ConcealedCard | None
    nonce: ConcealedNonce = field(repr=False)
    """Not shown: with it, a published seal is opened by trying 52 cards."""


NONE_SEEN: Final = (0,) * CARDS_IN_A_DECK


@dataclass(frozen=True, slots=True, kw_only=True)
class Shoe:
    """The shoe in play."""

    number: int
    device: str
    rules: HouseRules
    """In force from its installation to its close."""
    ready: bool = False
    first_card: Card | None = None
    burn_due: int | None = None
    """None: the first card, which says, has not been drawn."""
    burned: int = 0
    drawn: int = 0
    """Cards that left it, each with its number."""
    seen: tuple[int, ...] = NONE_SEEN
    """Copies seen of each card, by ``Card.index``; face-down cards count when they are turned."""
    concealed: tuple[Concealed, ...] = ()
    rounds: int = 0
    cut_after: int | None = None
    """Cards out before the cut card that told."""
    cut_cards: int = 0
    """Cut cards that came out."""
    returned: int = 0
    """Cards that went back into a continuous shuffler."""
    last_round: int | None = None
    empty: bool = False

    @property
    def remaining(self) -> int:
        """Cards still in it."""
        return self.rules.cards - self.drawn + self.returned


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A player's hand; its cards lie face up."""

    spot: Spot
    cards: tuple[Card, ...] = ()
    draws: tuple[int, ...] = ()
    split: bool = False
    acted: bool = False
    """An action has been taken on it: surrender is gone."""
    doubled: bool = False
    how: How | None = None

    @property
    def total(self) -> int:
        """Its total (BJ-2)."""
        return total(self.cards)[0]

    @property
    def soft(self) -> bool:
        """True: an ace counts 11."""
        return total(self.cards)[1]

    @property
    def natural(self) -> bool:
        """Ace and ten-valued card, not after a split (BJ-3, BJ-9)."""
        return not self.split and natural(self.cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerCard:
    """One of the dealer's cards, in drawing order."""

    draw: int
    card: Card | None
    """None: face down."""
    hole: bool = False
    """It was dealt face down, turned by now or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The decision that is due."""

    sequence: int
    """Of its ``turn.offered``: the offer's name."""
    spot: Spot
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Early:
    """A decision that waits for its hand's turn (DLX-7)."""

    spot: Spot
    action: Action
    funded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Insurance:
    """The insurance of a round whose dealer shows an ace."""

    offered: tuple[int, ...]
    even_money_offered: tuple[int, ...]
    closed: bool = False
    insured: tuple[int, ...] = ()
    even_money: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The round in progress."""

    number: int
    round_id: str
    hands: tuple[Hand, ...]
    """In the order of play: ascending seats, hand 1 before hand 2."""
    owed: tuple[Place, ...]
    """Cards due by the deal or by an action, in order; the dealer's own draws are derived."""
    dealer: tuple[DealerCard, ...] = ()
    insurance: Insurance | None = None
    peeked: bool | None = None
    """What the peek found; None: there was none."""
    offer: Offer | None = None
    early: tuple[Early, ...] = ()
    timed_out: tuple[int, ...] = ()
    """Seats played automatically, ascending."""
    finished: bool = False
    """The dealer's hand is final."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats dealt in, ascending."""
        return tuple(dict.fromkeys(hand.spot.seat for hand in self.hands))

    def hand(self, spot: Spot) -> Hand | None:
        """The hand at this spot, if there is one."""
        for hand in self.hands:
            if hand.spot.seat == spot.seat and hand.spot.hand == spot.hand:
                return hand
        return None

    @property
    def hand_to_play(self) -> Hand | None:
        """The first hand, in the order of play, that is not finished."""
        return next((hand for hand in self.hands if hand.how is None), None)

    @property
    def insurance_open(self) -> bool:
        """The last call for insurance is not over."""
        return self.insurance is not None and not self.insurance.closed

    @property
    def dealer_seen(self) -> tuple[Card, ...]:
        """The dealer's cards that lie face up, in drawing order."""
        return tuple(dealt.card for dealt in self.dealer if dealt.card is not None)

    @property
    def dealer_total(self) -> int:
        """Of the dealer's cards seen; 0 before the first."""
        return total(self.dealer_seen)[0]

    @property
    def hole(self) -> DealerCard | None:
        """The dealer's card that lies face down."""
        return next((dealt for dealt in self.dealer if dealt.card is None), None)

    @property
    def up_card(self) -> Card:
        """The dealer's first card that was dealt face up.

        Raises:
            IndexError: none lies on the table yet; only asked once the deal is complete.
        """
        dealt_up = [dealt.card for dealt in self.dealer if dealt.card is not None and not dealt.hole]
        return dealt_up[0]

    @property
    def total_matters(self) -> bool:
        """A hand still depends on the dealer's total (BJ-12)."""
        return any(hand.how in ON_TOTAL for hand in self.hands)

    @property
    def natural_matters(self) -> bool:
        """Something still depends on whether the dealer has a natural, and that is not known yet."""
        if self.peeked is not None or up_card_kind(self.up_card) is None:
            return False
        insured = self.insurance is not None and bool(self.insurance.insured)
        return insured or any(hand.how is How.NATURAL for hand in self.hands)


ON_TOTAL = frozenset({How.STAND, How.TWENTY_ONE, How.DOUBLE, How.SPLIT_ACE})
"""Ends of a hand that leave it to the dealer's total (docs/round.md, section 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIrregularity:
    """What holds the table."""

    id: int
    kind: Kind
    draw: int | None
    device: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A draw made while the table was held, or the one that held it."""

    draw: int | None
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """The table."""

    journal: str
    sequence: int = 0
    """Events published so far."""
    table_sequence: int = 0
    """The last event that is not a device's, the edge's or a shuffler's (``if_sequence``)."""
    house: str | None = None
    """Text of the house file in force from the next shoe on."""
    operators: tuple[Operator, ...] | None = None
    shoe_devices: tuple[str, ...] | None = None
    devices: tuple[Device, ...] = ()
    shoes: int = 0
    shoe: Shoe | None = None
    round: Round | None = None
    irregularities: tuple[OpenIrregularity, ...] = ()
    irregularities_raised: int = 0
    parked: tuple[Parked, ...] = ()
    next_shoe_device: str | None = None

    def device(self, id: str) -> Device:  # noqa: A002 - the contract's word
        """The device of this id, as far as it was heard."""
        return next((device for device in self.devices if device.id == id), Device(id=id))


def new_table(journal: str) -> TableState:
    """A table of which nothing is known, on the journal of this id."""
    return TableState(journal=journal)


def due(state: TableState) -> Place | None:
    """The one rightful place of the next card in a round, or None (BJ-13)."""
    table_round = state.round
    if table_round is None or state.shoe is None:
        return None
    if table_round.owed:
        return table_round.owed[0]
    if table_round.offer is not None or table_round.insurance_open:
        return None
    hand = table_round.hand_to_play
    if hand is not None:
        return hand.spot if len(hand.cards) == 1 else None
    return "dealer" if dealer_draws(table_round, state.shoe.rules) else None


def lies_face_down(state: TableState) -> bool:
    """Whether the card that is due will lie face down (DLX-4, DLX-6, KRF-2, KRF-3)."""
    if state.round is None:
        return phase_of_play(state) is Phase.BURNING
    if state.shoe is None or due(state) != "dealer":
        return False
    return deals_face_down(len(state.round.dealer) + 1, state.shoe.rules)


def dealer_draws(table_round: Round, rules: HouseRules) -> bool:
    """Whether the dealer takes a card now that every hand is finished (BJ-7, BJ-12)."""
    if table_round.peeked or table_round.finished or table_round.hole is not None:
        return False
    if table_round.total_matters:
        return table_round.dealer_total < DEALER_STANDS
    one_card = not rules.dealer.hole_card and len(table_round.dealer) == 1
    return one_card and table_round.natural_matters


def phase(state: TableState) -> Phase:
    """Who or what the table waits for."""
    return Phase.HELD if state.irregularities else phase_of_play(state)


def phase_of_play(state: TableState) -> Phase:
    """What play waits for, or would wait for once the table is released."""
    shoe, table_round = state.shoe, state.round
    if shoe is None:
        return Phase.NO_SHOE
    if not shoe.ready:
        return Phase.OPENING if shoe.burn_due is None else Phase.BURNING
    if table_round is None:
        return Phase.READY
    if table_round.offer is not None:
        return Phase.DECISION
    if table_round.insurance_open:
        return Phase.INSURANCE
    return Phase.CARD_DUE
