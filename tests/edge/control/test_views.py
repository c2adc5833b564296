"""What is shown: the truth about the table, and nothing that lies face down."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from edge.control import SUPERVISED, LinkLook, happened, required, says, verb
from edge.control.commands import NOBODY, NOTHING_OPEN, NOTHING_UNREAD, refusal
from edge.errors import JournalCorrupt
from edge.requests import COMMANDS, Desk, KnownRequest
from edge.ruling import new_table
from sim_devices.daemon import program
from tests.edge.control.desk import Place, place, request

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Invented:
    """``shoe.polish``: a supervisor has the shoe polished."""

    command: ClassVar[str] = "shoe.polish"
    desk: ClassVar[Desk] = Desk.SUPERVISOR

    operator: str
    strokes: int
    cloth: str = "soft"


INVENTED = cast("type[KnownRequest]", _Invented)


def test_every_command_of_the_desk_is_offered_and_no_other() -> None:
    assert {kind.command for kind in SUPERVISED} == {
        *(name for name, kind in COMMANDS.items() if kind.desk is Desk.SUPERVISOR),
        "shoe.reconcile",
    }
    assert len({verb(kind) for kind in SUPERVISED}) == len(SUPERVISED)
    assert all(says(kind).endswith(".") for kind in SUPERVISED)


def test_a_command_that_joins_the_desk_is_understood_by_its_fields() -> None:
    assert verb(INVENTED) == "polish"
    assert says(INVENTED) == "A supervisor has the shoe polished."
    assert required(INVENTED) == ("operator", "strokes")
    assert refusal(new_table("j"), INVENTED) is None  # its details decide


def test_the_pit_sees_what_holds_the_table_and_what_may_be_done(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path) as here, await here.client() as ada:
            nothing = await ada.show("pit")
            assert nothing["irregularities"] == []
            refusals = {each["command"]: each["refusal"] for each in nothing["commands"]}
            assert refusals == {
                "shoe.reconcile": "No shoe has been closed since the last scan-out.",
                "irregularity.report": None,
                "irregularity.resolve": NOTHING_OPEN,
                "card.enter": NOTHING_UNREAD,
                "round.dispute": "No round has had a result yet.",
                "round.void": "No round is in progress.",
                "table.hold": None,
                "table.release": "No supervisor holds the table.",
                "shoe.retire": "No shoe is in.",
                "fault.clear": "Nothing is latched.",
            }
            assert [each["kind"] for each in nothing["reports"]] == ["damaged_card"]
            assert nothing["operators"] == ["ada", "ben"]
            here.open_round()
            here.draw(None)
            held = await ada.show("pit")
            (opened,) = held["irregularities"]
            ways = opened.pop("resolutions")
            assert opened == {
                "id": 1,
                "kind": "unread_card",
                "seen": "A card could not be read.",
                "stage": "new_game",
                "draw": 4,
                "device": "shoe",
                "seat": None,
                "to": None,
                "latched": False,
                "since": "2026-01-01T00:00:00.000Z",
                "house": "enter",
                "operators": ["ada", "ben"],
            }
            assert [(each["resolution"], each["needs"]) for each in ways] == [
                ("enter", ["card"]),
                ("discard", []),
                ("retract", []),
                ("void_round", []),
                ("retire_shoe", []),
            ]
            reports = {each["kind"]: (each["needs"], each["may"]) for each in held["reports"]}
            assert reports["wrong_place"] == (["draw"], ["to", "by_hand"])
            assert reports["box_skipped"] == (["seat"], [])
            refusals = {each["command"]: each["refusal"] for each in held["commands"]}
            assert {refusals[name] for name in ("round.void", "shoe.retire", "card.enter")} == {None}
            assert (held["as_of"], held["journal"]) == (here.table.state.sequence, here.table.state.journal)

    asyncio.run(body())


def test_when_it_happened_is_told_where_the_journal_can_say() -> None:
    class Events:
        def __init__(self, *kept: tuple[int, bytes]) -> None:
            self.kept = kept

        def events_between(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
            if not first:
                raise JournalCorrupt("It cannot be read.")
            return (each for each in self.kept if first <= each[0] <= last)

    journal = Events((7, b'{"time": "2026-03-01T09:12:44.120Z"}'))
    assert [happened(journal, sequence) for sequence in (0, 6, 7)] == [None, None, "2026-03-01T09:12:44.120Z"]


def test_where_nobody_may_sign_that_is_said(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path, operators=()) as here, await here.client() as ada:
            here.open_round()
            told = await ada.show("pit")
            assert {each["refusal"] for each in told["commands"]} == {NOBODY}
            assert (await ada.ask(request("round.void")))["code"] == "not_allowed"

    asyncio.run(body())


def test_the_technician_sees_the_faulty_cable(tmp_path: Path) -> None:
    async def body() -> None:
        async with place(tmp_path) as here, await here.client() as ada:
            here.links.append(
                LinkLook(
                    device="shoe",
                    kind="shoe",
                    url="serial:/dev/shoe",
                    trouble=None,
                    connected=False,
                    counters={"frames": 7, "rejects": 3},
                )
            )
            here.board.degrade("device:shoe", "There is no device at /dev/shoe.")
            told = await ada.show("status")
        assert told["status"] == "degraded"
        (device,) = told["devices"]
        assert (device["connected"], device["why"]) == (False, "There is no device at /dev/shoe.")
        assert (device["url"], device["counters"]) == ("serial:/dev/shoe", {"frames": 7, "rejects": 3})
        assert told["broker"] == {"address": "broker:1883", "connected": False, "counters": {}}
        assert told["journal"] == {
            "id": here.table.state.journal,
            "sequence": here.table.state.sequence,
            "published": 1,
            "backlog": here.table.state.sequence - 1,
        }

    asyncio.run(body())


# Non-interference -----------------------------------------------------------------------------------


def test_a_hole_card_changes_nothing_that_is_shown(tmp_path: Path) -> None:
    def seen(name: str, *, burned: str = "9c", hole: str, third: str = "2d") -> list[str]:
        folder = tmp_path / name
        folder.mkdir()
        return asyncio.run(_seen(folder, burned=burned, hole=hole, third=third))

    one = seen("one", hole="5c")
    assert one == seen("two", burned="3s", hole="6d")
    assert one != seen("three", hole="5c", third="3d")  # a difference would be seen


async def _seen(folder: Path, *, burned: str, hole: str, third: str) -> list[str]:
    """Every text of socket and commands, from the deal to a hold; ids are masked."""
    async with place(folder) as here:
        here.open_round(burned=burned)
        here.draw("9h", "9s", "6c", third, "Th", hole)
        texts = await _answered(here)
        here.draw(None, "8d")  # irregular, and parked
        texts += await _answered(here)
        texts += await asyncio.gather(*(_commanded(here, folder, each) for each in ("status", "pit")))
    assert any("! 1 unexpected_draw: A card was drawn" in text for text in texts)
    return [UUID.sub("<id>", text) for text in texts]


async def _answered(here: Place) -> list[str]:
    async with await here.client() as ada:
        shown = [await ada.show(what) for what in ("state", "status", "pit")]
        return [json.dumps(each) for each in (*shown, await ada.ask(request("round.void", operator="eve")))]


async def _commanded(here: Place, folder: Path, command: str) -> str:
    config = folder / f"{command}.toml"
    config.write_text(f'table = "t1"\nhouse = "deluxe"\ncontrol = "{here.path}"\n\n[mqtt]\nhost = "broker"\n')
    told = await asyncio.to_thread(
        subprocess.run,
        [program(), command, "-c", str(config)],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return str(told.stdout + told.stderr)
