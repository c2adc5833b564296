"""What a person types in the pit."""

from typing import Any, get_type_hints

import pytest

from edge.cli.pit_screen import STAGES
from edge.cli.pit_spelling import told, typed
from edge.irregular import Stage
from edge.requests import ResolveIrregularity

HINTS = get_type_hints(ResolveIrregularity)


@pytest.mark.parametrize(
    ("field", "text", "said", "back"),
    [
        ("to", "3", {"seat": 3}, "seat 3"),
        ("to", " Seat 3 ", {"seat": 3}, "seat 3"),
        ("to", "3/2", {"seat": 3, "hand": 2}, "seat 3, hand 2"),
        ("to", "3 / 1", {"seat": 3, "hand": 1}, "seat 3"),
        ("to", "Dealer", "dealer", "dealer"),
        ("to", '{"seat": 3}', {"seat": 3}, "seat 3"),
        ("to", '"dealer"', "dealer", "dealer"),
        ("places", "4=dealer", [{"draw": 4, "to": "dealer"}], "draw 4 to the dealer"),
        (
            "places",
            "4 = dealer, 5=3/2;",
            [{"draw": 4, "to": "dealer"}, {"draw": 5, "to": {"seat": 3, "hand": 2}}],
            "draw 4 to the dealer; draw 5 to seat 3, hand 2",
        ),
        ("places", '[{"draw": 4, "to": "dealer"}]', [{"draw": 4, "to": "dealer"}], "draw 4 to the dealer"),
        ("places", "", [], "none"),
        (
            "cards",
            "1=10h 8c; dealer=7d X",
            [{"to": {"seat": 1}, "cards": ["10h", "8c"]}, {"to": "dealer", "cards": ["7d", None]}],
            "seat 1: 10h 8c; the dealer: 7d ??",
        ),
        ("cards", "1=", [{"to": {"seat": 1}, "cards": []}], "seat 1: no card"),
        ("card", "10h", "10h", "10h"),
        ("operator", "12", "12", "12"),
        ("reason", "[sic]", "[sic]", "[sic]"),
    ],
)
def test_what_is_typed_is_said_and_told_again(field: str, text: str, said: Any, back: str) -> None:
    assert typed(HINTS[field], text) == said
    assert told(said) == back


@pytest.mark.parametrize(
    ("field", "text"),
    [
        *(("to", text) for text in ("", "third", "3/", "3/2/1", "-3", "3.2", "dealers", "9999")),
        *(("places", text) for text in ("4", "4:3", "x=3", "4=", "4=3=5")),
        *(("cards", text) for text in ("9h", "x=9h", "=9h")),
    ],
)
def test_what_cannot_be_understood_says_how_it_is_written(field: str, text: str) -> None:
    with pytest.raises(ValueError, match="such as"):
        typed(HINTS[field], text)


@pytest.mark.parametrize(("value", "words"), [(True, "yes"), (False, "no"), (None, "nothing"), (7, "7")])
def test_other_values_are_told_too(value: Any, words: str) -> None:
    assert told(value) == words


def test_every_stage_has_its_words() -> None:
    assert set(STAGES) == set(Stage)
