"""Requests: what the game server and the pit ask for. Imperative; one class per command of the contract.

A payload becomes a request in :mod:`edge.upstream.requests`; the ruling answers each with a
:class:`Reply` (docs/contract.md, section Commands).
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from edge.irregular import Kind, Resolution
from firmware_protocols import Card


class Action(Enum):
    """What a player may decide, in the order in which ``turn.offered`` lists them."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"


class Desk(Enum):
    """Who asked: the topic the request came on is the fence between them."""

    SERVER = "commands"
    SUPERVISOR = "supervisor"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallShoe:
    """``shoe.install``: a shuffled shoe has been put into the reader."""

    command: ClassVar[str] = "shoe.install"
    desk: ClassVar[Desk] = Desk.SERVER

    decks: int
    device: str | None = None
    """The shoe's device id; None: the only one."""
    shuffle: int | None = None
    """The finished shuffle it came from, where a shuffler told of it."""
    cut_at: int | None = None
    """Cards above the cut card, where they are known."""


class Scan(Enum):
    """What is done about the rest of a closed shoe."""

    START = "start"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileShoe:
    """``shoe.reconcile``: the rest of the closed shoe is scanned out, card by card, and counted."""

    command: ClassVar[str] = "shoe.reconcile"
    desk: ClassVar[Desk] = Desk.SERVER
    also: ClassVar[Desk] = Desk.SUPERVISOR
    """Whoever empties the shoe stands at the table; there it is signed, as everything is."""

    step: Scan
    operator: str | None = None
    """Who asks, at the supervisor's desk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRound:
    """``round.open``: bets are closed; only these seats are dealt in."""

    command: ClassVar[str] = "round.open"
    desk: ClassVar[Desk] = Desk.SERVER

    round_id: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseInsurance:
    """``insurance.close``: the last call for insurance is over."""

    command: ClassVar[str] = "insurance.close"
    desk: ClassVar[Desk] = Desk.SERVER

    insured: tuple[int, ...] = ()
    """Seats with any insurance riding, behind players' included."""
    even_money: tuple[int, ...] = ()
    """Seats taking even money, in houses that have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideHand:
    """``hand.decide``: a player's decision, in time or early."""

    command: ClassVar[str] = "hand.decide"
    desk: ClassVar[Desk] = Desk.SERVER

    seat: int
    hand: int
    action: Action
    funded: bool = True
    """False: the money for a double or a split is missing (DLX-13, DLX-17)."""
    offer: int | None = None
    """The sequence of the ``turn.offered`` this answers; None: the hand as it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOutHand:
    """``hand.timeout``: the seat is played automatically from here to the end of the round (DLX-20)."""

    command: ClassVar[str] = "hand.timeout"
    desk: ClassVar[Desk] = Desk.SERVER

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRound:
    """``round.void``: a supervisor cancels the round in progress (DLX-32)."""

    command: ClassVar[str] = "round.void"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetireShoe:
    """``shoe.retire``: a supervisor takes the shoe out of play, and voids a round in progress."""

    command: ClassVar[str] = "shoe.retire"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A hand's place as a person writes it: hand 1 where nothing else is said."""

    seat: int
    """1-based."""
    hand: int = 1


Target: TypeAlias = Seat | Literal["dealer"]
"""Where a card lies, or is to lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where one card is to lie."""

    draw: int
    to: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """What lies at one place, in the order of dealing; None: a card face down."""

    to: Target
    cards: tuple[Card | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportIrregularity:
    """``irregularity.report``: the pit tells what a shoe cannot see (docs/irregularities.md)."""

    command: ClassVar[str] = "irregularity.report"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    kind: Kind
    operator: str
    reason: str | None = None
    draw: int | None = None
    """The card it is about, by its draw number."""
    to: Target | None = None
    """Where that card went."""
    seat: int | None = None
    """The box it is about."""
    card: Card | None = None
    """What the card really is."""
    exposed: bool = False
    """The card lies face up: everybody has seen it (HTS-I2)."""
    by_hand: bool = False
    """True: the house's own rule does not act by itself; a supervisor decides (HTS-I12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveIrregularity:
    """``irregularity.resolve``: a supervisor decides what becomes of an open irregularity."""

    command: ClassVar[str] = "irregularity.resolve"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    id: int
    """The irregularity's number."""
    resolution: Resolution
    operator: str
    reason: str | None = None
    override: bool = False
    """True: also where a hand that it changes has been acted on."""
    draw: int | None = None
    """The card it is about; None: the irregularity's own."""
    to: Target | None = None
    seat: int | None = None
    card: Card | None = None
    natural: bool | None = None
    places: tuple[Placed, ...] = ()
    """``rebuild``: where each card that moves is to lie."""
    cards: tuple[Lying, ...] | None = None
    """``confirm``: what lies on the table, every place that has a card; None: as the table has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterCard:
    """``card.enter``: an unread card by hand; the same as resolving it with ``enter``."""

    command: ClassVar[str] = "card.enter"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    draw: int
    card: Card
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTable:
    """``table.hold``: nothing moves until it is released."""

    command: ClassVar[str] = "table.hold"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseTable:
    """``table.release``: the end of a ``table.hold``; an open irregularity is resolved, not released."""

    command: ClassVar[str] = "table.release"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearFault:
    """``fault.clear``: a latched irregularity is cleared, by name."""

    command: ClassVar[str] = "fault.clear"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str
    id: int | None = None
    """The irregularity's number; None: every one that is latched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeRound:
    """``round.dispute``: a claim after a result, which is final; the game server settles it."""

    command: ClassVar[str] = "round.dispute"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    reason: str
    shoe: int | None = None
    """None: the shoe in play, else the last one."""
    round: int | None = None
    """None: the last round that was closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCommand:
    """A command this version does not know; it is answered, not guessed."""

    command: ClassVar[str] = ""

    name: str


KnownRequest: TypeAlias = (
    InstallShoe
    | ReconcileShoe
    | OpenRound
    | CloseInsurance
    | DecideHand
    | TimeOutHand
    | ReportIrregularity
    | ResolveIrregularity
    | EnterCard
    | DisputeRound
    | VoidRound
    | HoldTable
    | ReleaseTable
    | RetireShoe
    | ClearFault
)
"""Every command that the table rules on, in the contract's order."""

Request: TypeAlias = KnownRequest | UnknownCommand

COMMANDS: Final[dict[str, type[KnownRequest]]] = {kind.command: kind for kind in get_args(KnownRequest)}


def belongs(kind: type[KnownRequest], desk: Desk) -> bool:
    """Whether this command may be asked at this desk."""
    return desk in {kind.desk, getattr(kind, "also", kind.desk)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why not: a code of the contract and a sentence that says what to do."""

    code: str
    message: str


class Outcome(Enum):
    """What became of a request."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came in: who asked what, under which id."""

    id: str
    desk: Desk
    request: Request
    digest: str
    """SHA-256 of the canonical JSON of desk, command, data, if_sequence and journal, hex."""
    if_sequence: int | None = None
    journal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to a request (docs/contract.md, section Commands)."""

    id: str
    command: str
    outcome: Outcome
    code: str
    """``done`` or ``held`` when accepted, else a code of the contract."""
    message: str
    sequence: int
    """The last event committed when the answer was made; 0: none."""
