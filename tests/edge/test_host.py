"""The game server is missed when it said that it is gone, or its broker is; never when it said nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from edge.host import HostLook, follow_host
from edge.inputs import HostLeft, HostReturned, Input
from edge.status import Presence, StatusBoard
from edge.upstream import BROKER

WITHIN_S = 20.0
AWHILE_S = 0.02


@pytest.fixture(autouse=True)
def _told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.host.RETAINED_WITHIN_S", 0.1)
    monkeypatch.setattr("edge.host.TRY_AGAIN_S", 0.01)


class Place:
    """A table with a broker and a game server, each there or not."""

    def __init__(self, *, online: bool = True, tells: bool = True) -> None:
        self.online = online
        self.connected = False
        self.refuses = 0
        self.board = StatusBoard(wall_ms=lambda: 0)
        self.heard: list[Input] = []
        self.told = asyncio.Event()
        self.look = HostLook(
            online=lambda: self.online, connected=lambda: self.connected, board=self.board, tells=tells
        )

    def connect(self) -> None:
        self.connected = True
        self.board.restore(BROKER)

    def lose_broker(self) -> None:
        self.connected = False
        self.board.degrade(BROKER, "There is no connection.")

    def take(self, inputs: Sequence[Input]) -> bool:
        if self.refuses:
            self.refuses -= 1
            return False
        self.heard.extend(inputs)
        self.told.set()
        self.online = isinstance(inputs[-1], HostReturned)
        return True

    async def hears(self, count: int) -> None:
        while len(self.heard) < count:
            self.told.clear()
            await self.told.wait()


def _followed(place: Place, play: Callable[[], Awaitable[None]]) -> None:
    async def body() -> None:
        following = asyncio.create_task(follow_host(place.look, place.take))
        async with asyncio.timeout(WITHIN_S):
            await play()
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    asyncio.run(body())


def test_a_server_that_was_never_heard_is_not_missed() -> None:
    place = Place()

    async def play() -> None:
        place.connect()
        await asyncio.sleep(AWHILE_S)
        place.board.degrade("held", "The table is held.")
        await asyncio.sleep(AWHILE_S)

    _followed(place, play)
    assert place.heard == []


def test_it_leaves_and_comes_back_by_its_own_word() -> None:
    place = Place()

    async def play() -> None:
        place.connect()
        place.board.server_is(Presence.ONLINE)
        await asyncio.sleep(AWHILE_S)
        place.board.server_is(Presence.OFFLINE)
        await place.hears(1)
        place.board.server_is(Presence.ONLINE)
        await place.hears(2)

    _followed(place, play)
    assert place.heard == [HostLeft(why="server_offline"), HostReturned()]


def test_without_a_broker_it_is_gone_and_with_it_back() -> None:
    place = Place()

    async def play() -> None:
        place.lose_broker()
        await place.hears(1)
        place.connect()
        await place.hears(2)

    _followed(place, play)
    assert place.heard == [HostLeft(why="no_broker"), HostReturned()]


def test_what_the_broker_keeps_of_it_is_waited_for_before_it_is_called_back() -> None:
    """Offline before the restart, and so it still is: the retained word comes right after connecting."""
    place = Place(online=False)

    async def play() -> None:
        await asyncio.sleep(AWHILE_S)
        place.connect()
        await asyncio.sleep(AWHILE_S)
        place.board.server_is(Presence.OFFLINE)
        await asyncio.sleep(0.15)

    _followed(place, play)
    assert place.heard == []


def test_a_server_that_says_nothing_of_itself_by_configuration_is_not_asked() -> None:
    place = Place(tells=False)

    async def play() -> None:
        place.connect()
        place.board.server_is(Presence.OFFLINE)
        await asyncio.sleep(AWHILE_S)
        assert place.heard == []
        place.lose_broker()
        await place.hears(1)

    _followed(place, play)
    assert place.heard == [HostLeft(why="no_broker")]


def test_what_the_disk_refused_is_said_again() -> None:
    place = Place()
    place.refuses = 1

    async def play() -> None:
        place.lose_broker()
        await place.hears(1)

    _followed(place, play)
    assert place.heard == [HostLeft(why="no_broker")]
