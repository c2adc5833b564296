"""What a game server asks for next: seeded players, by the book now and then, and often not.

Everything here is a function of the game and the seed: the same situation gives the same wish under the
same key on every run and after every restart. The key becomes the command's id, so a server that forgot
what it had asked for asks for the same thing under the same id, and the table does nothing twice.
"""

import random
from dataclasses import dataclass
from typing import Any, Final

from sim_devices.game import Deal, Game, Turn

SEATS: Final = 7
_DECKS: Final = 8
_UP_SMALL: Final = frozenset("23456")
_TEN: Final = frozenset("TJQK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """What sort of players sit at the table: chances, 0 to 1."""

    by_the_book: float = 0.75
    """A decision is about the best one; else it is any legal one."""
    early: float = 0.15
    """A seat sends a decision before its turn."""
    timeout: float = 0.04
    """A player does not decide in time."""
    unfunded: float = 0.1
    """The money for a double or a split is missing."""
    insured: float = 0.3
    """A seat takes insurance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """What a server sets out to do."""

    seed: int = 0
    name: str = "reference"
    """Begins every round id."""
    decks: int = _DECKS
    shoes: int = 1
    """Shoes it installs in one journal."""
    rounds: int | None = None
    """Rounds it opens in one journal; None: as many as the shoes give."""
    seats: tuple[int, ...] = tuple(range(1, SEATS + 1))
    """Seats it may deal in."""
    temper: Temper = Temper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A command that should be sent now."""

    key: str
    """Names the occasion."""
    command: str
    content: dict[str, Any]
    """Its ``data``."""
    once: bool = False
    """A refusal is an answer, and is not tried again."""


def finished(game: Game, programme: Programme) -> bool:
    """The programme is through."""
    if game.deal is not None:
        return False
    if programme.rounds is not None and game.opened >= programme.rounds:
        return True
    return game.shoe is None and game.shoes_closed >= programme.shoes


def next_wish(game: Game, programme: Programme, done: frozenset[str]) -> Wish | None:
    """What to ask for now, or None: it is others' turn.

    Args:
        game: as far as its events were taken.
        programme: what the server sets out to do.
        done: keys of wishes that need no repetition.
    """
    if game.held:
        return None
    if game.latched and (game.shoe is None or game.deal is None):
        return None  # a supervisor clears it first
    if game.shoe is None:
        return _install(game, programme)
    if game.deal is None:
        return _open(game, programme)
    deal = game.deal
    if deal.insurance_open is not None:
        return _insurance(deal, programme)
    if deal.turn is not None and deal.turn.seat not in deal.automatic:
        return _decide(deal, deal.turn, programme)
    return next((wish for wish in _early(deal, programme) if wish.key not in done), None)


def _install(game: Game, programme: Programme) -> Wish | None:
    # a card that leaves a shoe before its link is up may be lost: no shoe is opened that is not heard
    if game.shoes_installed >= programme.shoes or not game.shoes_online:
        return None
    key = f"install {game.shoes_installed + 1}"
    return Wish(key=key, command="shoe.install", content={"decks": programme.decks})


def _open(game: Game, programme: Programme) -> Wish | None:
    over = game.last_round is not None and game.rounds_in_shoe >= game.last_round
    enough = programme.rounds is not None and game.opened >= programme.rounds
    if not game.shoe_ready or over or enough:
        return None
    round_id = f"{programme.name}-{game.shoe}-{game.rounds_in_shoe + 1}"
    chance = _chance(programme, round_id)
    seats = chance.sample(programme.seats, chance.randint(1, len(programme.seats)))
    return Wish(key=f"open {round_id}", command="round.open", content={"round_id": round_id, "seats": seats})


def _insurance(deal: Deal, programme: Programme) -> Wish:
    key = f"insurance {deal.round_id}"
    chance = _chance(programme, key)
    insured = [seat for seat in deal.insurance_open or () if chance.random() < programme.temper.insured]
    return Wish(key=key, command="insurance.close", content={"insured": insured})


def _decide(deal: Deal, turn: Turn, programme: Programme) -> Wish:
    cards = deal.hands[turn.seat, turn.hand]
    occasion = f"{deal.round_id} {turn.seat} {turn.hand} {len(cards)}"
    chance = _chance(programme, occasion)
    if chance.random() < programme.temper.timeout:
        return Wish(
            key=f"timeout {occasion} {turn.sequence}", command="hand.timeout", content={"seat": turn.seat}
        )
    by_the_book = chance.random() < programme.temper.by_the_book
    action = about_best(turn, cards, deal.lying.up_card) if by_the_book else chance.choice(turn.actions)
    content: dict[str, Any] = {
        "seat": turn.seat,
        "hand": turn.hand,
        "action": action,
        "offer": turn.sequence,
    }
    if action in {"double", "split"} and chance.random() < programme.temper.unfunded:
        content["funded"] = False
    return Wish(key=f"decide {occasion} {turn.sequence}", command="hand.decide", content=content)


def _early(deal: Deal, programme: Programme) -> list[Wish]:
    wishes = []
    for seat in deal.seats:
        key = f"early {deal.round_id} {seat}"
        chance = _chance(programme, key)
        if chance.random() < programme.temper.early:
            action = chance.choice(("hit", "stand", "stand", "double", "split"))
            content = {"seat": seat, "hand": 1, "action": action}
            wishes.append(Wish(key=key, command="hand.decide", content=content, once=True))
    return wishes


def about_best(turn: Turn, cards: list[str], up_card: str | None) -> str:
    """What a player who learned the short table would do, as far as it is legal."""
    up = (up_card or "T")[0]
    small = up in _UP_SMALL
    pair = len(cards) == 2 and cards[0][0] == cards[1][0]  # noqa: PLR2004 - a pair is two cards
    wanted: tuple[str, ...]
    if pair and cards[0][0] in "A8":
        wanted = ("split", "hit")
    elif turn.soft:
        wanted = ("stand",) if turn.total >= 18 else ("hit",)  # noqa: PLR2004 - the short table
    elif turn.total >= 17:  # noqa: PLR2004 - basic strategy stands on it
        wanted = ("stand",)
    elif turn.total >= 12:  # noqa: PLR2004 - a stiff hand
        wanted = ("stand",) if small else ("surrender", "hit") if turn.total == 16 else ("hit",)  # noqa: PLR2004 - as above
    elif turn.total >= 9 and up not in _TEN | {"A"}:  # noqa: PLR2004 - as above
        wanted = ("double", "hit")
    else:
        wanted = ("hit",)
    return next((action for action in wanted if action in turn.actions), turn.actions[0])


def _chance(programme: Programme, occasion: str) -> random.Random:
    return random.Random(f"{programme.seed} {occasion}")
