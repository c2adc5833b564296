"""A shoe that numbers nothing: what it did while nobody listened is a gap until the pit has looked."""

from drivers import Absence
from edge.house_rules import house_text
from edge.inputs import (
    DeviceCameOnline,
    DeviceWentOffline,
    EdgeStarted,
    HouseRulesAdopted,
    Input,
    RequestMade,
)
from edge.irregular import Kind, Resolution
from edge.requests import Asked, InstallShoe, OpenRound, Request, ResolveIrregularity
from edge.ruling import TableState, decide, new_table

ONLINE = DeviceCameOnline(
    device="shoe", kind="shoe", serial="", firmware="", position=None, skipped=0, numbered=False
)
AWAY = DeviceWentOffline(device="shoe", absence=Absence.ABSENT, detail="unplugged")
CAME_UP = EdgeStarted(version="1", config_hash="", operators=None, shoes=None)


def heard(state: TableState, *inputs: Input) -> TableState:
    for each in inputs:
        state = decide(state, each).state
    return state


def asked(request: Request) -> RequestMade:
    return RequestMade(asked=Asked(id="1", desk=type(request).desk, request=request, digest=""))  # type: ignore[union-attr]  # no unknown command here


def in_a_round() -> TableState:
    return heard(
        new_table("j"),
        HouseRulesAdopted(text=house_text("ho-tram-strip")),
        ONLINE,
        asked(InstallShoe(decks=6)),
        asked(OpenRound(round_id="r1", seats=(1,))),
    )


def kinds(state: TableState) -> list[Kind]:
    return [each.kind for each in state.irregularities]


def test_unplugged_in_a_round_it_leaves_a_gap_at_once() -> None:
    assert kinds(heard(in_a_round(), AWAY)) == [Kind.SCAN_GAP]


def test_it_comes_back_while_the_gap_is_open_and_is_not_told_twice() -> None:
    assert kinds(heard(in_a_round(), AWAY, ONLINE)) == [Kind.SCAN_GAP]


def test_cards_may_have_passed_between_the_confirmation_and_its_return() -> None:
    confirmed = heard(
        in_a_round(),
        AWAY,
        asked(ResolveIrregularity(id=1, resolution=Resolution.CONFIRM, operator="ada")),
    )
    assert kinds(confirmed) == []
    assert kinds(heard(confirmed, ONLINE)) == [Kind.SCAN_GAP]


def test_after_a_restart_the_pit_looks_once() -> None:
    assert kinds(heard(in_a_round(), CAME_UP, ONLINE)) == [Kind.POWER_LOST]
    confirm = asked(ResolveIrregularity(id=1, resolution=Resolution.CONFIRM, operator="ada"))
    assert kinds(heard(in_a_round(), CAME_UP, confirm, ONLINE)) == [Kind.SCAN_GAP]


def test_between_rounds_nothing_is_said() -> None:
    state = heard(
        new_table("j"),
        HouseRulesAdopted(text=house_text("ho-tram-strip")),
        ONLINE,
        asked(InstallShoe(decks=6)),
    )
    assert kinds(heard(state, AWAY, ONLINE)) == []
