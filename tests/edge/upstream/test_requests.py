import json
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from edge.irregular import Resolution
from edge.requests import (
    COMMANDS,
    Action,
    Asked,
    DecideHand,
    Desk,
    EnterCard,
    InstallShoe,
    Lying,
    OpenRound,
    Placed,
    ResolveIrregularity,
    Seat,
    UnknownCommand,
)
from edge.upstream import (
    AcknowledgeEvents,
    CursorAsked,
    Malformed,
    ReplayEvents,
    read_request,
    request_models,
)
from firmware_protocols import Card

ID = "6f1c1f3e-7d43-4a86-9a5b-6a3c1c0a5f01"
JOURNAL = "0d1c9d3e-5a0e-4f6e-9a51-6f6c5e1d2b10"


def spelled(command: object = "round.open", said: object = None, **more: Any) -> bytes:
    content = {"round_id": "r1", "seats": [1, 3]} if said is None else said
    return json.dumps({"id": ID, "command": command, "data": content, **more}).encode()


def resolved(**said: Any) -> bytes:
    return spelled("irregularity.resolve", {"id": 7, "resolution": "accept", "operator": "ann"} | said)


def asked(payload: bytes, desk: Desk = Desk.SERVER) -> Asked:
    heard = read_request(payload, desk)
    assert isinstance(heard, Asked), heard
    return heard


def malformed(payload: bytes) -> Malformed:
    heard = read_request(payload, Desk.SERVER)
    assert isinstance(heard, Malformed), heard
    return heard


def test_a_request_is_read() -> None:
    heard = asked(spelled(if_sequence=17, journal=JOURNAL))
    assert heard.id == ID
    assert heard.desk is Desk.SERVER
    assert heard.request == OpenRound(round_id="r1", seats=(1, 3))
    assert type(heard.request) is OpenRound
    assert heard.if_sequence == 17
    assert heard.journal == JOURNAL


def test_an_id_is_the_same_in_either_case() -> None:
    payload = spelled()
    assert asked(payload.replace(ID.encode(), ID.upper().encode())) == asked(payload)


def test_words_become_enums_and_defaults_apply() -> None:
    heard = asked(spelled("hand.decide", {"seat": 3, "hand": 1, "action": "double"}))
    assert heard.request == DecideHand(seat=3, hand=1, action=Action.DOUBLE)
    assert asked(spelled("shoe.install", {"decks": 8})).request == InstallShoe(decks=8)


def test_unknown_and_astray_commands_are_for_the_ruling_to_refuse() -> None:
    assert asked(spelled("card.peek", {"why": "curious"})).request == UnknownCommand(name="card.peek")
    void = spelled("round.void", {"operator": "ann", "reason": "misdeal"})
    assert asked(void, Desk.SERVER).desk is Desk.SERVER


def test_data_may_be_left_out_where_there_is_none() -> None:
    payload = json.dumps({"id": ID, "command": "card.peek"}).encode()
    assert asked(payload).request == UnknownCommand(name="card.peek")


def test_what_a_supervisor_decides_is_read_with_all_its_details() -> None:
    said = {
        "id": 7,
        "resolution": "confirm",
        "operator": "ann",
        "draw": None,
        "to": {"seat": 3},
        "card": "10H",
        "places": [{"draw": 4, "to": "dealer"}, {"draw": 5, "to": {"seat": 2, "hand": 2}}],
        "cards": [{"to": "dealer", "cards": ["aS", None]}, {"to": {"seat": 3}, "cards": ["10c", "tD"]}],
    }
    assert asked(spelled("irregularity.resolve", said), Desk.SUPERVISOR).request == ResolveIrregularity(
        id=7,
        resolution=Resolution.CONFIRM,
        operator="ann",
        to=Seat(seat=3),
        card=Card("Th"),
        places=(Placed(draw=4, to="dealer"), Placed(draw=5, to=Seat(seat=2, hand=2))),
        cards=(
            Lying(to="dealer", cards=(Card("As"), None)),
            Lying(to=Seat(seat=3), cards=(Card("Tc"), Card("Td"))),
        ),
    )


