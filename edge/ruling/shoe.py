"""A shoe's life: installed, opened, burned, ready, cut, closed (docs/round.md, The shoe)."""

from edge.concealed import seal
from edge.events import CardBurned, CutCardOut, ShoeClosed, ShoeInstalled, ShoeOpened, ShoeReady
from edge.house_rules import (
    CARDS_IN_A_DECK,
    CutByCard,
    CutByCount,
    FirstCardBurn,
    HouseRules,
    NoBurn,
    parse_house,
)
from edge.notes import CardConcealed, ShoeTaken
from edge.requests import InstallShoe, Refusal
from edge.ruling.hands import worth
from edge.ruling.ruling import Ruling
from edge.ruling.state import TableState
from firmware_protocols import Card, FaceDownCard

SCRIPT_SHOE = "shoe"
"""The shoe's device where no configuration names one (session scripts)."""


def verify_install(state: TableState, request: InstallShoe) -> Refusal | None:
    """Why this shoe cannot be installed, or None (DLX-2)."""
    if state.shoe is not None:
        return Refusal(code="shoe_in", message=f"Shoe {state.shoe.number} is still in: it must close first.")
    if state.held:
        return Refusal(code="held", message="The table is held: resolve the open irregularity first.")
    if state.latches:
        kinds = ", ".join(f"{each.kind.value} ({each.id})" for each in state.latches)
        return Refusal(code="latched", message=f"No shoe opens before a supervisor clears: {kinds}.")
    if state.scan is not None:
        return Refusal(
            code="reconciling", message="The last shoe is being scanned out: finish its shoe.reconcile first."
        )
    if state.setup.house is None:
        return Refusal(code="no_house", message="No house rules are known: restart the daemon.")
    rules = parse_house(state.setup.house)
    if request.decks != rules.decks:
        return Refusal(
            code="wrong_decks",
            message=f"{rules.name} plays {rules.decks} decks, not {request.decks}: check the shoe.",
        )
    return _verify_shuffle(state, request, rules) or _verify_device(state, request)


def _verify_shuffle(state: TableState, request: InstallShoe, rules: HouseRules) -> Refusal | None:
    """The shuffle it is said to come from, and the cut card's place (design of a shoe's life)."""
    done = state.shuffle
    if request.shuffle is not None:
        if done is None or done.number != request.shuffle:
            last = "none" if done is None or done.number is None else str(done.number)
            return Refusal(
                code="no_such_shuffle",
                message=f"Shuffle {request.shuffle} is not the last one that finished: that is {last}.",
            )
        if not done.clean or done.decks != rules.decks:
            return Refusal(
                code="bad_shuffle",
                message=f"Shuffle {request.shuffle} did not hold {rules.decks} whole decks.",
            )
    if request.cut_at is not None and not 0 < request.cut_at < rules.cards:
        return Refusal(
            code="bad_cut", message=f"cut_at must lie within the shoe: 1 to {rules.cards - 1} cards."
        )
    return None


def _verify_device(state: TableState, request: InstallShoe) -> Refusal | None:
    shoes = state.setup.shoe_devices
    if shoes is None:
        return None
    if request.device is None and len(shoes) != 1:
        return Refusal(
            code="device_needed",
            message=f"This table has {len(shoes)} shoes: say device, one of {', '.join(shoes) or 'none'}.",
        )
    if request.device is not None and request.device not in shoes:
        return Refusal(
            code="no_such_device",
            message=f"{request.device!r} is no shoe of this table; it has {', '.join(shoes) or 'none'}.",
        )
    return None


def install(ruling: Ruling, request: InstallShoe) -> None:
    """Put a shoe into play."""
    state = ruling.state
    device = request.device or (state.setup.shoe_devices[0] if state.setup.shoe_devices else SCRIPT_SHOE)
    number = state.past.shoes + 1
    cards = request.decks * CARDS_IN_A_DECK
    ruling.rule(
        ShoeTaken(device=device),
        ShoeInstalled(
            shoe=number,
            number=number,
            decks=request.decks,
            cards_expected=cards,
            shuffle=request.shuffle,
            cut_at=request.cut_at,
        ),
    )
    if isinstance(ruling.shoe.rules.burn, NoBurn):
        ruling.rule(ShoeReady(shoe=number, burned=0, remaining=ruling.shoe.remaining))


def open_shoe(ruling: Ruling, draw: int, card: Card) -> None:
    """Show the first card: it says how many are burned (DLX-4)."""
    burn = ruling.shoe.rules.burn
    due = burn_of(card, burn) if isinstance(burn, FirstCardBurn) else 0
    ruling.rule(ShoeOpened(shoe=ruling.shoe.number, draw=draw, first_card=card, burn_due=due))
    _ready_if_burned(ruling)


def burn_of(card: Card, burn: FirstCardBurn) -> int:
    """Cards that this first card has burned."""
    points = worth(card)
    burned = {1: burn.ace, 10: burn.ten_valued}.get(points, points)
    return max(burned - 1, 0) if burn.first_card_counts else burned


def burn_card(ruling: Ruling, draw: int, card: FaceDownCard | None, nonce: str) -> None:
    """Burn a card face down: only its seal is published, and none of a card that could not be read."""
    sealed = None if card is None else seal(nonce, card)
    ruling.rule(
        CardConcealed(draw=draw, card=card, nonce=nonce),
        CardBurned(shoe=ruling.shoe.number, draw=draw, seal=sealed),
    )
    if not ruling.shoe.ready:
        _ready_if_burned(ruling)


def _ready_if_burned(ruling: Ruling) -> None:
    shoe = ruling.shoe
    if shoe.burned == shoe.burn_due:
        ruling.rule(ShoeReady(shoe=shoe.number, burned=shoe.burned, remaining=shoe.remaining))


def cut_by_count(ruling: Ruling) -> None:
    """Where no card is cut in: enough cards are out, and this round is the last."""
    shoe = ruling.shoe
    cut = shoe.rules.cut
    if isinstance(cut, CutByCount) and shoe.cut_after is None and shoe.drawn >= cut.after:
        cut_card(ruling)


def cut_card(ruling: Ruling) -> None:
    """The cut card came out in a shoe that has begun: which round is the last (DLX-3).

    A second cut card (KRF-1) changes nothing of that.
    """
    shoe, table_round, cut = ruling.shoe, ruling.state.round, ruling.shoe.rules.cut
    closes = table_round is None and isinstance(cut, CutByCard) and cut.between_rounds == "closes"
    last_round = shoe.last_round
    if last_round is None:
        last_round = table_round.number if table_round is not None else shoe.rounds + (0 if closes else 1)
    ruling.rule(
        CutCardOut(
            shoe=shoe.number,
            round=ruling.round_number,
            drawn=shoe.drawn,
            during="between" if table_round is None else "round",
            last_round=last_round,
        )
    )
    if closes and last_round == shoe.rounds and not ruling.state.held:
        close_shoe(ruling, "cut_card")


def close_shoe(ruling: Ruling, reason: str) -> None:
    """Take the shoe out of play, if one is in."""
    shoe = ruling.state.shoe
    if shoe is not None:
        dealt = shoe.drawn - shoe.retracted
        ruling.rule(ShoeClosed(shoe=shoe.number, reason=reason, dealt=dealt, remaining=shoe.remaining))
