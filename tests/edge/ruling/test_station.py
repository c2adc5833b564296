"""What is heard beside the table: the edge itself, its devices, its numbering."""

from dataclasses import replace

import pytest

from drivers import Absence, Position
from edge.events import DeviceFault, DeviceOffline, DeviceOnline, EdgeStopped, Interrupted
from edge.events import EdgeStarted as CameUp
from edge.house_rules import house_digest, house_text
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceFaultGone,
    DeviceFaultSeen,
    DeviceSpokeUnknown,
    DeviceWentOffline,
    EdgeStarted,
)
from edge.inputs import EdgeStopped as GoingDown
from edge.notes import DeviceHeard
from edge.ruling import decide, new_table
from tests.edge.ruling.playing import JOURNAL, Table, dealt, hidden, nonce_of, ready

START = EdgeStarted(version="0.1.0", config_hash="c", operators=None, shoes=None)
ONLINE = DeviceCameOnline(
    device="shoe",
    kind="shoe",
    serial="s7",
    firmware="1.2",
    position=Position(boot=9, number=40),
    skipped=0,
)


def test_the_edge_says_what_came_up_on_which_house() -> None:
    table = Table()
    assert table.hear(START).events == (
        CameUp(
            version="0.1.0",
            config_hash="c",
            house="deluxe",
            house_rules_hash=house_digest(house_text("deluxe")),
            journal=JOURNAL,
            recovered=None,
        ),
    )


def test_before_any_house_is_known_none_is_named() -> None:
    (ruled,) = [each for each in decide(new_table("j"), START).ruled if isinstance(each, CameUp)]
    assert (ruled.house, ruled.house_rules_hash, ruled.journal) == (None, None, "j")


def test_what_was_in_progress_is_said() -> None:
    table = dealt("deluxe", (1,), "Tc", "7d")
    event = table.hear(START).events[0]
    assert isinstance(event, CameUp)
    assert event.recovered == Interrupted(shoe=1, round=1, phase="card_due")
    (event,) = ready().hear(START).events
    assert isinstance(event, CameUp)
    assert event.recovered == Interrupted(shoe=1, round=None, phase="ready")
    bare = Table()
    bare.draw("9h")
    (event,) = bare.hear(START).events
    assert isinstance(event, CameUp)
    assert event.recovered is None


@pytest.mark.rule("DLX-31", "DLX-32")
def test_a_restart_leaves_the_round_where_it_stood_and_holds_it() -> None:
    table = dealt("deluxe", (1,), "Tc", "7d", "8h", "Kc")
    table.told()
    before = table.state.round
    table.hear(GoingDown(reason="update"))
    table.hear(START)
    assert table.state.round == before
    assert table.told() == [
        "edge.stopped",
        "edge.started",
        "irregularity 1: power_lost, confirm or void_round or retire_shoe",
        "held: power_lost",
    ]
    table.hear(START)
    assert table.told() == ["edge.started"]
    assert table.resolve("confirm") == "done"
    assert table.told() == ["irregularity 1 resolved: confirm by ada", "released: confirm"]
    assert table.decide(1, "stand") == "done"


def test_the_edge_says_why_it_goes_down() -> None:
    assert Table().hear(GoingDown(reason="night")).events == (EdgeStopped(reason="night"),)


def test_a_device_comes_and_goes_with_its_reason() -> None:
    table = ready()
    assert table.hear(ONLINE).events == (
        DeviceOnline(shoe=1, device="shoe", role="shoe", kind="shoe", serial="s7", firmware="1.2"),
    )
    known = table.state.device("shoe")
    assert (known.online, known.reason, known.position) == (True, "", Position(boot=9, number=40))
    gone = DeviceWentOffline(device="shoe", absence=Absence.LOST, detail="Unplugged: plug it in.")
    assert table.hear(gone).events == (
        DeviceOffline(shoe=1, device="shoe", reason="lost", detail="Unplugged: plug it in."),
    )
    known = table.state.device("shoe")
    assert (known.online, known.reason, known.serial) == (False, "lost", "s7")
    assert table.state.device("other").id == "other"


def test_skipped_events_of_a_first_contact_are_said() -> None:
    (event,) = Table().hear(replace(ONLINE, skipped=12)).events
    assert isinstance(event, DeviceOnline)
    assert event.skipped == 12


@pytest.mark.rule("DLX-32")
def test_a_lost_shoe_holds_the_round_until_it_is_back() -> None:
    table = dealt("deluxe", (1,), "Tc", "7d")
    table.told()
    table.hear(DeviceWentOffline(device="shoe", absence=Absence.SILENT, detail="Silent: look."))
    assert table.told()[-1] == "held: device_lost"
    table.hear(ONLINE)
    assert table.told()[1:] == ["irregularity 1 resolved: resumed", "released: resumed"]
    table.draw("8h", "Kc")
    assert table.told()[-1] == "1/1 may HSDR on 18"


def test_faults_of_a_device_are_kept_until_they_go() -> None:
    table = Table()
    at = Position(boot=9, number=41)
    assert table.hear(DeviceFaultSeen(device="shoe", position=at, code=4)).events == (
        DeviceFault(device="shoe", code=4, detail="shoe reports its fault 4: see the maker's manual."),
    )
    table.hear(DeviceFaultSeen(device="shoe", position=at, code=2))
    table.hear(DeviceFaultSeen(device="shoe", position=at, code=4))
    assert table.state.device("shoe").faults == (2, 4)
    table.hear(DeviceFaultGone(device="shoe", position=at, code=4))
    assert table.state.device("shoe").faults == (2,)
    assert table.told() == ["device.fault"] * 3 + ["device.fault_cleared"]


def test_an_unknown_word_of_a_device_is_recorded_and_nothing_more() -> None:
    table = ready()
    at = Position(boot=9, number=50)
    step = table.hear(DeviceSpokeUnknown(device="shoe", position=at, code=200, body="00ff"))
    assert step.ruled == (DeviceHeard(device="shoe", position=at),)


def test_how_far_a_device_was_heard_is_kept() -> None:
    table = Table()
    at = [Position(boot=9, number=number) for number in range(5)]
    table.hear(CardDrawn(device="b", position=at[1], device_ms=1, card=hidden("9h"), nonce=nonce_of(1)))
    assert table.state.device("b").position == at[1]
    table.hear(CutCardDrawn(device="a", position=at[2], device_ms=2))
    table.hear(DeviceEventsMissed(device="b", boot=9, first=2, last=None, position=at[3]))
    assert [(each.id, each.position) for each in table.state.devices] == [("a", at[2]), ("b", at[3])]


def test_devices_are_kept_in_the_order_of_their_ids() -> None:
    table = Table()
    for name in ("c", "a", "b", "a"):
        table.hear(replace(ONLINE, device=name))
    assert [each.id for each in table.state.devices] == ["a", "b", "c"]
