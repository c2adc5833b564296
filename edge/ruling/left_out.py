"""Left out: a box, or the dealer, that the first deal has passed over (HTS-I5, I7, I8, I9)."""

from edge.events import Place, Spot
from edge.irregular import Kind, Resolution, Stage
from edge.requests import Refusal
from edge.ruling.changing import changed
from edge.ruling.layout import Layout, does_not_fit, passed_over, plays, relaid, verify_layout
from edge.ruling.state import OpenIrregularity, TableState


def left_out(
    state: TableState, opened: OpenIrregularity, seat: int | None, *, for_good: bool
) -> Layout | None:
    """The cards as they lie when a place was passed over; ``for_good``: it gets none any more."""
    table_round, shoe = state.round, state.shoe
    if table_round is None or shoe is None:
        return None
    if opened.kind is Kind.DEALER_SKIPPED:
        place: Place = "dealer"
        cards: tuple[int, ...] = (1,)
    else:
        place = Spot(seat=seat or 0, hand=1)
        first = opened.kind is Kind.BOX_SKIPPED and opened.stage in {Stage.NEW_GAME, Stage.FIRST_CARDS}
        cards = (1,) if first else (2,)
    if place == "dealer" and table_round.dealer_awaited and not for_good:
        return Layout(moves=(), owed=("dealer", *table_round.owed))
    if table_round.decided or not plays(table_round, place):
        return None
    rules = shoe.rules
    missed = passed_over(table_round, rules, place, cards)
    if not for_good:
        return relaid(table_round, rules, left_out=missed, dealt_next=True)
    layout = relaid(table_round, rules, left_out=missed)
    return changed(layout, owed=tuple(owed for owed in layout.owed if owed != place))


def verify_left_out(
    state: TableState, opened: OpenIrregularity, seat: int | None, *, for_good: bool
) -> Refusal | None:
    """Why a place cannot have been passed over so, or None."""
    table_round, shoe = state.round, state.shoe
    if table_round is None or shoe is None:
        return does_not_fit("No round is in progress.")
    late = opened.kind is Kind.DEALER_SKIPPED and table_round.dealer_awaited and not for_good
    if table_round.decided and not late:
        return Refusal(
            code="hand_acted", message="A decision has been taken in this round: rebuild it, or void it."
        )
    if opened.kind is not Kind.DEALER_SKIPPED and seat not in table_round.seats:
        seats = ", ".join(str(seat) for seat in table_round.seats)
        return does_not_fit(f"Say seat: one that is dealt in, {seats}.")
    place: Place = "dealer" if opened.kind is Kind.DEALER_SKIPPED else Spot(seat=seat or 0, hand=1)
    if not late and not plays(table_round, place):
        return does_not_fit("The deal goes on without that place already.")
    layout = left_out(state, opened, seat, for_good=for_good)
    if layout is None:
        return does_not_fit("More cards lie on the table than the other places take.")
    return verify_layout(table_round, shoe, layout)


def may_be_left_out(state: TableState, raised: OpenIrregularity, resolution: Resolution) -> bool:
    """Whether the cards can lie as this resolution has them, for the place that is said to be left out."""
    for_good = resolution is not Resolution.DEAL_MISSING
    return verify_left_out(state, raised, raised.seat, for_good=for_good) is None
