"""``table-edge pit`` at a table where play went wrong: one situation a test, through the control socket.

A supervisor's answers are typed; where ``Pit.run`` does it in this program, ``at_a_terminal`` has a real one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import structlog
from typer.testing import CliRunner

from edge.cli import pit as pit_module
from edge.cli.app import app
from edge.events import Spot
from edge.inputs import DeviceEventsMissed
from edge.irregular import REPORTABLE
from edge.requests import Action, DecideHand, OpenRound
from edge.ruling import Phase, phase
from tests.edge.cli.served import Answers, Told, at_a_terminal
from tests.edge.control.desk import Place, place, request

FIRST_DEAL = ("9h", "9s", "6c", "2d", "Th", "5c")
"""Draws 4 to 9: seat 1, seat 3, the dealer, seat 1, seat 3, the hole card."""


@dataclass(frozen=True, kw_only=True)
class Pit:
    """A table in this program, and the command beside it."""

    here: Place
    config: Path

    async def run(self, *command: str, typed: str | None = None) -> Told:
        """Run it in a thread; what is typed is there before it is asked for."""
        with structlog.testing.capture_logs():  # which the table would write into the same program's output
            told = await asyncio.to_thread(
                CliRunner().invoke, app, ["pit", "-c", str(self.config), *command], input=typed
            )
        assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
        return Told(code=told.exit_code, out=told.stdout, err=told.stderr)

    async def at_a_terminal(self, *command: str, answers: Answers) -> Told:
        return await at_a_terminal("pit", "-c", str(self.config), *command, answers=answers)

    async def ask(self, command: str, **said: Any) -> None:
        """As another supervisor asks, by the socket."""
        async with await self.here.client() as ben:
            reply = await ben.ask(request(command, data={"operator": "ben", **said}))
        assert reply["outcome"] == "accepted", reply

    def cards(self, seat: int) -> list[str]:
        table_round = self.here.table.state.round
        hand = None if table_round is None else table_round.hand(Spot(seat=seat, hand=1))
        assert hand is not None
        return [card.value for card in hand.cards]

    @property
    def phase(self) -> Phase:
        return phase(self.here.table.state)


Play: TypeAlias = Callable[[Pit], Awaitable[None]]


def run(play: Play, folder: Path) -> None:
    async def body() -> None:
        async with place(folder) as here:
            config = folder / "t1.toml"
            config.write_text(
                f'table = "t1"\nhouse = "deluxe"\ncontrol = "{here.path}"\n\n[mqtt]\nhost = "broker"\n'
            )
            here.open_round()
            async with await here.client():  # it listens
                pass
            await play(Pit(here=here, config=config))

    asyncio.run(body())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command takes what is typed for a terminal's."""
    monkeypatch.setattr(pit_module, "_interactive", lambda: True)


# At a terminal --------------------------------------------------------------------------------------


