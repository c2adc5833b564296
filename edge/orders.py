"""Orders: what the ruling wants a device told is sent once, after its record is on disk (law 2).

The answer comes back from the device's pump as an input. An order that cannot be sent, because no device is
there or it takes none, is answered at once as unanswered: the ruling never waits for what was not asked.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import structlog

from drivers import CommandOutcome, DriverError
from edge.inputs import Input, Order, OrderAnswered
from edge.ruling import Ordered, TableState
from firmware_protocols import Command, CommandCode

CODES: Final = {Order.LOCK: CommandCode.LOCK, Order.UNLOCK: CommandCode.UNLOCK}
TRY_AGAIN_S: Final = 1.0
"""Pause after a disk that refused the answer."""

log = structlog.get_logger("edge.orders")


class Ordering(Protocol):
    """The table's face: what it has ordered, and when that changes."""

    @property
    def state(self) -> TableState:
        """As of the last commit."""

    @property
    def orders_changed(self) -> asyncio.Event:
        """Set when an order was given or answered."""


class Told(Protocol):
    """A device that may be told something: a :class:`drivers.Pump`."""

    def command(self, command: Command) -> bool:
        """Tell it once; False: it was not sent.

        Raises:
            DriverError: this device takes no commands.
        """


async def give_orders(
    table: Ordering, pumps: Mapping[str, Told], take: Callable[[Sequence[Input]], bool]
) -> None:
    """Send each order once, for ever.

    Args:
        table: whose orders they are.
        pumps: by device id.
        take: commits an input; False: the disk refused, and it is said again.
    """
    sent, changed = 0, table.orders_changed
    while True:
        changed.clear()
        order = table.state.order
        if order is None or order.outcome is not None or order.number == sent:
            await changed.wait()
            continue
        if _sent(order, pumps):
            sent = order.number
            continue
        answer = OrderAnswered(device=order.device, number=order.number, outcome=CommandOutcome.UNANSWERED)
        if not take([answer]):
            await asyncio.sleep(TRY_AGAIN_S)


def _sent(order: Ordered, pumps: Mapping[str, Told]) -> bool:
    pump = pumps.get(order.device)
    if pump is None:
        return False
    try:
        return pump.command(Command(id=order.number, code=CODES[order.order]))
    except DriverError as error:
        log.warning("order_not_sent", device=order.device, order=order.order.value, why=str(error))
        return False
