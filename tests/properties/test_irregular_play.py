"""What holds at a table where much goes wrong: nothing is lost, nothing stands still, nothing is made up.

The plays are those of seeds, so that a failing one is named by its number: ``seeded_play(SEED)`` of
:mod:`tests.properties.irregular`. ``scripts/long irregular`` plays twenty times as many rounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from edge.concealed import FOR_THE_JOURNAL
from edge.events import (
    CardDealt,
    InsuranceOffered,
    IrregularityRaised,
    IrregularityResolved,
    RoundClosed,
    RoundOpened,
    RoundResult,
    RoundVoided,
    Spot,
    TableHeld,
    TableReleased,
    TurnOffered,
)
from edge.inputs import RequestMade
from edge.irregular import Kind, Resolution
from edge.notes import RequestAnswered
from edge.requests import (
    Asked,
    Desk,
    EnterCard,
    Outcome,
    Placed,
    ReportIrregularity,
    ResolveIrregularity,
    Seat,
    Target,
)
from edge.ruling import decide, due
from firmware_protocols import DECK
from tests.edge.ruling.playing import STATES, Step, refolded
from tests.properties.face_down import another_card_may_lie_there, masked, with_another
from tests.properties.face_down import lying as lying_down
from tests.properties.irregular import lying, seeded_play, seeded_plays
from tests.properties.ledger import Books
from tests.properties.plays import Play, ruled
from tests.properties.ways_back import way_back

ROUNDS: Final = 1000
MOST: Final = 400
"""Events and notes that one input may cause."""


def rounds_of(play: Play) -> int:
    return sum(isinstance(event, RoundClosed | RoundVoided) for step in play for event in step.events)


def plays_of(rounds: int, first: int = 0) -> Iterator[tuple[int, Play]]:
    """Plays with so many rounds in all, each with its seed."""
    for seed, play in enumerate(seeded_plays(first), first):
        rounds -= rounds_of(play)
        yield seed, play
        if rounds <= 0:
            return


def checked(check: Callable[[Play], None], seed: int, play: Play) -> None:
    """Check a play; what fails names its seed."""
    try:
        check(play)
    except Exception as wrong:
        wrong.add_note(f"seeded_play({seed})")
        raise


@pytest.fixture(scope="module")
def plays() -> list[Play]:
    return [play for _, play in plays_of(ROUNDS)]


# -- the checks, each of one play ------------------------------------------------------------------------


def books_agree(play: Play) -> None:
    """Every draw is in one place, and totals, positions and results are those of the cards."""
    books = Books()
    for number, step in enumerate(play):
        try:
            books.follow(step.events, step.before, step.after)
        except AssertionError as wrong:
            wrong.add_note(f"step {number}")
            raise


def there_is_a_way_back(play: Play) -> None:
    for step in play:
        if step.after.held and step.after.irregularities != step.before.irregularities:
            assert way_back(step.after), step.after.irregularities


def one_party_is_waited_for(play: Play) -> None:
    for step in play:
        table_round = step.after.round
        if table_round is None or step.after.held:
            continue
        place = due(step.after)
        assert [place is not None, table_round.offer is not None, table_round.insurance_open].count(True) == 1
        hand = table_round.hand(place) if isinstance(place, Spot) else None
        assert hand is None or hand.how is None
        offered = None if table_round.offer is None else table_round.hand(table_round.offer.spot)
        assert offered is None or (offered.how is None and offered.lacks <= 0)


def held_is_what_was_said_last(play: Play) -> None:
    """``table.held`` and ``table.released`` are the state's own word, and nothing moves between them."""
    moves = CardDealt, RoundOpened, RoundResult, RoundClosed, TurnOffered, InsuranceOffered
    held = False
    for step in play:
        named = any(
            isinstance(event, IrregularityResolved)
            and event.resolution in {Resolution.CONFIRM, Resolution.ENTER, Resolution.PEEK}
            for event in step.events
        )
        for event in step.events:
            if isinstance(event, TableHeld | TableReleased):
                held = isinstance(event, TableHeld)
            assert not (held and isinstance(event, moves)) or named
        assert step.after.held is held


def what_is_raised_is_resolved_once(play: Play) -> None:
    opened: dict[int, Kind] = {}
    for step in play:
        for event in step.events:
            if isinstance(event, IrregularityRaised):
                assert event.id not in opened
                assert event.allowed
                opened[event.id] = event.kind
            elif isinstance(event, IrregularityResolved):
                assert opened.pop(event.id) is event.kind
        assert [each.id for each in step.after.irregularities] == sorted(opened)
        if not step.after.holding:
            assert all(each.why.value != "irregular" for each in step.after.parked)


def refusals_change_nothing(play: Play) -> None:
    for step in play:
        assert len(step.ruled) <= MOST
        if step.answer is not None and step.answer.outcome is Outcome.REFUSED:
            assert step.ruled == (step.answer,)
            assert step.after == step.before


