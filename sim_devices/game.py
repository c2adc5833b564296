"""The game as a server knows it: folded from the events it took, and from nothing else."""

from dataclasses import dataclass, field
from typing import Any, Final

from sim_devices.audit import Taken
from sim_devices.errors import TableUnwell
from sim_devices.lying import Layout, Spot, place_of
from sim_devices.settlement import PlayedRound, settle

BOOK: Final = "deluxe"
"""The house whose book :mod:`sim_devices.settlement` knows; what others publish is taken as it is."""


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
    lying: Layout = field(default_factory=Layout)
    """Every card of the round, where it lies now."""
    insurance_open: tuple[int, ...] | None = None
    """Seats it is offered to, until it is closed."""
    insured: tuple[int, ...] = ()
    turn: Turn | None = None
    doubled: set[Spot] = field(default_factory=set)
    automatic: set[int] = field(default_factory=set)

    @property
    def hands(self) -> dict[Spot, list[str]]:
        """The players' cards."""
        return self.lying.hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A claim after a result. The result is final, so it is settled by that."""

    round: tuple[int, int]
    """Shoe and round."""
    reason: str
    result: dict[str, Any]
    """``round.result`` of the round, as it stands."""


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
    house: str | None = None
    held: bool = False
    latched: set[int] = field(default_factory=set)
    """Irregularities that let nothing new begin."""
    shoes_online: set[str] = field(default_factory=set)
    """Ids of the shoes whose link is up."""
    opened: int = 0
    """Rounds ever opened."""
    closed: int = 0
    """Rounds that came to a result."""
    voided: int = 0
    hands_voided: int = 0
    """Hands whose bets went back while their round went on."""
    cards_corrected: int = 0
    results: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)
    """By shoe and round: what the bets are settled by."""
    disputes: list[Dispute] = field(default_factory=list)
    reconciled: list[dict[str, Any]] = field(default_factory=list)
    """Of each shoe that was scanned out after its close: what ``shoe.reconciled`` says."""
    results_agreed: int = 0
    results_taken: int = 0
    """Results of another house than the book's: taken as they are."""
    faults: list[str] = field(default_factory=list)
    """Results that the book does not give, one sentence each."""

    @property
    def rounds_over(self) -> int:
        """Rounds that came to an end, with a result or without."""
        return self.closed + self.voided

    @property
    def results_told(self) -> str:
        """How many results came, and what they were held against."""
        agreed = f"{self.results_agreed} results as the book has them"
        if not self.results_taken:
            return agreed
        taken = f"{self.results_taken} results of {self.house} taken as they are (the book is {BOOK}'s)"
        return f"{agreed}, {taken}" if self.results_agreed else taken

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
            case "edge.started":
                self.house = said["house"]
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
            case "shoe.reconciled":
                self.reconciled.append(said)
            case "irregularity.raised" if said.get("latched"):
                self.latched.add(said["id"])
            case "irregularity.resolved":
                self.latched.discard(said["id"])
            case "round.disputed":
                disputed = (said["disputed_shoe"], said["disputed_round"])
                result = self.results[disputed]
                self.disputes.append(Dispute(round=disputed, reason=said["reason"], result=result))
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
                deal.lying.lay(
                    said["draw"], place_of(said["to"]), said.get("card"), down=said.get("face") == "down"
                )
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
                deal.lying.split(said["seat"])
            case "hand.finished":
                deal.lying.how[said["seat"], said["hand"]] = said["how"]
            case "card.revealed":
                deal.lying.name(said["draw"], said["card"])
            case "round.result":
                self.results[said["shoe"], said["round"]] = said
                self._hold_against_the_book(deal, said)
            case _:
                self._fold_repair(deal, kind, said)

    def _fold_repair(self, deal: Deal, kind: str, said: dict[str, Any]) -> None:
        """Cards change their places: an open offer is withdrawn, and what follows is told anew."""
        match kind:
            case "card.parked" | "card.discarded" | "card.retracted" if "taken_from" in said:
                deal.lying.take(said["draw"])
                touched = said["taken_from"]
            case "card.moved":
                taken, touched = deal.lying.take(said["draw"]), said["to"]
                deal.lying.lay(taken.draw, place_of(touched), said.get("card", taken.card), down=taken.down)
                deal.lying.open_again(place_of(touched))
            case "card.corrected":
                self.cards_corrected += 1
                deal.lying.name(said["draw"], said["card"])
                touched = said["to"]
                deal.lying.open_again(place_of(touched))
            case "hand.voided":
                self.hands_voided += 1
                touched = {"seat": said["seat"], "hand": said["hand"]}
            case _:
                return
        deal.turn = None
        if "dealer" in (touched, said.get("taken_from")):
            deal.insurance_open = None  # what was closed stays closed

    def _hold_against_the_book(self, deal: Deal, said: dict[str, Any]) -> None:
        if self.house not in {BOOK, None}:
            self.results_taken += 1
            return
        book = settle(
            PlayedRound(
                hands=deal.hands,
                how=deal.lying.how,
                doubled=frozenset(deal.doubled),
                dealer=[card for card in deal.lying.dealer if card is not None],
                up_card=deal.lying.up_card or "",
                insured=deal.insured,
            )
        )
        published = {"dealer": said["dealer"], "seats": said["seats"]}
        if published == book:
            self.results_agreed += 1
        else:
            self.faults.append(f"Round {deal.round_id}: the table says {published}, the book {book}")
