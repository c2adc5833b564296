"""What each house does by itself where play goes wrong: written from the rules, not from the house files."""

from typing import Final

import pytest

from edge.house_rules import house_names, house_text, parse_house
from edge.irregular import LATCHES, HouseWay, Kind, Resolution, Stage

ASKS: Final = "ask"
NEXT, OUT, RETIRE = Resolution.USE_AS_NEXT, Resolution.DISCARD, Resolution.RETIRE_SHOE
CUT_CARDS: Final = {Kind.CUT_CARD_TWICE, Kind.CUT_CARD_EARLY, Kind.CUT_CARD_MISSING}
ALIKE: Final[dict[Kind, HouseWay]] = {
    Kind.CUT_CARD_MISSING: Resolution.ACCEPT,  # a warning
    Kind.FOREIGN_CARD: RETIRE,
    Kind.REPEATED_CARD: RETIRE,
    Kind.MISREAD_CARD: Resolution.CORRECT,
    Kind.UNREAD_CARD: Resolution.ENTER,
    Kind.POWER_LOST: Resolution.CONFIRM,
}
"""In every house that repairs anything; what is named nowhere is asked about."""


def ways(house: str, stage: Stage) -> dict[Kind, HouseWay]:
    """Every kind that can hold this house's table, with its way at this stage."""
    rules = parse_house(house_text(house))
    return {kind: rules.policy(kind).way(stage) for kind in Kind if kind not in LATCHES}


@pytest.mark.rule("DLX-32")
@pytest.mark.parametrize("stage", Stage, ids=lambda stage: str(stage.value))
def test_deluxe_calls_the_supervisor(stage: Stage) -> None:
    own = {
        Kind.WRONG_PLACE: Resolution.MOVE,
        Kind.SHOE_EMPTY: Resolution.VOID_ROUND,
        Kind.SCAN_GAP: Resolution.CONFIRM,
        Kind.DEVICE_LOST: Resolution.CONFIRM,
    }
    assert ways("deluxe", stage) == {kind: ASKS for kind in Kind if kind not in LATCHES} | ALIKE | own


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: str(stage.value))
def test_korean_floor_asks(stage: Stage) -> None:
    assert ways("korean-floor", stage) == {kind: ASKS for kind in Kind if kind not in LATCHES} | ALIKE


@pytest.mark.rule("SAG-13", "SAG-14")
@pytest.mark.parametrize("stage", Stage, ids=lambda stage: str(stage.value))
def test_sa_gaming_voids_reshuffles_and_repairs_nothing(stage: Stage) -> None:
    rules = parse_house(house_text("sa-gaming"))
    never = {Kind.HOLE_CARD_SHOWN, Kind.WRONG_BURN}
    stops = {kind for kind in Kind if kind not in {*LATCHES, *CUT_CARDS, *never}}
    found = ways("sa-gaming", stage)
    assert {kind for kind, way in found.items() if way is RETIRE} == stops
    assert all(rules.policy(kind).allowed == (RETIRE,) for kind in stops)


HO_TRAM_STRIP: Final[dict[Kind, dict[Stage, HouseWay]]] = {
    Kind.UNEXPECTED_DRAW: {
        Stage.BETWEEN: OUT,  # I3
        Stage.NEW_GAME: OUT,  # I3
        Stage.FIRST_CARDS: NEXT,  # I1
        Stage.SECOND_CARDS: NEXT,  # I1
        Stage.PLAY: NEXT,  # I1
        Stage.DEALER_COVERED: OUT,  # I2
        Stage.DEALER_EXPOSED: NEXT,  # I2
    },
    Kind.DOUBLE_DRAW: {Stage.FIRST_CARDS: NEXT, Stage.SECOND_CARDS: NEXT, Stage.PLAY: NEXT},  # I1
    Kind.EXPOSED_IN_SHOE: {
        Stage.BETWEEN: OUT,
        Stage.NEW_GAME: OUT,
        Stage.FIRST_CARDS: NEXT,
        Stage.SECOND_CARDS: NEXT,
        Stage.PLAY: NEXT,
    },  # I3
    Kind.FOREIGN_CARD: dict.fromkeys(Stage, RETIRE),  # I4
    Kind.REPEATED_CARD: dict.fromkeys(Stage, RETIRE),  # I4
    Kind.WRONG_PLACE: {Stage.FIRST_CARDS: Resolution.REBUILD, Stage.SECOND_CARDS: NEXT},  # I5, I1
    Kind.BOX_WITHOUT_BET: {Stage.FIRST_CARDS: Resolution.REBUILD, Stage.SECOND_CARDS: OUT},  # I5, I6
    Kind.DEALER_SKIPPED: {Stage.FIRST_CARDS: Resolution.REBUILD, Stage.SECOND_CARDS: ASKS},  # I5, I7
    Kind.BOX_SKIPPED: {
        Stage.FIRST_CARDS: Resolution.REBUILD,
        Stage.SECOND_CARDS: Resolution.VOID_HAND,
    },  # I5, I8
    Kind.BOX_ONE_CARD: dict.fromkeys(Stage, ASKS),  # I9
    Kind.DAMAGED_CARD: {Stage.BETWEEN: RETIRE, Stage.PLAY: ASKS},  # I10
}
"""By the twelve rules of the house."""


@pytest.mark.rule(*(f"HTS-I{number}" for number in range(1, 11)))
@pytest.mark.parametrize("kind", HO_TRAM_STRIP, ids=lambda kind: str(kind.value))
def test_ho_tram_strip_has_rules_of_its_own(kind: Kind) -> None:
    policy = parse_house(house_text("ho-tram-strip")).policy(kind)
    assert {stage: policy.way(stage) for stage in HO_TRAM_STRIP[kind]} == HO_TRAM_STRIP[kind]


@pytest.mark.rule("HTS-I9", "HTS-I12")
def test_ho_tram_strip_leaves_the_rest_to_the_manager() -> None:
    rules = parse_house(house_text("ho-tram-strip"))
    rest = {kind for kind in Kind if kind not in {*LATCHES, *HO_TRAM_STRIP}}
    expected = {kind: ALIKE.get(kind, ASKS) for kind in rest}
    for stage in Stage:
        assert {kind: rules.policy(kind).way(stage) for kind in rest} == expected
    choice = rules.policy(Kind.BOX_ONE_CARD).allowed
    assert choice is not None
    assert {Resolution.VOID_HAND, Resolution.DEAL_MISSING} <= set(choice)


@pytest.mark.parametrize("house", house_names())
def test_a_latch_is_cleared_by_name_in_every_house(house: str) -> None:
    assert not LATCHES & parse_house(house_text(house)).irregularities.keys()
