"""Draws: where a card goes, or why it has no rightful place (BJ-13)."""

from dataclasses import dataclass
from typing import Final

from edge.concealed import seal
from edge.events import CardDealt, CardDiscarded, Face, Spot, TableReleased, Why
from edge.house_rules import CutByCard
from edge.inputs import CardDrawn
from edge.irregular import Kind, Resolution, Stage
from edge.notes import CardConcealed, CardSeen, DrawUnparked, DrawWaits, NextDrawDiscarded
from edge.requests import Action
from edge.ruling.deadlines import wait_for_command
from edge.ruling.hands import total
from edge.ruling.hold import park, park_irregular, raise_irregularity
from edge.ruling.order import unshuffled
from edge.ruling.remedies import policy_for
from edge.ruling.resolved import rule_resolved
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import burn_card, cut_by_count, open_shoe
from edge.ruling.stages import stage_now
from edge.ruling.state import Concealed, Parked, Shoe, TableState
from edge.ruling.turns import act, finish_hand, hand_at, hand_end
from edge.ruling.waiting import Phase, due, lies_face_down, phase_of_play
from firmware_protocols import Card, FaceDownCard

VOIDS: Final = (Resolution.VOID_ROUND, Resolution.RETIRE_SHOE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of a card beside its face."""

    opens: str | None = None
    """The nonce of a seal that was published for it."""
    entered_by: str | None = None
    """Who named it, or let it stay unread."""


_PLAIN: Final = _Known()


def due_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card while one is due: it takes that place, or is parked and holds the table."""
    shoe = ruling.shoe
    if shoe.watch.discard_next and drawn.device == shoe.device:
        _discard(ruling, drawn)
        return
    kind = _fault(ruling.state, shoe, drawn)
    _remember(ruling, drawn)
    if kind is None and drawn.card is not None:
        _place(ruling, shoe.drawn + 1, drawn.card, drawn.nonce)
        _look_at_shoe(ruling)
    else:
        park_irregular(ruling, drawn, kind or Kind.UNREAD_CARD)


def undue_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card that nothing awaited: it may be early, it may count as a hit, else it is irregular."""
    state = ruling.state
    shoe = state.shoe
    if shoe is None or shoe.device != drawn.device:
        park_irregular(ruling, drawn, Kind.FOREIGN_CARD if drawn.foreign else Kind.UNEXPECTED_DRAW)
        return
    if shoe.watch.discard_next:
        _discard(ruling, drawn)
        return
    kind = _fault_out_of_place(state, shoe, drawn)
    _remember(ruling, drawn)
    if kind is not None:
        park_irregular(ruling, drawn, kind)
    elif _counts_as_hit(ruling):
        act(ruling, ruling.offer, Action.HIT)
        due_card(ruling, drawn)
    elif _may_be_early(state):
        park(ruling, drawn, Why.EARLY)
        wait_for_command(ruling)
    else:
        burned_too_many = state.round is None and shoe.rounds == 0 and shoe.rules.burn.by != "none"
        park_irregular(ruling, drawn, Kind.WRONG_BURN if burned_too_many else Kind.UNEXPECTED_DRAW)


def held_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card drawn while the table is held: counted and parked; a foreign one is told on top of it."""
    state = ruling.state
    shoe = state.shoe
    if shoe is not None and shoe.device == drawn.device:
        if shoe.watch.discard_next:
            _discard(ruling, drawn)
            return
        kind = _fault_out_of_place(state, shoe, drawn)
        _remember(ruling, drawn)
        if kind is not None:
            park_irregular(ruling, drawn, kind)
            return
    elif drawn.foreign:
        park_irregular(ruling, drawn, Kind.FOREIGN_CARD)
        return
    park(ruling, drawn, Why.HELD)


def parked_card(ruling: Ruling, parked: Parked) -> bool:
    """A card that was set aside, now that play goes on: it takes the place that is due, or is irregular.

    Returns:
        Whether anything came of it: a card that may wait goes on waiting.
    """
    if parked.draw is None or parked.why is Why.IRREGULAR:
        return False
    kept = kept_of(ruling, parked.draw)
    if kept is None:
        return False
    shoe = ruling.shoe
    now = phase_of_play(ruling.state)
    if now is Phase.CARD_DUE and due(ruling.state) is None:
        return False  # something follows by itself first
    if now not in {Phase.OPENING, Phase.BURNING, Phase.CARD_DUE}:
        return parked.why is Why.HELD and _undue_after_all(ruling, parked, kept)
    face_up = not lies_face_down(ruling.state)
    kind = _copies_fault(ruling.state, shoe, kept.card, own=parked.draw, face_up=face_up)
    if kept.card is None and not (parked.entered_by is not None and lies_face_down(ruling.state)):
        kind = Kind.UNREAD_CARD
    if kind is not None:
        irregular_after_all(ruling, parked, kept, kind)
        return True
    known = _Known(opens=kept.nonce if parked.sealed else None, entered_by=parked.entered_by)
    ruling.rule(DrawUnparked(draw=parked.draw))
    _place(ruling, parked.draw, kept.card, kept.nonce, known)
    return True


def discard_unneeded(ruling: Ruling) -> None:
    """A card kept as the next that its game did not need: it would be a new game's first (HTS-I3)."""
    if policy_for(ruling.state, Kind.EXPOSED_IN_SHOE).way(Stage.NEW_GAME) is not Resolution.DISCARD:
        return
    for parked in ruling.state.parked:
        kept = None if parked.draw is None else kept_of(ruling, parked.draw)
        if parked.why is Why.NEXT and kept is not None:
            sealed = seal(kept.nonce, kept.card) if parked.sealed and kept.card is not None else None
            ruling.rule(CardDiscarded(**ruling.where, draw=kept.draw, seal=sealed))


def deal_unseen(ruling: Ruling, card: Card | None, operator: str | None) -> None:
    """A card that passed unseen, where it was due; None: it lies face down, and nobody knows it."""
    draw = ruling.shoe.drawn + 1
    _deal(ruling, draw, None if card is None else FaceDownCard(card), "", _Known(entered_by=operator))


def kept_of(ruling: Ruling, draw: int) -> Concealed | None:
    """What was kept of a draw that is set aside or lies face down."""
    return next((each for each in ruling.shoe.concealed if each.draw == draw), None)


def _undue_after_all(ruling: Ruling, parked: Parked, kept: Concealed) -> bool:
    """A card drawn during the hold for which nothing is due now: as if it were drawn now."""
    if _counts_as_hit(ruling):
        act(ruling, ruling.offer, Action.HIT)
        return True
    if _may_be_early(ruling.state):
        ruling.rule(DrawWaits(draw=kept.draw, why=Why.EARLY))
        wait_for_command(ruling)
    else:
        irregular_after_all(ruling, parked, kept, Kind.UNEXPECTED_DRAW)
    return True


def irregular_after_all(ruling: Ruling, parked: Parked, kept: Concealed, kind: Kind) -> None:
    """A card that was set aside has no rightful place after all."""
    sealed = seal(kept.nonce, kept.card) if parked.sealed and kept.card is not None else None
    ruling.rule(DrawWaits(draw=kept.draw, why=Why.IRREGULAR))
    raise_irregularity(ruling, kind, device=parked.device, draw=parked.draw, sealed=sealed)


def _counts_as_hit(ruling: Ruling) -> bool:
    """A draw during an offer is the hand's hit, where the house has it so (dealer's keys)."""
    table_round = ruling.state.round
    if table_round is None or table_round.offer is None or not ruling.shoe.rules.draw_is_hit:
        return False
    return Action.HIT in table_round.offer.actions and due(ruling.state) is None


def _may_be_early(state: TableState) -> bool:
    """Only a missing command prevents this card (docs/round.md, Early draws)."""
    shoe = state.shoe
    if shoe is None or phase_of_play(state) not in {Phase.READY, Phase.DECISION, Phase.INSURANCE}:
        return False
    waits = shoe.rules.early_draw_ms
    return (state.setup.patience.early_draw_ms if waits is None else waits) > 0


def _discard(ruling: Ruling, drawn: CardDrawn) -> None:
    """The card that lay exposed in the shoe, and would be the first of a game, is not played (HTS-I3)."""
    kind = _fault_out_of_place(ruling.state, ruling.shoe, drawn)
    draw = ruling.shoe.drawn + 1
    _remember(ruling, drawn)
    if kind is Kind.FOREIGN_CARD or kind is Kind.REPEATED_CARD:
        park_irregular(ruling, drawn, kind)
        return
    ruling.rule(
        CardConcealed(draw=draw, card=drawn.card, nonce=drawn.nonce),
        NextDrawDiscarded(discarded=True),
        CardDiscarded(
            **ruling.where, draw=draw, seal=None if drawn.card is None else seal(drawn.nonce, drawn.card)
        ),
    )


def _remember(ruling: Ruling, drawn: CardDrawn) -> None:
    """Keep what the next draws are held against: the shoe's clock where it is judged, the card itself."""
    if drawn.serial is None and drawn.device_ms is None:
        return
    state, shoe = ruling.state, ruling.shoe
    if drawn.device == shoe.device and (drawn.serial is not None or _least_ms(state, shoe)):
        ruling.rule(CardSeen(device_ms=drawn.device_ms, serial=drawn.serial))


def _least_ms(state: TableState, shoe: Shoe) -> int:
    """Two draws closer than this are one too many; 0: spacing is not judged."""
    least = shoe.rules.min_draw_ms
    return state.setup.patience.min_draw_ms if least is None else least


def _look_at_shoe(ruling: Ruling) -> None:
    """What only the cards so far show of their shoe: told once a shoe."""
    shoe = ruling.state.shoe
    if shoe is None or shoe.rules.continuous_shuffler:
        return
    if not shoe.watch.cut_overdue and _cut_overdue(shoe):
        raise_irregularity(ruling, Kind.CUT_CARD_MISSING, device=shoe.device)
    if shoe.watch.unshuffled:
        return
    last = ruling.state.past.closed_shoe
    if unshuffled(shoe.order, "" if last is None else last.order):
        raise_irregularity(ruling, Kind.UNSHUFFLED, device=shoe.device)


def _cut_overdue(shoe: Shoe) -> bool:
    """More cards are out than lay above the cut card (KRF-1)."""
    cut = shoe.rules.cut
    if not isinstance(cut, CutByCard) or shoe.cut_after is not None:
        return False
    if shoe.watch.cut_at is not None:
        return shoe.drawn - shoe.retracted > shoe.watch.cut_at
    if cut.from_the_bottom is None:
        return False
    return shoe.drawn - shoe.retracted > shoe.rules.cards - cut.from_the_bottom + cut.overdue_after


def read_again(ruling: Ruling, drawn: CardDrawn) -> None:
    """The last physical card once more: it mends an unread draw, else it is a repeat (docs/wire.md, 1)."""
    shoe = ruling.state.shoe
    last = shoe.drawn if shoe is not None and shoe.device == drawn.device else None
    unread = _unread(ruling, last)
    if last is None or unread is None:
        raise_irregularity(ruling, Kind.REPEATED_CARD, device=drawn.device, draw=last)
        return
    nonce, sealed = unread.nonce, None
    if drawn.card is not None:
        sealed = seal(nonce, drawn.card)
        ruling.rule(CardConcealed(draw=last, card=drawn.card, nonce=nonce))
    opened = [each for each in ruling.state.irregularities if each.draw == last]
    mends = bool(opened) and opened[0].kind is Kind.UNREAD_CARD and _stands_alone(ruling)
    kind = _fault(ruling.state, ruling.shoe, drawn) if mends or drawn.foreign else None
    if kind is not None:
        raise_irregularity(ruling, kind, device=drawn.device, draw=last, sealed=sealed)
    elif mends and drawn.card is not None:
        rule_resolved(ruling, opened[0], Resolution.REREAD)
        ruling.rule(
            TableReleased(**ruling.where, why=Resolution.REREAD),
            DrawWaits(draw=last, why=Why.HELD),  # it is dealt where a card is due now, if one is
        )


def _stands_alone(ruling: Ruling) -> bool:
    """Whether the one thing that holds the table is the one draw that is parked."""
    state = ruling.state
    return len(state.irregularities) == len(state.parked) == 1 and state.pause is None


def _unread(ruling: Ruling, draw: int | None) -> Concealed | None:
    """What was kept of this draw, if it could not be read."""
    kept = None if draw is None else kept_of(ruling, draw)
    return kept if kept is not None and kept.card is None else None


# Faults ----------------------------------------------------------------------------------------------


def _fault(state: TableState, shoe: Shoe, drawn: CardDrawn) -> Kind | None:
    """Why a drawn card may not take the place that is due though it was read, or None."""
    if drawn.device != shoe.device:
        return Kind.UNEXPECTED_DRAW
    kind = _fault_of_draw(state, shoe, drawn)
    if kind is not None or drawn.card is None:
        return kind
    own = shoe.drawn if drawn.reread else None
    kind = _copies_fault(state, shoe, drawn.card, own=own, face_up=not lies_face_down(state))
    if kind is None and drawn.exposed:
        return Kind.EXPOSED_IN_SHOE
    return kind


def _fault_out_of_place(state: TableState, shoe: Shoe, drawn: CardDrawn) -> Kind | None:
    """Why a draw that has no place now is worse than that, or None. Nobody sees such a card."""
    kind = _fault_of_draw(state, shoe, drawn)
    return _copies_fault(state, shoe, drawn.card, own=None, face_up=False) if kind is None else kind


def _fault_of_draw(state: TableState, shoe: Shoe, drawn: CardDrawn) -> Kind | None:
    """What is wrong with a draw whatever its place would be."""
    left = shoe.left if drawn.reread else shoe.left - 1
    if drawn.foreign or left < 0:
        return Kind.FOREIGN_CARD
    if drawn.serial is not None and drawn.serial in shoe.watch.serials:
        return Kind.REPEATED_CARD
    if drawn.device_ms is None or shoe.watch.last_ms is None or drawn.reread:
        return None
    between = drawn.device_ms - shoe.watch.last_ms
    return Kind.DOUBLE_DRAW if 0 <= between < _least_ms(state, shoe) else None


def _copies_fault(
    state: TableState, shoe: Shoe, card: FaceDownCard | None, *, own: int | None, face_up: bool
) -> Kind | None:
    """More copies of a card than the decks hold.

    A count that only a hidden card completes would give that card away: it is told at once only where the
    house voids the round for it by itself, else when the card is turned (law 5).

    Args:
        state: before the card.
        shoe: whose card it is.
        card: None if it could not be read.
        own: the draw it is set aside under.
        face_up: whether it comes to lie face up.
    """
    if card is None:
        return None
    turned, decks = card.turned(), shoe.rules.decks
    seen = shoe.seen[turned.index]
    if seen + len(shoe.concealed) < decks:
        return None
    if seen >= decks and face_up:
        return Kind.FOREIGN_CARD
    hidden = sum(
        1
        for each in shoe.concealed
        if each.draw != own and each.card is not None and each.card.turned() is turned
    )
    if seen + hidden < decks:
        return None
    way = policy_for(state, Kind.FOREIGN_CARD).way(stage_now(state))
    return Kind.FOREIGN_CARD if way in VOIDS else None


# Places ----------------------------------------------------------------------------------------------


def _place(ruling: Ruling, draw: int, card: FaceDownCard | None, nonce: str, known: _Known = _PLAIN) -> None:
    """Put a card where play waits for it."""
    match phase_of_play(ruling.state):
        case Phase.OPENING if card is not None:
            open_shoe(ruling, draw, card.turned())
        case Phase.BURNING:
            burn_card(ruling, draw, card, nonce)
        case _:
            _deal(ruling, draw, card, nonce, known)


def _deal(ruling: Ruling, draw: int, card: FaceDownCard | None, nonce: str, known: _Known) -> None:
    place = due(ruling.state)
    if place is None:
        raise ValueError("a card is dealt only where one is due")
    if isinstance(place, Spot):
        _deal_to_hand(ruling, place, draw, _lies_up(card), known)
    elif lies_face_down(ruling.state):
        ruling.rule(CardConcealed(draw=draw, card=card, nonce=nonce))
        sealed = None if card is None else seal(nonce, card)
        _rule_dealt(ruling, draw, Face.DOWN, known, sealed=sealed)
    else:
        _rule_dealt(ruling, draw, Face.UP, known, card=_lies_up(card))


def _lies_up(card: FaceDownCard | None) -> Card:
    if card is None:
        raise ValueError("an unread card is named before it lies face up")
    return card.turned()


def _rule_dealt(  # noqa: PLR0913 - the facts of one event
    ruling: Ruling,
    draw: int,
    face: Face,
    known: _Known,
    *,
    card: Card | None = None,
    sealed: str | None = None,
) -> None:
    """A card for the dealer."""
    seen = ruling.round.dealer_seen if card is None else (*ruling.round.dealer_seen, card)
    reached, soft = total(seen)
    ruling.rule(
        CardDealt(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            draw=draw,
            to="dealer",
            position=len(ruling.round.dealer) + 1,
            face=face,
            card=card,
            seal=sealed,
            total=None if card is None else reached,
            soft=None if card is None else soft,
            nonce=None if card is None else known.opens,
            entered_by=known.entered_by,
        )
    )
    cut_by_count(ruling)


def _deal_to_hand(ruling: Ruling, spot: Spot, draw: int, card: Card, known: _Known) -> None:
    cards = (*hand_at(ruling, spot).cards, card)
    reached, soft = total(cards)
    ruling.rule(
        CardDealt(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            draw=draw,
            to=spot,
            position=len(cards),
            face=Face.UP,
            card=card,
            total=reached,
            soft=soft,
            nonce=known.opens,
            entered_by=known.entered_by,
        )
    )
    cut_by_count(ruling)
    dealt = hand_at(ruling, spot)
    how = hand_end(dealt, ruling.shoe.rules) if dealt.acted or dealt.split else None
    if how is not None:
        finish_hand(ruling, spot, how)
