"""A table that plays by itself, for tests that need a journal with a life in it."""

import random
from functools import cache

from edge.house_rules import house_text
from edge.inputs import CardDrawn, CutCardDrawn, EdgeStarted, HouseRulesAdopted, Input, RequestMade
from edge.journal import Journal, Moment
from edge.requests import Action, Asked, CloseInsurance, DecideHand, Desk, InstallShoe, OpenRound, Request
from edge.ruling import RULING_VERSION, Phase, TableState, decide, new_table, phase
from firmware_protocols import DECK, FaceDownCard

BOOT = "3d0f3c5e-0000-4000-8000-000000000001"
WALL_MS = 1_764_475_572_345


def moment(number: int) -> Moment:
    return Moment(at_ms=number * 1_250, wall_ms=WALL_MS + number * 1_250, boot=BOOT)


def asked(request: Request, id: str, *, desk: Desk = Desk.SERVER) -> RequestMade:  # noqa: A002 - the contract's word
    return RequestMade(asked=Asked(id=id, desk=desk, request=request, digest=f"digest of {id}"))


@cache
def shuffled(seed: int, shoe: int) -> tuple[FaceDownCard, ...]:
    cards = [FaceDownCard(card) for card in DECK * 8]
    random.Random(f"{seed} {shoe}").shuffle(cards)
    return tuple(cards)


class Player:
    """Plays into a journal, one record at a time."""

    def __init__(self, journal: Journal, state: TableState | None = None, *, seed: int = 1) -> None:
        self.journal = journal
        self.state = state or new_table(journal.id)
        self.seed = seed
        self.rng = random.Random(f"{seed}-{self.state.sequence}")
        self.heard: list[Input] = []

    def append(self, heard: Input) -> None:
        """Append without a commit."""
        ruling = decide(self.state, heard)
        number = self.journal.last_number + 1 + len(self.heard)
        self.journal.append(
            heard, ruling.ruled, moment=moment(number), ruling=RULING_VERSION, state=ruling.state
        )
        self.state = ruling.state
        self.heard.append(heard)

    def step(self) -> Input:
        """What the table hears next."""
        number = self.journal.last_number + 1 + len(self.heard)
        if number == 1:
            return EdgeStarted(version="0.1.0", config_hash="c" * 64, operators=None, shoes=("shoe",))
        if number == 2:
            return HouseRulesAdopted(text=house_text("deluxe"))
        return self._next(f"{self.seed}-{number}")

    def play(self, records: int, *, at_once: int = 1) -> "Player":
        """Play so many records, so many to a commit."""
        for _ in range(records):
            self.append(self.step())
            if len(self.heard) >= at_once:
                self.commit()
        self.commit()
        return self

    def commit(self) -> None:
        self.journal.commit()
        self.heard.clear()

    def _next(self, id: str) -> Input:  # noqa: A002 - as above
        shoe, table_round = self.state.shoe, self.state.round
        offer = table_round.offer if table_round else None
        match phase(self.state):
            case Phase.NO_SHOE:
                return asked(InstallShoe(decks=8), id)
            case Phase.READY if shoe is not None and shoe.drawn > 300 and shoe.cut_after is None:
                return CutCardDrawn(device="shoe", position=None, device_ms=None)
            case Phase.READY:
                seats = tuple(sorted(self.rng.sample(range(1, 8), 2)))
                return asked(OpenRound(round_id=f"round {id}", seats=seats), id)
            case Phase.INSURANCE:
                return asked(CloseInsurance(), id)
            case Phase.DECISION if offer is not None:
                action = self.rng.choice([Action.HIT, Action.STAND, Action.STAND])
                spot = offer.spot
                return asked(
                    DecideHand(seat=spot.seat, hand=spot.hand, action=action, offer=offer.sequence), id
                )
            case _:
                return self.drawn()

    def drawn(self) -> CardDrawn:
        """The next card of the shoe, whoever may be waiting for it."""
        shoe = self.state.shoe
        card = shuffled(self.seed, shoe.number)[shoe.drawn] if shoe else FaceDownCard(DECK[0])
        nonce = self.rng.randbytes(16).hex()
        return CardDrawn(device="shoe", position=None, device_ms=None, card=card, nonce=nonce)
