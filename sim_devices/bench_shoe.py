"""A simulated shoe that obeys what is typed: for trying a table by hand."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from firmware_protocols import (
    Card,
    CardOverdrawn,
    CardPushedBack,
    CardsReturned,
    CutCardScan,
    DamagedScan,
    DeviceEvent,
    FaceDownCard,
    FaultCleared,
    FaultRaised,
    HatchMoved,
    KeyStroke,
    LidMoved,
    ShoeMoved,
    ShufflerJammed,
)
from sim_devices.decks import ShoeContents
from sim_devices.errors import SimulationError
from sim_devices.far_ends import UnnumberedEnd
from sim_devices.faults import SecondReader
from sim_devices.shoe import SimulatedShoe
from sim_devices.shuffle import shuffle_events

HELP: Final = (
    "Type, one a line: draw [N] | unread | cut (the cut card) | unplug | replug | tear (unplug in the middle "
    "of the next frame) | power-cycle [keep] | lid open | lid close | moved | pushed-back | overdraw | "
    "key N | fault N | cleared N | load CARDS... | second-reader [gone] (another program reads the port) | "
    "status | quit; of a shuffler also: shuffle | jam | "
    "hatch open | hatch close | damaged CARD | returned N; of a scanner also: say CODE. It ends with its "
    "input, or by Ctrl-C."
)
_OCTET: Final = 255
_MID_FRAME: Final = 6


class ShoeBench:
    """Does to one shoe what it is told.

    Args:
        shoe: started.
        say: answers, one line each.
        cards_per_second: the pace of ``draw N``.
    """

    def __init__(self, shoe: SimulatedShoe, say: Callable[[str], None], *, cards_per_second: float) -> None:
        self._shoe = shoe
        self._pause_s = 1 / cards_per_second
        self._say = say
        self._thief: SecondReader | None = None

    async def obey(self, lines: AsyncIterator[str]) -> None:
        """Obey until ``quit`` or the end. What cannot be done is said, and is no reason to end."""
        try:
            await self._obey(lines)
        finally:
            self._leave()

    async def _obey(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            words = line.split()
            if words[:1] == ["quit"]:
                return
            if not words:
                continue
            try:
                await self._do(words[0], words[1:])
            except (SimulationError, ValueError) as error:
                self._say(f"no: {error}")

    def _intrude(self) -> None:
        """Another program opens the port and takes what it can get."""
        if self._thief is not None:
            raise ValueError("a second reader has the port already: type second-reader gone")
        try:
            self._thief = SecondReader(self._shoe.port).__enter__()
        except OSError as error:
            raise ValueError(f"the port does not open: {error.strerror}") from None

    def _leave(self) -> None:
        thief, self._thief = self._thief, None
        if thief is not None:
            thief.__exit__(None, None, None)
            self._say(f"the second reader took {thief.stolen} bytes")

    async def _do(self, word: str, rest: Sequence[str]) -> None:
        match word, *rest:
            case ["draw"]:
                await self._draw(1)
            case ["draw", number] if number.isdecimal():
                await self._draw(int(number))
            case ["unread"]:
                self._shoe.draw(read=False)
            case ["tear"]:
                self._shoe.unplug_after(_MID_FRAME)
            case ["unplug"]:
                self._shoe.unplug()
            case ["replug"]:
                self._shoe.replug()
            case ["power-cycle"]:
                self._shoe.power_cycle(keep_memory=False)
            case ["power-cycle", "keep"]:
                self._shoe.power_cycle(keep_memory=True)
            case ["second-reader"]:
                self._intrude()
            case ["second-reader", "gone"]:
                self._leave()
            case ["say", code]:
                self._shoe.say_code(code)
            case ["shuffle"]:
                await self.shuffle()
            case ["load", *cards]:
                self._shoe.load(ShoeContents.written(" ".join(cards)))
            case ["status"]:
                pass
            case _:
                self._shoe.emit(_noticed(word, rest))
        self._say(self._status())

    async def _draw(self, items: int) -> None:
        for nth in range(items):
            if nth:
                await asyncio.sleep(self._pause_s)
            item = self._shoe.draw()
            self._say(f"drew {item.value}")

    async def shuffle(self) -> None:
        """Shuffle what is in it, a deck at the pace of a card."""
        for event in shuffle_events(self._shoe.contents):
            self._shoe.emit(event)
            await asyncio.sleep(self._pause_s)

    def _status(self) -> str:
        cable = "plugged in" if self._shoe.plugged else "unplugged"
        heard = "a table listens" if self._shoe.end.resumed else "no table listens"
        if isinstance(self._shoe.end, UnnumberedEnd):
            heard = "who listens it cannot know"
        return f"ok: {cable}, {heard}, {self._shoe.drawn} out, {self._shoe.remaining} left"


def _noticed(word: str, rest: Sequence[str]) -> DeviceEvent:
    match word, *rest:
        case ["cut"]:
            return CutCardScan()
        case ["lid", "open"]:
            return LidMoved(open=True)
        case ["lid", "close"]:
            return LidMoved(open=False)
        case ["moved"]:
            return ShoeMoved()
        case ["pushed-back"]:
            return CardPushedBack()
        case ["overdraw"]:
            return CardOverdrawn()
        case ["jam"]:
            return ShufflerJammed()
        case ["hatch", "open"]:
            return HatchMoved(open=True)
        case ["hatch", "close"]:
            return HatchMoved(open=False)
        case ["damaged", card]:
            return DamagedScan(card=FaceDownCard(Card.parse(card)))
        case ["returned", number]:
            return CardsReturned(cards=_octet(number))
        case ["key", number]:
            return KeyStroke(key=_octet(number))
        case ["fault", number]:
            return FaultRaised(code=_octet(number))
        case ["cleared", number]:
            return FaultCleared(code=_octet(number))
        case _:
            raise ValueError(f"{' '.join([word, *rest])!r} is not understood. {HELP}")


def _octet(text: str) -> int:
    if not text.isdecimal() or int(text) > _OCTET:
        raise ValueError(f"{text!r} is no number from 0 to {_OCTET}")
    return int(text)
