"""The lock policy: the shoe gives a card only when one is due, and no order is given twice."""

from drivers import CommandOutcome
from edge.house_rules import house_text
from edge.inputs import CardDrawn, EdgeStarted, HouseRulesAdopted, Input, Order, OrderAnswered, RequestMade
from edge.notes import OrderGiven
from edge.requests import Asked, Desk, HoldTable, InstallShoe, OpenRound, ReleaseTable, Request
from edge.ruling import TableState, decide, new_table
from firmware_protocols import Card, FaceDownCard

LOCKED = house_text("sa-gaming").replace("seats = 7", "lock_policy = true\nseats = 7", 1)


class Played:
    """A table of a house that locks its shoe."""

    def __init__(self, house: str = LOCKED) -> None:
        self.state: TableState = new_table("j")
        self.orders: list[Order] = []
        self.hear(HouseRulesAdopted(text=house))
        self.ask(InstallShoe(decks=8), Desk.SERVER)

    def hear(self, heard: Input) -> None:
        ruling = decide(self.state, heard)
        self.state = ruling.state
        self.orders += [each.order for each in ruling.ruled if isinstance(each, OrderGiven)]

    def ask(self, request: Request, desk: Desk = Desk.SUPERVISOR) -> None:
        self.hear(RequestMade(asked=Asked(id="1", desk=desk, request=request, digest="")))

    def answer(self, outcome: CommandOutcome = CommandOutcome.DONE) -> None:
        assert self.state.order is not None
        self.hear(OrderAnswered(device="shoe", number=self.state.order.number, outcome=outcome))

    def draw(self, card: str) -> None:
        self.hear(
            CardDrawn(device="shoe", position=None, device_ms=None, card=FaceDownCard(Card(card)), nonce="00")
        )

    def open(self) -> None:
        self.ask(OpenRound(round_id="r1", seats=(1,)), Desk.SERVER)


def test_it_is_locked_between_rounds_and_opened_for_a_card() -> None:
    table = Played()
    assert table.orders == [Order.LOCK]
    table.answer()
    table.open()
    assert table.orders == [Order.LOCK, Order.UNLOCK]
    table.answer()
    for card in ("Th", "7d", "8c"):
        table.draw(card)
    assert table.orders == [Order.LOCK, Order.UNLOCK, Order.LOCK]  # a decision is due, no card


def test_no_order_is_given_while_another_is_under_way() -> None:
    table = Played()
    table.open()
    assert table.orders == [Order.LOCK]
    table.answer()
    assert table.orders == [Order.LOCK, Order.UNLOCK]


def test_an_order_nobody_answered_is_not_repeated() -> None:
    table = Played()
    table.answer(CommandOutcome.UNANSWERED)
    table.ask(HoldTable(operator="ada", reason="r"))
    assert table.orders == [Order.LOCK]
    table.ask(ReleaseTable(operator="ada", reason="r"))
    table.open()
    assert table.orders == [Order.LOCK, Order.UNLOCK]


def test_a_held_table_locks_its_shoe() -> None:
    table = Played()
    table.answer()
    table.open()
    table.answer()
    table.ask(HoldTable(operator="ada", reason="r"))
    assert table.orders[-1:] == [Order.LOCK]
    table.answer()
    table.ask(ReleaseTable(operator="ada", reason="r"))
    assert table.orders[-1:] == [Order.UNLOCK]


def test_after_a_restart_an_order_under_way_is_forgotten_not_repeated() -> None:
    table = Played()
    table.hear(EdgeStarted(version="1", config_hash="", operators=None, shoes=None))
    assert table.orders == [Order.LOCK]
    assert table.state.order is not None
    assert table.state.order.outcome is CommandOutcome.UNANSWERED


def test_a_late_answer_says_nothing() -> None:
    table = Played()
    table.answer()
    table.hear(OrderAnswered(device="shoe", number=99, outcome=CommandOutcome.REFUSED))
    assert table.state.order is not None
    assert table.state.order.outcome is CommandOutcome.DONE


def test_a_house_without_the_policy_gives_no_orders() -> None:
    table = Played(house_text("sa-gaming"))
    table.open()
    assert table.orders == []
