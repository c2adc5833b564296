"""Folds of a shoe's events and of its draws that found no place."""

from edge.events import CardBurned, CutCardOut, ShoeClosed, ShoeInstalled, ShoeOpened, ShoeReady
from edge.house_rules import parse_house
from edge.notes import CardConcealed, DrawParked, DrawUnparked, ShoeRanEmpty, ShoeTaken
from edge.ruling.changing import changed
from edge.ruling.fold_common import Changes, counted, shoe_of
from edge.ruling.state import Concealed, Parked, Shoe, TableState


def shoe_taken(_state: TableState, note: ShoeTaken) -> Changes:
    return Changes(next_shoe_device=note.device)


def shoe_installed(state: TableState, event: ShoeInstalled) -> Changes:
    if state.house is None or state.next_shoe_device is None:
        raise ValueError("a shoe was installed before its house and its device were known")
    shoe = Shoe(number=event.number, device=state.next_shoe_device, rules=parse_house(state.house))
    if shoe.rules.burn.by == "fixed":
        shoe = changed(shoe, burn_due=shoe.rules.burn.cards)
    return Changes(shoe=shoe, shoes=event.number, next_shoe_device=None)


def shoe_opened(state: TableState, event: ShoeOpened) -> Changes:
    shoe = shoe_of(state)
    opened = changed(
        shoe,
        first_card=event.first_card,
        burn_due=event.burn_due,
        drawn=event.draw,
        seen=counted(shoe, event.first_card),
    )
    return Changes(shoe=opened)


def card_burned(state: TableState, event: CardBurned) -> Changes:
    shoe = shoe_of(state)
    return Changes(shoe=changed(shoe, burned=shoe.burned + 1, drawn=event.draw))


def shoe_ready(state: TableState, event: ShoeReady) -> Changes:
    return Changes(shoe=changed(shoe_of(state), ready=True, burn_due=event.burned))


def shoe_ran_empty(state: TableState, _note: ShoeRanEmpty) -> Changes:
    return Changes(shoe=changed(shoe_of(state), empty=True))


def cut_card_out(state: TableState, event: CutCardOut) -> Changes:
    shoe = shoe_of(state)
    told = event.drawn if shoe.cut_after is None else shoe.cut_after
    cut = changed(shoe, cut_after=told, cut_cards=shoe.cut_cards + 1, last_round=event.last_round)
    return Changes(shoe=cut)


def shoe_closed(_state: TableState, _event: ShoeClosed) -> Changes:
    return Changes(shoe=None, parked=())


def card_concealed(state: TableState, note: CardConcealed) -> Changes:
    shoe = shoe_of(state)
    others = tuple(kept for kept in shoe.concealed if kept.draw != note.draw)
    kept = Concealed(draw=note.draw, card=note.card, nonce=note.nonce)
    return Changes(shoe=changed(shoe, concealed=(*others, kept)))


def draw_parked(state: TableState, note: DrawParked) -> Changes:
    changes = Changes(parked=(*state.parked, Parked(draw=note.draw, device=note.device)))
    if state.shoe is not None and note.draw is not None:
        changes["shoe"] = changed(state.shoe, drawn=note.draw)
    return changes


def draw_unparked(state: TableState, note: DrawUnparked) -> Changes:
    shoe = shoe_of(state)
    return Changes(
        shoe=changed(shoe, concealed=tuple(kept for kept in shoe.concealed if kept.draw != note.draw)),
        parked=tuple(parked for parked in state.parked if parked.draw != note.draw),
    )
