"""Shuffles: begun, counted, finished or failed; what is wrong with one latches (docs/irregularities.md)."""

from collections.abc import Sequence
from typing import Final

from drivers import Signal
from edge.events import ShuffleFailed, ShuffleFinished, ShuffleStarted
from edge.inputs import CardsReturned, DamagedCardSeen, ShoeSignalled, ShuffleBegan, ShuffleEnded
from edge.irregular import Kind
from edge.ruling.hold import raise_irregularity
from edge.ruling.ruling import Ruling
from edge.ruling.stages import rules_in_force
from firmware_protocols import DECK, Card

FAILURES: Final = {Signal.JAM: "jam", Signal.HATCH_OPENED: "hatch_opened"}
"""What ends a shuffle that was under way."""


def shuffle_began(ruling: Ruling, heard: ShuffleBegan) -> None:
    """A shuffle began; one that was under way on the same device did not end."""
    _fail_if_under_way(ruling, heard.device, "unfinished")
    ruling.rule(ShuffleStarted(device=heard.device, decks=heard.decks))


def shuffle_ended(ruling: Ruling, heard: ShuffleEnded) -> None:
    """A shuffle is done: its cards are those of its decks, once each, or it latches."""
    state = ruling.state
    rules = rules_in_force(state)
    begun = state.shuffle
    decks = begun.decks if begun is not None and begun.number is None else (rules.decks if rules else 0)
    missing, extra = compared(heard.counts, decks)
    ruling.rule(
        ShuffleFinished(
            device=heard.device,
            shuffle=state.past.shuffles + 1,
            cards=heard.cards,
            missing=missing,
            extra=extra,
        )
    )
    if missing or extra or heard.cards != sum(heard.counts):
        raise_irregularity(ruling, Kind.COUNT_MISMATCH, device=heard.device)


def compared(counts: Sequence[int], decks: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """The cards that are missing of these decks, and those that are too many, one by one."""
    missing = tuple(card for card in DECK for _ in range(decks - counts[card.index]))
    extra = tuple(card for card in DECK for _ in range(counts[card.index] - decks))
    return missing, extra


def shuffler_signalled(ruling: Ruling, heard: ShoeSignalled) -> None:
    """A jam, or a hatch that was opened under way."""
    why = FAILURES.get(heard.signal)
    if why == "jam" or (why is not None and _under_way(ruling, heard.device)):
        _fail(ruling, heard.device, why)


def shuffler_away(ruling: Ruling, device: str) -> None:
    """A shuffler that is gone under way has not finished."""
    _fail_if_under_way(ruling, device, "offline")


def damaged_card(ruling: Ruling, heard: DamagedCardSeen) -> None:
    """A shuffler holds a card for damaged (HTS-I10)."""
    raise_irregularity(ruling, Kind.DAMAGED_CARD, device=heard.device)


def cards_returned(ruling: Ruling, heard: CardsReturned) -> None:
    """Cards went back into a continuous shuffler: they are counted back when the round ends."""
    del ruling, heard


def _under_way(ruling: Ruling, device: str) -> bool:
    begun = ruling.state.shuffle
    return begun is not None and begun.number is None and begun.device == device


def _fail_if_under_way(ruling: Ruling, device: str, why: str) -> None:
    if _under_way(ruling, device):
        _fail(ruling, device, why)


def _fail(ruling: Ruling, device: str, why: str) -> None:
    ruling.rule(ShuffleFailed(device=device, why=why))
    raise_irregularity(ruling, Kind.SHUFFLE_FAILED, device=device)
