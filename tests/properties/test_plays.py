"""What holds in every play: the state is the fold, one party is waited for, every card has one place."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.concealed import FOR_THE_JOURNAL
from edge.events import (
    EVENTS,
    CardBurned,
    CardDealt,
    CardDiscarded,
    CardParked,
    CardRevealed,
    RoundClosed,
    RoundOpened,
    RoundResult,
    RoundVoided,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    Spot,
    TableHeld,
    TableReleased,
    Why,
)
from edge.inputs import CardDrawn, RequestMade
from edge.notes import DrawUnparked, RequestAnswered
from edge.requests import Action, Asked, DecideHand, Desk, Outcome, UnknownCommand
from edge.ruling import TRANSITIONS, Phase, TableState, decide, due, phase, verify
from edge.ruling.evolve import OFF_TABLE
from firmware_protocols import Card
from tests.edge.ruling.playing import STATES, Step, every_input, refolded
from tests.properties.plays import plays, ruled

MANY = settings(settings.get_profile("plays"), max_examples=300)
FEWER = settings(settings.get_profile("plays"), max_examples=120)


@MANY
@given(plays)
def test_the_state_is_the_fold_of_events_and_notes(steps: list[Step]) -> None:
    assert refolded(steps) == steps[-1].after


@MANY
@given(plays)
def test_ruling_the_same_inputs_again_gives_the_same(steps: list[Step]) -> None:
    again = ruled([step.heard for step in steps])
    assert again == steps
    assert [repr(step.ruled) for step in again] == [repr(step.ruled) for step in steps]


@MANY
@given(plays, st.integers(0, 10**6))
def test_a_snapshot_in_the_middle_changes_nothing(steps: list[Step], place: int) -> None:
    middle = place % len(steps)
    state = steps[middle].before
    written = STATES.dump_json(state, context=FOR_THE_JOURNAL)
    read = STATES.validate_json(written)
    assert read == state
    assert STATES.dump_json(read, context=FOR_THE_JOURNAL) == written
    assert ruled([step.heard for step in steps[middle:]], read) == steps[middle:]


@pytest.mark.rule("BJ-13")
@settings(FEWER, max_examples=25)
@given(plays)
def test_every_input_has_an_answer_wherever_a_play_stands(steps: list[Step]) -> None:
    for state in {id(step.after): step.after for step in steps[:: max(1, len(steps) // 5)]}.values():
        for heard in every_input():
            answer = decide(state, heard).ruled[-1:]
            if isinstance(heard, RequestMade):
                refusal = verify(state, heard)
                (answered,) = answer
                assert isinstance(answered, RequestAnswered)
                assert (answered.outcome is Outcome.REFUSED) is (refusal is not None)
                assert refusal is not None or (phase(state), type(heard.asked.request)) in TRANSITIONS


def waited_for(state: TableState) -> int:
    """How many parties a running round waits for."""
    assert state.round is not None
    return [due(state) is not None, state.round.offer is not None, state.round.insurance_open].count(True)


@pytest.mark.rule("BJ-13")
@MANY
@given(plays)
def test_while_a_round_runs_exactly_one_party_is_waited_for(steps: list[Step]) -> None:
    for step in steps:
        if step.after.round is not None and not step.after.held:
            assert waited_for(step.after) == 1


@pytest.mark.rule("DLX-32")
@MANY
@given(plays)
def test_a_held_table_moves_nothing_and_loses_nothing(steps: list[Step]) -> None:
    still = (CardDealt, RoundOpened, RoundResult, RoundClosed)
    for step in steps:
        held = step.before.held
        for event in step.events:
            if isinstance(event, TableHeld | TableReleased):
                assert held is isinstance(event, TableReleased)
                held = not held
            assert not (held and isinstance(event, still))
        assert step.after.held is held
        if not step.after.held:
            assert {each.why for each in step.after.parked} <= {Why.NEXT, Why.EARLY}


@MANY
@given(plays)
def test_sequences_count_events(steps: list[Step]) -> None:
    published = [event for step in steps for event in step.events]
    last = steps[-1].after
    assert last.sequence == len(published)
    table = [number for number, event in enumerate(published, 1) if type(event) not in OFF_TABLE]
    assert last.table_sequence == max(table, default=0)
    assert [event for event in published if not isinstance(event, EVENTS)] == []


@pytest.mark.rule("BJ-13", "DLX-4")
@MANY
@given(plays)
def test_no_card_is_in_two_places_and_every_draw_in_one(steps: list[Step]) -> None:
    places: dict[int, str] = {}
    shoe_device = ""
    for step in steps:
        for each in step.ruled:
            match each:
                case ShoeInstalled():
                    places = {}
                case ShoeOpened(draw=draw) | CardBurned(draw=draw) | CardDealt(draw=draw):
                    assert places.setdefault(draw, each.type) == each.type
                case CardParked(draw=int(draw), taken_from=None):
                    assert places.setdefault(draw, "parked") == "parked"
                case CardParked(draw=int(draw)):
                    assert places[draw] == "card.dealt"
                    places[draw] = "parked"
                case DrawUnparked(draw=draw):
                    assert places.pop(draw) == "parked"
                case CardDiscarded(draw=int(draw)):
                    places[draw] = "discarded"
                case ShoeClosed(dealt=dealt):
                    assert sorted(places) == list(range(1, dealt + 1))
        shoe = step.after.shoe
        if shoe is not None:
            shoe_device = shoe.device
            assert sorted(places) == list(range(1, shoe.drawn + 1))
            assert shoe.remaining == shoe.rules.cards - shoe.drawn + shoe.returned + shoe.retracted
            kinds = Counter(places.values())
            assert kinds["card.burned"] == shoe.burned
            assert kinds["shoe.opened"] == (shoe.first_card is not None)
            if isinstance(step.heard, CardDrawn) and step.before.shoe is not None:
                new = not step.heard.reread and step.heard.device == shoe_device
                assert shoe.drawn == step.before.shoe.drawn + new


@MANY
@given(plays)
def test_a_card_is_placed_once(steps: list[Step]) -> None:
    """Each draw number of a shoe is opened, burned or dealt at most once."""
    placed: set[int] = set()
    for step in steps:
        for event in step.events:
            if isinstance(event, ShoeInstalled):
                placed = set()
            elif isinstance(event, ShoeOpened | CardBurned | CardDealt):
                assert event.draw not in placed
                placed.add(event.draw)


@pytest.mark.rule("BJ-13")
@MANY
@given(plays)
def test_a_result_holds_the_cards_that_were_dealt(steps: list[Step]) -> None:
    dealt: list[Card] = []
    hidden: dict[int, Card | None] = {}
    for event in (event for step in steps for event in step.events):
        match event:
            case RoundOpened() | RoundVoided():
                dealt, hidden = [], {}
            case CardDealt(card=Card() as card):
                dealt.append(card)
            case CardDealt(draw=draw):
                hidden[draw] = None
            case CardRevealed(draw=draw, card=card):
                assert hidden[draw] is None
                hidden[draw] = card
            case RoundResult(dealer=dealer, seats=seats):
                shown = [card for seat in seats for hand in seat.hands for card in hand.cards]
                turned = [card for card in hidden.values() if card is not None]
                assert Counter([*shown, *dealer.cards]) == Counter([*dealt, *turned])
                assert dealer.unseen == len(hidden) - len(turned)


@pytest.mark.rule("DLX-7")
@FEWER
@given(plays)
def test_what_is_offered_is_accepted_and_nothing_else(steps: list[Step]) -> None:
    for step in steps:
        state = step.after
        offer = state.round.offer if state.round is not None else None
        if offer is None or state.irregularities:
            continue
        for action in Action:
            for funded in (True, False):
                request = DecideHand(
                    seat=offer.spot.seat,
                    hand=offer.spot.hand,
                    action=action,
                    funded=funded,
                    offer=offer.sequence,
                )
                asked = Asked(id="x", desk=Desk.SERVER, request=request, digest="d")
                answer = decide(state, RequestMade(asked=asked)).ruled[-1]
                assert isinstance(answer, RequestAnswered)
                assert answer.code == ("done" if action in offer.actions else "illegal")


@pytest.mark.rule("DLX-7", "BJ-10")
@MANY
@given(plays)
def test_turns_go_ascending_and_a_finished_hand_gets_no_card(steps: list[Step]) -> None:
    turn, finished = (0, 0), set[tuple[int, int]]()
    for event in (event for step in steps for event in step.events):
        match event.type, event:
            case "round.opened", _:
                turn, finished = (0, 0), set()
            case "turn.offered", _:
                spot = (getattr(event, "seat", 0), getattr(event, "hand", 0))
                assert spot >= turn
                assert spot not in finished
                turn = spot
            case "hand.finished", _:
                spot = (getattr(event, "seat", 0), getattr(event, "hand", 0))
                assert spot not in finished
                finished.add(spot)
            case "card.dealt", CardDealt(to=Spot(seat=seat, hand=hand)):
                assert (seat, hand) not in finished


@MANY
@given(plays)
def test_a_refusal_changes_nothing(steps: list[Step]) -> None:
    for step in steps:
        answer = step.answer
        if answer is not None and answer.outcome is Outcome.REFUSED:
            assert step.ruled == (answer,)
            assert step.after == step.before


@MANY
@given(plays)
def test_every_request_is_answered_once_and_last(steps: list[Step]) -> None:
    for step in steps:
        answers = [each for each in step.ruled if isinstance(each, RequestAnswered)]
        assert len(answers) == isinstance(step.heard, RequestMade)
        assert answers == list(step.ruled[-len(answers) :] if answers else ())
        if answers and isinstance(step.heard, RequestMade):
            request = step.heard.asked.request
            named = request.name if isinstance(request, UnknownCommand) else request.command
            assert answers[0].command == named
            assert answers[0].id == step.heard.asked.id


@MANY
@given(plays)
def test_a_round_ends_once_and_a_shoe_after_it(steps: list[Step]) -> None:
    in_round = False
    for event in (event for step in steps for event in step.events):
        match event:
            case RoundOpened():
                assert not in_round
                in_round = True
            case RoundClosed() | RoundVoided():
                assert in_round
                in_round = False
            case ShoeClosed() | ShoeInstalled():
                assert not in_round


def test_the_plays_reach_every_phase() -> None:
    reached: set[Phase] = set()

    @settings(FEWER, derandomize=True)
    @given(plays)
    def look(steps: list[Step]) -> None:
        reached.update(phase(step.after) for step in steps)

    look()
    assert reached == set(Phase)