def test_what_is_read_is_made_of_the_vocabularys_own_classes() -> None:
    request = asked(resolved(to={"seat": 3}, places=[{"draw": 4, "to": "dealer"}])).request
    assert isinstance(request, ResolveIrregularity)
    assert (type(request.to), type(request.places[0])) == (Seat, Placed)


@pytest.mark.parametrize("card", [*Card])
def test_a_card_is_read_however_it_is_typed(card: Card) -> None:
    for code in {card.value, card.value.lower(), card.value.upper(), card.value.replace("T", "10")}:
        request = asked(spelled("card.enter", {"draw": 3, "card": code, "operator": "ann"})).request
        assert request == EnterCard(draw=3, card=card, operator="ann")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_a_model_that_refuses_what_it_does_not_know(command: str) -> None:
    assert command in request_models()
    heard = malformed(spelled(command, {"colour": "red"}))
    assert heard.command == command
    assert "data." in heard.message


def test_the_digest_is_of_what_was_said_and_not_of_how_it_was_spelled() -> None:
    plain = asked(b'{"id":"%s","command":"round.open","data":{"round_id":"r","seats":[1]}}' % ID.encode())
    spaced = asked(
        b'{"data": {"seats": [1], "round_id": "r"}, "command":"round.open","id":"%s"}' % ID.encode()
    )
    assert plain.digest == spaced.digest
    assert asked(spelled()).digest != asked(spelled(), Desk.SUPERVISOR).digest
    assert asked(spelled()).digest != asked(spelled(if_sequence=1)).digest
    assert asked(spelled()).digest != asked(spelled(said={"round_id": "r1", "seats": [1]})).digest


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b"[]", "JSON object"),
        (b"3", "JSON object"),
        (b"[" * 9000, "not JSON"),
        (b'{"id":' + b"9" * 9000 + b"}", "not JSON"),
        (b'{"id":1e999}', "not JSON"),
        (b'{"id":NaN}', "NaN"),
        (b'{"id":"\\ud800"}', "UTF-8"),
        (b'{"id":1,"id":2}', "id is there twice"),
        (b" " * 20_000, "larger than 16384 bytes"),
        (b"{}", "id must be a UUID"),
        (b'{"id":"1"}', "id must be a UUID"),
        (json.dumps({"id": ID}).encode(), "command must be"),
        (spelled(3), "command must be"),
        (spelled("x" * 65), "at most 64"),
        (spelled("a\nb"), "printable"),
        (spelled(said=[]), "data must be an object"),
        (spelled(colour="red"), "colour is not a field"),
        (spelled(if_sequence="3"), "if_sequence"),
        (spelled(if_sequence=True), "if_sequence"),
        (spelled(if_sequence=-1), "if_sequence"),
        (spelled(if_sequence=2**63), "if_sequence"),
        (spelled(if_sequence=3, journal="x"), "journal must be"),
        (spelled(journal=JOURNAL), "without if_sequence"),
        (spelled(said={"seats": [1]}), "data.round_id"),
        (spelled(said={"round_id": "r1", "seats": ["1"]}), "data.seats.0"),
        (spelled(said={"round_id": "r1", "seats": [1.0]}), "data.seats.0"),
        (spelled(said={"round_id": "r1", "seats": [True]}), "data.seats.0"),
        (spelled(said={"round_id": "r1", "seats": 1}), "data.seats"),
        (spelled(said={"round_id": 1, "seats": [1]}), "data.round_id"),
        (spelled(said={"round_id": "r1", "seats": [1], "colour": 1}), "data.colour is not a field"),
        (spelled(said={"round_id": "r" * 1001, "seats": [1]}), "data.round_id is longer"),
        (spelled(said={"round_id": "r1", "seats": [1] * 101}), "data.seats has more"),
        (spelled(said={"round_id": "r1", "seats": [2**63]}), "data.seats.0 is too large"),
        (spelled("hand.decide", {"seat": 1, "hand": 1, "action": "peek"}), "data.action"),
        (spelled(said={"round_id": "", "seats": [1]}), "data.round_id: String should have at least 1"),
        (spelled(said={"round_id": "a\u0000b", "seats": [1]}), "data.round_id: it must be printable"),
        (spelled("round.void", {"operator": "ann", "reason": ""}), "data.reason"),
        (spelled("round.void", {"operator": "ann", "reason": "  "}), "data.reason: it must be printable"),
        (spelled("shoe.retire", {"operator": "", "reason": "worn"}), "data.operator"),
        (spelled("shoe.install", {"decks": 8, "device": ""}), "data.device: String should have at least 1"),
        (resolved(reason="a\nb"), "data.reason: it must be printable"),
        (resolved(reason="r" * 201), "data.reason: String should have at most 200"),
        (resolved(id="1"), "data.id"),
        (resolved(resolution="burn"), "data.resolution"),
        (resolved(override=1), "data.override"),
        (resolved(natural="yes"), "data.natural"),
        (resolved(draw=2.0), "data.draw"),
        (resolved(to="dealers"), "data.to: it must be 'dealer' or an object with seat, hand"),
        (resolved(to=3), "data.to: it must be 'dealer' or an object"),
        (resolved(to=["dealer"]), "data.to: it must be 'dealer' or an object"),
        (resolved(to={}), "data.to.seat: Field required"),
        (resolved(to={"seat": "3"}), "data.to.seat"),
        (resolved(to={"seat": 2**63}), "data.to.seat is too large"),
        (resolved(to={"seat": 3, "hand": True}), "data.to.hand"),
        (resolved(to={"seat": 3, "box": 1}), "data.to.box is not a field"),
        (resolved(places={"draw": 3, "to": "dealer"}), "data.places"),
        (resolved(places=[{"draw": 3}]), "data.places.0.to"),
        (
            resolved(places=[{"draw": 3, "to": "dealer"}, {"draw": 4, "to": {"hand": 1}}]),
            "data.places.1.to.seat",
        ),
        (resolved(places=[{"draw": 3, "to": "dealer", "face": "up"}]), "data.places.0.face is not a field"),
        (resolved(places=[{"draw": 2**63, "to": "dealer"}]), "data.places.0.draw is too large"),
        (resolved(cards=[{"to": "dealer", "cards": ["1h"]}]), "data.cards.0.cards.0: it must be a card"),
        (resolved(cards=[{"to": "dealer", "cards": [None, 8]}]), "data.cards.0.cards.1: it must be a card"),
        (resolved(cards=[{"to": "dealer", "cards": "8h"}]), "data.cards.0.cards"),
        (resolved(cards=[["dealer", "8h"]]), "data.cards.0"),
        (resolved(cards=[{"to": "dealer", "cards": ["8h"] * 101}]), "data.cards.0.cards has more"),
        (resolved(card=""), "data.card: it must be a card"),
        (resolved(card=" 8h"), "data.card: it must be a card"),
        (resolved(card="8h\n"), "data.card: it must be a card"),
        (resolved(card="110h"), "data.card: it must be a card"),
        (spelled("card.enter", {"draw": 3, "card": None, "operator": "ann"}), "data.card: it must be a card"),
        (spelled("irregularity.report", {"kind": "spilt_drink", "operator": "ann"}), "data.kind"),
        (spelled("fault.clear", {"operator": "ann", "reason": "r", "id": "all"}), "data.id"),
        (spelled("shoe.reconcile", {"step": "pause"}), "data.step"),
        (resolved(cards=[[[[[[[[[]]]]]]]]]), "deeper than 8"),
    ],
)
def test_what_is_no_request_is_refused_with_the_field_named(payload: bytes, named: str) -> None:
    assert named in malformed(payload).message


