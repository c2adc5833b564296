"""Folds of a shoe's events and of its draws that found no place."""

from dataclasses import replace

from edge.events import CardBurned, CutCardOut, ShoeClosed, ShoeInstalled, ShoeOpened, ShoeReady
from edge.house_rules import parse_house
from edge.notes import CardConcealed, DrawParked, DrawUnparked, ShoeRanEmpty, ShoeTaken
from edge.ruling.fold_common import counted, shoe_of
from edge.ruling.state import Concealed, Parked, Shoe, TableState


def shoe_taken(state: TableState, note: ShoeTaken) -> TableState:
    return replace(state, next_shoe_device=note.device)


def shoe_installed(state: TableState, event: ShoeInstalled) -> TableState:
    if state.house is None or state.next_shoe_device is None:
        raise ValueError("a shoe was installed before its house and its device were known")
    shoe = Shoe(number=event.number, device=state.next_shoe_device, rules=parse_house(state.house))
    if shoe.rules.burn.by == "fixed":
        shoe = replace(shoe, burn_due=shoe.rules.burn.cards)
    return replace(state, shoe=shoe, shoes=event.number, next_shoe_device=None)


def shoe_opened(state: TableState, event: ShoeOpened) -> TableState:
    shoe = shoe_of(state)
    opened = replace(
        shoe,
        first_card=event.first_card,
        burn_due=event.burn_due,
        drawn=event.draw,
        seen=counted(shoe, event.first_card),
    )
    return replace(state, shoe=opened)


def card_burned(state: TableState, event: CardBurned) -> TableState:
    shoe = shoe_of(state)
    return replace(state, shoe=replace(shoe, burned=shoe.burned + 1, drawn=event.draw))


def shoe_ready(state: TableState, event: ShoeReady) -> TableState:
    return replace(state, shoe=replace(shoe_of(state), ready=True, burn_due=event.burned))


def shoe_ran_empty(state: TableState, _note: ShoeRanEmpty) -> TableState:
    return replace(state, shoe=replace(shoe_of(state), empty=True))


def cut_card_out(state: TableState, event: CutCardOut) -> TableState:
    cut = replace(shoe_of(state), cut_after=event.drawn, last_round=event.last_round)
    return replace(state, shoe=cut)


def shoe_closed(state: TableState, _event: ShoeClosed) -> TableState:
    return replace(state, shoe=None, parked=())


def card_concealed(state: TableState, note: CardConcealed) -> TableState:
    shoe = shoe_of(state)
    others = tuple(kept for kept in shoe.concealed if kept.draw != note.draw)
    kept = Concealed(draw=note.draw, card=note.card, nonce=note.nonce)
    return replace(state, shoe=replace(shoe, concealed=(*others, kept)))


def draw_parked(state: TableState, note: DrawParked) -> TableState:
    parked = replace(state, parked=(*state.parked, Parked(draw=note.draw, device=note.device)))
    if state.shoe is None or note.draw is None:
        return parked
    return replace(parked, shoe=replace(state.shoe, drawn=note.draw))


def draw_unparked(state: TableState, note: DrawUnparked) -> TableState:
    shoe = shoe_of(state)
    return replace(
        state,
        shoe=replace(shoe, concealed=tuple(kept for kept in shoe.concealed if kept.draw != note.draw)),
        parked=tuple(parked for parked in state.parked if parked.draw != note.draw),
    )
