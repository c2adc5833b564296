"""What lies face down in a play, until when, and the same play with another card there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from edge.events import (
    CardBurned,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    CardRevealed,
    DealerPeeked,
    IrregularityRaised,
    RoundOpened,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReconciled,
)
from edge.inputs import CardDrawn
from edge.irregular import Kind
from edge.notes import CardConcealed, Ruled
from edge.ruling.hands import natural
from firmware_protocols import Card, FaceDownCard
from tests.edge.ruling.playing import Step
from tests.properties.plays import ruled


@dataclass(frozen=True)
class Lying:
    """A draw whose card lies face down or is parked."""

    place: int
    """Of the step that put it there."""
    draw: int
    card: Card
    until: int
    """The step that turns it, or the end of the play."""


def lying(steps: list[Step]) -> Iterator[Lying]:
    for place, step in enumerate(steps):
        if not isinstance(step.heard, CardDrawn) or step.heard.card is None:
            continue
        draws = [each.draw for each in step.ruled if isinstance(each, CardConcealed)]
        shown = {each.draw for each in step.events if isinstance(each, CardDealt) and each.card is not None}
        shown |= {each.draw for each in step.events if isinstance(each, ShoeOpened)}
        # One copy too many of a card that was to lie face up is told at once, by what it is.
        shown |= {
            each.draw
            for each in step.events
            if isinstance(each, IrregularityRaised) and each.kind is Kind.FOREIGN_CARD and each.draw
        }
        for draw in dict.fromkeys(draws):
            if draw not in shown:
                yield Lying(place, draw, step.heard.card.turned(), turned_at(steps, place, draw))


def turns(event: Ruled, draw: int) -> bool:
    """Whether everybody sees the card from this event on, or may reckon what it was."""
    match event:
        case CardRevealed() | CardDealt(card=Card()) | ShoeOpened():
            return event.draw == draw
        case ShoeReconciled():
            return True  # what is missing of the decks is named
        case _:
            return False


def turned_at(steps: list[Step], place: int, draw: int) -> int:
    closed = False
    for later, step in enumerate(steps[place:], place):
        for event in step.events:
            if turns(event, draw) and not (closed and not isinstance(event, ShoeReconciled)):
                return later
            closed = closed or isinstance(event, ShoeClosed)
            if isinstance(event, ShoeInstalled):
                return len(steps)
    return len(steps)


def another_card_may_lie_there(steps: list[Step], down: Lying, other: Card) -> bool:
    """Whether the one public fact that depends on it, the peek, is the same with this card."""
    hole, up, laid_anew = 0, None, False
    for place, step in enumerate(steps[: down.until + 1]):
        for event in step.events:
            match event:
                case RoundOpened():
                    hole, up, laid_anew = 0, None, False
                case CardMoved() | CardCorrected():
                    laid_anew = True
                case CardParked(taken_from="dealer") | CardDiscarded(taken_from="dealer"):
                    laid_anew = True
                case CardRetracted(taken_from="dealer"):
                    laid_anew = True
                case CardDealt(to="dealer", card=None, draw=draw):
                    hole = draw
                case CardDealt(to="dealer", card=Card() as card) if up is None:
                    up = card
                case DealerPeeked(natural=found) if hole == down.draw and place >= down.place:
                    return up is not None and not laid_anew and natural((up, other)) is found
    return True


def masked(each: Ruled) -> Ruled:
    match each:
        case CardBurned() | CardDealt() | CardParked() | CardDiscarded() | IrregularityRaised():
            return replace(each, seal="a seal" if each.seal else None)
        case _:
            return each


def before_it_is_turned(each: tuple[Ruled, ...], draw: int) -> tuple[Ruled, ...]:
    for place, event in enumerate(each):
        if turns(event, draw):
            return each[:place]
    return each


def with_another(steps: list[Step], down: Lying, other: Card) -> list[Step]:
    heard = [step.heard for step in steps[down.place : down.until + 1]]
    drawn = heard[0]
    assert isinstance(drawn, CardDrawn)
    heard[0] = replace(drawn, card=FaceDownCard(other))
    return steps[: down.place] + ruled(heard, steps[down.place].before) + steps[down.until + 1 :]
