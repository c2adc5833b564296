"""Turns: what a hand may do, who decides it, and what comes of it (docs/round.md, section 4).

Legality has one source: :func:`legal_actions`. The offer, the refusal and automatic play all ask it.
"""

from edge.events import (
    DecisionDropped,
    HandFinished,
    HandSplit,
    How,
    Reason,
    SplitHand,
    Spot,
    TurnActed,
    TurnOffered,
)
from edge.house_rules import HouseRules
from edge.notes import DecisionHeld, SeatTimedOut
from edge.requests import Action, DecideHand, Refusal, TimeOutHand
from edge.ruling.hands import BLACKJACK, total, up_card_kind, worth
from edge.ruling.ruling import Ruling
from edge.ruling.state import Early, Hand, Offer, Round, TableState
from edge.ruling.waiting import due
from firmware_protocols import Rank


def legal_actions(table_round: Round, hand: Hand, rules: HouseRules) -> tuple[Action, ...]:
    """What this open hand may do now, in the contract's order (DLX-11 to DLX-16)."""
    fresh = len(hand.cards) == 2  # noqa: PLR2004 - "the first two cards"
    actions = [Action.HIT, Action.STAND]
    if fresh and (not hand.split or rules.double_after_split):
        actions.append(Action.DOUBLE)
    if fresh and not hand.split and _splittable(hand, rules):
        actions.append(Action.SPLIT)
    untouched = fresh and not hand.split and not hand.acted and table_round.up_card is not None
    if untouched and up_card_kind(table_round.up_card) not in rules.surrender_not_under:
        actions.append(Action.SURRENDER)
    return tuple(actions)


def _splittable(hand: Hand, rules: HouseRules) -> bool:
    first, second = hand.cards
    if rules.split.by == "rank":
        return first.rank is second.rank
    return worth(first) == worth(second)


def hand_end(hand: Hand, rules: HouseRules) -> How | None:
    """How a hand ends by its cards alone, or None: it takes a decision or a card (DLX-10, BJ-4)."""
    if hand.lacks > 0:
        return None  # a card of it was taken out
    reached, _ = total(hand.cards)
    if reached > BLACKJACK:
        return How.BUST
    if hand.doubled:
        return How.DOUBLE
    if _one_card_ace(hand, rules) and len(hand.cards) > 1:
        return How.SPLIT_ACE
    return How.TWENTY_ONE if reached == BLACKJACK else None


def _one_card_ace(hand: Hand, rules: HouseRules) -> bool:
    return hand.split and rules.split.aces == "one_card" and hand.cards[0].rank is Rank.ACE


# -- asking ---------------------------------------------------------------------------------------


def verify_decide(state: TableState, request: DecideHand) -> Refusal | None:
    """Why this decision cannot be taken or held, or None (docs/round.md, Decisions)."""
    table_round = state.round
    if table_round is None or state.shoe is None:
        return Refusal(code="no_round", message="No round is in progress: open one first.")
    spot = Spot(seat=request.seat, hand=request.hand)
    hand = table_round.hand(spot)
    if hand is None:
        return Refusal(
            code="no_such_hand",
            message=f"Seat {spot.seat} has no hand {spot.hand} in this round; "
            f"dealt in: {_listed(table_round.seats)}.",
        )
    offer = table_round.offer
    if request.offer is not None and (offer is None or (offer.sequence, offer.spot) != (request.offer, spot)):
        now = f"the open offer is {offer.sequence}, for {_named(offer.spot)}" if offer else "no offer is open"
        return Refusal(
            code="stale_offer", message=f"{_named(spot)} does not answer offer {request.offer}: {now}."
        )
    if spot.seat in table_round.timed_out:
        return Refusal(
            code="automatic", message=f"Seat {spot.seat} is played automatically to the end of the round."
        )
    if hand.how is not None:
        return Refusal(code="hand_finished", message=f"{_named(spot)} is finished ({hand.how.value}).")
    if due(state) == spot:
        return Refusal(code="card_due", message=f"{_named(spot)} waits for a card: decide after it.")
    if offer is not None and offer.spot == spot and request.action not in offer.actions:
        legal = ", ".join(action.value for action in offer.actions)
        return Refusal(
            code="illegal", message=f"{_named(spot)} may not {request.action.value} now; legal: {legal}."
        )
    return None


def verify_time_out(state: TableState, request: TimeOutHand) -> Refusal | None:
    """Why this seat cannot be played automatically, or None."""
    if state.round is None:
        return Refusal(code="no_round", message="No round is in progress: open one first.")
    if request.seat not in state.round.seats:
        return Refusal(
            code="no_such_hand",
            message=f"Seat {request.seat} is not in this round; dealt in: {_listed(state.round.seats)}.",
        )
    return None


