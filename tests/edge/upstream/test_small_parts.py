import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from edge.errors import ConfigInvalid
from edge.status import Presence, StatusBoard
from edge.upstream import Condition, MqttSettings, Status, Topics
from edge.upstream.lanes import ChangedLane
from edge.upstream.patience import Backoff, Patience
from edge.upstream.payloads import condition, presence, utc

TOPICS = Topics(prefix="tables", table="bj-1")


def test_settings_have_sound_defaults() -> None:
    settings = MqttSettings(host="broker")
    assert settings.effective_port == 1883
    assert settings.client_name("bj-1") == "table-edge-bj-1"
    assert settings.password() is None
    assert MqttSettings.model_validate({"host": "b", "tls": {}}).effective_port == 8883


@pytest.mark.parametrize(
    ("given_settings", "sentence"),
    [
        ({"host": "b", "password": "x"}, "password_file"),
        ({"host": "b", "password_file": "x"}, "needs a username"),
        ({"host": "b", "prefix": "a/+"}, "topic levels"),
        ({"host": "b", "prefix": "/a"}, "topic levels"),
        ({"host": "b", "prefix": "a//b"}, "topic levels"),
        ({"host": "b", "prefix": "$SYS"}, "topic levels"),
        ({"host": "b", "session_expiry_s": 0xFFFFFFFF}, "session_expiry_s"),
        ({"host": "b", "tls": {"cert_file": "x"}}, "belong together"),
        ({"host": "b", "colour": "red"}, "colour"),
        ({"host": ""}, "host"),
        ({"host": "b", "port": 0}, "port"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(given_settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence.replace("$", r"\$")):
        MqttSettings.model_validate(given_settings)


def test_an_inline_password_is_not_repeated_by_its_refusal() -> None:
    with pytest.raises(ValidationError) as caught:
        MqttSettings.model_validate({"host": "b", "password": "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_a_state_that_did_not_change_is_not_said_again() -> None:
    shown = [b"a"]
    lane = ChangedLane(topic="state", source=lambda: shown[0], patience=Patience(), random=Random(1))

    def payload() -> bytes | None:
        lane.touch()
        chosen = lane.next(0.0, 0)
        if chosen is not None:
            lane.taken(chosen[0])
        assert lane.settled
        return None if chosen is None else chosen[1].payload

    assert (payload(), payload()) == (b"a", None)
    shown[0] = b"b"
    assert (payload(), payload()) == (b"b", None)
    lane.rewind()  # another connection: the broker may have come back empty
    assert (payload(), payload()) == (b"b", None)
    shown[0] = b"c"
    assert lane.next(0.0, 0) is None  # nobody said that it changed
    lane.touch()
    assert lane.next(0.0, 0) is not None
    lane.denied(0, 0.0)
    assert lane.next(60.0, 0) is not None


def test_a_password_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    settings = MqttSettings(host="b", username="edge", password_file=tmp_path / "none")
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        settings.password()


@pytest.mark.parametrize(
    ("wanted", "given_to"),
    [
        (None, "tables/bj-1/replies"),
        ("", "tables/bj-1/replies"),
        ("answers/me", "answers/me"),
        ("tables/bj-1/replies/me", "tables/bj-1/replies/me"),
        ("tables/bj-1/events", "tables/bj-1/replies"),
        ("tables/bj-1/replies-of-others", "tables/bj-1/replies"),
        ("tables/bj-2/commands", "tables/bj-1/replies"),
        ("tables", "tables/bj-1/replies"),
        ("$SYS/x", "tables/bj-1/replies"),
        ("answers/#", "tables/bj-1/replies"),
        ("x" * 513, "tables/bj-1/replies"),
    ],
)
def test_no_asker_borrows_our_voice(wanted: str | None, given_to: str) -> None:
    assert TOPICS.answer_to(wanted) == given_to


@given(st.text(max_size=30))
def test_wherever_an_answer_goes_it_may_be_published_there(wanted: str) -> None:
    topic = TOPICS.answer_to(wanted)
    assert topic
    assert not set(topic) & set("+#\0")


def test_the_board_tells_each_change_once() -> None:
    async def scene() -> None:
        now = [1000]
        board = StatusBoard(wall_ms=lambda: now[0])
        changed = board.changed
        now[0] = 2000
        board.degrade("storage", "Full.")
        assert changed.is_set()
        assert board.since_ms == 2000
        changed = board.changed
        now[0] = 3000
        board.degrade("storage", "Full.")
        board.restore("held")
        assert not changed.is_set()
        board.degrade("device:shoe", "Silent.")
        board.degrade("storage", "Fuller.")
        assert [(each.reason, each.sentence, each.since_ms) for each in board.reasons] == [
            ("device:shoe", "Silent.", 3000),
            ("storage", "Fuller.", 2000),
        ]
        assert board.since_ms == 2000
        board.restore("storage")
        assert board.degraded
        now[0] = 4000
        board.restore("device:shoe")
        assert board.since_ms == 4000
        board.server_is(Presence.ONLINE)
        assert (board.server, board.server_since_ms) == (Presence.ONLINE, 4000)

    asyncio.run(scene())


def test_a_wait_doubles_to_its_cap_within_its_jitter() -> None:
    backoff = Backoff(first_s=1, last_s=8, random=Random(3))
    waits = [backoff.wait_s() for _ in range(6)]
    for wait, whole in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
        assert whole / 2 <= wait <= whole
    backoff.reset()
    assert backoff.wait_s() <= 1


@given(st.binary(max_size=60))
def test_any_bytes_are_some_presence_and_some_condition(payload: bytes) -> None:
    assert isinstance(presence(payload), Presence)
    assert condition(payload) is None or isinstance(condition(payload), Condition)


def test_what_the_status_says_is_read_back() -> None:
    status = Status(
        condition=Condition.OFFLINE, journal="j", epoch=3, version="1", since_ms=None, reason="Bye."
    )
    assert condition(status.payload()) is Condition.OFFLINE
    assert json.loads(status.payload())["reason"] == "Bye."
    assert utc(1_700_000_000_007) == "2023-11-14T22:13:20.007Z"
