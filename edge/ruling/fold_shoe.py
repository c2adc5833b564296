"""Folds of a shoe's life: installed, opened, burned, ready, cut, closed, scanned out; and of shuffles."""

from edge.events import (
    CardBurned,
    CutCardOut,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReady,
    ShoeReconciled,
    ShuffleFailed,
    ShuffleFinished,
    ShuffleStarted,
)
from edge.house_rules import parse_house
from edge.notes import CardScanned, CardSeen, NextDrawDiscarded, ScanBegun, ShoeRanEmpty, ShoeTaken
from edge.ruling.changing import changed
from edge.ruling.fold_common import Changes, counted, shoe_of
from edge.ruling.order import HIDDEN, letter
from edge.ruling.state import Scan, Shoe, Shuffle, TableState, Watch


def shuffle_started(_state: TableState, event: ShuffleStarted) -> Changes:
    return Changes(shuffle=Shuffle(device=event.device, decks=event.decks))


def shuffle_finished(state: TableState, event: ShuffleFinished) -> Changes:
    decks = state.shuffle.decks if state.shuffle is not None else 0
    clean = not event.missing and not event.extra
    done = Shuffle(device=event.device, decks=decks, number=event.shuffle, clean=clean)
    return Changes(past=changed(state.past, shuffles=event.shuffle), shuffle=done)


def shuffle_failed(_state: TableState, _event: ShuffleFailed) -> Changes:
    return Changes(shuffle=None)


def shoe_taken(state: TableState, note: ShoeTaken) -> Changes:
    return Changes(setup=changed(state.setup, next_shoe_device=note.device))


def shoe_installed(state: TableState, event: ShoeInstalled) -> Changes:
    if state.setup.house is None or state.setup.next_shoe_device is None:
        raise ValueError("a shoe was installed before its house and its device were known")
    shoe = Shoe(
        number=event.number,
        device=state.setup.next_shoe_device,
        rules=parse_house(state.setup.house),
        watch=Watch(cut_at=event.cut_at),
    )
    if shoe.rules.burn.by == "fixed":
        shoe = changed(shoe, burn_due=shoe.rules.burn.cards)
    return Changes(
        shoe=shoe,
        scan=None,
        setup=changed(state.setup, next_shoe_device=None),
        past=changed(state.past, shoes=event.number),
    )


def shoe_opened(state: TableState, event: ShoeOpened) -> Changes:
    shoe = shoe_of(state)
    opened = changed(
        shoe,
        first_card=event.first_card,
        burn_due=event.burn_due,
        drawn=max(shoe.drawn, event.draw),
        seen=counted(shoe.seen, event.first_card),
        order=shoe.order + letter(event.first_card),
    )
    return Changes(shoe=opened)


def card_burned(state: TableState, event: CardBurned) -> Changes:
    shoe = shoe_of(state)
    order = shoe.order + HIDDEN if event.draw > shoe.drawn else shoe.order
    drawn = max(shoe.drawn, event.draw)
    return Changes(shoe=changed(shoe, burned=shoe.burned + 1, drawn=drawn, order=order))


def shoe_ready(state: TableState, event: ShoeReady) -> Changes:
    return Changes(shoe=changed(shoe_of(state), ready=True, burn_due=event.burned))


def shoe_ran_empty(state: TableState, _note: ShoeRanEmpty) -> Changes:
    return Changes(shoe=changed(shoe_of(state), empty=True))


def cut_card_out(state: TableState, event: CutCardOut) -> Changes:
    shoe = shoe_of(state)
    told = event.drawn if shoe.cut_after is None else shoe.cut_after
    cut = changed(shoe, cut_after=told, cut_cards=shoe.cut_cards + 1, last_round=event.last_round)
    return Changes(shoe=cut)


def shoe_closed(state: TableState, _event: ShoeClosed) -> Changes:
    shoe = shoe_of(state)
    lost = sum(1 for each in state.parked if each.draw is not None)
    closed = changed(shoe, discarded=shoe.discarded + lost)
    return Changes(shoe=None, parked=(), past=changed(state.past, closed_shoe=closed))


def shoe_reconciled(state: TableState, event: ShoeReconciled) -> Changes:
    return Changes(scan=None, past=changed(state.past, reconciled=event.number))


def scan_begun(_state: TableState, _note: ScanBegun) -> Changes:
    return Changes(scan=Scan())


def card_scanned(state: TableState, note: CardScanned) -> Changes:
    scan = state.scan or Scan()
    if note.card is None:
        return Changes(scan=changed(scan, unread=scan.unread + 1))
    return Changes(scan=changed(scan, counts=counted(scan.counts, note.card.turned())))


def card_seen(state: TableState, note: CardSeen) -> Changes:
    shoe = shoe_of(state)
    watch = shoe.watch
    serials = watch.serials if note.serial is None else (*watch.serials, note.serial)
    return Changes(shoe=changed(shoe, watch=changed(watch, last_ms=note.device_ms, serials=serials)))


def next_draw_discarded(state: TableState, note: NextDrawDiscarded) -> Changes:
    shoe = shoe_of(state)
    return Changes(shoe=changed(shoe, watch=changed(shoe.watch, discard_next=not note.discarded)))
