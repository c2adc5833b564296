import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.feed import (
    ChainBroken,
    EventsPruned,
    FeedEvent,
    FeedReader,
    FeedRefused,
    Gap,
    JournalChanged,
    NotAnEvent,
    Position,
    RepeatDiffers,
    SealBroken,
    SealCheck,
    Start,
    TableFeed,
)
from tests.edge.upstream.listener import Listener
from tests.edge.upstream.world import JOURNAL, MemoryOutbox, World
from tests.mosquitto import Mosquitto

OTHER_JOURNAL = "11111111-5a0e-4f6e-9a51-6f6c5e1d2b10"


def stream(count: int) -> list[bytes]:
    outbox = MemoryOutbox()
    for number in range(count):
        outbox.append(number=number)
    return outbox.events


def sequences(events: tuple[FeedEvent, ...] | list[FeedEvent]) -> list[int]:
    return [event.sequence for event in events]


def resigned(payload: bytes, **changed: Any) -> bytes:
    return json.dumps({**json.loads(payload), **changed}).encode()


# --- the core


def test_each_event_once_in_order() -> None:
    reader = FeedReader(start=Start.BEGINNING)
    events = [event for payload in stream(10) for event in reader.receive(payload)]
    assert sequences(events) == list(range(1, 11))
    assert events[3].data == {"number": 3}
    assert events[3].type == "table.held"
    assert reader.position == events[-1].position
    assert reader.wanted is None


@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_in_whatever_order_and_number_they_come_each_comes_out_once(random: Random, count: int) -> None:
    payloads = stream(count)
    shuffled = payloads * 2
    random.shuffle(shuffled)
    reader = FeedReader(start=Start.BEGINNING)
    events = [event for payload in shuffled for event in reader.receive(payload)]
    assert [event.raw for event in events] == payloads
    assert reader.wanted is None


def test_a_gap_is_named_until_it_is_filled() -> None:
    payloads = stream(6)
    reader = FeedReader(start=Start.BEGINNING)
    assert reader.receive(payloads[3]) == ()
    assert reader.wanted == Gap(journal=JOURNAL, first=1, last=3)
    assert sequences(reader.receive(payloads[0])) == [1]
    assert reader.receive(payloads[5]) == ()
    assert reader.wanted == Gap(journal=JOURNAL, first=2, last=3)
    assert sequences(reader.receive(payloads[1]) + reader.receive(payloads[2])) == [2, 3, 4]
    assert reader.wanted == Gap(journal=JOURNAL, first=5, last=5)


def test_what_the_state_says_exists_is_asked_for() -> None:
    reader = FeedReader(start=Start.BEGINNING)
    reader.heard_of(JOURNAL, 3)
    assert reader.wanted == Gap(journal=JOURNAL, first=1, last=3)
    with pytest.raises(JournalChanged):
        reader.heard_of(OTHER_JOURNAL, 300)
    assert reader.wanted == Gap(journal=JOURNAL, first=1, last=3)


def test_a_reader_goes_on_from_a_remembered_position() -> None:
    payloads = stream(6)
    reader = FeedReader(start=Position(journal=JOURNAL, sequence=3, digest=sha256(payloads[2]).hexdigest()))
    assert reader.receive(payloads[1]) == ()
    assert sequences(reader.receive(payloads[3])) == [4]


def test_without_a_digest_the_event_itself_is_asked_for_to_learn_it() -> None:
    payloads = stream(6)
    reader = FeedReader(start=Position(journal=JOURNAL, sequence=3))
    assert reader.receive(payloads[4]) == ()
    assert reader.wanted == Gap(journal=JOURNAL, first=3, last=4)
    assert reader.receive(payloads[3]) == ()
    assert sequences(reader.receive(payloads[2])) == [4, 5]


def test_from_now_on_begins_with_whatever_comes() -> None:
    payloads = stream(6)
    reader = FeedReader(start=Start.NOW)
    assert sequences(reader.receive(payloads[3])) == [4]
    assert reader.receive(payloads[2]) == ()
    assert sequences(reader.receive(payloads[4])) == [5]


