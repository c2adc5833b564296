"""The reference server's parts: what it checks, what it wants, what it keeps."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sim_devices.audit import FIRST_PREVHASH, Auditor, Taken
from sim_devices.broker import BrokerAddress
from sim_devices.comparison import departed, differences
from sim_devices.desk import Answered, Desk
from sim_devices.errors import BadAddress, TableUnwell
from sim_devices.event_log import EventLog, read_events
from sim_devices.game import Game, Turn
from sim_devices.game_server import GameServer, ServerSettings
from sim_devices.play import Programme, Temper, Wish, about_best, finished, next_wish
from sim_devices.settlement import PlayedRound, pair_of, settle, worth

NONCE = "00" * 16


class Story:
    """Events as a table would publish them."""

    def __init__(self) -> None:
        self.events: list[Taken] = []

    def tell(self, kind: str, /, **said: Any) -> Taken:
        previous = self.events[-1].raw if self.events else None
        envelope = {
            "type": f"table-edge.{kind}.v1",
            "data": said,
            "sequence": f"{len(self.events) + 1:020d}",
            "journal": "j",
            "prevhash": FIRST_PREVHASH if previous is None else hashlib.sha256(previous).hexdigest(),
        }
        self.events.append(Taken.read(json.dumps(envelope).encode()))
        return self.events[-1]

    def open(self) -> "Story":
        self.tell("device.online", device="shoe", kind="shoe")
        self.tell("shoe.installed", shoe=1, number=1)
        self.tell("shoe.ready", shoe=1)
        return self

    @property
    def game(self) -> Game:
        game = Game()
        for event in self.events:
            game.take(event)
        return game


def seal(card: str) -> str:
    return hashlib.sha256(f"{NONCE}:{card}".encode()).hexdigest()


# --- what it tells


@pytest.mark.parametrize(
    ("house", "told"),
    [
        ("deluxe", "0 results as the book has them"),
        ("korean-floor", "1 results of korean-floor taken as they are (the book is deluxe's)"),
    ],
)
def test_results_of_a_house_without_a_book_are_not_told_as_wrong(house: str, told: str) -> None:
    story = Story()
    story.tell("edge.started", house=house)
    story.open()
    story.tell("round.opened", shoe=1, round=1, round_id="r", seats=[1])
    story.tell("round.result", shoe=1, round=1, dealer={}, seats=[])
    assert story.game.results_told == told
    assert bool(story.game.faults) == (house == "deluxe")  # a result without cards is none of its book's


class Refusing(Desk):
    """A table whose house has other shoes."""

    def __init__(self) -> None:
        self.ids: list[str | None] = []

    async def ask(
        self,
        command: str,
        content: Mapping[str, Any],
        *,
        id: str | None = None,  # noqa: A002 - the contract's word
        topic: str = "commands",
    ) -> Answered:
        self.ids.append(id)
        return Answered(
            id=id or "",
            command=command,
            accepted=False,
            code="wrong_decks",
            message="Six decks here.",
            sequence=0,
        )


def test_a_table_that_refuses_for_ever_is_given_up_with_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim_devices.game_server.MOST_ATTEMPTS", 3)
    monkeypatch.setattr("sim_devices.game_server.AFTER_REFUSAL_S", 0.0)
    server = GameServer(ServerSettings(broker=BrokerAddress(port=1), table="t1", log=tmp_path / "book"))
    wish = Wish(key="install 1", command="shoe.install", content={"decks": 8})

    async def ask_again() -> None:
        for _ in range(4):
            await server._ask(Refusing(), wish)  # noqa: SLF001 - a whole table would refuse for 25 s

    with pytest.raises(
        TableUnwell, match=r"shoe.install \(install 1\) 3 times, .* wrong_decks: Six decks here"
    ):
        asyncio.run(ask_again())


def test_a_server_that_comes_back_asks_by_the_same_ids_and_by_others_for_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim_devices.game_server.AFTER_REFUSAL_S", 0.0)
    settings = ServerSettings(broker=BrokerAddress(port=1), table="t1", log=tmp_path / "book")
    table = Refusing()

    async def a_life(decks: int) -> None:
        wish = Wish(key="install 1", command="shoe.install", content={"decks": decks})
        await GameServer(settings)._ask(table, wish)  # noqa: SLF001 - one wish of a life

    for decks in (8, 8, 6):
        asyncio.run(a_life(decks))
    first, again, other = table.ids
    assert first == again != other


# --- the auditor


def audited(events: list[Taken]) -> Auditor:
    auditor = Auditor()
    for event in events:
        auditor.take(event)
    return auditor


def test_a_true_story_has_no_fault() -> None:
    story = Story().open()
    story.tell("card.burned", shoe=1, draw=1, seal=seal("As"))
    story.tell("card.dealt", shoe=1, draw=2, to="dealer", seal=seal("Kd"))
    story.tell("card.revealed", shoe=1, draw=2, card="Kd", nonce=NONCE)
    auditor = audited(story.events)
    assert (auditor.faults, auditor.sequence) == ([], 6)
    assert (auditor.seals_opened, auditor.seals_closed) == (1, 1)


def test_a_missing_event_is_found() -> None:
    events = Story().open().events
    assert audited(events[:1] + events[2:]).faults == ["Event 3 (shoe.ready) follows 1"]


def test_an_event_that_comes_twice_is_found() -> None:
    events = Story().open().events
    assert audited([*events, events[-1]]).faults == ["Event 3 (shoe.ready) follows 3"]


def test_a_changed_event_is_found() -> None:
    events = Story().open().events
    events[1] = Taken.read(events[1].raw.replace(b'"number": 1', b'"number": 2'))
    assert audited(events).faults == ["Event 3 (shoe.ready) does not carry the digest of the event before it"]


def test_a_broken_seal_is_found() -> None:
    story = Story()
    story.tell("card.dealt", shoe=1, draw=2, to="dealer", seal=seal("Kd"))
    story.tell("card.revealed", shoe=1, draw=2, card="Ks", nonce=NONCE)
    story.tell("card.revealed", shoe=1, draw=3, card="Ks", nonce=NONCE)
    wrong_card, never_sealed = audited(story.events).faults
    assert "its seal does not hold" in wrong_card
    assert "never sealed" in never_sealed


def test_the_seal_of_a_card_that_was_set_aside_is_opened_when_it_is_dealt() -> None:
    story = Story()
    story.tell("card.parked", shoe=1, draw=2, device="shoe", seal=seal("Kd"), why="held")
    story.tell("irregularity.raised", shoe=1, draw=2, id=1, seal=seal("Kd"))
    story.tell("card.parked", shoe=1, draw=3, device="shoe", why="irregular")
    story.tell("card.dealt", shoe=1, draw=2, to="dealer", card="Kd", nonce=NONCE)
    story.tell("card.dealt", shoe=1, draw=3, to="dealer", card="2d", entered_by="ada")
    auditor = audited(story.events)
    assert (auditor.faults, auditor.seals_opened, auditor.seals_closed) == ([], 1, 0)


def test_a_card_that_was_set_aside_and_is_dealt_as_another_is_found() -> None:
    story = Story()
    story.tell("card.parked", shoe=1, draw=2, device="shoe", seal=seal("Kd"), why="held")
    story.tell("card.dealt", shoe=1, draw=2, to="dealer", card="Ks", nonce=NONCE)
    story.tell("card.parked", shoe=1, draw=3, device="shoe", seal=seal("Kd"), why="held")
    story.tell("card.dealt", shoe=1, draw=3, to="dealer", seal=seal("Ks"))
    other_card, other_seal = audited(story.events).faults
    assert "its seal does not hold" in other_card
    assert "another seal than before" in other_seal


@pytest.mark.parametrize("raw", [b"", b"{}", b"null", b'{"sequence": "x"}'])
def test_an_event_that_cannot_be_read(raw: bytes) -> None:
    with pytest.raises(TableUnwell):
        Taken.read(raw)


def test_an_event_that_does_not_fit_is_no_crash() -> None:
    story = Story().open()
    story.tell("round.opened", shoe=1, round=1)
    with pytest.raises(TableUnwell, match="does not fit"):
        _ = story.game


# --- the book


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("As Kd", (21, True)),
        ("As 9h 5c", (15, False)),
        ("As As", (12, True)),
        ("Kd Qh 5c", (25, False)),
        ("As", (11, True)),
    ],
)
def test_what_cards_are_worth(cards: str, total: tuple[int, bool]) -> None:
    assert worth(cards.split()) == total


@pytest.mark.parametrize(
    ("cards", "up", "kind"),
    [
        ("Ks Qs", "2c", None),
        ("Ks Kh", "2c", "mixed"),
        ("Ks Kc", "2c", "coloured"),
        ("Ks Ks", "2c", "perfect"),
        ("Ks Ks", "Ks", "suited_triple"),
        ("Ks Kc", "Ks", "coloured"),
    ],
)
def test_pairs(cards: str, up: str, kind: str | None) -> None:
    first, second = cards.split()
    pair = pair_of([first, second], up)
    assert (None if pair is None else pair["kind"]) == kind


@pytest.mark.parametrize(
    ("hand", "dealer", "how", "outcome"),
    [
        ("As Kd", "9c 8c", "natural", "blackjack"),
        ("As Kd", "Ac Tc", None, "push"),
        ("9s 9d 3c", "Ac Tc", "twenty_one", "lose"),
        ("Ts 9d", "9c 8c", "stand", "win"),
        ("Ts 7d", "9c 8c", "stand", "push"),
        ("Ts 6d", "9c 8c", "stand", "lose"),
        ("Ts 6d Kh", "9c 6c Kc", "bust", "lose"),
        ("Ts 2d", "9c 6c Kc", "stand", "win"),
        ("Ts 6d", "9c 8c", "surrender", "surrender"),
    ],
)
def test_outcomes(hand: str, dealer: str, how: str | None, outcome: str) -> None:
    played = PlayedRound(
        hands={(1, 1): hand.split()},
        how={} if how is None else {(1, 1): how},
        doubled=frozenset(),
        dealer=dealer.split(),
        up_card=dealer.split(maxsplit=1)[0],
        insured=[1],
    )
    (seat,) = settle(played)["seats"]
    assert seat["hands"][0]["outcome"] == outcome
    assert seat["insurance"] == ("won" if dealer == "Ac Tc" else "lost")


# --- what it wants


def test_no_shoe_is_installed_that_is_not_heard() -> None:
    assert next_wish(Game(), Programme(), frozenset()) is None
    story = Story()
    story.tell("device.online", device="shoe", kind="shoe")
    wish = next_wish(story.game, Programme(), frozenset())
    assert wish is not None
    assert (wish.command, wish.content) == ("shoe.install", {"decks": 8})
    story.tell("device.offline", device="shoe")
    assert next_wish(story.game, Programme(), frozenset()) is None


def test_a_round_is_opened_when_the_shoe_is_ready_and_not_while_held() -> None:
    story = Story().open()
    wish = next_wish(story.game, Programme(name="n"), frozenset())
    assert wish is not None
    assert (wish.command, wish.content["round_id"]) == ("round.open", "n-1-1")
    assert wish == next_wish(story.game, Programme(name="n"), frozenset()), "the same occasion, the same wish"
    story.tell("table.held", why="unread_card")
    assert next_wish(story.game, Programme(), frozenset()) is None


def test_nothing_new_is_wanted_while_something_is_latched() -> None:
    story = Story().open()
    story.tell("irregularity.raised", shoe=1, id=4, kind="count_mismatch", latched=True)
    assert next_wish(story.game, Programme(), frozenset()) is None
    story.tell("irregularity.resolved", shoe=1, id=4, kind="count_mismatch", resolution="clear")
    assert next_wish(story.game, Programme(), frozenset()) is not None


def test_no_round_after_the_last_one() -> None:
    story = Story().open()
    story.tell("round.opened", shoe=1, round=1, round_id="n-1-1", seats=[1])
    story.tell("shoe.cut_card", shoe=1, round=1, last_round=1)
    story.tell("round.closed", shoe=1, round=1)
    assert next_wish(story.game, Programme(), frozenset()) is None
    assert not finished(story.game, Programme())
    story.tell("shoe.closed", shoe=1)
    assert finished(story.game, Programme())
    assert finished(story.game, Programme(shoes=2, rounds=1))


def test_insurance_and_decisions() -> None:
    story = Story().open()
    story.tell("round.opened", shoe=1, round=1, round_id="r", seats=[2])
    calm = Programme(temper=Temper(timeout=0, early=0, by_the_book=1, insured=1))
    for draw, card in enumerate(("Ts", "Td"), start=1):
        spot = {"seat": 2, "hand": 1}
        story.tell("card.dealt", shoe=1, round=1, draw=draw, to=spot, position=draw, face="up", card=card)
    story.tell("card.dealt", shoe=1, round=1, draw=3, to="dealer", position=1, face="up", card="Ac")
    assert next_wish(story.game, calm, frozenset()) is None
    story.tell("insurance.offered", shoe=1, round=1, seats=[2])
    wish = next_wish(story.game, calm, frozenset())
    assert wish is not None
    assert (wish.command, wish.content) == ("insurance.close", {"insured": [2]})
    story.tell("insurance.closed", shoe=1, round=1, insured=[2])
    offered = story.tell(
        "turn.offered",
        shoe=1,
        round=1,
        seat=2,
        hand=1,
        total=20,
        soft=False,
        actions=["hit", "stand", "split"],
    )
    wish = next_wish(story.game, calm, frozenset())
    assert wish is not None
    assert wish.content == {"seat": 2, "hand": 1, "action": "stand", "offer": offered.sequence}
    slow = Programme(temper=Temper(timeout=1, early=0))
    wish = next_wish(story.game, slow, frozenset())
    assert wish is not None
    assert (wish.command, wish.content) == ("hand.timeout", {"seat": 2})


def test_an_early_decision_is_wanted_once() -> None:
    story = Story().open()
    story.tell("round.opened", shoe=1, round=1, round_id="r", seats=[2])
    hasty = Programme(temper=Temper(early=1))
    wish = next_wish(story.game, hasty, frozenset())
    assert wish is not None
    assert wish.once
    assert next_wish(story.game, hasty, frozenset({wish.key})) is None


@pytest.mark.parametrize(
    ("cards", "up", "action"),
    [
        ("8s 8d", "9c", "split"),
        ("As 7d", "9c", "stand"),
        ("As 6d", "9c", "hit"),
        ("Ts 7d", "9c", "stand"),
        ("Ts 6d", "9c", "surrender"),
        ("Ts 5d", "9c", "hit"),
        ("Ts 5d", "6c", "stand"),
        ("6s 5d", "6c", "double"),
        ("6s 5d", "Tc", "hit"),
        ("2s 3d", "6c", "hit"),
    ],
)
def test_the_short_table(cards: str, up: str, action: str) -> None:
    total, soft = worth(cards.split())
    actions = ("hit", "stand", "double", "split", "surrender")
    turn = Turn(sequence=1, seat=1, hand=1, total=total, soft=soft, actions=actions)
    assert about_best(turn, cards.split(), up) == action


# --- what it keeps


def test_the_book_keeps_whole_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "book.jsonl"
    book = EventLog(path)
    book.append(b"one")
    book.append(b"two")
    book.close()
    path.write_bytes(path.read_bytes() + b"thr")  # a crash in the middle
    assert read_events(path) == [b"one", b"two"]
    again = EventLog(path)
    assert again.kept == [b"one", b"two"]
    again.append(b"three")
    with pytest.raises(TableUnwell):
        again.append(b"a\nb")
    again.close()
    assert path.read_bytes() == b"one\ntwo\nthree\n"


# --- the shoe's word against the table's


def shoe_log(tmp_path: Path, *left: str) -> Path:
    path = tmp_path / "shoe.jsonl"
    path.write_text("".join(f'{{"left": "{card}"}}\n' for card in left) + '{"boot": 1, "powered": "on"}\n')
    return path


def test_one_story(tmp_path: Path) -> None:
    story = Story()
    story.tell("shoe.opened", shoe=1, draw=1, first_card="As")
    story.tell("card.burned", shoe=1, draw=2, seal=seal("2c"))
    story.tell("shoe.cut_card", shoe=1, drawn=2)
    story.tell("card.dealt", shoe=1, draw=3, card="3d")
    shoe = departed(shoe_log(tmp_path, "As", "2c", "CUT", "3d"))
    assert differences(shoe, story.events) == []
    assert (shoe.cut_after, shoe.composition["As"]) == (2, 1)


def test_one_story_with_repairs(tmp_path: Path) -> None:
    story = Story()
    place = {"seat": 1, "hand": 1}
    story.tell("card.parked", shoe=1, draw=1, device="shoe", why="irregular")
    story.tell("irregularity.raised", shoe=1, id=1, draw=1)
    story.tell("card.parked", shoe=1, draw=2, device="shoe", why="held")
    story.tell("card.discarded", shoe=1, draw=1)
    story.tell("card.dealt", shoe=1, draw=2, to=place, card="2c", nonce=NONCE)
    story.tell("card.dealt", shoe=1, draw=3, to="dealer", card="9d")
    story.tell("card.corrected", shoe=1, draw=3, to="dealer", was="9d", card="3d")
    story.tell("card.moved", shoe=1, draw=2, taken_from=place, to="dealer", card="2c")
    story.tell("card.parked", shoe=1, draw=3, device="shoe", why="next", taken_from="dealer")
    story.tell("card.dealt", shoe=1, draw=3, to=place, card="3d")
    story.tell("card.retracted", shoe=1, draw=3, taken_from=place)
    story.tell("card.discarded", shoe=1, draw=4)
    assert differences(departed(shoe_log(tmp_path, "As", "2c", "3d", "4h")), story.events) == []
    story.tell("card.dealt", shoe=1, draw=4, card="4h")
    (found,) = differences(departed(shoe_log(tmp_path, "As", "2c", "3d", "4h")), story.events)
    assert found == "Draw 4 is out of play already, and event 13 is card.dealt"


def test_two_stories(tmp_path: Path) -> None:
    story = Story()
    story.tell("shoe.opened", shoe=1, draw=1, first_card="Ah")
    story.tell("card.dealt", shoe=1, draw=3, card="3d")
    story.tell("card.dealt", shoe=1, draw=3, card="3d")
    story.tell("card.dealt", shoe=1, draw=5, card="5d")
    found = " ".join(differences(departed(shoe_log(tmp_path, "As", "2c", "CUT", "3d")), story.events))
    for part in (
        "Draw 1 was As",
        "Draw 2 (2c) left",
        "Draw 3 is in its place already",
        "Draw 5 is in an event",
    ):
        assert part in found
    assert "The cut card left after 2 cards" in found


# --- where the broker is


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("h:1", "h", 1), ("h", "h", 1883), ("[::1]:7", "::1", 7), ("[::1]", "::1", 1883)],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert BrokerAddress.parse(text) == BrokerAddress(host=host, port=port)


@pytest.mark.parametrize("text", ["", ":1", "h:", "h:x", "h:0", "h:70000", "h:-1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(BadAddress):
        BrokerAddress.parse(text)
