"""The dealer's keys: a floor table without a player's app is played from draws and keys alone.

A key asks for what a command would ask for, and is verified by the same rules; a key that is refused is
recorded and changes nothing. Seats are keyed before they are used: for the next round, and for insurance.
"""

from typing import Final

from edge.inputs import DealerKey, KeyPressed
from edge.notes import KeyTaken
from edge.requests import Action, CloseInsurance, DecideHand, InstallShoe, OpenRound
from edge.ruling.insurance import close_insurance, verify_close_insurance
from edge.ruling.rounds import open_round, verify_open_round
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import install, verify_install
from edge.ruling.stages import rules_in_force
from edge.ruling.turns import decide_hand, verify_decide

ACTIONS: Final = {
    DealerKey.HIT: Action.HIT,
    DealerKey.STAND: Action.STAND,
    DealerKey.DOUBLE: Action.DOUBLE,
    DealerKey.SPLIT: Action.SPLIT,
    DealerKey.SURRENDER: Action.SURRENDER,
}
SEATS: Final = {
    key: int(key.value.removeprefix("seat_")) for key in DealerKey if key.value.startswith("seat_")
}


def key_pressed(ruling: Ruling, heard: KeyPressed) -> None:
    """What a key does now; a key that means nothing now does nothing."""
    if heard.key is DealerKey.INSTALL:
        _install(ruling, heard.device)
    elif not ruling.state.held:
        _in_play(ruling, heard.key)


def _in_play(ruling: Ruling, key: DealerKey) -> None:
    match key:
        case DealerKey.OPEN:
            _open(ruling)
        case DealerKey.CLOSE:
            _close(ruling)
        case DealerKey.EVEN_MONEY:
            keyed = ruling.state.keyed
            ruling.rule(KeyTaken(seats=keyed.seats, even_money=keyed.even_money, next_is_even_money=True))
        case _ if key in SEATS:
            _seat(ruling, SEATS[key])
        case _:
            _decide(ruling, ACTIONS[key])


def _install(ruling: Ruling, device: str) -> None:
    rules = rules_in_force(ruling.state)
    if rules is None:
        return
    request = InstallShoe(decks=rules.decks, device=device)
    if verify_install(ruling.state, request) is None:
        install(ruling, request)


def _open(ruling: Ruling) -> None:
    state = ruling.state
    if state.shoe is None:
        return
    seats = state.keyed.seats or state.past.last_seats
    round_id = f"keys-{state.journal}-{state.shoe.number}-{state.shoe.rounds + 1}"
    request = OpenRound(round_id=round_id, seats=seats)
    if verify_open_round(state, request, used=False) is None:
        open_round(ruling, request)


def _close(ruling: Ruling) -> None:
    keyed = ruling.state.keyed
    request = CloseInsurance(insured=keyed.seats, even_money=keyed.even_money)
    if verify_close_insurance(ruling.state, request) is None:
        close_insurance(ruling, request)
        ruling.rule(KeyTaken(seats=(), even_money=(), next_is_even_money=False))


def _seat(ruling: Ruling, seat: int) -> None:
    """Key a seat, or take it back."""
    keyed = ruling.state.keyed
    seats, even_money = keyed.seats, keyed.even_money
    if keyed.next_is_even_money:
        even_money = _toggled(even_money, seat)
    else:
        seats = _toggled(seats, seat)
    ruling.rule(KeyTaken(seats=seats, even_money=even_money, next_is_even_money=False))


def _toggled(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(sorted(set(seats) ^ {seat}))


def _decide(ruling: Ruling, action: Action) -> None:
    """A decision for the hand whose offer is open."""
    table_round = ruling.state.round
    if table_round is None or table_round.offer is None:
        return
    spot = table_round.offer.spot
    request = DecideHand(seat=spot.seat, hand=spot.hand, action=action)
    if verify_decide(ruling.state, request) is None:
        decide_hand(ruling, request)