def test_the_sentence_never_repeats_the_payload() -> None:
    heard = malformed(spelled(said={"round_id": "r1", "seats": [1], "k" * 5000: 1}))
    assert len(heard.message) < 200
    assert "secret" not in malformed(spelled(said={"round_id": ["secret"], "seats": [1]})).message
    assert "\x1b" not in malformed(spelled(said={"\x1b[2J": 1, "round_id": "r", "seats": [1]})).message


def test_what_could_be_read_of_it_is_kept_for_the_answer() -> None:
    heard = malformed(spelled(said={"seats": [1]}))
    assert (heard.id, heard.command) == (ID, "round.open")


def test_cursor_requests_are_read() -> None:
    heard = read_request(spelled("events.acknowledge", {"journal": JOURNAL, "sequence": 3}), Desk.SERVER)
    assert isinstance(heard, CursorAsked)
    assert heard.request == AcknowledgeEvents(journal=JOURNAL, sequence=3)
    heard = read_request(spelled("events.replay", {"journal": JOURNAL, "from": 3, "to": 9}), Desk.SERVER)
    assert isinstance(heard, CursorAsked)
    assert isinstance(heard.request, ReplayEvents)
    assert (heard.request.first, heard.request.last) == (3, 9)


@pytest.mark.parametrize(
    "said",
    [
        {"journal": JOURNAL},
        {"journal": JOURNAL, "from": 0},
        {"journal": JOURNAL, "from": 5, "to": 4},
        {"journal": JOURNAL, "from": 5, "round": "r1"},
        {"journal": JOURNAL, "to": 5, "round": "r1"},
        {"journal": JOURNAL, "first": 5},
        {"from": 5},
    ],
)
def test_a_replay_is_asked_for_in_one_way(said: dict[str, Any]) -> None:
    assert "data" in malformed(spelled("events.replay", said)).message


