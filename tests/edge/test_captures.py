"""Captures through driver and ruling: what the table hears of them, and how they go with a script."""

import subprocess
import sys
from pathlib import Path

import pytest

from drivers import Absence
from edge.captures import beside, capture_steps, is_capture
from edge.errors import ScriptInvalid
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceWentOffline,
    Input,
)
from edge.script import Step, read_script
from firmware_protocols import (
    Ack,
    Cable,
    CableMoved,
    Capture,
    Card,
    CardScan,
    Carried,
    CutCardScan,
    DeviceEvent,
    DeviceKind,
    Entry,
    Event,
    FaceDownCard,
    Hello,
    Provenance,
    Resume,
    Way,
    encode,
    encode_code,
    write_capture,
)
from tests.firmware_protocols.codes import PLAIN

BOOT = 0x1A2B3C4D
LOG = Path("x.log")


def scan(card: Card) -> CardScan:
    return CardScan(card=FaceDownCard(card), face_up=False, reread=False, confidence=100)


def hello(newest: int, *, boot: int = BOOT) -> bytes:
    return encode(
        Hello(kind=DeviceKind.SHOE, boot=boot, firmware=(1, 0, 0), oldest=1, newest=newest, serial="X")
    )


def event(number: int, what: DeviceEvent) -> bytes:
    return encode(Event(number=number, at_ms=number, what=what))


def captured(protocol: str, *octets: tuple[float, bytes], options: dict[str, str] | None = None) -> str:
    entries: list[Entry] = [CableMoved(at_us=0, to=Cable.OPENED)]
    for at_s, piece in octets:
        entries.append(Carried(at_us=round(at_s * 1e6), way=Way.FROM_DEVICE, octets=piece))
    kind = "scanner" if protocol == "barcode" else "shoe"
    provenance = Provenance(protocol=protocol, kind=kind, options=options or {})
    return write_capture(Capture(provenance=provenance, entries=tuple(entries)))


def said(text: str, source: Path = LOG) -> list[Input]:
    return [step.said for step in capture_steps(text, source=source, seed=0) if isinstance(step.said, Input)]


def kinds(steps: list[Input]) -> list[type]:
    return [type(each) for each in steps]


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ("# protocol: morse\n", "x.log: There is no protocol 'morse'. There is: "),
        ("# protocol: angel_eye\n# option colour: red\n", "x.log: angel_eye has no option 'colour'. "),
        ("# nothing: 1\n", "x.log, line 2: "),
    ],
)
def test_a_capture_that_cannot_be_ruled_on_is_named_with_its_remedy(head: str, says: str) -> None:
    text = f"# table-edge capture 1\n{head}0.000000 opened\n"
    with pytest.raises(ScriptInvalid) as caught:
        list(capture_steps(text, source=Path("x.log"), seed=0))
    assert str(caught.value).startswith(says)
    assert caught.value.sentence.endswith(".")


def test_a_numbered_capture_is_heard() -> None:
    text = captured(
        "table_link", (0.01, hello(0)), (1.0, event(1, scan(Card.AS))), (2.5, event(2, CutCardScan()))
    )
    steps = list(capture_steps(text, source=LOG, seed=0))
    assert [step.at_ms for step in steps] == [10, 1000, 2500]
    heard = said(text)
    assert kinds(heard) == [DeviceCameOnline, CardDrawn, CutCardDrawn]
    assert isinstance(heard[1], CardDrawn)
    assert heard[1].card == FaceDownCard(Card.AS)


def test_a_capture_from_the_middle_goes_on_where_its_host_did() -> None:
    resumed = Carried(at_us=5, way=Way.TO_DEVICE, octets=encode(Resume(boot=BOOT, after=1)))
    acked = Carried(at_us=9, way=Way.TO_DEVICE, octets=encode(Ack(boot=BOOT, number=1)))
    said_by_device = [
        Carried(at_us=3, way=Way.FROM_DEVICE, octets=hello(3)),
        Carried(at_us=20, way=Way.FROM_DEVICE, octets=event(2, scan(Card.D2)) + event(3, scan(Card.C3))),
    ]
    entries = sorted([resumed, acked, *said_by_device], key=lambda each: each.at_us)
    text = write_capture(
        Capture(provenance=Provenance(protocol="table_link"), entries=tuple[Entry, ...](entries))
    )
    assert kinds(said(text)) == [DeviceCameOnline, CardDrawn, CardDrawn]


