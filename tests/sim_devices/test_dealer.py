"""The dealer pulls a card exactly when the screen says that one is due."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sim_devices import ShoeContents, ShoeSettings, SimulatedShoe
from sim_devices.dealer import Dealer, Pace
from sim_devices.errors import TableUnwell
from sim_devices.screen import Screen

FAST = Pace(cards_per_second=1000, jitter=0)


def screen(draw: int | None, *, held: bool = False, shoe: int | None = 1) -> Screen:
    said: dict[str, Any] = {
        "as_of": 1,
        "journal": "j",
        "phase": "held" if held else "card_due",
        "held": held,
        "shoe": None if shoe is None else {"number": shoe},
        "expected": None if draw is None else {"draw": draw, "to": "dealer", "face": "up"},
        "devices": [{"online": True}],
    }
    return Screen.read(json.dumps(said).encode())


def at_the_table(
    tmp_path: Path,
    play: Callable[[Dealer, SimulatedShoe], Awaitable[None]],
    contents: str = "As 2c 3d",
    **settings: Any,
) -> None:
    async def body() -> None:
        shoe = SimulatedShoe(ShoeSettings(port=tmp_path / "shoe"), ShoeContents.written(contents))
        async with shoe:
            dealer = Dealer(shoe, **{"pace": FAST, **settings})
            dealing = asyncio.create_task(dealer.deal())
            await play(dealer, shoe)
            dealing.cancel()
            await asyncio.gather(dealing, return_exceptions=True)

    asyncio.run(body())


async def settled(until: Callable[[], bool] | None = None) -> None:
    """Wait for this; or, for nothing to happen, long enough for a dealer of a thousand cards a second."""
    if until is None:
        await asyncio.sleep(0.1)
        return
    for _ in range(5000):
        if until():
            return
        await asyncio.sleep(0.002)
    pytest.fail("it did not happen")


def test_one_card_a_screen(tmp_path: Path) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(1))
        await settled()
        assert shoe.cards_drawn == 1
        dealer.see(screen(1))  # old, and repeated by the broker
        await settled()
        assert shoe.cards_drawn == 1
        dealer.see(screen(2))
        await settled(lambda: shoe.cards_drawn == 2)
        assert shoe.cards_drawn == 2

    at_the_table(tmp_path, play)


@pytest.mark.parametrize("shown", [screen(None), screen(2), screen(1, held=True), screen(None, shoe=None)])
def test_nothing_is_pulled_when_nothing_is_due(tmp_path: Path, shown: Screen) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(shown)
        await settled()
        assert shoe.drawn == 0

    at_the_table(tmp_path, play)


def test_the_cut_card_is_pulled_where_it_lies_and_the_card_behind_it(tmp_path: Path) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(1))
        await settled(lambda: shoe.cards_drawn == 1)
        dealer.see(screen(2))
        await settled(lambda: shoe.cards_drawn == 2)
        assert (shoe.drawn, shoe.cards_drawn, dealer.pulled) == (3, 2, 3)

    at_the_table(tmp_path, play, "As CUT 2c 3d")


def test_an_empty_shoe_is_left_alone(tmp_path: Path) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(1))
        await settled(lambda: shoe.remaining == 0)
        dealer.see(screen(2))
        await settled()
        assert dealer.pulled == 1

    at_the_table(tmp_path, play, "As")


def test_another_shoe_is_filled_anew(tmp_path: Path) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(1))
        await settled(lambda: shoe.cards_drawn == 1)
        dealer.see(screen(1, shoe=2))
        await settled(lambda: shoe.cards_drawn == 1)
        assert (shoe.cards_drawn, shoe.remaining) == (1, 1)

    at_the_table(tmp_path, play, next_shoe=lambda _number: ShoeContents.written("Kd Kh"))


def test_who_wants_to_know_is_told_before_the_card_leaves(tmp_path: Path) -> None:
    told: list[int] = []

    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(1))
        await settled(lambda: shoe.cards_drawn == 1)

    at_the_table(tmp_path, play, pulled=told.append)
    assert told == [1]


def test_a_careless_dealer_pulls_although_nothing_is_due(tmp_path: Path) -> None:
    async def play(dealer: Dealer, shoe: SimulatedShoe) -> None:
        dealer.see(screen(None))
        await settled(lambda: shoe.drawn == 1)
        assert dealer.blunders == 1

    at_the_table(tmp_path, play, pace=Pace(cards_per_second=1000, careless=1.0))


@pytest.mark.parametrize("wrong", [{"cards_per_second": 0}, {"jitter": 1.0}, {"careless": 2.0}])
def test_a_pace_that_is_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a pace has"):
        Pace(**wrong)


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"expected": 1}', b"\xff"])
def test_a_screen_that_cannot_be_read(payload: bytes) -> None:
    with pytest.raises(TableUnwell):
        Screen.read(payload)