@given(st.binary(max_size=300))
def test_random_bytes_give_a_value(payload: bytes) -> None:
    assert isinstance(read_request(payload, Desk.SERVER), Malformed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=10,
)


@given(
    command=st.sampled_from([*COMMANDS, "events.replay", "events.acknowledge"]) | st.text(max_size=10),
    said=JSON
    | st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("seats", "seat", "journal", "from", "to", "card", "cards", "places"), JSON),
    ),
    more=st.dictionaries(st.sampled_from(["if_sequence", "journal"]), JSON, max_size=2),
)
def test_any_json_gives_a_value_with_a_short_sentence(command: str, said: Any, more: dict[str, Any]) -> None:
    heard = read_request(spelled(command, said, **more), Desk.SUPERVISOR)
    if isinstance(heard, Malformed):
        assert 0 < len(heard.message) < 400


WORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=200)
"""Printable, whatever Python's Unicode is; and no blank, so not blank."""


def sayable(hint: Any) -> st.SearchStrategy[Any]:
    """Whatever the vocabulary can hold, as far as this door lets it through."""
    origin, within = get_origin(hint), get_args(hint)
    if hint is str:
        return WORDS
    if hint is int:
        return st.integers(min_value=1 - 2**63, max_value=2**63 - 1)
    if hint in (NoneType, None):
        return st.none()
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: sayable(hints[field.name]) for field in fields(hint)})
    if origin in (Union, UnionType):
        return st.one_of([sayable(each) for each in within])
    if origin is Literal:
        return st.sampled_from(within)
    if origin is tuple:
        return st.lists(sayable(within[0]), max_size=3).map(tuple)
    return st.from_type(hint)


@given(request=st.one_of([sayable(kind) for kind in COMMANDS.values()]))
def test_whatever_the_vocabulary_can_say_is_read_as_it_was_said(request: Any) -> None:
    said = TypeAdapter(type(request)).dump_python(request, mode="json")
    assert asked(spelled(request.command, said)).request == request
