import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from tests.edge.upstream.world import JOURNAL, QUICK, World, request
from tests.scripted_broker import Published, Script, ScriptedBroker

EVENTS = "tables/bj-1/events"
STATUS = "tables/bj-1/status"
COMMANDS = "tables/bj-1/commands"
REPLIES = "tables/bj-1/replies"
OTHER = "9f6e3c50-1111-4222-8333-944455566677"


def play(world: World, scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def running() -> None:
        async with world.running():
            await scene()

    asyncio.run(running())


def first_seen(broker: ScriptedBroker, world: World) -> list[int]:
    """The order in which each event came for the first time."""
    order = {payload: index + 1 for index, payload in enumerate(world.outbox.events)}
    return list(dict.fromkeys(order[published.payload] for published in broker.on(EVENTS)))


def test_a_late_connack_is_waited_for_and_nothing_is_published_before_it() -> None:
    with ScriptedBroker(Script(connack_delay_s=0.3)) as broker:
        world = World({"port": broker.port})
        world.table.deal(3)

        async def scene() -> None:
            await asyncio.sleep(0.15)
            assert broker.published == []
            world.table.deal(1)
            await world.until(lambda: world.upstream.published == 4)

        play(world, scene)
        assert first_seen(broker, world) == [1, 2, 3, 4]
        assert broker.connections == 1


def test_a_connack_that_never_comes_ends_the_attempt() -> None:
    patience = QUICK.__class__(connack_s=0.1, first_retry_s=0.01, tick_s=0.02)
    with ScriptedBroker(Script(connack=lambda connection: None if connection < 3 else 0)) as broker:
        world = World({"port": broker.port}, patience=patience)
        world.table.deal(1)

        async def scene() -> None:
            await world.until(lambda: broker.connections == 2)
            assert "no CONNACK" in world.reasons["broker"]
            await world.until(lambda: world.upstream.published == 1)
            assert "broker" not in world.reasons

        play(world, scene)


@pytest.mark.parametrize(
    ("code", "said"),
    [(0x87, "Not authorized (0x87)"), (0x86, "password_file"), (0x85, "client_id"), (0x88, "tried again")],
)
def test_a_refused_connection_is_a_reason_with_a_remedy_and_is_tried_again(code: int, said: str) -> None:
    with ScriptedBroker(Script(connack=lambda connection: code if connection < 3 else 0)) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: said in world.reasons.get("broker", ""))
            await world.until(lambda: world.upstream.connected)
            assert world.reasons == {}

        play(world, scene)


def test_an_event_in_the_air_when_the_line_breaks_is_sent_again_before_any_newer() -> None:
    swallowed = Script(puback=lambda published: None if published.topic == EVENTS else 0)
    with ScriptedBroker(swallowed) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            world.table.deal(5)
            await world.until(lambda: len(broker.on(EVENTS)) == 5)
            swallowed.puback = lambda _published: 0
            broker.hang_up()
            world.table.deal(2)
            await world.until(lambda: world.upstream.published == 7)

        play(world, scene)
        again = [published.payload for published in broker.on(EVENTS) if published.connection == 2]
        assert again == world.outbox.events


def test_who_hurries_publishes_before_anybody_is_told_of_the_commit() -> None:
    with ScriptedBroker(Script()) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.table.deal(1)
            await world.until(lambda: world.upstream.published == 1)
            for _ in range(3):
                world.outbox.append()
            world.upstream.hurry()
            assert not world.table.committed.is_set()
            await world.until(lambda: world.upstream.published == 4)
            assert not world.table.committed.is_set()

        play(world, scene)
        assert first_seen(broker, world) == [1, 2, 3, 4]
        assert len(broker.on(EVENTS)) == 4


def test_only_what_is_acknowledged_without_a_hole_moves_the_cursor() -> None:
    def all_but_the_third(published: Published) -> int | None:
        return None if b"00003" in published.payload and published.connection == 1 else 0

    with ScriptedBroker(Script(puback=all_but_the_third)) as broker:
        world = World({"port": broker.port})
        world.table.deal(6)

        async def scene() -> None:
            await world.until(lambda: len(broker.on(EVENTS)) == 6)
            await asyncio.sleep(0.1)
            assert world.outbox.cursor("published") == 2
            await world.until(lambda: world.outbox.cursor("published") == 6)

        play(world, scene)
        assert broker.connections == 2, "a PUBACK that does not come is waited for until its deadline"
        again = [published.payload for published in broker.on(EVENTS) if published.connection == 2]
        assert again == world.outbox.events[2:]


