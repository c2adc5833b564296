"""The game as a server knows it: folded from the events it took, and from nothing else."""

from dataclasses import dataclass, field
from typing import Any

from sim_devices.audit import Taken
from sim_devices.errors import TableUnwell
from sim_devices.settlement import PlayedRound, Spot, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A decision that is due."""

    sequence: int
    seat: int
    hand: int
    total: int
    soft: bool
    actions: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Deal:
    """A round."""

    number: int
    round_id: str
    seats: tuple[int, ...]
    hands: dict[Spot, list[str]] = field(default_factory=dict)
    first_two: dict[int, list[str]] = field(default_factory=dict)
    dealer: list[str | None] = field(default_factory=list)
    """In drawing order; None lies face down."""
    hole_draw: int | None = None
    insurance_open: tuple[int, ...] | None = None
    """Seats it is offered to, until it is closed."""
    insured: tuple[int, ...] = ()
    turn: Turn | None = None
    how: dict[Spot, str] = field(default_factory=dict)
    doubled: set[Spot] = field(default_factory=set)
    automatic: set[int] = field(default_factory=set)

    @property
    def dealt(self) -> bool:
        """Every hand has its first two cards, and so has the dealer."""
        return len(self.dealer) > 1


@dataclass(slots=True, kw_only=True)
class Game:
    """The table, event by event. Feed it every event in order with :meth:`take`."""

    journal: str = ""
    sequence: int = 0
    shoe: int | None = None
    """The number of the shoe in play."""
    shoe_ready: bool = False
    shoes_installed: int = 0
    shoes_closed: int = 0
    rounds_in_shoe: int = 0
    last_round: int | None = None
    deal: Deal | None = None
    held: bool = False
    shoes_online: set[str] = field(default_factory=set)
    """Ids of the shoes whose link is up."""
    opened: int = 0
    """Rounds ever opened."""
    closed: int = 0
    """Rounds that came to a result."""
    voided: int = 0
    results_agreed: int = 0
    faults: list[str] = field(default_factory=list)
    """Results that the book does not give, one sentence each."""

    @property
    def rounds_over(self) -> int:
        """Rounds that came to an end, with a result or without."""
        return self.closed + self.voided

    def take(self, event: Taken) -> None:
        """The next event.

        Raises:
            TableUnwell: it does not fit what went before, or lacks what the contract says it has.
        """
        self.journal, self.sequence = event.journal, event.sequence
        try:
            self._fold(event.type, event.content, event.sequence)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise TableUnwell(
                f"Event {event.sequence} ({event.type}) does not fit what went before: {error!r}"
            ) from error

    def _fold(self, kind: str, said: dict[str, Any], sequence: int) -> None:
        match kind:
            case "device.online" if said["kind"] != "shuffler":
                self.shoes_online.add(said["device"])
            case "device.offline":
                self.shoes_online.discard(said["device"])
            case "shoe.installed":
                self.shoe, self.shoe_ready = said["number"], False
                self.rounds_in_shoe, self.last_round = 0, None
                self.shoes_installed += 1
            case "shoe.ready":
                self.shoe_ready = True
            case "shoe.cut_card":
                self.last_round = said["last_round"]
            case "shoe.closed":
                self.shoe, self.shoe_ready = None, False
                self.shoes_closed += 1
            case "table.held":
                self.held = True
            case "table.released":
                self.held = False
            case "round.opened":
                self.deal = Deal(number=said["round"], round_id=said["round_id"], seats=tuple(said["seats"]))
                self.rounds_in_shoe = said["round"]
                self.opened += 1
            case "round.closed":
                self.deal = None
                self.closed += 1
            case "round.voided":
                self.deal = None
                self.voided += 1
            case _ if self.deal is not None:
                self._fold_round(self.deal, kind, said, sequence)

    def _fold_round(self, deal: Deal, kind: str, said: dict[str, Any], sequence: int) -> None:
        match kind:
            case "card.dealt":
                _dealt(deal, said)
            case "insurance.offered":
                deal.insurance_open = tuple(said["seats"])
            case "insurance.closed":
                deal.insurance_open, deal.insured = None, tuple(said["insured"])
            case "turn.offered":
                deal.turn = Turn(
                    sequence=sequence,
                    seat=said["seat"],
                    hand=said["hand"],
                    total=said["total"],
                    soft=said["soft"],
                    actions=tuple(said["actions"]),
                )
            case "turn.acted":
                deal.turn = None
                if said["action"] == "double":
                    deal.doubled.add((said["seat"], said["hand"]))
                if said.get("reason") == "timeout":
                    deal.automatic.add(said["seat"])
            case "hand.split":
                for hand in said["hands"]:
                    deal.hands[said["seat"], hand["hand"]] = list(hand["cards"])
            case "hand.finished":
                deal.how[said["seat"], said["hand"]] = said["how"]
            case "card.revealed":
                deal.dealer = [said["card"] if card is None else card for card in deal.dealer]
            case "round.result":
                self._hold_against_the_book(deal, said)

    def _hold_against_the_book(self, deal: Deal, said: dict[str, Any]) -> None:
        book = settle(
            PlayedRound(
                hands=deal.hands,
                first_two=deal.first_two,
                how=deal.how,
                doubled=frozenset(deal.doubled),
                dealer=[card for card in deal.dealer if card is not None],
                insured=deal.insured,
            )
        )
        published = {"dealer": said["dealer"], "seats": said["seats"]}
        if published == book:
            self.results_agreed += 1
        else:
            self.faults.append(f"Round {deal.round_id}: the table says {published}, the book {book}")


def _dealt(deal: Deal, said: dict[str, Any]) -> None:
    if said["to"] == "dealer":
        deal.dealer.append(said.get("card"))
        return
    seat, hand = said["to"]["seat"], said["to"]["hand"]
    deal.hands.setdefault((seat, hand), []).append(said["card"])
    first_two = deal.first_two.setdefault(seat, [])
    if len(first_two) < 2:  # noqa: PLR2004 - the first two cards
        first_two.append(said["card"])
