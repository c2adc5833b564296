"""The socket as its users break it: whatever they say is answered or let go, and the table goes on."""

import asyncio
import contextlib
import grp
import json
import os
import socket
import stat
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.control import Patience, look, service
from edge.control.listener import Listener, Occupied
from edge.control.protocol import LONGEST_LINE, Question, understood
from edge.control.service import CLIENTS
from edge.errors import ControlDeaf, StorageFailed
from edge.requests import COMMANDS, Desk, belongs
from edge.upstream import Malformed
from tests.edge.control.desk import WITHIN_S, Place, place, request

NOBODY = 65534

Play = Callable[[Place], Awaitable[None]]


def run(play: Play, folder: Path) -> None:
    async def body() -> None:
        async with place(folder) as here:
            await play(here)
            assert not here.task.done(), here.task

    asyncio.run(body())


# What is asked --------------------------------------------------------------------------------------


def test_a_request_is_answered_as_on_mqtt_and_is_on_disk(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        before = here.table.state.sequence
        async with await here.client() as ada:
            line = request("round.void")
            reply = await ada.ask(line)
            assert reply == {
                "id": json.loads(line)["id"],
                "command": "round.void",
                "outcome": "accepted",
                "code": "done",
                "message": "Done.",
                "sequence": here.table.state.sequence,
            }
            assert here.table.state.round is None
            assert here.table.state.sequence > before

    run(play, tmp_path)


def test_the_same_request_again_does_nothing_twice(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        line = request("round.void")
        async with await here.client() as ada:
            first = await ada.ask(line)
            after = here.table.state.sequence
            assert await ada.ask(line) == first
        async with await here.client() as again:
            assert await again.ask(line) == first
            other = request("shoe.retire", id=json.loads(line)["id"])
            assert (await again.ask(other))["code"] == "id_reused"
        assert here.table.state.sequence == after

    run(play, tmp_path)


def test_of_two_supervisors_at_once_the_first_wins_and_the_second_is_told(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        here.draw(None)
        seen: dict[str, Any] = {"if_sequence": here.table.state.sequence, "journal": here.table.state.journal}
        async with await here.client() as ada, await here.client() as ben:
            ada.say(request("round.void", **seen))
            ben.say(request("shoe.retire", operator="ben", **seen))
            codes = {(await ada.hear())["code"], (await ben.hear())["code"]}
        assert codes == {"done", "stale"}

    run(play, tmp_path)


@pytest.mark.parametrize(
    "command", [kind.command for kind in COMMANDS.values() if not belongs(kind, Desk.SUPERVISOR)]
)
def test_the_servers_commands_do_not_belong_here(tmp_path: Path, command: str) -> None:
    content = {
        "shoe.install": {"decks": 8},
        "round.open": {"round_id": "r", "seats": [1]},
        "hand.decide": {"seat": 1, "hand": 1, "action": "hit"},
        "hand.timeout": {"seat": 1},
    }.get(command, {})

    async def play(here: Place) -> None:
        async with await here.client() as ada:
            reply = await ada.ask(request(command, data=content))
            assert (reply["outcome"], reply["code"]) == ("refused", "wrong_topic")

    run(play, tmp_path)


def test_neither_do_acknowledgements_and_replays(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        content = {"journal": here.table.state.journal, "sequence": 1}
        async with await here.client() as ada:
            reply = await ada.ask(request("events.acknowledge", data=content))
            assert (reply["code"], reply["message"]) == (
                "wrong_topic",
                "events.acknowledge belongs on tables/t1/commands.",
            )

    run(play, tmp_path)


def test_who_is_no_operator_may_not_and_the_log_names_the_user(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        with structlog.testing.capture_logs() as logged:
            async with await here.client() as mallory:
                reply = await mallory.ask(request("round.void", operator="mallory"))
                assert reply["code"] == "not_allowed"
                await mallory.ask(request("round.void"))
        asked = [line for line in logged if line["event"] == "control.asked"]
        assert [(line["operator"], line["outcome"]) for line in asked] == [
            ("mallory", "refused"),
            ("ada", "accepted"),
        ]
        assert {(line["uid"], line["pid"]) for line in asked} == {(os.getuid(), os.getpid())}
        assert all(line["user"] for line in asked)

    run(play, tmp_path)


def test_a_full_disk_is_an_error_and_the_same_request_may_come_again(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        line = request("round.void")
        ask = here.table.ask

        def refuse(_: object) -> None:
            here.board.degrade("storage", "The disk is full.")
            raise StorageFailed("The disk is full.")

        async with await here.client() as ada:
            here.table.ask = refuse  # type: ignore[method-assign, assignment]
            error = (await ada.ask(line))["error"]
            assert error["code"] == "storage"
            assert "may be sent again" in error["message"]
            status = await ada.show("status")
            assert [each["reason"] for each in status["reasons"]] == ["storage"]
            here.table.ask = ask  # type: ignore[method-assign]
            assert (await ada.ask(line))["outcome"] == "accepted"

    run(play, tmp_path)


# What is shown --------------------------------------------------------------------------------------


def test_the_state_is_the_public_one(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        async with await here.client() as ada:
            assert await ada.show("state") == json.loads(here.table.public_state())

    run(play, tmp_path)


def test_lines_said_at_once_are_answered_in_their_order(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client() as ada:
            ids = [str(uuid4()) for _ in range(20)]
            ada.writer.write(b"".join(request("round.void", id=each) + b"\n" for each in ids))
            assert [(await ada.hear())["id"] for _ in ids] == ids

    run(play, tmp_path)


def test_a_line_may_come_byte_by_byte(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client() as ada:
            for byte in b'{"show": "state"}\n':
                ada.writer.write(bytes([byte]))
                await asyncio.sleep(0.001)
            assert (await ada.hear())["table"] == "t1"

    run(play, tmp_path)


# What is no request ---------------------------------------------------------------------------------

GARBAGE = [
    b"",
    b"\x00\xff\xfe",
    b"GET / HTTP/1.1\r",
    b"[]",
    b"{}",
    b"null",
    b'{"show": "cards"}',
    b'{"show": ["state"]}',
    b'{"show": {}}',
    b"[" * 5000,
    b"9" * 5000,
    b'{"id": NaN}',
    b'"\xed\xa0\x80"',
    request("round.void").replace(b"reason", b"raison"),
]


@pytest.mark.parametrize("line", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_answered_and_is_the_last_that_is_heard(tmp_path: Path, line: bytes) -> None:
    async def play(here: Place) -> None:
        before = here.table.state
        async with await here.client() as stranger:
            stranger.say(line)
            stranger.say(b'{"show": "state"}')
            reply = await stranger.hear()
            assert (reply["outcome"], reply["code"]) == ("refused", "malformed")
            assert await stranger.ended()
        assert here.table.state is before

    run(play, tmp_path)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["show", "id", "command", "data", "x"]), inner, max_size=4)
        ),
        max_leaves=12,
    ).map(lambda said: json.dumps(said).encode())
)
def test_any_bytes_give_a_value(line: bytes) -> None:
    assert isinstance(understood(line), Question | Malformed)


def test_a_line_without_an_end_is_not_waited_for(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client() as stranger:
            stranger.writer.write(b"x" * (LONGEST_LINE * 64))
            reply = await stranger.hear()
            assert reply["message"] == "The request is larger than 16384 bytes."
            assert await stranger.ended()

    run(play, tmp_path)


def test_a_line_that_is_only_just_too_long_is_too_long(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        line = request("round.void")
        async with await here.client() as ada:
            assert (await ada.ask(line.ljust(LONGEST_LINE)))["code"] == "no_round"
            assert (await ada.ask(line.ljust(LONGEST_LINE + 1)))["code"] == "malformed"

    run(play, tmp_path)


def test_garbage_cannot_fill_the_log(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        with structlog.testing.capture_logs() as logged:
            for _ in range(30):
                async with await here.client() as stranger:
                    await stranger.ask(b"garbage")
        assert [line["event"] for line in logged].count("control.malformed") == 1

    run(play, tmp_path)


# Who does not behave --------------------------------------------------------------------------------


def test_who_says_nothing_is_let_go(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client() as silent, await here.client() as half:
            half.writer.write(b'{"show": ')
            assert await silent.ended()
            assert await half.ended()

    run(play, tmp_path)


def test_who_does_not_listen_holds_up_nobody(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client():
            pass  # it listens
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.setblocking(False)
            await asyncio.get_running_loop().sock_connect(deaf, str(here.path))
            await asyncio.get_running_loop().sock_sendall(deaf, b'{"show": "state"}\n' * 900)
            async with await here.client() as ada:
                for _ in range(20):
                    await ada.show("state")
                    await asyncio.sleep(0.01)
        async with await here.client() as ada:
            await ada.show("state")

    run(play, tmp_path)


def test_who_is_gone_in_the_middle_of_a_request_has_asked_nothing(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        async with await here.client() as ada:
            ada.writer.write(request("round.void"))  # its end never comes
            await ada.writer.drain()
        async with await here.client() as ben:
            assert (await ben.show("state"))["round"] is not None

    run(play, tmp_path)


def test_who_is_gone_before_the_answer_gets_it_by_asking_again(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        here.open_round()
        line = request("round.void")
        async with await here.client() as ada:
            here.table.committed.clear()
            ada.say(line)
            ada.writer.transport.abort()
        await asyncio.wait_for(here.table.committed.wait(), WITHIN_S)
        after = here.table.state.sequence
        async with await here.client() as ada:
            assert (await ada.ask(line))["outcome"] == "accepted"
        assert here.table.state.sequence == after

    run(play, tmp_path)


def test_there_is_room_for_so_many_and_then_again(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        clients = [await here.client() for _ in range(CLIENTS)]
        for each in clients:
            await each.show("state")
        async with await here.client() as one_more:
            assert (await one_more.hear())["error"]["code"] == "busy"
            assert await one_more.ended()
        for each in clients:
            async with each:
                pass
        await asyncio.sleep(0.05)
        async with await here.client() as later:
            await later.show("state")

    run(play, tmp_path)


def test_requests_are_paced_so_that_a_card_goes_first(tmp_path: Path) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        async with (
            place(tmp_path, patience=Patience(pace_s=0.05)) as here,
            await here.client() as ada,
            await here.client() as ben,
        ):
            began = loop.time()
            for each in (ada, ben):
                each.writer.write(b'{"show": "state"}\n' * 4)
            for each in (ada, ben):
                for _ in range(4):
                    await each.hear()
            assert loop.time() - began >= 7 * 0.05

    asyncio.run(body())


# The file -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user may pass through, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@contextlib.contextmanager
def another_user(*, group: int) -> Iterator[None]:
    """Be somebody else, in this group alone."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(group)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def test_who_is_not_of_the_pit_may_not_and_who_is_may(monkeypatch: pytest.MonkeyPatch) -> None:
    pit = grp.getgrgid(1)
    monkeypatch.setattr(service, "PIT_GROUP", pit.gr_name)

    def look_in(path: Path) -> None:
        look([path], Question.STATE, table="t1")

    async def body(folder: Path) -> None:
        async with place(folder) as here:
            async with await here.client():
                pass
            if os.geteuid() != 0:  # only root can be somebody else, but then modes count for us
                here.path.chmod(0)
                with pytest.raises(ControlDeaf, match="table-edge-pit"):
                    await asyncio.to_thread(look_in, here.path)
                return
            assert here.path.stat().st_gid == pit.gr_gid
            with another_user(group=NOBODY), pytest.raises(ControlDeaf, match="table-edge-pit"):
                look_in(here.path)
            asking = threading.Thread(target=look_in, args=[here.path])
            with another_user(group=pit.gr_gid):
                asking.start()
                while asking.is_alive():  # noqa: ASYNC110 - it waits for the daemon, which is in this loop
                    await asyncio.sleep(0.005)

    with open_folder() as folder:
        asyncio.run(body(folder))


def test_it_is_for_its_user_and_group_alone_and_goes_with_the_daemon(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path) as here:
            async with await here.client() as ada:
                await ada.show("state")
            assert stat.S_IMODE(here.path.stat().st_mode) == 0o660
        assert not here.path.exists()

    asyncio.run(body())


def test_what_a_dead_daemon_left_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "control.sock"))

    async def play(here: Place) -> None:
        async with await here.client() as ada:
            await ada.show("state")

    run(play, tmp_path)


def test_where_somebody_listens_nothing_is_touched_and_it_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"

    async def body() -> None:
        with socket.socket(socket.AF_UNIX) as living:
            living.bind(str(path))
            living.listen()
            made = path.stat().st_ino
            async with place(tmp_path) as here:
                await asyncio.sleep(0.2)
                assert [each.reason for each in here.board.reasons] == ["control"]
                assert "Another program listens" in here.board.reasons[0].sentence
                assert path.stat().st_ino == made
                living.close()
                async with await here.client() as ada:
                    assert (await ada.show("status"))["reasons"] == []

    asyncio.run(body())


def test_a_file_that_is_no_socket_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "control.sock").write_text("precious")

    async def body() -> None:
        async with place(tmp_path) as here:
            await asyncio.sleep(0.1)
            assert "is no socket" in here.board.reasons[0].sentence
        assert (tmp_path / "control.sock").read_text() == "precious"

    asyncio.run(body())


def test_without_its_directory_the_table_goes_on_and_says_so(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path, path=tmp_path / "later" / "control.sock") as here:
            await asyncio.sleep(0.1)
            assert "cannot be made: No such file or directory" in here.board.reasons[0].sentence
            here.open_round()
            (tmp_path / "later").mkdir()
            async with await here.client() as ada:
                assert (await ada.show("status"))["status"] == "online"

    asyncio.run(body())


def test_a_file_that_was_taken_away_is_made_anew(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        async with await here.client() as ada:
            await ada.show("state")
            here.path.unlink()
            assert (await ada.show("state"))["table"] == "t1"  # who is connected stays so
        async with await here.client() as ben:
            await ben.show("state")

    run(play, tmp_path)


def test_a_path_of_any_length_will_do(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    listener = Listener.at(deep / "control.sock", group=None)
    with pytest.raises(Occupied):
        Listener.at(deep / "control.sock", group=None)
    listener.close()
    assert list(deep.iterdir()) == []


def test_it_shows_that_it_is_alive(tmp_path: Path) -> None:
    async def play(here: Place) -> None:
        before = here.control.ticks
        await asyncio.sleep(0.2)
        assert here.control.ticks > before

    run(play, tmp_path)