def test_a_denied_event_is_no_published_event() -> None:
    denied = Script(puback=lambda published: 0x87 if published.topic == EVENTS else 0)
    with ScriptedBroker(denied) as broker:
        world = World({"port": broker.port})
        world.table.deal(3)

        async def scene() -> None:
            await world.until(lambda: "broker_denied" in world.reasons)
            assert "Not authorized (0x87)" in world.reasons["broker_denied"]
            assert EVENTS in world.reasons["broker_denied"]
            await world.until(lambda: len(broker.on(EVENTS)) >= 6)
            assert world.outbox.cursor("published") == 0
            said = [json.loads(published.payload) for published in broker.on(STATUS)]
            assert said[-1]["status"] == "degraded"
            assert said[-1]["reasons"][0]["reason"] == "broker_denied"
            denied.puback = lambda _published: 0
            before = len(broker.on(EVENTS))
            world.table.deal(2)
            await world.until(lambda: world.upstream.published == 5)
            await world.until(lambda: world.reasons == {})
            tail = [published.payload for published in broker.on(EVENTS)[before:]]
            assert tail[-5:] == world.outbox.events
            assert broker.connections == 1

        play(world, scene)


def test_the_window_is_never_larger_than_the_brokers_receive_maximum() -> None:
    silent = Script(receive_maximum=5, puback=lambda _published: None)
    with ScriptedBroker(silent) as broker:
        world = World({"port": broker.port})
        world.table.deal(100)

        async def scene() -> None:
            await world.until(lambda: len(broker.published) == 5 - 1)
            await asyncio.sleep(0.1)
            assert len([each for each in broker.published if each.connection == 1]) <= 5

        play(world, scene)


def test_a_takeover_is_an_alarm_and_a_long_wait() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            broker.disconnect(0x8E)
            await world.until(lambda: "session_taken_over" in world.reasons)
            await asyncio.sleep(0.3)
            assert broker.connections == 1
            await world.until(lambda: broker.connections == 2)
            await world.until(lambda: world.upstream.connected)
            assert "session_taken_over" in world.reasons, "it is not over because we are back"

        play(world, scene)


def test_a_denied_subscription_is_said_and_asked_for_again() -> None:
    script = Script(suback=lambda topic: 0x87 if topic == COMMANDS else 1)
    with ScriptedBroker(script) as broker:
        world = World({"port": broker.port})
        world.table.deal(1)

        async def scene() -> None:
            await world.until(lambda: COMMANDS in world.reasons.get("broker_denied", ""))
            await world.until(lambda: world.upstream.published == 1)
            script.suback = lambda _topic: 1
            await world.until(lambda: world.reasons == {})

        play(world, scene)


def test_a_request_is_acknowledged_after_its_commit_in_order_and_never_before() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.table.full = True
            for mid in (11, 12, 13):
                broker.deliver(COMMANDS, request("shoe.install", {"decks": 8}), mid=mid)
            await asyncio.sleep(0.2)
            acknowledged = [mid for _, mid in broker.acknowledged]
            assert not {11, 12, 13} & set(acknowledged)
            assert broker.on(REPLIES) == []
            world.table.full = False
            await world.until(lambda: len(broker.on(REPLIES)) == 3)
            await world.until(lambda: [mid for _, mid in broker.acknowledged if mid > 10] == [11, 12, 13])

        play(world, scene)


def test_a_request_of_a_lost_connection_is_not_acknowledged_on_the_next() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.table.full = True
            broker.deliver(COMMANDS, request("shoe.install", {"decks": 8}), mid=11)
            await asyncio.sleep(0.1)
            broker.hang_up()
            await world.until(lambda: broker.connections == 2 and world.upstream.connected)
            world.table.full = False
            await asyncio.sleep(0.2)
            assert broker.acknowledged == []
            assert world.table.asked == []

        play(world, scene)


