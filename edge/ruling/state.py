"""What the table is at any moment: one frozen value, folded from events and notes.

Laws:

1. Nothing here is known that an event or a note has not said; :mod:`edge.ruling.evolve` is the only
   writer.
2. Who is waited for is derived, never stored twice (:mod:`edge.ruling.waiting`): an open :class:`Offer` is
   the one decision, an open :class:`Insurance` the last call.
3. What lies face down is a ``ConcealedCard`` and nothing else here depends on it.
"""

from dataclasses import dataclass, field
from typing import Final

from drivers import CommandOutcome, Position
from edge.concealed import ConcealedCard, ConcealedNonce
from edge.events import How, Place, Spot, Why
from edge.house_rules import CARDS_IN_A_DECK, HouseRules
from edge.inputs import NO_PATIENCE, DeadlineName, Operator, Order, Patience
from edge.irregular import HouseWay, Kind, Resolution, Stage
from edge.requests import Action
from edge.ruling.hands import natural, total, up_card_kind
from firmware_protocols import Card


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
    numbered: bool = True
    """False: it numbers nothing, so that what happened while it was away nobody can say."""
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
class Watch:
    """What a shoe's next draws are held against, and what has been told of it already."""

    discard_next: bool = False
    """The next card out of it is not played (HTS-I3)."""
    cut_at: int | None = None
    """Cards above the cut card, where that was said."""
    cut_overdue: bool = False
    """It was told that the cut card should have come."""
    unshuffled: bool = False
    """It was told that the cards come in no shuffled order."""
    last_ms: int | None = None
    """The last draw, by the shoe's own clock."""
    serials: tuple[str, ...] = field(default=(), repr=False)
    """The physical cards that came out, where they can be told apart."""


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
    discarded: int = 0
    """Cards that went into the discards without having been played."""
    retracted: int = 0
    """Cards that went back into it, their draw numbers used up."""
    order: str = ""
    """The cards in drawing order, one character each (:mod:`edge.ruling.order`)."""
    watch: Watch = Watch()

    @property
    def left(self) -> int:
        """Cards still in it by its decks; below 0: so many came out that cannot be its own."""
        return self.rules.cards - self.drawn + self.returned + self.retracted

    @property
    def remaining(self) -> int:
        """Cards still in it, 0 or more."""
        return max(0, self.left)


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
    taken: int = 0
    """Cards that its decisions have asked for."""
    how: How | None = None

    @property
    def lacks(self) -> int:
        """Cards that it should have and has not: two, and those its decisions have asked for."""
        return 2 + self.taken - len(self.cards)

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
    dealer_later: bool = False
    """The dealer's first card comes after the seats: no insurance, no surrender (HTS-I7)."""

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
    def up_card(self) -> Card | None:
        """The dealer's first card that was dealt face up; None before there is one."""
        return next((dealt.card for dealt in self.dealer if dealt.card is not None and not dealt.hole), None)

    @property
    def decided(self) -> bool:
        """A decision has been taken in it, or insurance closed: what lies on the table has been acted on."""
        closed = self.insurance is not None and self.insurance.closed
        return closed or any(hand.acted or hand.split for hand in self.hands)

    @property
    def dealer_awaited(self) -> bool:
        """The dealer has no card yet, and is to get one after the seats, or when one asks for it (HTS-I7)."""
        return self.dealer_later and not self.dealer and "dealer" not in self.owed

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
    """What holds the table, or is latched."""

    id: int
    kind: Kind
    stage: Stage
    allowed: tuple[Resolution, ...]
    house: HouseWay
    raised: int
    """The sequence of its event."""
    draw: int | None = None
    device: str | None = None
    seat: int | None = None
    to: Place | None = None
    card: Card | None = None
    operator: str | None = None
    """Who reported it."""
    by_hand: bool = False
    """The house's own rule does not act by itself."""
    latched: bool = False
    """It holds nothing in progress; nothing new begins until it is cleared by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A card set aside: counted, and in no hand."""

    draw: int | None
    """None: it left no shoe that is in play, so it has no number."""
    device: str
    why: Why
    sealed: bool = False
    """Its seal was published."""
    entered_by: str | None = None
    """Who named it, or let it stay unread, where no device could read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A supervisor's own hold."""

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """What is waited for, for a while."""

    name: DeadlineName
    number: int
    after_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The game server, as far as it was heard."""

    online: bool = True
    overdue: bool = False
    """It has been away for longer than the table waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle:
    """The last shuffle that was begun."""

    device: str
    decks: int
    number: int | None = None
    """None: it is not finished."""
    clean: bool = False
    """It held the cards of its decks, once each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The last order that was given to a shoe."""

    device: str
    number: int
    order: Order
    outcome: CommandOutcome | None = None
    """None: it is under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clears:
    """How often a name has cleared a latch in this journal."""

    operator: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """What the dealer's keys have prepared."""

    seats: tuple[int, ...] = ()
    even_money: tuple[int, ...] = ()
    next_is_even_money: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The scan-out of a closed shoe's rest."""

    counts: tuple[int, ...] = NONE_SEEN
    unread: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRound:
    """The last round that has a result."""

    shoe: int
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the table was set up with: its house, and what the configuration says of it."""

    house: str | None = None
    """Text of the house file in force from the next shoe on."""
    operators: tuple[Operator, ...] | None = None
    shoe_devices: tuple[str, ...] | None = None
    patience: Patience = NO_PATIENCE
    next_shoe_device: str | None = None
    """The device that the shoe being installed is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What has been, as far as it still matters; how many there have been of what is numbered."""

    shoes: int = 0
    closed_shoe: Shoe | None = None
    """The last one: its rest may be scanned out, its order may come again."""
    reconciled: int = 0
    """The last shoe whose rest was scanned out."""
    closed_round: ClosedRound | None = None
    last_seats: tuple[int, ...] = ()
    """Dealt in to the last round; what the key ``open`` repeats."""
    shuffles: int = 0
    irregularities_raised: int = 0
    deadlines_set: int = 0
    orders_given: int = 0
    clears: tuple[Clears, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """The table. It is copied for each event, so what seldom changes stands in nouns of its own."""

    journal: str
    sequence: int = 0
    """Events published so far."""
    table_sequence: int = 0
    """The last event that is not a device's, the edge's or a shuffler's (``if_sequence``)."""
    setup: Setup = Setup()
    past: Past = Past()
    devices: tuple[Device, ...] = ()
    host: Host = Host()
    shoe: Shoe | None = None
    scan: Scan | None = None
    shuffle: Shuffle | None = None
    round: Round | None = None
    keyed: Keyed = Keyed()
    irregularities: tuple[OpenIrregularity, ...] = ()
    pause: Pause | None = None
    parked: tuple[Parked, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    order: Ordered | None = None

    def device(self, id: str) -> Device:  # noqa: A002 - the contract's word
        """The device of this id, as far as it was heard."""
        return next((device for device in self.devices if device.id == id), Device(id=id))

    @property
    def held(self) -> bool:
        """Nothing moves until somebody says so."""
        return self.pause is not None or (bool(self.irregularities) and self.holding)

    @property
    def holding(self) -> bool:
        """An irregularity is open that is more than a latch."""
        return any(not each.latched for each in self.irregularities)

    @property
    def latches(self) -> tuple[OpenIrregularity, ...]:
        """What lets nothing new begin."""
        return tuple(each for each in self.irregularities if each.latched)


def new_table(journal: str) -> TableState:
    """A table of which nothing is known, on the journal of this id."""
    return TableState(journal=journal)
