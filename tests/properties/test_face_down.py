"""Law 5: what lies face down interferes with nothing until it is turned.

Two plays that differ only in which card lies face down, and in no public fact (the peek finds the same),
are the same to everybody: same events but for the seals, same answers, same texts of everything.
"""

import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from drivers import Signal
from edge.events import (
    Event,
)
from edge.inputs import CardDrawn
from firmware_protocols import DECK, Card, FaceDownCard
from tests.edge.ruling.playing import STATES, Step, Table, as_published, dealt, published, ready
from tests.properties.face_down import (
    Lying,
    another_card_may_lie_there,
    before_it_is_turned,
    lying,
    masked,
    with_another,
)
from tests.properties.plays import plays

MANY = settings(
    settings.get_profile("plays"),
    max_examples=200,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)


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