def test_a_gap_silence_and_another_device_are_heard() -> None:
    restarted = captured(
        "table_link", (0.0, hello(0)), (1.0, event(1, scan(Card.AS))), (2.0, hello(0, boot=BOOT + 1))
    )
    assert kinds(said(restarted)) == [DeviceCameOnline, CardDrawn, DeviceEventsMissed, DeviceCameOnline]
    silent = said(captured("table_link", (0.0, hello(0)), (9.0, event(1, scan(Card.AS)))))
    assert [each.absence for each in silent if isinstance(each, DeviceWentOffline)] == [Absence.SILENT]
    shuffler = Hello(kind=DeviceKind.SHUFFLER, boot=1, firmware=(1, 0, 0), oldest=1, newest=0, serial="")
    refused = said(captured("table_link", (0.0, encode(shuffler)), (1.0, event(1, scan(Card.AS)))))
    assert [each.absence for each in refused if isinstance(each, DeviceWentOffline)] == [Absence.WRONG_DEVICE]
    assert len(refused) == 1


def test_an_unnumbered_capture_is_heard_and_its_files_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text(PLAIN, encoding="utf-8")
    text = captured(
        "barcode",
        (0.1, encode_code("As") + encode_code("CUT")),
        (0.2, b"A"),
        options={"code_table": "codes.csv", "suffix": "CR"},
    )
    heard = said(text, tmp_path / "x.log")
    assert kinds(heard) == [DeviceCameOnline, CardDrawn, CutCardDrawn, DeviceEventsMissed]
    with pytest.raises(ScriptInvalid, match=r"codes\.csv"):
        said(text, tmp_path / "elsewhere" / "x.log")


def test_a_port_that_was_closed_is_offline_until_it_is_opened() -> None:
    text = captured("angel_eye", (0.1, bytes.fromhex("05314481b8033446")))
    text += "1.000000 closed\n2.000000 opened\n2.100000 < 05324481b8033443\n"
    assert kinds(said(text)) == [DeviceCameOnline, CardDrawn, DeviceWentOffline, DeviceCameOnline, CardDrawn]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing", "line 1: it is no capture"),
        (captured("morse"), "no protocol 'morse'"),
        (captured("angel_eye", options={"mode": "sleep"}), "options.mode"),
    ],
)
def test_what_cannot_be_replayed_is_refused(text: str, says: str) -> None:
    with pytest.raises(ScriptInvalid, match=says):
        said(text)


def test_a_script_goes_beside_a_capture_by_time() -> None:
    script = '{"shoe": {"install": {"decks": 8}}}\n{"device": "moved", "at": 1.5}\n{"device": "moved"}\n'
    captured_steps = [
        Step(line=0, at_ms=at, said=CutCardDrawn(device="shoe", position=None, device_ms=None))
        for at in (0, 1000, 2000)
    ]
    together = list(beside(captured_steps, read_script(script, source="s", seed=0)))
    assert [step.line for step in together] == [1, 0, 0, 2, 3, 0]


def test_the_command_replays_a_capture_and_a_script_beside_it(tmp_path: Path) -> None:
    log, script = tmp_path / "x.log", tmp_path / "x.jsonl"
    draws = [(1.0 + number, event(number, scan(Card.D9))) for number in range(1, 4)]
    log.write_text(captured("table_link", (0.0, hello(0)), *draws), encoding="utf-8")
    script.write_text('{"at": 0.5, "shoe": {"install": {"decks": 8}}}\n', encoding="utf-8")
    program = [sys.executable, "-m", "edge.cli", "replay", "--rules", "deluxe", "--format", "text"]
    for arguments, code, says in (
        ([str(log)], 0, "device.online"),
        ([str(log), "--with", str(script)], 0, "shoe.installed"),
        ([str(script), "--with", str(script)], 2, "--with is for captures"),
        ([str(tmp_path / "none.log")], 2, "cannot be read"),
    ):
        ran = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False, timeout=60)
        assert ran.returncode == code, ran.stderr
        assert says in ran.stdout + ran.stderr


def test_a_capture_is_known_by_its_name() -> None:
    assert is_capture(Path("x.log"))
    assert not is_capture(Path("x.jsonl"))
    assert not is_capture(Path("-"))