def test_a_repeat_with_another_content_is_loud() -> None:
    payloads = stream(3)
    reader = FeedReader(start=Start.BEGINNING)
    for payload in payloads:
        reader.receive(payload)
    assert reader.receive(payloads[1]) == ()
    for index in (1, 2):
        with pytest.raises(RepeatDiffers):
            reader.receive(resigned(payloads[index], data={}))
    assert reader.position == Position(journal=JOURNAL, sequence=3, digest=sha256(payloads[2]).hexdigest())


def test_of_two_contents_held_early_neither_is_believed() -> None:
    payloads = stream(3)
    reader = FeedReader(start=Start.BEGINNING)
    reader.receive(payloads[1])
    with pytest.raises(RepeatDiffers):
        reader.receive(resigned(payloads[1], data={}))
    assert sequences(reader.receive(payloads[0])) == [1]


def test_an_event_that_does_not_follow_is_never_delivered() -> None:
    payloads = stream(4)
    reader = FeedReader(start=Start.BEGINNING)
    reader.receive(payloads[0])
    with pytest.raises(ChainBroken):
        reader.receive(resigned(payloads[1], prevhash="f" * 64))
    assert sequences(reader.receive(payloads[1])) == [2]
    reader.receive(resigned(payloads[3], prevhash="f" * 64))
    assert sequences(reader.receive(payloads[2])) == [3], "what is good before it is delivered"
    assert reader.wanted == Gap(journal=JOURNAL, first=4, last=4)
    assert sequences(reader.receive(payloads[3])) == [4]


def test_a_forged_first_event_is_refused() -> None:
    reader = FeedReader(start=Start.BEGINNING)
    with pytest.raises(ChainBroken):
        reader.receive(resigned(stream(1)[0], prevhash="f" * 64))


def test_another_journal_is_followed_only_when_accepted() -> None:
    payloads = stream(3)
    reader = FeedReader(start=Start.BEGINNING)
    reader.receive(payloads[0])
    foreign = resigned(payloads[1], journal=OTHER_JOURNAL)
    for _ in range(2):
        with pytest.raises(JournalChanged) as caught:
            reader.receive(foreign)
    assert (caught.value.old, caught.value.new) == (JOURNAL, OTHER_JOURNAL)
    assert sequences(reader.receive(payloads[1])) == [2]
    reader.accept_journal(OTHER_JOURNAL)
    assert reader.wanted == Gap(journal=OTHER_JOURNAL, first=1, last=2)
    first = resigned(payloads[0], journal=OTHER_JOURNAL)
    assert sequences(reader.receive(first)) == [1]
    assert reader.receive(payloads[2]) == (), "the old journal is over"


FORGERIES: list[dict[str, Any]] = [
    {"sequence": 1},
    {"sequence": "-1"},
    {"sequence": "0"},
    {"sequence": "x"},
    {"journal": 3},
    {"prevhash": "f"},
    {"prevhash": None},
    {"type": "other.v1"},
    {"data": []},
    {"time": None},
]


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000),
        *(resigned(stream(1)[0], **forged) for forged in FORGERIES),
    ],
)
def test_what_is_no_event_is_loud(payload: bytes) -> None:
    with pytest.raises(NotAnEvent):
        FeedReader(start=Start.BEGINNING).receive(payload)


@given(st.binary(max_size=200))
def test_random_bytes_are_no_event(payload: bytes) -> None:
    with pytest.raises(NotAnEvent):
        FeedReader(start=Start.BEGINNING).receive(payload)


def test_what_is_held_early_is_bounded() -> None:
    payloads = stream(5000)
    reader = FeedReader(start=Start.BEGINNING)
    for payload in payloads[1:]:
        reader.receive(payload)
    events = list(reader.receive(payloads[0]))
    assert len(events) == 4096
    assert reader.wanted == Gap(journal=JOURNAL, first=4097, last=5000)


