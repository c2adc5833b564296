"""Non-interference: a hole card that changes no public fact changes nothing anybody can see.

Two runs with equal seeds differ in the hole card alone. Until it is turned, every message on every topic,
every log line and every text of the command line is equal; only what must differ is masked: seals and
digests, ids, times, ports and folders. How often the daemon tried to find a broker that was not there is up
to the machine: such a line is looked at by itself, and may have nothing in it that tells two runs apart.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from sim_devices import ShoeContents
from sim_devices.daemon import program
from sim_devices.play import Programme
from tests.end_to_end.harness import TABLE, Bench, Plan, assert_nothing_lost_or_doubled, house_with, run

pytestmark = pytest.mark.mosquitto

MASKS = [
    (re.compile(r"[0-9a-f]{64}"), "<digest>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<nonce>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "<time>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<broker>"),
    (re.compile(r'"config": "[0-9a-f]{12}"'), "<config>"),
    (re.compile(r"^ *\d+  <time>"), "<record>"),  # its number: see HOST
    (re.compile(r'"deadlines":\[.*?\],"host":\{.*?\}'), "<waits>"),  # see HOST
    (re.compile(r'"behind": \d+'), "<behind>"),  # acknowledgements of the broker by the moment of the kill
    (re.compile(r'"epoch": ?\d+'), "<epoch>"),  # counts attempts to connect, too
    (re.compile(r"\b(at_ms|wall_ms|device_ms|boot)([=: ]+)\S+"), r"\1\2<clock>"),
]

HOST = re.compile(r"  host\.(left why=no_broker|returned)$|note  (host\.heard|deadline\.(set|dropped)) ")
"""Whether the broker was missed, and when: up to the machine as well."""
ATTEMPT = re.compile(
    r'\{"why": "(There is no connection to the broker at <broker>: [A-Za-z ]+\.|'
    r'The connection to the broker was closed from afar, and nothing was said\.)", '
    r'"retry_in_s": [\d.]+, "event": "upstream.disconnected", "level": "warning", "timestamp": "<time>"\}'
)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """All that left the daemon, by where it went."""

    topics: dict[str, list[str]]
    log: list[str]
    shown: list[str]

    @property
    def text(self) -> str:
        return "\n".join(
            [*(line for lines in self.topics.values() for line in lines), *self.log, *self.shown]
        )


def test_a_hole_card_changes_nothing_before_it_is_turned(tmp_path: Path) -> None:
    five, six = (_played(tmp_path / hole, hole) for hole in ("5c", "6d"))
    assert five.log == six.log
    assert five.shown == six.shown
    assert five.topics.keys() == six.topics.keys()
    for topic in five.topics:
        assert five.topics[topic] == six.topics[topic], topic
    assert "card.dealt" in five.text
    assert "turn.acted" in five.text


def test_the_comparison_can_see_a_difference(tmp_path: Path) -> None:
    one, other = (_played(tmp_path / card, "5c", third=card) for card in ("2d", "3d"))
    assert one.topics != other.topics
    assert one.topics["events"] != other.topics["events"]
    assert one.topics["state"] != other.topics["state"]


def test_play_that_goes_wrong_gives_nothing_away_either(tmp_path: Path) -> None:
    """Two runs differ in the hole card and in one that was set aside and never played."""
    one, other = (_gone_wrong(tmp_path / hole, hole, aside) for hole, aside in (("5c", "Kd"), ("6d", "3h")))
    assert one.log == other.log
    assert one.shown == other.shown
    assert one.topics == other.topics
    for word in (
        "card.parked",
        "card.discarded",
        "card.retracted",
        "does_not_fit",
        "power_lost",
        "unread_card",
    ):
        assert word in one.text, word


def _gone_wrong(folder: Path, hole: str, aside: str) -> Seen:
    """A round in which much goes wrong before its hole card is turned."""
    seen: list[Seen] = []

    async def play(bench: Bench) -> None:
        await _up_before_the_broker(bench)
        bench.serve()
        await bench.open_shoe()
        await _said(bench, "round.open", round_id="r1", seats=[1, 4])
        for _ in range(6):
            await bench.pull()
            await bench.settle()
        await _supervised(bench, "table.hold", reason="a drink on the layout")
        for _ in range(3):  # the first is the one nobody will ever see
            bench.shoe.draw()
            await bench.settle()
        await _supervised(bench, "table.release", reason="wiped")
        await _resolved(bench, "discard")
        await _resolved(bench, "use_as_next")
        await _resolved(bench, "retract")
        await _supervised(bench, "irregularity.report", kind="misread_card", draw=8, card="5c")
        await _supervised(bench, "irregularity.resolve", id=4, resolution="correct", draw=8, card="5c")
        if bench.screen is not None and bench.screen.held:
            await _resolved(bench, "accept")
        await _supervised(bench, "irregularity.report", kind="hole_card_shown")
        await _resolved(bench, "accept")
        await _said(bench, "hand.decide", seat=1, hand=1, action="hit")
        await _said(bench, "hand.decide", seat=1, hand=1, action="hit")
        await bench.pull(read=False)
        await bench.settle()
        await _resolved(bench, "enter", card="3d")
        await bench.daemon.kill()
        await bench.until(lambda: b'"offline"' in bench.payloads("status")[-1])  # its will
        bench.broker.kill()
        await bench.daemon.start()
        await _up_before_the_broker(bench)
        await _resolved(bench, "confirm", cards=[{"to": "dealer", "cards": ["9s", "5c"]}])
        await _resolved(bench, "confirm", cards=_lying(bench))
        await bench.until(lambda: bench.received == bench.journaled)
        seen.append(_seen(bench, folder))
        for seat in (1, 4):
            await _said(bench, "hand.decide", seat=seat, hand=1, action="stand")
        await bench.pull()
        await bench.finish()

    folder.mkdir()
    plan = Plan(
        contents=ShoeContents.written(f"As 2c 5h 9h 9s 6c 2h {hole} {aside} 2d 7c 3d Ts Jd"),
        programme=Programme(rounds=0),
        house=house_with(folder, "deluxe", early_draw_ms=0),
        broker=False,
        pit=False,
    )
    bench = run(play, folder, plan)
    assert_nothing_lost_or_doubled(bench)
    (turned,) = bench.of_type("card.revealed")
    assert turned.content["card"] == hole
    return seen[0]


def _lying(bench: Bench) -> list[dict[str, object]]:
    """What lies on the layout as the screen has it: the hole card null."""
    assert bench.screen is not None
    played = bench.screen.said["round"]
    hands = [
        {"to": {"seat": hand["seat"], "hand": hand["hand"]}, "cards": hand["cards"]}
        for hand in played["hands"]
    ]
    return [*hands, {"to": "dealer", "cards": played["dealer"]["cards"]}]


async def _supervised(bench: Bench, command: str, **content: object) -> None:
    await bench.supervise(command, **content)
    await bench.settle()


async def _resolved(bench: Bench, resolution: str, **content: object) -> None:
    """Resolve what holds the table, whatever it is, and whether or not that is accepted."""
    assert bench.screen is not None
    opened = [each["id"] for each in bench.screen.said["irregularities"]]
    await _supervised(
        bench, "irregularity.resolve", id=opened[0], resolution=resolution, reason="seen", **content
    )


def _played(folder: Path, hole: str, *, third: str = "2d") -> Seen:
    """A round up to the last decision before the hole card is turned, with a restart in the middle."""
    seen: list[Seen] = []

    async def play(bench: Bench) -> None:
        await _up_before_the_broker(bench)
        bench.serve()
        await bench.open_shoe()
        await _said(bench, "round.open", round_id="r1", seats=[1, 4])
        for _ in range(6):
            await bench.pull()
            await bench.settle()
        await _said(bench, "hand.decide", seat=4, hand=1, action="double")
        await _said(bench, "hand.decide", seat=1, hand=1, action="hit")
        await bench.pull()
        await bench.settle()
        await bench.daemon.kill()
        await bench.until(lambda: b'"offline"' in bench.payloads("status")[-1])  # its will
        bench.broker.kill()
        await bench.daemon.start()
        await _up_before_the_broker(bench)
        assert (await bench.confirm()).accepted
        await _said(
            bench, "hand.decide", seat=1, hand=1, action="surrender"
        )  # refused: not its first two cards
        await bench.until(lambda: bench.received == bench.journaled)
        seen.append(_seen(bench, folder))
        await _said(bench, "hand.timeout", seat=1)
        await bench.pull(2)  # for the double, and the dealer's third
        await bench.finish()

    contents = ShoeContents.written(f"As 2c 5h 9h 9s 6c 2h {hole} {third} Ts Jd Qd 4s")
    folder.mkdir()
    bench = run(play, folder, Plan(contents=contents, programme=Programme(rounds=0), broker=False, pit=False))
    assert_nothing_lost_or_doubled(bench)
    (turned,) = bench.of_type("card.revealed")
    assert turned.content["card"] == hole
    return seen[0]


async def _up_before_the_broker(bench: Bench) -> None:
    """Whether shoe or broker answers first is chance, and would be seen: here it is the shoe."""
    await bench.until(lambda: bench.journaled_types.count("device.online") == bench.daemon.lives)
    bench.broker.start()
    await bench.settle()


async def _said(bench: Bench, command: str, **content: object) -> None:
    """Ask, and wait until everything is as still as before: only then is the order on the wire given."""
    await bench.ask(command, **content)
    await bench.settle()


def _seen(bench: Bench, folder: Path) -> Seen:
    """Everything, without what the clock alone decides: how often something is repeated, and telemetry."""
    topics: dict[str, list[str]] = {"events": [_masked(raw.decode(), folder) for raw in bench.received]}
    for heard in bench.heard:
        topic = heard.topic.removeprefix(f"tables/{TABLE}/")
        if topic == "events" or topic.startswith("replay/"):
            assert heard.payload in bench.journaled
        elif topic in {"state", "status", "replies"} and b"events." not in heard.payload:
            topics.setdefault(topic, []).append(_masked(heard.payload.decode(), folder))
    for retained in ("state", "status"):
        topics[retained] = sorted(set(topics[retained]))
    shown = subprocess.run(
        [program(), "journal", "show", str(bench.settings.journal)],
        capture_output=True,
        text=True,
        check=True,
    )
    log = [_masked(line, folder) for line in bench.daemon.said.splitlines()]
    attempts = {line for line in log if '"upstream.disconnected"' in line}
    assert [line for line in attempts if not ATTEMPT.fullmatch(line)] == []
    return Seen(
        topics=topics,
        log=sorted(set(log) - attempts),
        shown=[_masked(line, folder) for line in shown.stdout.splitlines() if not HOST.search(line)],
    )


def _masked(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "<folder>")
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text
