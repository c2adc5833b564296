"""What a person is asked for: no more than the ruling needs, and all that anybody ever had to say."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from edge.control import details
from edge.events import Place
from edge.irregular import BY_ITSELF, FITTING, REPORTABLE, Kind, Resolution, Stage
from edge.requests import ReportIrregularity, ResolveIrregularity
from edge.ruling import OpenIrregularity, new_table
from tests.edge.test_irregular_cases import CASES, PATHS, events_told, read_case, replayed

_PLACE: TypeAdapter[Place | None] = TypeAdapter(Place | None)
_SAID_OF_ALL = {"id", "kind", "resolution", "operator", "reason", "override"}


def opened(raised: dict[str, Any]) -> OpenIrregularity:
    return OpenIrregularity(
        id=raised["id"],
        kind=Kind(raised["kind"]),
        stage=Stage(raised["stage"]),
        allowed=(),
        house="ask",
        raised=1,
        draw=raised.get("draw"),
        seat=raised.get("seat"),
        to=_PLACE.validate_python(raised.get("to")),
    )


@pytest.mark.parametrize("path", PATHS, ids=[str(path.relative_to(CASES).with_suffix("")) for path in PATHS])
def test_every_case_could_have_been_typed(path: Path) -> None:
    case = read_case(path)
    raised = {
        each["id"]: each for each in events_told(replayed(case)) if each["type"] == "irregularity.raised"
    }
    table = new_table("j")
    for line in case["script"]:
        said = line.get("data", {})
        given = {name for name in said if name not in _SAID_OF_ALL}
        match line.get("supervisor"):
            case "irregularity.resolve" if said["id"] in raised:
                own = raised[said["id"]]
                given -= {name for name in given if own.get(name) == said[name]}
                asked = details.of_resolving(opened(own), Resolution(said["resolution"]))
            case "irregularity.report":
                asked = details.of_reporting(table, Kind(said["kind"]))
                given -= {"by_hand"}
            case _:
                continue
        if "refusals" in case or said.get("kind") == "hole_card_shown":
            continue  # says what does not fit, on purpose; or a hidden card, which the pit is not asked for
        assert set(asked.needs) <= given <= {*asked.needs, *asked.may}


def test_every_resolution_and_every_report_is_told_and_asks_for_fields_that_there_are() -> None:
    resolving = set(ResolveIrregularity.__dataclass_fields__)
    reporting = set(ReportIrregularity.__dataclass_fields__)
    assert set(details.SAYS) == set(Resolution) - BY_ITSELF
    for kind in REPORTABLE:
        asked = details.of_reporting(new_table("j"), kind)
        assert {*asked.needs, *asked.may} <= reporting
    for kind, fitting in FITTING.items():
        for resolution in fitting:
            unknown = opened({"id": 1, "kind": kind.value, "stage": "play"})
            asked = details.of_resolving(unknown, resolution)
            assert {*asked.needs, *asked.may} <= resolving


def test_what_the_irregularity_knows_is_not_asked_for_again() -> None:
    raised = {"id": 1, "kind": "wrong_place", "stage": "play", "draw": 4}
    asked = details.of_resolving(opened(raised), Resolution.MOVE)
    assert asked.needs == ("to",)
    asked = details.of_resolving(opened(raised | {"to": "dealer"}), Resolution.MOVE)
    assert asked.needs == ()
