import asyncio
import json
import socket
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage

from edge.status import Presence
from tests.edge.upstream.listener import Listener, say_all
from tests.edge.upstream.world import JOURNAL, World, request
from tests.mosquitto import Mosquitto, free_port

pytestmark = pytest.mark.mosquitto

EVENTS = "tables/bj-1/events"
STATE = "tables/bj-1/state"
STATUS = "tables/bj-1/status"
COMMANDS = "tables/bj-1/commands"
SUPERVISOR = "tables/bj-1/supervisor"
REPLIES = "tables/bj-1/replies"
SERVER = "tables/bj-1/server"


def play(world: World, scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def running() -> None:
        async with world.running():
            await scene()

    asyncio.run(running())


def said(listener: Listener, topic: str) -> list[dict[str, Any]]:
    return [json.loads(payload) for payload in listener.payloads(topic)]


def newest(listener: Listener, topic: str) -> dict[str, Any]:
    return (said(listener, topic) or [{}])[-1]


def _property(message: MQTTMessage, name: str) -> object:
    return getattr(message.properties, name, None)


def first_seen(payloads: list[bytes]) -> list[int]:
    return list(dict.fromkeys(int(json.loads(payload)["sequence"]) for payload in payloads))


def test_a_backlog_drains_in_order(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port, EVENTS) as listener:
        world = World({"port": broker.port})
        world.table.deal(5000)

        async def scene() -> None:
            await world.until(lambda: world.upstream.published == 5000)
            assert world.outbox.cursor("published") == 5000

        play(world, scene)
        listener.wait(lambda: world.outbox.events[-1] in listener.payloads(EVENTS)[-100:])
        # At least once, in order: on a busy machine a connection may end, and what was under way comes again.
        assert list(dict.fromkeys(listener.payloads(EVENTS))) == world.outbox.events
        assert _property(listener.on(EVENTS)[0], "ContentType") == "application/cloudevents+json"


def test_a_card_leaves_at_once(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port, EVENTS) as listener:
        world = World({"port": broker.port})
        waits: list[float] = []

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            for count in range(1, 51):
                began = time.perf_counter()
                world.table.deal(1)
                while len(listener.messages) < count:  # noqa: ASYNC110 - another thread hears it
                    await asyncio.sleep(0)
                waits.append(time.perf_counter() - began)

        play(world, scene)
        # a wide margin for a busy machine; one wait for a delayed ACK alone would be 40 ms
        assert sorted(waits)[25] < 0.02


def test_a_broker_that_is_not_there_yet_holds_up_nothing(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    world = World({"port": broker.port})

    async def scene() -> None:
        await world.until(lambda: "no connection to the broker" in world.reasons.get("broker", ""))
        world.table.deal(10)
        with broker:
            await world.until(lambda: world.upstream.published == 10)
            assert world.reasons == {}

    play(world, scene)


def test_a_host_that_does_not_resolve_is_a_reason() -> None:
    world = World({"host": "no-such-broker.invalid"})

    async def scene() -> None:
        await world.until(lambda: "no-such-broker.invalid" in world.reasons.get("broker", ""))

    play(world, scene)


def test_a_broker_killed_in_the_middle_and_back_empty_gets_the_rest_in_order(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    world = World({"port": broker.port})
    heard: list[bytes] = []

    async def scene() -> None:
        with broker:
            with Listener(broker.port, EVENTS) as listener:
                await world.until(lambda: world.upstream.connected)
                world.table.deal(3000)
                await world.until(lambda: world.upstream.published > 500)
                broker.kill()
                heard.extend(listener.payloads(EVENTS))
            world.table.deal(10)
            await world.until(lambda: "broker" in world.reasons)
            broker.start()
            with Listener(broker.port, EVENTS) as listener:
                await world.until(lambda: world.upstream.published == 3010)
                listener.wait(lambda: b'"sequence":"00000000000000003010"' in listener.payloads(EVENTS)[-1])
                again = first_seen(listener.payloads(EVENTS))
                assert again == list(range(again[0], 3011)), "never a newer one before an older one"

    play(world, scene)
    assert first_seen(heard) == list(range(1, len(first_seen(heard)) + 1))


def test_a_restarted_empty_broker_gets_state_and_status_again(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    world = World({"port": broker.port})

    async def scene() -> None:
        with broker:
            world.table.deal(2)
            await world.until(lambda: world.upstream.published == 2)
            broker.kill()
            await world.until(lambda: "broker" in world.reasons)
            broker.start()
            await world.until(lambda: world.upstream.connected)
            with Listener(broker.port) as late:
                late.wait(lambda: late.on(STATE) and late.on(STATUS))
                assert newest(late, STATE) == {"journal": JOURNAL, "as_of": 2}
                assert newest(late, STATUS)["status"] == "online"
                assert newest(late, STATUS)["epoch"] > 1
                assert world.upstream.counters["sessions_lost"] == 1

    play(world, scene)


def test_a_late_joiner_is_told_state_and_status(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            world.table.deal(7)
            await world.until(lambda: world.upstream.published == 7)
            await asyncio.sleep(0.1)
            with Listener(broker.port) as late:
                late.wait(lambda: late.on(STATE) and late.on(STATUS))
                assert newest(late, STATE)["as_of"] == 7
                assert late.on(STATE)[0].retain
                status = newest(late, STATUS)
                assert status["status"] == "online"
                assert status["journal"] == JOURNAL
                assert status["version"] == "1.2.3"
                assert status["since"].endswith("Z")

        play(world, scene)


def test_the_state_never_says_more_than_the_events_have(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            for _ in range(50):
                world.table.deal(3)
                await asyncio.sleep(0.002)
            await world.until(lambda: world.upstream.published == 150)
            listener.wait(lambda: newest(listener, STATE).get("as_of") == 150)

        play(world, scene)
        seen = 0
        for message in listener.messages:
            if message.topic == EVENTS:
                seen = int(json.loads(message.payload)["sequence"])
            elif message.topic == STATE:
                assert json.loads(message.payload)["as_of"] <= seen


def test_without_goodbye_the_broker_says_offline(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            listener.wait(lambda: newest(listener, STATUS).get("status") == "online")

        play(world, scene)  # its end is a cancellation, as rude as a crash
        listener.wait(lambda: newest(listener, STATUS)["status"] == "offline")
        will = newest(listener, STATUS)
        assert will["since"] is None
        assert will["epoch"] == 1
        assert "lost" in will["reason"]


def test_an_orderly_end_drains_and_says_why(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})

        async def scene() -> None:
            task = asyncio.create_task(world.upstream.run())
            await world.until(lambda: world.upstream.connected)
            world.table.deal(500)
            assert await world.upstream.drain(5.0)
            await world.upstream.stop("Maintenance.")
            await asyncio.wait_for(task, 2)

        asyncio.run(scene())
        listener.wait(lambda: newest(listener, STATUS).get("status") == "offline")
        time.sleep(0.1)
        assert len(listener.on(EVENTS)) == 500
        offline = [status for status in said(listener, STATUS) if status["status"] == "offline"]
        assert len(offline) == 1, "after a goodbye there is no will"
        assert offline[0]["reason"] == "Maintenance."


def test_an_orderly_end_without_a_broker_does_not_hang() -> None:
    world = World({"port": free_port()})

    async def scene() -> None:
        task = asyncio.create_task(world.upstream.run())
        world.table.deal(1)
        await world.until(lambda: "broker" in world.reasons)
        assert not await world.upstream.drain(0.1)
        await world.upstream.stop("Maintenance.")
        await asyncio.wait_for(task, 2)

    asyncio.run(scene())


def test_a_late_offline_is_corrected(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            listener.wait(lambda: newest(listener, STATUS).get("status") == "online")
            listener.say(STATUS, b'{"status":"offline","epoch":0}', retain=True)
            await asyncio.sleep(0.2)
            assert newest(listener, STATUS)["status"] == "online"

        play(world, scene)


def test_a_degraded_table_says_why_until_it_is_well(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            world.outbox.full = True
            world.board.degrade("storage", "The disk is full: free some space.")
            await asyncio.sleep(0.2)
            degraded = newest(listener, STATUS)
            assert degraded["status"] == "degraded"
            assert degraded["reasons"][0]["sentence"] == "The disk is full: free some space."
            world.board.restore("storage")
            await asyncio.sleep(0.2)
            assert newest(listener, STATUS)["status"] == "online"

        play(world, scene)


def test_an_access_list_that_forbids_events_keeps_them_and_their_order(tmp_path: Path) -> None:
    forbidden = "topic read #\ntopic write tables/bj-1/status\ntopic write tables/bj-1/state\n"
    with Mosquitto(tmp_path, acl=forbidden) as broker, Listener(broker.port) as listener:
        world = World({"port": broker.port})
        world.table.deal(20)

        async def scene() -> None:
            await world.until(lambda: EVENTS in world.reasons.get("broker_denied", ""))
            await asyncio.sleep(0.2)
            assert newest(listener, STATUS)["status"] == "degraded"
            assert world.outbox.cursor("published") == 0
            broker.allow("topic readwrite #\n")
            await world.until(lambda: world.upstream.published == 20)
            await world.until(lambda: world.reasons == {})

        play(world, scene)
        listener.wait(lambda: len(listener.on(EVENTS)) == 20)
        assert listener.payloads(EVENTS) == world.outbox.events


def test_a_password_comes_from_its_file_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("wrong\n")
    with Mosquitto(tmp_path, users={"edge": "right"}) as broker:
        world = World({"port": broker.port, "username": "edge", "password_file": str(secret)})

        async def scene() -> None:
            await world.until(lambda: "refused" in world.reasons.get("broker", ""))
            assert "wrong" not in str(world.reasons)
            secret.write_text("right\n")
            await world.until(lambda: world.upstream.connected)
            secret.unlink()

        play(world, scene)


def test_two_daemons_of_one_id_do_not_fight_at_full_speed(tmp_path: Path) -> None:
    # this Mosquitto hangs up without saying "session taken over"
    with Mosquitto(tmp_path) as broker:
        one, two = World({"port": broker.port}), World({"port": broker.port})

        async def scene() -> None:
            async with one.running(), two.running():
                await one.until(lambda: "session_taken_over" in {**one.reasons, **two.reasons})
                before = one.upstream.counters["connections"] + two.upstream.counters["connections"]
                assert before <= 10
                await asyncio.sleep(0.4)
                after = one.upstream.counters["connections"] + two.upstream.counters["connections"]
                assert after - before <= 3

        asyncio.run(scene())


def test_a_command_is_answered_once_and_its_repeat_with_the_same_answer(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            asked = request("round.open", {"round_id": "r1", "seats": [1, 3]})
            server.say(COMMANDS, asked)
            await world.until(lambda: len(server.on(REPLIES)) == 1)
            server.say(COMMANDS, asked)
            await world.until(lambda: len(server.on(REPLIES)) == 2)
            assert len(world.table.asked) == 1
            first, second = said(server, REPLIES)
            assert first == second
            assert first["outcome"] == "accepted"
            assert first["sequence"] == 1

        play(world, scene)


def test_an_answer_goes_where_it_is_wanted_unless_that_would_lend_our_voice(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port, "#") as server:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            asked = request("shoe.install", {"decks": 8})
            server.say(COMMANDS, asked, ResponseTopic="answers/me", CorrelationData=b"17")
            await world.until(lambda: len(server.on("answers/me")) == 1)
            assert _property(server.on("answers/me")[0], "CorrelationData") == b"17"
            server.say(COMMANDS, asked, ResponseTopic=EVENTS)
            await world.until(lambda: len(server.on(REPLIES)) == 1)
            assert len(server.on(EVENTS)) == 1

        play(world, scene)


def test_what_is_larger_than_the_announced_packet_is_dropped_by_the_broker(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            server.say(COMMANDS, b"x" * 64 * 1024)
            server.say(COMMANDS, b"x" * 60 * 1024)
            server.say(COMMANDS, request("shoe.install", {"decks": 8}))
            await world.until(lambda: len(server.on(REPLIES)) == 2)
            large, small = said(server, REPLIES)
            assert (large["id"], large["code"]) == (None, "malformed")
            assert small["outcome"] == "accepted"
            assert world.upstream.counters["connections"] == 1

        play(world, scene)


@pytest.mark.parametrize("payload", [b"", b"\xff\xfe", b"{", b"[]", b"x" * 20_000, b'{"id": 1}'])
def test_what_cannot_be_read_is_answered_and_not_ruled_on(tmp_path: Path, payload: bytes) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            server.say(SUPERVISOR, payload)
            await world.until(lambda: len(server.on(REPLIES)) == 1)
            reply = newest(server, REPLIES)
            assert (reply["outcome"], reply["code"], reply["id"]) == ("refused", "malformed", None)
            assert len(reply["message"]) < 200
            assert world.table.asked == []
            assert world.upstream.counters["malformed"] == 1

        play(world, scene)


def test_commands_sent_while_the_table_was_away_wait_in_the_session(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})

        async def two_lives() -> None:
            async with world.running():
                await world.until(lambda: world.upstream.connected)
            server.say(COMMANDS, request("shoe.install", {"decks": 8}))
            server.say(COMMANDS, request("shoe.install", {"decks": 6}), MessageExpiryInterval=1)
            await asyncio.sleep(2.2)  # this broker counts in whole seconds
            world.upstream = world.new_upstream()
            async with world.running():
                await world.until(lambda: len(server.on(REPLIES)) >= 1)
                await asyncio.sleep(0.1)
                assert len(world.table.asked) == 1, "the expired one is dead"
                # Mosquitto 2.0.11 hands it out with nothing left to live
                assert [reply["code"] for reply in said(server, REPLIES)[1:]] in ([], ["expired"])

        asyncio.run(two_lives())


def test_acknowledging_moves_a_cursor_and_no_further_than_there_are_events(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})
        world.table.deal(5)

        async def ask(command: str, content: dict[str, Any], topic: str = COMMANDS) -> dict[str, Any]:
            count = len(server.on(REPLIES))
            server.say(topic, request(command, content))
            await world.until(lambda: len(server.on(REPLIES)) > count)
            return newest(server, REPLIES)

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            accepted = await ask("events.acknowledge", {"journal": JOURNAL, "sequence": 3})
            assert accepted["outcome"] == "accepted"
            assert world.outbox.cursor("acknowledged") == 3
            beyond = await ask("events.acknowledge", {"journal": JOURNAL, "sequence": 6})
            assert beyond["code"] == "no_such_event"
            foreign = await ask("events.acknowledge", {"journal": "another", "sequence": 1})
            assert foreign["code"] == "wrong_journal"
            astray = await ask("events.acknowledge", {"journal": JOURNAL, "sequence": 4}, SUPERVISOR)
            assert astray["code"] == "wrong_topic"
            world.outbox.pruned = 2
            assert (await ask("events.replay", {"journal": JOURNAL, "from": 2}))["code"] == "pruned"
            assert (await ask("events.replay", {"journal": JOURNAL, "from": 6}))["code"] == "no_such_event"
            assert (await ask("events.replay", {"journal": JOURNAL, "round": "r9"}))[
                "code"
            ] == "no_such_event"
            assert world.outbox.cursor("acknowledged") == 3
            assert world.table.asked == []

        play(world, scene)


def test_a_replay_is_byte_identical_in_order_and_announced(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        world = World({"port": broker.port})
        world.table.deal(300)
        world.outbox.rounds["r1"] = (40, 44)

        async def scene() -> None:
            await world.until(lambda: world.upstream.published == 300)
            server.say(COMMANDS, request("events.replay", {"journal": JOURNAL, "from": 2, "to": 250}))
            await world.until(lambda: len(server.on(REPLIES)) == 1)
            told = newest(server, REPLIES)["replay"]
            assert (told["first"], told["last"], told["count"]) == (2, 250, 249)
            await world.until(lambda: len(server.on(told["topic"])) == 249)
            assert server.payloads(told["topic"]) == world.outbox.events[1:250]
            server.say(COMMANDS, request("events.replay", {"journal": JOURNAL, "round": "r1"}))
            await world.until(lambda: len(server.on(REPLIES)) == 2)
            round_told = newest(server, REPLIES)["replay"]
            await world.until(lambda: len(server.on(round_told["topic"])) == 5)
            assert server.payloads(round_told["topic"]) == world.outbox.events[39:44]

        play(world, scene)


def test_live_events_are_not_held_up_by_replays(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})
        world.table.deal(4000)

        async def scene() -> None:
            async with world.running():
                await world.until(lambda: world.upstream.published == 4000)
                replays = [request("events.replay", {"journal": JOURNAL, "from": 1}) for _ in range(6)]
                await asyncio.to_thread(say_all, broker.port, COMMANDS, replays)
                await world.until(lambda: world.upstream.counters.get("refused") == 2)
                began = time.monotonic()
                last = world.table.deal(1)
                await world.until(lambda: world.upstream.published == last)
                assert time.monotonic() - began < 0.5
                assert world.upstream.counters["published"] < 4 * 4000, "the replays are still under way"

        asyncio.run(scene())


def test_the_server_s_own_presence_is_a_fact_on_the_board(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port) as server:
        server.say(SERVER, b"online", retain=True)
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.board.server is Presence.ONLINE)
            server.say(SERVER, b'{"status":"offline"}', retain=True)
            await world.until(lambda: world.board.server is Presence.OFFLINE)
            server.say(SERVER, b"\xff{[", retain=True)
            await world.until(lambda: world.board.server is Presence.UNKNOWN)

        play(world, scene)


def test_a_frozen_broker_is_left_and_found_again(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        world = World({"port": broker.port})

        async def scene() -> None:
            await world.until(lambda: world.upstream.connected)
            broker.freeze()
            world.table.deal(5000)
            await world.until(lambda: "acknowledged nothing" in world.reasons.get("broker", ""))
            broker.thaw()
            await world.until(lambda: world.upstream.published == 5000)

        play(world, scene)


def test_telemetry_is_told_by_device(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker, Listener(broker.port, "tables/bj-1/telemetry/#") as listener:
        world = World({"port": broker.port, "telemetry_s": 1})
        world.telemetry = {"shoe": {"frames": 17}}

        async def scene() -> None:
            await world.until(lambda: len(listener.messages) >= 2)
            assert newest(listener, "tables/bj-1/telemetry/shoe") == {"frames": 17}
            assert newest(listener, "tables/bj-1/telemetry/upstream")["connections"] == 1

        play(world, scene)


def test_the_harness_port_is_free() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as server:
        assert server.getsockname()[1] > 0