def ruling_again_is_the_same(play: Play) -> None:
    """The state is the fold; a snapshot in the middle and ruling it all again change nothing."""
    assert refolded(play) == play[-1].after
    middle = len(play) // 2
    written = STATES.dump_json(play[middle].before, context=FOR_THE_JOURNAL)
    read = STATES.validate_json(written)
    assert read == play[middle].before
    heard = [step.heard for step in play]
    assert ruled(heard[:middle]) + ruled(heard[middle:], read) == list(play)


def garbage_is_refused(play: Play) -> None:
    chance = Random(len(play))
    for step in play[:: max(1, len(play) // 12)]:
        for _ in range(4):
            nonsense(step, chance)


def nonsense(step: Step, chance: Random) -> None:
    """A request of the pit's with details from nowhere: it is answered, and refused it changes nothing."""
    state = step.after
    number = chance.choice([*(each.id for each in state.irregularities), chance.randint(-1, 9)])
    to: Target = chance.choice(["dealer", Seat(seat=chance.randint(-1, 9), hand=chance.randint(-1, 3))])
    draw, seat = chance.choice([None, chance.randint(-1, 60)]), chance.choice([None, chance.randint(-1, 9)])
    card = chance.choice([None, *DECK])
    there = [replace(each, cards=(*each.cards, card)) for each in lying(state) if chance.random() < 0.9]
    resolve = ResolveIrregularity(
        id=number,
        resolution=chance.choice(tuple(Resolution)),
        operator="ada",
        override=chance.random() < 0.5,
        draw=draw,
        to=chance.choice([None, to]),
        seat=seat,
        card=card,
        natural=chance.choice([None, False, True]),
        places=tuple(Placed(draw=chance.randint(0, 40), to=to) for _ in range(chance.randint(0, 3))),
        cards=chance.choice([None, tuple(there)]),
    )
    report = ReportIrregularity(
        kind=chance.choice(tuple(Kind)), operator="ada", draw=draw, to=to, seat=seat, card=card
    )
    for request in (resolve, report, EnterCard(draw=draw or 0, card=card or DECK[0], operator="ada")):
        heard = RequestMade(asked=Asked(id="x", desk=Desk.SUPERVISOR, request=request, digest="d"))
        ruling = decide(state, heard)
        answer = ruling.ruled[-1]
        assert isinstance(answer, RequestAnswered)
        if answer.outcome is Outcome.REFUSED:
            assert ruling.ruled == (answer,)
            assert ruling.state == state


def voids_by_itself(step: Step) -> bool:
    """A count that a hidden card completes is told where the house ends the round for it by itself."""
    return any(
        isinstance(event, IrregularityRaised) and event.kind is Kind.FOREIGN_CARD and event.house != "ask"
        for event in step.events
    )


def what_lies_face_down_shows_nowhere(play: Play) -> None:
    """With another card under it, everything told is the same until it is turned."""
    chance = Random(len(play))
    candidates = list(lying_down(play))
    for down in chance.sample(candidates, min(5, len(candidates))):
        other = chance.choice(DECK)
        if not another_card_may_lie_there(play, down, other):
            continue
        changed = with_another(play, down, other)
        for was, becomes in zip(play[down.place : down.until], changed[down.place : down.until], strict=True):
            same = repr(list(map(masked, was.ruled))) == repr(list(map(masked, becomes.ruled)))
            if voids_by_itself(was) or voids_by_itself(becomes):
                break
            assert same, (down.draw, down.place)


CHECKS: Final[tuple[Callable[[Play], None], ...]] = (
    books_agree,
    there_is_a_way_back,
    one_party_is_waited_for,
    held_is_what_was_said_last,
    what_is_raised_is_resolved_once,
    refusals_change_nothing,
    ruling_again_is_the_same,
    garbage_is_refused,
    what_lies_face_down_shows_nowhere,
)


# -- the tests -----------------------------------------------------------------------------------------


@pytest.mark.rule("BJ-13", "DLX-32")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_of_a_thousand_rounds(check: Callable[[Play], None], plays: list[Play]) -> None:
    for seed, play in enumerate(plays):
        checked(check, seed, play)


def test_the_plays_reach_every_kind_and_every_resolution(plays: list[Play]) -> None:
    events = [event for play in plays for step in play for event in step.events]
    raised = {event.kind for event in events if isinstance(event, IrregularityRaised)}
    resolved = {event.resolution for event in events if isinstance(event, IrregularityResolved)}
    assert raised == set(Kind)
    assert resolved == set(Resolution)
    closed = sum(isinstance(event, RoundClosed) for event in events)
    assert closed > ROUNDS // 3


@pytest.mark.parametrize("seed", [800263])
def test_a_play_that_once_had_no_way_back_has_one(seed: int) -> None:
    """800263: a dealer with two cards up; the cards were laid as the table has them, which moves nothing."""
    there_is_a_way_back(seeded_play(seed))