def test_an_unread_card_is_entered_by_hand(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h", None)
        told = await pit.at_a_terminal(
            answers=[
                ("seat 1          9h (draw 4)", None),
                ("! 1 unread_card: A card could not be read. (draw 5, device shoe)", None),
                ("Among the first cards, since 20", None),
                ("1  enter", None),
                ("Number, or q to leave", "1"),
                ("Which card is it, such as 9h or 10d", "11d"),
                ("is no card: write rank then suit", None),
                ("Which card is it", "10D"),
                ("Who are you", "ada"),
                ("Reason", ""),
                ("irregularity.resolve: id 1, resolution enter, card Td, operator ada. Do it?", "y"),
                ("irregularity.resolve: accepted.", None),
                ("a card is due for the dealer", None),
                ("Number, or q to leave", "q"),
            ]
        )
        assert told.code == 0, told.out
        assert (pit.cards(3), pit.phase) == (["Td"], Phase.CARD_DUE)

    run(play, tmp_path)


def test_cards_that_came_out_unseen_are_confirmed(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h")
        pit.here.hear(DeviceEventsMissed(device="shoe", boot=1, first=9, last=10, position=None))
        told = await pit.at_a_terminal(
            answers=[
                ("! 1 scan_gap", None),
                ("1  confirm", None),
                ("Number, or q to leave", "1"),
                ("This is the table as it is known", None),
                ("Which place has more cards than shown", "2"),
                ("In this round there are seat 1, seat 3, the dealer.", None),
                ("Which place has more cards than shown", "3"),
                ("Which cards lie at seat 3 after those", "10s"),
                ("seat 3          Ts", None),
                ("Which place has more cards than shown", "dealer"),
                ("Which cards lie at the dealer after those", "6c"),
                ("Which place has more cards than shown", ""),
                ("Who are you", "ben"),
                ("Reason", "cable"),
                ("cards seat 1: 9h; seat 3: Ts; the dealer: 6c, operator ben, reason cable. Do it?", "y"),
                ("a card is due for seat 1, hand 1", None),
                ("Number, or q to leave", "q"),
            ]
        )
        assert told.code == 0, told.out
        assert (pit.cards(1), pit.cards(3), pit.phase) == (["9h"], ["Ts"], Phase.CARD_DUE)

    run(play, tmp_path)


def test_the_second_of_two_supervisors_is_told_that_it_is_resolved(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h", None)

        async def ben_is_first() -> str:
            await pit.ask("card.enter", draw=5, card="5c")
            return "y"

        told = await pit.at_a_terminal(
            answers=[
                ("Number, or q to leave", "1"),
                ("Which card is it", "5d"),
                ("Who are you", "ada"),
                ("Reason", ""),
                ("Do it?", ben_is_first),
                ("refused (already_resolved): Irregularity 1 has been resolved: somebody was first.", None),
                ("What may be done now", None),
                ("Number, or q to leave", "q"),
            ]
        )
        assert told.code == 0, told.out
        assert pit.cards(3) == ["5c"]

    run(play, tmp_path)


def test_a_round_is_ended_only_if_nothing_has_happened_since_it_was_shown(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h", None)

        async def ben_is_first() -> str:
            await pit.ask("round.void", reason="ben")
            pit.here.serve(OpenRound(round_id="r2", seats=(1,)))
            pit.here.draw("9c", None)
            return "y"

        told = await pit.at_a_terminal(
            "void",
            answers=[("Reason", "late"), ("Who are you", "ada"), ("Do it?", ben_is_first)],
        )
        assert (told.code, "refused (stale): Event" in told.out) == (1, True)
        table_round = pit.here.table.state.round
        assert table_round is not None
        assert table_round.round_id == "r2"

    run(play, tmp_path)


# Typed in this program ------------------------------------------------------------------------------


@pytest.mark.usefixtures("terminal")
def test_a_card_that_went_astray_is_reported_and_the_first_cards_are_rebuilt(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h", "9s")
        report = [*_number_of("wrong_place"), "5", "1", "y", "ada", "saw it", "y"]
        told = await pit.run("report", typed="\n".join(report))
        assert told.code == 0, told.out
        assert "draw 5, to seat 1, by_hand yes, operator ada, reason saw it. Do it?" in told.out
        assert "HELD" in told.out
        resolve = ["5", "1", "", "ada", "", "y"]
        told = await pit.run("resolve", "--resolution", "rebuild", typed="\n".join(resolve))
        assert told.code == 0, told.out
        assert "seat 3          9s (draw 5)" in told.out
        assert "places draw 5 to seat 1, operator ada. Do it?" in told.out
        assert (pit.cards(1), pit.cards(3)) == (["9h", "9s"], [])

    run(play, tmp_path)


@pytest.mark.usefixtures("terminal")
def test_what_a_decision_was_taken_on_is_changed_only_where_somebody_insists(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw(*FIRST_DEAL)
        for seat in (1, 3):
            pit.here.serve(DecideHand(seat=seat, hand=1, action=Action.STAND))
        assert pit.phase is Phase.CARD_DUE
        await pit.ask("irregularity.report", kind="misread_card", draw=5, card="8s")
        way = ["ada", "", "y"]
        told = await pit.run("resolve", "--id", "1", typed="\n".join(["correct", *way, "n"]))
        assert "A decision has been taken on hand 1 of seat 3" in told.err
        assert (told.code, pit.cards(3)) == (1, ["9s", "Th"])
        told = await pit.run("resolve", "--id", "1", typed="\n".join(["correct", *way, "y"]))
        assert "Change it all the same" in told.out
        assert (told.code, pit.cards(3)) == (0, ["8s", "Th"])

    run(play, tmp_path)


@pytest.mark.usefixtures("terminal")
def test_nothing_is_sent_before_it_is_confirmed_nor_when_nobody_is_there_any_more(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw("9h", None)
        before = pit.here.table.state
        for typed in ("1\n9h\nada\n\nn\nq\n", "1\n9h\nada\n\n", "1\n9h\n", "1\n", ""):
            told = await asyncio.to_thread(
                CliRunner().invoke, app, ["pit", "-c", str(pit.config)], input=typed
            )
            assert told.exit_code == (0 if typed.endswith("q\n") else 1), told.output
        assert pit.here.table.state == before

    run(play, tmp_path)


@pytest.mark.usefixtures("terminal")
def test_where_there_is_nothing_to_choose_nothing_is_asked(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        for command, told in (
            ("resolve", "No irregularity is open."),
            ("enter", "No card waits to be named."),
            ("dispute", "No round has had a result yet."),
            ("release", "No supervisor holds the table."),
        ):
            refused = await pit.run(command, typed="")
            assert (refused.code, refused.err) == (1, f"table-edge: not now: {told}\n")

    run(play, tmp_path)


# In one line ----------------------------------------------------------------------------------------


def test_every_way_out_has_its_line(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        ada = ("--operator", "ada")
        pit.here.draw("9h", None)
        refused = await pit.run("resolve", "--id", "1", "--resolution", "move", "--to", "3", *ada)
        assert (refused.code, refused.out) == (1, "")
        assert refused.err == (
            "table-edge: refused (resolution_not_allowed): "
            "Irregularity 1 (unread_card) allows: enter, discard, retract, void_round, retire_shoe.\n"
        )
        entered = await pit.run("enter", "--draw", "5", "--card", "10S", *ada)
        assert entered.out.startswith("card.enter: accepted. Done. (event ")
        assert entered.out.endswith(
            "Table t1: a card is due for the dealer; house deluxe; shoe 1 in shoe, 5 cards out, 411 left, "
            "1 round; round 1 (r1), seats 1, 3\n"
        )
        pit.here.draw("6c", "2d")
        held = await pit.run("hold", *ada, "--reason", "spilt drink")
        assert "Table t1: HELD" in held.out
        seen = await pit.run()
        assert "! held by ada: spilt drink" in seen.out
        assert "the dealer      6c (draw 6)" not in seen.out  # nothing is irregular
        released = await pit.run("release", *ada, "--reason", "dry")
        assert "a card is due for seat 3, hand 1" in released.out
        report = ("report", "--kind", "wrong_place", "--draw", "6", "--to", "3", "--by-hand")
        assert (await pit.run(*report, *ada)).code == 0
        rebuild = ("resolve", "--id", "2", "--resolution", "rebuild", "--places", "6=3", *ada)
        assert (await pit.run(*rebuild)).code == 0
        assert pit.cards(3) == ["Ts", "6c"]

    run(play, tmp_path)


def test_cards_are_confirmed_in_one_line(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw(*FIRST_DEAL[:5])
        pit.here.hear(DeviceEventsMissed(device="shoe", boot=1, first=9, last=10, position=None))
        line = ("resolve", "--id", "1", "--resolution", "confirm", "--operator", "ada", "--cards")
        wrong = await pit.run(*line, "1=9h 3d; 3=9s 10h; dealer=6c x")
        assert "refused (does_not_fit): hand 1 of seat 1 has 9h, 2d as the table knows it" in wrong.err
        assert (await pit.run(*line, "1=9h 2d; 3=9s 10h; dealer=6c x")).code == 0
        assert pit.phase is Phase.DECISION

    run(play, tmp_path)


def test_the_rest_of_a_shoe_is_scanned_out_and_what_is_missing_is_cleared_by_name(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        ada = ("--operator", "ada")
        assert (await pit.run("retire", *ada, "--reason", "worn")).code == 0
        stranger = await pit.run("reconcile", "--step", "start", "--operator", "eve")
        assert "refused (not_allowed)" in stranger.err
        assert (await pit.run("reconcile", "--step", "start", *ada)).code == 0
        pit.here.draw("9h")
        assert (await pit.run("reconcile", "--step", "finish", *ada)).code == 0
        seen = await pit.run()
        assert "! 1 count_mismatch: The cards that were counted are not those of the decks." in seen.out
        assert "latched: nothing new begins" in seen.out
        assert "9h" not in seen.out  # what lay in the shoe's rest is nobody's business
        cleared = await pit.run("clear", *ada, "--reason", "counted by hand")
        assert cleared.code == 0
        again = await pit.run("clear", *ada, "--reason", "counted by hand", "--id", "1")
        assert "refused (already_resolved)" in again.err

    run(play, tmp_path)


def test_a_result_is_disputed(tmp_path: Path) -> None:
    async def play(pit: Pit) -> None:
        pit.here.draw(*FIRST_DEAL)
        for seat in (1, 3):
            pit.here.serve(DecideHand(seat=seat, hand=1, action=Action.STAND))
        pit.here.draw("Kd")
        assert pit.phase is Phase.READY
        line = ("dispute", "--operator", "ada", "--reason", "a card on the floor")
        assert (await pit.run(*line)).code == 0
        wrong = await pit.run(*line, "--shoe", "1", "--round", "7")
        assert (wrong.code, "refused (no_round): Shoe 1 has had rounds 1 to 1." in wrong.err) == (1, True)

    run(play, tmp_path)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("resolve", "--id", "1", "--resolution", "move", "--to", "third"), "a place is a seat such as 3"),
        (("resolve", "--id", "1", "--resolution", "rebuild", "--places", "4"), "say draw=place"),
        (("resolve", "--id", "1", "--resolution", "confirm", "--cards", "9h"), "say place=cards"),
        (("resolve", "--id", "one", "--resolution", "accept"), "'--id'"),
        (("resolve", "--id", "1", "--resolution", "burn"), "'--resolution'"),
        (("resolve", "--id", "1"), "--resolution is missing"),
        (("enter", "--draw", "5", "--card", "1h"), "refused (malformed): data.card: it must be a card"),
        (("hold", "--reason", " "), "refused (malformed): data.reason: it must be printable"),
    ],
)
def test_what_cannot_be_understood_is_not_asked(tmp_path: Path, line: tuple[str, ...], told: str) -> None:
    async def play(pit: Pit) -> None:
        before = pit.here.table.state
        refused = await pit.run(*line, "--operator", "ada")
        assert refused.code == 2
        assert told in " ".join(refused.err.replace("│", " ").split())
        assert pit.here.table.state == before

    run(play, tmp_path)


def _number_of(kind: str) -> list[str]:
    """The number under which a report is offered, in a round of a house with a hole card and a burn."""
    return [str([each.value for each in REPORTABLE].index(kind) + 1)]