def test_garbage_from_the_broker_ends_the_connection_and_nothing_else() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            for garbage in (b"\xff" * 64, b"\x30\x02\xff\xff", b"\x40\x00", b"\x32\x05\x00\x01aaa", b"\x00"):
                before = broker.connections
                await world.until(lambda: world.upstream.connected)
                broker.send(garbage)
                broker.hang_up()
                await world.until(lambda before=before: broker.connections > before)
            world.table.deal(1)
            await world.until(lambda: world.upstream.published == 1)

        play(world, scene)


def test_an_expired_request_in_our_queue_is_answered_and_not_carried_out() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.table.full = True
            one_second = b"\x02\x00\x00\x00\x01"
            broker.deliver(COMMANDS, request("shoe.install", {"decks": 8}), mid=11, properties=one_second)
            await asyncio.sleep(1.1)
            world.table.full = False
            await world.until(lambda: len(broker.on(REPLIES)) == 1)
            assert json.loads(broker.on(REPLIES)[0].payload)["code"] == "expired"
            assert world.table.asked == []

        play(world, scene)


def test_the_session_is_kept_from_the_first_connection_on() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port, "session_expiry_s": 3600})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)

        play(world, scene)
        body = broker.connects[0]
        assert body[:7] == b"\x00\x04MQTT\x05"
        assert body[7] & 0x02 == 0, "clean start is off"
        assert body[7] & 0x24 == 0x24, "the will is there, and retained"
        assert b"\x11" + (3600).to_bytes(4, "big") in body, "the session's end is finite"


def test_a_broker_that_acknowledges_nothing_is_given_up_and_named() -> None:
    with ScriptedBroker(Script(puback=lambda _published: None)) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: "acknowledged nothing" in world.reasons.get("broker", ""))
            await world.until(lambda: broker.connections >= 2)

        play(world, scene)


def test_where_the_farewell_is_not_taken_the_will_is_left_to_speak() -> None:
    script = Script()
    with ScriptedBroker(script) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            task = asyncio.create_task(world.upstream.run())
            await world.until(lambda: world.upstream.connected and broker.on(STATUS))
            script.puback = lambda _published: None
            await world.upstream.stop("Maintenance.")
            await asyncio.wait_for(task, 2)

        asyncio.run(scene())
        assert broker.goodbyes == 0


def test_a_burst_beyond_the_receive_maximum_is_taken_in_its_time() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.table.full = True
            for mid in range(100, 900):
                broker.deliver(COMMANDS, request("shoe.install", {"decks": 8}), mid=mid)
            await asyncio.sleep(0.1)
            world.table.full = False
            await world.until(lambda: len(world.table.asked) == 800)
            await world.until(lambda: [mid for _, mid in broker.acknowledged if mid >= 100][-1:] == [899])
            assert [mid for _, mid in broker.acknowledged if mid >= 100] == list(range(100, 900))
            assert broker.connections == 1

        play(world, scene)


@pytest.mark.parametrize(("remembers", "alarm"), [(True, True), (False, False)])
def test_connections_cut_short_are_a_rival_only_where_there_is_a_session_to_take(
    *, remembers: bool, alarm: bool
) -> None:
    with ScriptedBroker(Script(session_present=remembers)) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            for count in range(1, 5):
                await world.until(
                    lambda count=count: broker.connections == count and world.upstream.connected
                )
                assert "session_taken_over" not in world.reasons, "three may be a broker's"
                broker.hang_up()
                await world.until(lambda: not world.upstream.connected)
            assert ("session_taken_over" in world.reasons) is alarm
            if alarm:
                assert "seems to take over the session" in world.reasons["session_taken_over"]
                assert (
                    "Stop the other one, or give each its own mqtt.client_id."
                    in (world.reasons["session_taken_over"])
                )
            assert "nothing was said" in world.reasons["broker"]

        play(world, scene)


def spoken(journal: str, epoch: int) -> bytes:
    return json.dumps({"status": "online", "journal": journal, "epoch": epoch}).encode()


def test_another_voice_is_a_rival_and_the_next_cut_keeps_us_away() -> None:
    with ScriptedBroker(Script(session_present=True)) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: broker.on(STATUS) and world.upstream.connected)
            await asyncio.sleep(0.1)  # its PUBACK
            broker.deliver(STATUS, spoken(JOURNAL, 1), mid=101)  # our own echo
            await asyncio.sleep(0.1)
            assert "session_taken_over" not in world.reasons
            broker.deliver(STATUS, spoken(OTHER, 9), mid=102)
            await world.until(lambda: "session_taken_over" in world.reasons)
            assert f"from the journal {OTHER}" in world.reasons["session_taken_over"]
            assert "One daemon to a table: stop that one" in world.reasons["session_taken_over"]
            await world.until(lambda: b"session_taken_over" in broker.on(STATUS)[-1].payload)
            broker.hang_up()
            await asyncio.sleep(0.3)
            assert broker.connections == 1, "the other one may have it for a while"
            await world.until(lambda: broker.connections == 2)

        play(world, scene)


