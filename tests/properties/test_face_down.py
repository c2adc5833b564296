"""Law 5: what lies face down interferes with nothing until it is turned.

Two plays that differ only in which card lies face down, and in no public fact (the peek finds the same),
are the same to everybody: same events but for the seals, same answers, same texts of everything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from drivers import Signal
from edge.events import (
    CardBurned,
    CardDealt,
    CardRevealed,
    DealerPeeked,
    Event,
    IrregularityRaised,
    RoundOpened,
    ShoeClosed,
    ShoeOpened,
)
from edge.inputs import CardDrawn
from edge.irregular import Kind
from edge.notes import CardConcealed, Ruled
from edge.ruling.hands import natural
from firmware_protocols import DECK, Card, FaceDownCard
from tests.edge.ruling.playing import STATES, Step, Table, as_published, dealt, published, ready
from tests.properties.plays import plays, ruled

MANY = settings(
    settings.get_profile("plays"),
    max_examples=200,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)


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


def turned_at(steps: list[Step], place: int, draw: int) -> int:
    for later, step in enumerate(steps[place:], place):
        for event in step.events:
            if isinstance(event, CardRevealed) and event.draw == draw:
                return later
            if isinstance(event, ShoeClosed):
                return len(steps)
    return len(steps)


def another_card_may_lie_there(steps: list[Step], down: Lying, other: Card) -> bool:
    """Whether the one public fact that depends on it, the peek, is the same with this card."""
    hole, up = 0, None
    for place, step in enumerate(steps[: down.until + 1]):
        for event in step.events:
            match event:
                case RoundOpened():
                    hole, up = 0, None
                case CardDealt(to="dealer", card=None, draw=draw):
                    hole = draw
                case CardDealt(to="dealer", card=Card() as card) if up is None:
                    up = card
                case DealerPeeked(natural=found) if hole == down.draw and place >= down.place:
                    assert up is not None
                    return natural((up, other)) is found
    return True


def masked(each: Ruled) -> Ruled:
    match each:
        case CardBurned():
            return replace(each, seal="a seal")
        case CardDealt() | IrregularityRaised():
            return replace(each, seal="a seal" if each.seal else None)
        case _:
            return each


def before_it_is_turned(each: tuple[Ruled, ...], draw: int) -> tuple[Ruled, ...]:
    for place, event in enumerate(each):
        if isinstance(event, CardRevealed) and event.draw == draw:
            return each[:place]
    return each


def texts(step: Step) -> str:
    """Everything that may be shown of a step: as repr, as str and as JSON."""
    shown = tuple(masked(each) for each in step.ruled)
    return "\n".join(
        [
            repr(step.heard),
            str(step.heard),
            repr(shown),
            *(str(each) for each in shown),
            *(str(as_published(each)) for each in shown),
            repr(step.after),
            str(step.after),
            STATES.dump_json(step.after).decode(),
        ]
    )


def told(steps: list[Step], down: Lying) -> tuple[list[str], str]:
    """What anybody learns until the card is turned; equality of the nouns themselves compares cards."""
    whole = [texts(step) for step in steps[down.place : down.until]]
    last = steps[down.until].ruled if down.until < len(steps) else ()
    return whole, repr([masked(each) for each in before_it_is_turned(last, down.draw)])


def with_another(steps: list[Step], down: Lying, other: Card) -> list[Step]:
    heard = [step.heard for step in steps[down.place : down.until + 1]]
    drawn = heard[0]
    assert isinstance(drawn, CardDrawn)
    heard[0] = replace(drawn, card=FaceDownCard(other))
    return steps[: down.place] + ruled(heard, steps[down.place].before) + steps[down.until + 1 :]


@pytest.mark.rule("DLX-6", "DLX-4")
@MANY
@given(plays, st.integers(0, 10**6), st.sampled_from(DECK))
def test_which_card_lies_face_down_shows_nowhere(steps: list[Step], which: int, other: Card) -> None:
    candidates = list(lying(steps))
    assume(candidates)
    down = candidates[which % len(candidates)]
    assume(another_card_may_lie_there(steps, down, other))
    assert told(with_another(steps, down, other), down) == told(steps, down)


def public_events(steps: list[Step], down: Lying) -> Iterator[Event]:
    for step in steps[down.place : down.until]:
        yield from step.events
    if down.until < len(steps):
        yield from published(before_it_is_turned(steps[down.until].ruled, down.draw))


def names(text: str, card: Card) -> bool:
    """Whether a text names the card: its code as a word, in quotes or in brackets."""
    return re.search(rf"(?<![0-9A-Za-z]){card.value}(?![0-9A-Za-z])", text) is not None


@pytest.mark.rule("DLX-6", "DLX-4")
@MANY
@given(plays, st.integers(0, 10**6))
def test_the_code_of_a_face_down_card_is_in_no_text(steps: list[Step], which: int) -> None:
    candidates = list(lying(steps))
    assume(candidates)
    down = candidates[which % len(candidates)]
    drawn = {
        step.heard.card.turned()
        for step in steps[: down.until + 1]
        if isinstance(step.heard, CardDrawn) and step.heard.card is not None
    }
    strangers = [card for card in DECK if card not in drawn and another_card_may_lie_there(steps, down, card)]
    assume(strangers)
    stranger = strangers[which % len(strangers)]
    changed = with_another(steps, down, stranger)
    for step in changed[down.place : down.until]:
        assert not names(texts(step), stranger)
    for event in public_events(changed, down):
        assert not names(repr(event) + str(as_published(event)), stranger)


def where(make: Table, code: str) -> Step:
    return next(
        step
        for step in make.steps
        if isinstance(step.heard, CardDrawn) and step.heard.card == FaceDownCard(Card(code))
    )


def test_the_check_would_see_a_card_that_shows() -> None:
    """A card that lies face up is named by the very texts that must not name one that lies face down."""
    shown = dealt("deluxe", (1,), "9s", "7d", "8h", "Kc")
    assert names(texts(where(shown, "9s")), Card.S9)
    assert not names(texts(where(shown, "Kc")), Card.KC)


@pytest.mark.rule("DLX-4", "DLX-6")
def test_burned_hole_and_parked_cards_all_lie_face_down() -> None:
    table = ready()
    table.open(1)
    table.draw("Tc", "7d", "8h", "Kc")
    table.signal(Signal.MOVED)
    table.draw("3s")
    table.void()
    table.retire()
    assert [(each.draw, each.card) for each in lying(table.steps)] == [
        (2, Card.D2),
        (6, Card.KC),
        (7, Card.S3),
    ]


@pytest.mark.rule("DLX-6")
def test_no_nonce_of_a_face_down_card_is_in_the_states_text() -> None:
    """With it and the seal, which is public, anybody would find the card by trying 52."""
    table = dealt("deluxe", (1,), "Tc", "7d", "8h", "Kc")
    nonces = [step.heard.nonce for step in table.steps if isinstance(step.heard, CardDrawn)]
    assert len(nonces) == 6
    assert not any(nonce in repr(table.state) for nonce in nonces)
