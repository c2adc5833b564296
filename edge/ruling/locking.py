"""The lock policy: the shoe gives a card only when one is due (docs/wire.md section 1, Lock policy).

An order is given once. While it is under way no other is; one that nobody answered is not repeated: what the
shoe does is seen by its cards, and the next change gives the next order.
"""

from typing import Final

from drivers import CommandOutcome
from edge.inputs import Order, OrderAnswered
from edge.notes import OrderGiven, OrderLost, OrderSettled
from edge.ruling.ruling import Ruling
from edge.ruling.state import Shoe, TableState
from edge.ruling.waiting import Phase, phase

ORDERS: Final = 0xFFFF
"""Orders are numbered as the wire numbers commands: 1 to 65535, then from 1 again."""
DUE: Final = frozenset({Phase.OPENING, Phase.BURNING, Phase.CARD_DUE})
"""Phases in which a card is due."""


def mind_lock(ruling: Ruling) -> None:
    """Give the order that the table's phase asks for, unless it was the last one given."""
    state = ruling.state
    shoe = _lockable(state)
    if shoe is None:
        return
    wanted = Order.UNLOCK if state.scan is not None or phase(state) in DUE else Order.LOCK
    last = state.order
    if last is not None and last.device == shoe.device and (last.outcome is None or last.order is wanted):
        return
    number = state.past.orders_given % ORDERS + 1
    ruling.rule(OrderGiven(device=shoe.device, number=number, order=wanted))


def _lockable(state: TableState) -> Shoe | None:
    """The shoe that is locked: the one in play, or the one that is being scanned out."""
    shoe = state.shoe or (state.past.closed_shoe if state.scan is not None else None)
    return shoe if shoe is not None and shoe.rules.lock_policy else None


def order_answered(ruling: Ruling, heard: OrderAnswered) -> None:
    """What became of an order; an answer to an earlier one says nothing any more."""
    last = ruling.state.order
    if last is not None and last.number == heard.number and last.outcome is None:
        ruling.rule(OrderSettled(number=heard.number, outcome=heard.outcome))


def lock_lost(ruling: Ruling, device: str) -> None:
    """A shoe that was switched on anew knows of no order: what the phase asks for is ordered again."""
    last = ruling.state.order
    if last is not None and last.device == device:
        ruling.rule(OrderLost(device=device))


def order_forgotten(ruling: Ruling) -> None:
    """After a restart nobody knows whether an order that was under way was carried out."""
    last = ruling.state.order
    if last is not None and last.outcome is None:
        ruling.rule(OrderSettled(number=last.number, outcome=CommandOutcome.UNANSWERED))