def test_what_an_earlier_life_said_is_no_rival() -> None:
    with ScriptedBroker(Script(puback=lambda _: None)) as broker:
        world = World({"port": broker.port}, patience=replace(QUICK, puback_s=30.0))

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            broker.deliver(STATUS, spoken(OTHER, 9), mid=101)  # a journal that was set aside
            broker.deliver(STATUS, spoken(JOURNAL, 70), mid=102)  # epochs lost on a full disk
            await world.until(lambda: len(broker.acknowledged) == 2)
            assert "session_taken_over" not in world.reasons
            broker.script.puback = lambda _: 0
            broker.hang_up()
            await world.until(lambda: broker.connections == 2 and world.upstream.connected)
            await asyncio.sleep(0.2)
            for number, (journal, epoch) in enumerate([(OTHER, 9), (OTHER, 8), (JOURNAL, 70)]):
                broker.deliver(STATUS, spoken(journal, epoch), mid=110 + number)
            await world.until(lambda: len(broker.acknowledged) == 5)
            assert "session_taken_over" not in world.reasons, "a broker that came back with what it had"
            broker.deliver(STATUS, spoken(OTHER, 10), mid=120)
            await world.until(lambda: "session_taken_over" in world.reasons)

        play(world, scene)


def test_astray_is_what_comes_for_somebody_else_and_nothing_of_this_table() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            broker.deliver(STATUS, spoken(JOURNAL, 1), mid=101)  # our own echo
            broker.deliver("tables/bj-1/server", b"online", mid=102)
            broker.deliver(COMMANDS, b"no request", mid=103)
            broker.deliver("tables/t9/commands", b"of a table renamed", mid=104)
            await world.until(lambda: world.upstream.counters.get("astray", 0) > 0)
            await world.until(lambda: len(broker.acknowledged) == 4)
            assert world.upstream.counters["astray"] == 1

        play(world, scene)


def test_another_table_s_voice_in_our_session_is_a_rival_once_a_connection_was_cut() -> None:
    with ScriptedBroker(Script(session_present=True)) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            broker.deliver("tables/t9/status", spoken(OTHER, 1), mid=101)  # of a table renamed, perhaps
            await world.until(lambda: len(broker.acknowledged) == 1)
            assert "session_taken_over" not in world.reasons
            broker.hang_up()
            await world.until(lambda: broker.connections == 2 and world.upstream.connected)
            broker.deliver("tables/t9/status", b"what is no status", mid=102)
            broker.deliver("tables/t9/status", spoken(OTHER, 1), mid=103)
            await world.until(lambda: "session_taken_over" in world.reasons)
            assert (
                "The daemon of tables/t9 has the client id table-edge-bj-1 too"
                in (world.reasons["session_taken_over"])
            )

        play(world, scene)


def test_a_disk_that_cannot_be_read_delays_events_and_ends_no_daemon() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.outbox.unreadable = True
            world.table.deal(3)
            ask = request("events.replay", {"journal": world.outbox.id, "from": 1})
            broker.deliver(COMMANDS, ask, mid=11)
            await world.until(lambda: len(broker.on(REPLIES)) == 1)
            assert json.loads(broker.on(REPLIES)[0].payload)["code"] == "storage"
            world.outbox.unreadable = False
            await world.until(lambda: world.upstream.published == 3)

        play(world, scene)


def test_events_pruned_before_they_were_published_do_not_stop_those_after() -> None:
    with ScriptedBroker() as broker:
        world = World({"port": broker.port})
        world.table.deal(20)
        world.outbox.pruned = 10

        async def scene() -> None:
            await world.until(lambda: world.upstream.published == 20)
            await world.until(lambda: len(broker.on("tables/bj-1/state")) > 0)

        play(world, scene)
        assert first_seen(broker, world) == list(range(11, 21))