def _named(spot: Spot) -> str:
    return f"Hand {spot.hand} of seat {spot.seat}"


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(str(seat) for seat in seats)


# -- acting ---------------------------------------------------------------------------------------


def decide_hand(ruling: Ruling, request: DecideHand) -> bool:
    """Take a verified decision on the open offer, or hold it; True: taken at once."""
    spot = Spot(seat=request.seat, hand=request.hand)
    offer = ruling.round.offer
    if offer is not None and offer.spot == spot:
        act(ruling, offer, request.action, funded=request.funded, reason=None)
        return True
    ruling.rule(DecisionHeld(seat=spot.seat, hand=spot.hand, action=request.action, funded=request.funded))
    return False


def time_out(ruling: Ruling, request: TimeOutHand) -> None:
    """Play the seat automatically from here on; at once where its offer is open (DLX-20)."""
    seat = request.seat
    if seat in ruling.round.timed_out or all(
        hand.how is not None for hand in ruling.round.hands if hand.spot.seat == seat
    ):
        return
    ruling.rule(SeatTimedOut(seat=seat))
    offer = ruling.round.offer
    if offer is not None and offer.spot.seat == seat:
        _act_automatically(ruling, offer)


def offer_turn(ruling: Ruling, hand: Hand) -> None:
    """Offer the hand its turn, and take the decision that is already there, if any."""
    spot, rules = hand.spot, ruling.shoe.rules
    reached, soft = total(hand.cards)
    actions = legal_actions(ruling.round, hand, rules)
    ruling.rule(
        TurnOffered(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            seat=spot.seat,
            hand=spot.hand,
            total=reached,
            soft=soft,
            actions=actions,
        )
    )
    offer = ruling.offer
    if spot.seat in ruling.round.timed_out:
        _act_automatically(ruling, offer)
        return
    early = next((each for each in ruling.round.early if each.spot == spot), None)
    if early is not None:
        _take_early(ruling, offer, early)


def _take_early(ruling: Ruling, offer: Offer, early: Early) -> None:
    if early.action in offer.actions:
        act(ruling, offer, early.action, funded=early.funded, reason=Reason.EARLY)
        return
    ruling.rule(
        DecisionDropped(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            seat=early.spot.seat,
            hand=early.spot.hand,
            action=early.action,
            reason=Reason.ILLEGAL,
        )
    )


def _act_automatically(ruling: Ruling, offer: Offer) -> None:
    act(ruling, offer, _automatic(ruling, offer.spot), funded=True, reason=Reason.TIMEOUT)


def _automatic(ruling: Ruling, spot: Spot) -> Action:
    """Hit on a low total, else stand; an ace counts 11 unless that busts (DLX-20, DLX-17)."""
    reached = hand_at(ruling, spot).total
    return Action.HIT if reached <= ruling.shoe.rules.automatic_hits_to else Action.STAND


def hand_at(ruling: Ruling, spot: Spot) -> Hand:
    """The hand at this spot; only asked where there is one."""
    hand = ruling.round.hand(spot)
    if hand is None:
        raise ValueError(f"there is no hand at {spot}")
    return hand


def act(
    ruling: Ruling, offer: Offer, action: Action, *, funded: bool = True, reason: Reason | None = None
) -> None:
    """Carry out a legal action, or what stands for it when the money is missing."""
    spot, requested = offer.spot, None
    if not funded and action in {Action.DOUBLE, Action.SPLIT}:
        requested, reason = action, Reason.INSUFFICIENT_FUNDS
        action = Action.HIT if action is Action.DOUBLE else _automatic(ruling, spot)
    ruling.rule(
        TurnActed(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            seat=spot.seat,
            hand=spot.hand,
            action=action,
            requested=requested,
            reason=reason,
        )
    )
    if action is Action.SPLIT:
        _split(ruling, spot.seat)
    elif action is Action.STAND:
        finish_hand(ruling, spot, How.STAND)
    elif action is Action.SURRENDER:
        finish_hand(ruling, spot, How.SURRENDER)


def _split(ruling: Ruling, seat: int) -> None:
    whole = hand_at(ruling, Spot(seat=seat, hand=1))
    halves = tuple(SplitHand(hand=number, cards=(card,)) for number, card in enumerate(whole.cards, start=1))
    ruling.rule(HandSplit(shoe=ruling.shoe_number, round=ruling.round_number, seat=seat, hands=halves))


def finish_hand(ruling: Ruling, spot: Spot, how: How) -> None:
    """End a hand."""
    ruling.rule(
        HandFinished(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            seat=spot.seat,
            hand=spot.hand,
            total=hand_at(ruling, spot).total,
            how=how,
        )
    )
