"""Requests: what the game server and the pit ask for. Imperative; one class per command of the contract.

A payload becomes a request in :mod:`edge.upstream.requests`; the ruling answers each with a
:class:`Reply` (docs/contract.md, section Commands).
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final, TypeAlias, get_args


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
class UnknownCommand:
    """A command this version does not know; it is answered, not guessed."""

    command: ClassVar[str] = ""

    name: str


KnownRequest: TypeAlias = (
    InstallShoe | OpenRound | CloseInsurance | DecideHand | TimeOutHand | VoidRound | RetireShoe
)
"""Every command that the table rules on, in the contract's order."""

Request: TypeAlias = KnownRequest | UnknownCommand

COMMANDS: Final[dict[str, type[KnownRequest]]] = {kind.command: kind for kind in get_args(KnownRequest)}


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