NONCE = "00112233445566778899aabbccddeeff"


def revealed(*, card: str, sealed: bool = True) -> list[SealCheck | None]:
    outbox = MemoryOutbox()
    seal = sha256(f"{NONCE}:As".encode()).hexdigest()
    if sealed:
        outbox.append("card.dealt", shoe=1, draw=4, seal=seal)
    outbox.append("card.revealed", shoe=1, draw=4, card=card, nonce=NONCE)
    reader = FeedReader(start=Start.BEGINNING)
    return [event.seal for payload in outbox.events for event in reader.receive(payload)]


def test_seals_are_checked_when_the_card_is_turned() -> None:
    assert revealed(card="As") == [None, SealCheck.TRUE]
    assert revealed(card="Kd") == [None, SealCheck.BROKEN]
    assert revealed(card="As", sealed=False) == [SealCheck.UNSEEN]


def aside(**dealt: str) -> list[SealCheck | None]:
    """A card that was set aside, sealed, is dealt after all."""
    outbox = MemoryOutbox()
    seal = sha256(f"{NONCE}:As".encode()).hexdigest()
    outbox.append("card.parked", shoe=1, draw=4, device="shoe", seal=seal, why="held")
    outbox.append("card.dealt", shoe=1, draw=4, **dealt)
    outbox.append("card.revealed", shoe=1, draw=4, card="As", nonce=NONCE)
    reader = FeedReader(start=Start.BEGINNING)
    return [event.seal for payload in outbox.events for event in reader.receive(payload)]


def test_seals_are_checked_when_a_card_that_was_set_aside_is_dealt() -> None:
    assert aside(card="As", nonce=NONCE) == [None, SealCheck.TRUE, SealCheck.TRUE]
    assert aside(card="Kd", nonce=NONCE) == [None, SealCheck.BROKEN, SealCheck.TRUE]
    assert aside(card="As", nonce="00" * 16) == [None, SealCheck.BROKEN, SealCheck.TRUE]
    face_down = sha256(f"{NONCE}:As".encode()).hexdigest()
    assert aside(face="down", seal=face_down) == [None, None, SealCheck.TRUE]
    assert aside(face="down", seal="0" * 64) == [None, None, SealCheck.BROKEN]


def test_a_card_that_was_named_by_hand_never_had_a_seal() -> None:
    outbox = MemoryOutbox()
    outbox.append("card.parked", shoe=1, draw=4, device="shoe", why="irregular")
    outbox.append("card.dealt", shoe=1, draw=4, card="As", entered_by="ada")
    outbox.append("card.revealed", shoe=1, draw=5, card="As", nonce=NONCE, entered_by="ada")
    reader = FeedReader(start=Start.BEGINNING)
    assert [event.seal for payload in outbox.events for event in reader.receive(payload)] == [None] * 3


# --- over a real broker


