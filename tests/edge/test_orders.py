"""Orders: sent once, after they are on disk; what cannot be sent is answered at once."""

import asyncio
from collections.abc import Sequence

import pytest

from drivers import CommandOutcome, DeviceLost
from edge.house_rules import house_text
from edge.inputs import HouseRulesAdopted, Input, OrderAnswered, RequestMade
from edge.orders import give_orders
from edge.requests import Asked, InstallShoe, OpenRound, Request
from edge.ruling import TableState, decide, new_table
from firmware_protocols import Command, CommandCode

LOCKED = house_text("sa-gaming").replace("seats = 7", "lock_policy = true\nseats = 7", 1)


class Shoe:
    """A shoe that is told."""

    def __init__(self, *, there: bool = True, takes: bool = True) -> None:
        self.there, self.takes = there, takes
        self.told: list[Command] = []

    def command(self, command: Command) -> bool:
        if not self.takes:
            raise DeviceLost(
                url="serial:x", sentence="It takes none", hint="Leave the lock policy off for it"
            )
        if self.there:
            self.told.append(command)
        return self.there


class Table:
    """A table on no journal."""

    def __init__(self) -> None:
        self.state: TableState = new_table("j")
        self.orders_changed = asyncio.Event()
        self.heard: list[Input] = []

    def take(self, inputs: Sequence[Input]) -> bool:
        for each in inputs:
            self.heard.append(each)
            before = self.state.order
            self.state = decide(self.state, each).state
            if self.state.order is not before:
                self.orders_changed.set()
        return True

    def ask(self, request: Request) -> None:
        asked = Asked(id="1", desk=type(request).desk, request=request, digest="")  # type: ignore[union-attr]  # none is unknown
        self.take([RequestMade(asked=asked)])


async def _played(shoe: Shoe) -> Table:
    table = Table()
    giving = asyncio.create_task(give_orders(table, {"shoe": shoe}, table.take))
    table.take([HouseRulesAdopted(text=LOCKED)])
    table.ask(InstallShoe(decks=8))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if shoe.told:
        answer = OrderAnswered(device="shoe", number=shoe.told[-1].id, outcome=CommandOutcome.DONE)
        table.take([answer])
    table.ask(OpenRound(round_id="r1", seats=(1,)))
    for _ in range(4):
        await asyncio.sleep(0)
    giving.cancel()
    return table


def test_each_order_is_sent_once() -> None:
    shoe = Shoe()
    asyncio.run(_played(shoe))
    assert [(each.id, each.code) for each in shoe.told] == [(1, CommandCode.LOCK), (2, CommandCode.UNLOCK)]


@pytest.mark.parametrize("shoe", [Shoe(there=False), Shoe(takes=False)], ids=["absent", "takes none"])
def test_what_cannot_be_sent_is_answered_at_once(shoe: Shoe) -> None:
    table = asyncio.run(_played(shoe))
    answers = [each.outcome for each in table.heard if isinstance(each, OrderAnswered)]
    assert answers == [CommandOutcome.UNANSWERED, CommandOutcome.UNANSWERED]
    assert shoe.told == []