@contextmanager
def table(world: World) -> Iterator[Callable[[Callable[[], object]], object]]:
    """The upstream in a thread of its own, as it is in a process of its own in a casino."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(world.upstream.run())
    thread = threading.Thread(target=loop.run_until_complete, args=(asyncio.wait([task]),))
    thread.start()

    async def stepped(step: Callable[[], object]) -> object:
        return step()

    try:
        yield lambda step: asyncio.run_coroutine_threadsafe(stepped(step), loop).result(5)
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()


def feed(broker: Mosquitto, start: Position | Start = Start.BEGINNING, **more: Any) -> TableFeed:
    return TableFeed(
        "127.0.0.1", port=broker.port, table="bj-1", client_id="server", start=start, ask_again_s=0.5, **more
    )


def take(events: TableFeed, count: int) -> list[FeedEvent]:
    taken: list[FeedEvent] = []
    while len(taken) < count:
        event = events.next(timeout=10)
        assert event is not None, f"only {len(taken)} of {count} came"
        taken.append(event)
    return taken


@pytest.mark.mosquitto
def test_a_feed_starts_late_and_has_everything(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})
        world.table.deal(700)
        with table(world) as on_the_loop, feed(broker) as events:
            assert [event.raw for event in take(events, 700)] == world.outbox.events
            on_the_loop(lambda: world.table.deal(3))
            assert sequences(take(events, 3)) == [701, 702, 703]
            assert events.next(timeout=0.1) is None


@pytest.mark.mosquitto
def test_a_feed_heals_what_the_broker_lost(tmp_path: Path) -> None:
    # a queue of ten for an absent consumer: the broker acknowledges and drops, as Mosquitto does by default
    with Mosquitto(tmp_path, extra=("max_queued_messages 10",)) as broker:
        world = World({"port": broker.port})
        with table(world) as on_the_loop:
            with feed(broker) as events:
                on_the_loop(lambda: world.table.deal(5))
                last = take(events, 5)[-1]
                events.acknowledge(last)
                _until(lambda: world.outbox.cursor("acknowledged") == 5)
            on_the_loop(lambda: world.table.deal(200))
            _until(lambda: world.upstream.published == 205)
            with feed(broker, last.position) as events:
                assert [event.raw for event in take(events, 200)] == world.outbox.events[5:]
            assert world.upstream.counters["accepted"] >= 2, "it did ask for a replay"


@pytest.mark.mosquitto
def test_a_feed_survives_a_broker_killed_and_back_empty(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})
        with table(world) as on_the_loop, feed(broker) as events:
            on_the_loop(lambda: world.table.deal(5))
            take(events, 5)
            broker.kill()
            on_the_loop(lambda: world.table.deal(100))
            broker.start()
            assert sequences(take(events, 100)) == list(range(6, 106))


@pytest.mark.mosquitto
def test_a_feed_says_what_a_person_must_decide(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})
        world.table.deal(20)
        world.outbox.pruned = 10
        with table(world) as on_the_loop:
            with feed(broker) as events, pytest.raises(EventsPruned, match="before 11"):
                take(events, 1)
            with feed(broker, Position(journal=OTHER_JOURNAL, sequence=3, digest="f" * 64)) as events:
                on_the_loop(lambda: world.table.deal(1))
                with pytest.raises(JournalChanged) as caught:
                    take(events, 1)
                world.outbox.pruned = 0
                events.accept_journal(caught.value.new)
                assert sequences(take(events, 21)) == list(range(1, 22))


@pytest.mark.mosquitto
def test_a_broken_seal_stops_the_iteration_once_and_in_its_place(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})
        world.outbox.append("card.dealt", shoe=1, draw=4, seal="f" * 64)
        world.outbox.append("card.revealed", shoe=1, draw=4, card="As", nonce="00")
        world.outbox.append()
        with table(world), feed(broker) as events:
            assert sequences(take(events, 1)) == [1]
            with pytest.raises(SealBroken) as caught:
                take(events, 1)
            assert caught.value.event.sequence == 2
            assert sequences(take(events, 1)) == [3]


@pytest.mark.mosquitto
def test_a_feed_that_is_not_let_in_says_so(tmp_path: Path) -> None:
    with (
        Mosquitto(tmp_path, users={"server": "right"}) as broker,
        feed(broker, username="server", password="wrong") as events,
        pytest.raises(FeedRefused),
    ):
        take(events, 1)


@pytest.mark.mosquitto
def test_a_server_announces_its_coming_and_going(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port, "tables/bj-1/server") as listener:
        with feed(broker, announce=True):
            listener.wait(lambda: listener.payloads("tables/bj-1/server")[-1:] == [b"online"])
        # said once or twice: the will speaks too if paho closes before its DISCONNECT is out
        listener.wait(lambda: listener.payloads("tables/bj-1/server")[-1:] == [b"offline"])


def _until(condition: Any) -> None:
    pause = threading.Event()
    for _ in range(1000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("waited 10 s in vain")
