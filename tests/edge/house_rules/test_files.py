"""A house file's mistakes: file, line, key, what is allowed; and houses that contradict themselves."""

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.errors import HouseRulesInvalid
from edge.house_rules import (
    HouseFileInvalid,
    check_house,
    contradictions,
    house_names,
    house_text,
    key_lines,
    parse_house,
)


def refused(house: str, *changes: tuple[str, str]) -> list[str]:
    """The mistakes of this house's file after these changes, as they are told."""
    text = house_text(house)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    with pytest.raises(HouseFileInvalid) as error:
        check_house(text, "mine.toml")
    assert error.value.source == "mine.toml"
    assert str(error.value).startswith("mine.toml: ")
    return [str(each) for each in error.value.mistakes]


@pytest.mark.parametrize("house", house_names())
def test_the_houses_that_come_with_the_product_contradict_nothing(house: str) -> None:
    assert contradictions(check_house(house_text(house))) == ()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("decks = 8 ", "decks = 0 "), "line 5: decks: must be a whole number from 1 to 12, not 0"),
        (("decks = 8 ", 'decks = "8" '), 'line 5: decks: must be a whole number from 1 to 12, not "8"'),
        (("decks = 8 ", "decks = true "), "line 5: decks: must be a whole number from 1 to 12, not true"),
        (("decks = 8 ", "decks = 8.5 "), "line 5: decks: must be a whole number from 1 to 12, not 8.5"),
        (("decks = 8 ", "decks = nan "), "line 5: decks: must be a whole number from 1 to 12, not nan"),
        (
            ("decks = 8 ", "decks = 1979-05-27 "),
            "line 5: decks: must be a whole number from 1 to 12, not a date",
        ),
        (("decks = 8 ", "decks = [8] "), "line 5: decks: must be a whole number from 1 to 12, not a list"),
        (
            ("decks = 8 ", f"decks = {'9' * 99} "),
            "line 5: decks: must be a whole number from 1 to 12, not that",
        ),
        (("seats = 7 ", "seats = 13 "), "line 6: seats: must be a whole number from 1 to 12, not 13"),
        (
            ('"deluxe"', '"De Luxe"'),
            "line 4: name: must be lower case letters, digits and hyphens, at most 64",
        ),
        (('"deluxe"', "7"), "line 4: name: must be text, not 7"),
        (("split = true", "split = 1"), "line 7: double_after_split: must be true or false, not 1"),
        (
            ('by = "first_card"', 'by = "second_card"'),
            'line 12: burn.by: must be "first_card", "fixed" or "none", not "second_card"',
        ),
        (
            ('by = "first_card"', f'by = "{"x" * 50}"'),
            'line 12: burn.by: must be "first_card", "fixed" or "none", not a long text',
        ),
        (
            ('by = "first_card"', ""),
            'line 11: burn.by: is missing; it is "first_card", "fixed" or "none"',
        ),
        (("ace = 1\n", "ace = -1\n"), "line 13: burn.ace: must be a whole number from 0 to 11, not -1"),
        (
            ("ten_valued = 10", "ten_valued = 10\ncards = 2"),
            "line 15: burn.cards: is no key here; known here: by, ace, ten_valued, first_card_counts",
        ),
        (("[burn] ", "[[burn]] "), "line 11: burn: must be a table, not a list"),
        (
            ('["ace", "ten"]            # DLX-8', '[\n  "ace",\n\n  "king",\n]'),
            'line 21: dealer.peek_under, item 2: must be "ace" or "ten", not "king"',
        ),
        (
            ('["ace", "ten"]            # DLX-8', '"ace"'),
            'line 18: dealer.peek_under: must be a list of "ace" or "ten", not "ace"',
        ),
        (
            ('aces = "one_card"', "aces = {}"),
            'line 23: split.aces: must be "one_card" or "free", not a table',
        ),
        (("decks = 8 ", "decks = 8\ndekc = 8 "), 'line 6: dekc: is no key here; did you mean "decks"?'),
        (
            ("decks = 8 ", 'decks = 8\naces = "free"'),
            "line 6: aces: is no key here; it belongs under [split]",
        ),
        (
            ("hole_card = true", "hole_card = true\nresults = 1"),
            "line 18: dealer.results: is no key here; it belongs above the first [table]",
        ),
        (
            ("hole_card = true", "hole_card = true\nresult = 1"),
            'line 18: dealer.result: is no key here; did you mean "results", above the first [table]?',
        ),
        (
            ("decks = 8 ", "decks = 8\npeek_undr = 1"),
            'line 6: peek_undr: is no key here; did you mean "peek_under", under [dealer]?',
        ),
        (
            ("[pair_bet]", "[pair_bet]\nx.y = 1"),
            "line 26: pair_bet.x: is no key here; known here: kinds, on_",
        ),
        (('kinds = "four"', ""), 'line 25: pair_bet.kinds: is missing; it is "none", "pair" or "four"'),
    ],
)
def test_a_mistake_is_told_with_line_key_and_what_is_allowed(change: tuple[str, str], told: str) -> None:
    (mistake,) = refused("deluxe", change)
    assert mistake.startswith(told)


def test_all_mistakes_are_known_and_five_are_told() -> None:
    seven = refused("deluxe", *((f"{key} = ", f"{key}{key} = ") for key in ("decks", "double_after_split")))
    assert seven == [
        "decks: is missing; it is a whole number from 1 to 12",
        "double_after_split: is missing; it is true or false",
        'line 5: decksdecks: is no key here; did you mean "decks"?',
        'line 7: double_after_splitdouble_after_split: is no key here; did you mean "double_after_split"?',
    ]
    with pytest.raises(HouseFileInvalid) as error:
        parse_house("", "empty.toml")
    assert len(error.value.mistakes) == 7
    assert "; and 2 more." in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = [", r"mine is not TOML: .*line 1"),
        ("a = 1\na = 2", r"mine is not TOML: .*line 2"),
        (f"a = {'[' * 5000}", "mine is nested too deeply"),
        (f"a = {'9' * 5000}", "mine has a number that is none"),
        (f"a = 0x{'9' * 9000}", "mine has a number that is none"),
    ],
)
def test_text_that_cannot_be_read_is_refused(text: str, told: str) -> None:
    with pytest.raises(HouseRulesInvalid, match=told):
        check_house(text, "mine")


# Contradictions ---------------------------------------------------------------------------------------

NO_HOLE_CARD = ("hole_card = true", "hole_card = false")


@pytest.mark.parametrize(
    ("house", "changes", "told"),
    [
        ("deluxe", [NO_HOLE_CARD], ["line 18: dealer.peek_under: there is no hole card to check"]),
        (
            "korean-floor",
            [NO_HOLE_CARD, ('first_card = "up"', 'first_card = "down"')],
            [
                "line 25: dealer.peek_under: there is no hole card to check",
                "line 26: dealer.hole_card_turned: there is no hole card that could stay unseen",
                "line 24: dealer.first_card: without a hole card the dealer's first card is the up card",
            ],
        ),
        (
            "deluxe",
            [("hole_card = true", 'natural_takes = "original"\nhole_card = true')],
            ["line 17: dealer.natural_takes: the dealer peeks under ace and ten"],
        ),
        (
            "korean-floor",
            [('peek_under = ["ace"]', 'peek_under = ["ace", "ten"]')],
            ["line 27: dealer.natural_under_ten_pushes_21: a peek under a ten finds it before"],
        ),
        (
            "korean-floor",
            [('kinds = "none"', 'kinds = "none"\non_split_hands = true')],
            ["line 37: pair_bet.on_split_hands: this house has no pair bet to place anew"],
        ),
        (
            "deluxe",
            [('under = ["ace", "ten"]', 'under = ["ace", "ten", "ace"]')],
            [
                'line 18: dealer.peek_under: "ace" stands there twice',
                'line 8: surrender_not_under: "ace" stands there twice',
            ],
        ),
        (
            "korean-floor",
            [("decks = 6", "decks = 1"), ("\ncards = 2", "\ncards = 52")],
            ["line 13: burn: of 52 cards 52 may be burned, and a first deal to 7 seats takes 16"],
        ),
        (
            "korean-floor",
            [("from_the_bottom = 50", "from_the_bottom = 312")],
            ["line 20: cut.from_the_bottom: the shoe has 312 cards"],
        ),
        (
            "korean-floor",
            [("from_the_bottom = 50", "not_before = 400")],
            ["line 20: cut.not_before: the shoe has 312 cards"],
        ),
        (
            "sa-gaming",
            [("[dealer]", '[cut]\nby = "count"\nafter = 416\n[dealer]')],
            ["line 16: cut.after: the shoe has 416 cards"],
        ),
        (
            "korean-floor",
            [("even_money = true", "continuous_shuffler = true")],
            ["line 14: burn.by: a continuous shuffler burns nothing", "line 18: cut.by: a continuous"],
        ),
        (
            "korean-floor",
            [('aces = "one_card"', 'aces = "free"')],
            ["line 33: split.aces: with double_after_split, surrender under a ten and"],
        ),
    ],
)  # fmt: skip
def test_choices_that_exclude_each_other_are_refused(
    house: str, changes: list[tuple[str, str]], told: list[str]
) -> None:
    for mistake, begins in zip(refused(house, *changes), told, strict=True):
        assert mistake.startswith(begins)


@pytest.mark.parametrize(
    "change",
    [
        ("double_after_split = true", "double_after_split = false"),
        ('surrender_not_under = ["ace"]', 'surrender_not_under = ["ace", "ten"]'),
        ("natural_under_ten_pushes_21 = true", "natural_under_ten_pushes_21 = false"),
    ],
)
def test_split_aces_may_be_free_where_the_rest_gives_less(change: tuple[str, str]) -> None:
    text = house_text("korean-floor").replace('aces = "one_card"', 'aces = "free"')
    assert change[0] in text
    assert check_house(text.replace(*change)).split.aces == "free"


CUT = "[dealer]"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('by = "card"\nindicators = 3', "cut.indicators: must be a whole number from 1 to 2, not 3"),
        ('by = "card"\nindicators = "2"', 'cut.indicators: must be a whole number from 1 to 2, not "2"'),
        ('by = "card"\nnot_before = -1', "cut.not_before: must be a whole number from 0 to 624, not -1"),
        ('by = "card"\nbetween_rounds = "closed"', 'cut.between_rounds: must be "next_is_last" or "closes"'),
        ('by = "card"\nindicator = 2', 'cut.indicator: is no key here; did you mean "indicators"?'),
        ('by = "count"\nafter = 0', "cut.after: must be a whole number from 1 to 624, not 0"),
        ('by = "count"', "cut.after: is missing; it is a whole number from 1 to 624"),
        ('by = "counts"', 'cut.by: must be "card", "count" or "none", not "counts"'),
        ("indicators = 1", 'cut.by: is missing; it is "card", "count" or "none"'),
        ('by = "none"\nbetween_rounds = "closes"', "cut.between_rounds: is no key here; known here: by"),
        ('by = "count"\nafter = 416', "cut.after: the shoe has 416 cards"),
        ('by = "card"\nfrom_the_bottom = 50\nnot_before = 390', "cut.not_before: with 50 cards behind it"),
    ],
)
def test_a_mistake_about_the_cut_card_is_told_like_any_other(said: str, told: str) -> None:
    (mistake,) = refused("sa-gaming", (CUT, f"[cut]\n{said}\n[dealer]"))

    assert mistake.partition(": ")[2].startswith(told)


KNOWS: Final = '"use_as_next", "discard", "retract", "void_round", "retire_shoe"'


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('pushed_bak = { house = "ask" }', 'pushed_bak: is no key here; did you mean "pushed_back"?'),
        ("storm = {}", "storm: is no key here; known here: unexpected_draw, unread_card, "),
        ("decks = 7", "decks: is no key here; it belongs above the first [table]"),
        ('pushed_back = "ask"', 'pushed_back: must be a table, not "ask"'),
        ('pushed_back = ["ask"]', "pushed_back: must be a table, not a list"),
        (
            'unexpected_draw = { house = "discrad" }',
            f'unexpected_draw.house: must be {KNOWS} or "ask", not "discrad"',
        ),
        ("unexpected_draw = { house = true }", 'unexpected_draw.house: must be "use_as_next", "discard", '),
        ("pushed_back = { hose = 1 }", 'pushed_back.hose: is no key here; did you mean "house"?'),
        (
            "pushed_back = { when = 1 }",
            "pushed_back.when: is no key here; known here: house, at, allowed, role",
        ),
        (
            'pushed_back = { at = { betwen = "ask" } }',
            'pushed_back.at.betwen: is no key here; did you mean "between"?',
        ),
        (
            'pushed_back = { at = { night = "ask" } }',
            "pushed_back.at.night: is no key here; known here: no_shoe, opening, between, ",
        ),
        (
            'pushed_back = { at = { play = "enter it" } }',
            'pushed_back.at.play: must be "accept", "retract", "void_round", "retire_shoe" or "ask", not',
        ),
        ("pushed_back = { at = 3 }", "pushed_back.at: must be a table, not 3"),
        (
            'pushed_back = { allowed = "accept" }',
            'pushed_back.allowed: must be a list of "accept", "retract", ',
        ),
        (
            'pushed_back = { allowed = ["accept", "burn"] }',
            'pushed_back.allowed, item 2: must be "accept", "retract", "void_round" or "retire_shoe", not "b',
        ),
        (
            'pushed_back = { role = "Big Boss" }',
            "pushed_back.role: must be lower case letters, digits and under",
        ),
        ("pushed_back = { role = 3 }", "pushed_back.role: must be text, not 3"),
        (
            'pushed_back = { house = "discard" }',
            'pushed_back.house: "discard": it does not fit pushed_back; what fits: "accept", "retract", ',
        ),
        (
            'unread_card = { house = "reread" }',
            'unread_card.house: "reread": it comes by itself and is nobody\'s choice; what fits: ',
        ),
        (
            'pushed_back = { at = { play = "rebuild" } }',
            'pushed_back.at.play: "rebuild": it does not fit pushed_back; what fits: "accept", ',
        ),
        (
            'pushed_back = { house = "accept", allowed = ["retract", "void_round"] }',
            'pushed_back.house: "accept" is not among its allowed: "retract", "void_round", "ask", or allow',
        ),
        (
            'pushed_back = { at = { play = "accept" }, allowed = ["retract"] }',
            'pushed_back.at.play: "accept" is not among its allowed: "retract", "ask", or allow it as well',
        ),
        ("pushed_back = { allowed = [] }", "pushed_back.allowed: nothing could end it: "),
        (
            'pushed_back = { allowed = ["accept", "move"] }',
            'pushed_back.allowed: "move": it does not fit pushed_back; what fits: "accept", ',
        ),
        (
            'pushed_back = { allowed = ["accept", "accept"] }',
            'pushed_back.allowed: "accept" stands there twice: once is enough',
        ),
        (
            'box_skipped = { at = { between = "rebuild" } }',
            'box_skipped.at.between: box_skipped cannot be there; it can at "new_game", "first_cards", ',
        ),
        (
            'pushed_back = { at = { dealer_covered = "accept" } }',
            'pushed_back.at.dealer_covered: pushed_back cannot be there; it can at "no_shoe", "opening", ',
        ),
        (
            'pushed_back = { at = { between = "void_round" } }',
            'pushed_back.at.between: there is no round to void: "retire_shoe", "ask", or another that fits',
        ),
        (
            'pushed_back = { at = { no_shoe = "retire_shoe" } }',
            'pushed_back.at.no_shoe: there is no shoe to retire: "ask"',
        ),
        (
            'count_mismatch = { house = "retire_shoe" }',
            'count_mismatch.house: "retire_shoe": it does not fit count_mismatch; what fits: "clear"',
        ),
        (
            'shuffle_failed = { at = { between = "clear" } }',
            "shuffle_failed.at.between: shuffle_failed cannot be there; it latches at whatever stage",
        ),
    ],
)
def test_a_mistake_about_irregular_play_is_told_with_line_key_and_what_is_allowed(
    said: str, told: str
) -> None:
    text = house_text("deluxe").partition("[irregularities]")[0]
    with pytest.raises(HouseFileInvalid) as error:
        check_house(f"{text}[irregularities]\n# a comment\n{said}\n", "mine.toml")

    (mistake,) = error.value.mistakes
    assert mistake.line == text.count("\n") + 3
    assert f"{mistake.key}: {mistake.why}".startswith(f"irregularities.{told}")


def test_a_mistake_in_a_table_of_its_own_has_its_own_line() -> None:
    text = house_text("deluxe").partition("[irregularities]")[0]
    tables = (
        '[irregularities.pushed_back]\nrole = "manager"\n[irregularities.pushed_back.at]\nplay = "move"\n'
    )
    with pytest.raises(HouseFileInvalid) as error:
        check_house(text + tables)

    (mistake,) = error.value.mistakes
    assert (mistake.line, mistake.key) == (text.count("\n") + 4, "irregularities.pushed_back.at.play")


@pytest.mark.parametrize(
    ("house", "kind", "told"),
    [
        ("sa-gaming", "hole_card_shown", "there is no hole card (dealer.hole_card = false): leave it out"),
        ("sa-gaming", "wrong_burn", 'nothing is burned (burn.by = "none"): leave it out'),
    ],
)
def test_what_a_house_cannot_meet_it_cannot_rule_on(house: str, kind: str, told: str) -> None:
    (mistake,) = refused(house, ("[irregularities]", f'[irregularities]\n{kind} = {{ house = "accept" }}'))

    assert mistake.endswith(f"irregularities.{kind}: {told}")


@pytest.mark.parametrize("kind", ["cut_card_twice", "cut_card_early", "cut_card_missing"])
def test_without_a_cut_card_nothing_is_said_of_it(kind: str) -> None:
    (mistake,) = refused(
        "sa-gaming",
        (CUT, '[cut]\nby = "none"\n[dealer]'),
        ("[irregularities]", f'[irregularities]\n{kind} = {{ house = "accept" }}'),
    )

    assert mistake.endswith(f'irregularities.{kind}: no card is cut in (cut.by = "none"): leave it out')


@pytest.mark.parametrize(
    "said",
    [
        "overdue_after = 50",
        "overdue_after = 20\nfrom_the_bottom = 20",
        "overdue_after = 9\nfrom_the_bottom = 5",
    ],
)
def test_a_cut_card_that_nobody_would_miss_is_refused(said: str) -> None:
    (mistake,) = refused("sa-gaming", (CUT, f'[cut]\nby = "card"\n{said}\n[dealer]'))

    assert "cut.overdue_after: it is counted from cut.from_the_bottom, and less than that" in mistake


@pytest.mark.parametrize(
    ("key", "most"),
    [
        ("early_draw_ms", 60_000),
        ("device_lost_ms", 600_000),
        ("host_lost_ms", 600_000),
        ("min_draw_ms", 5_000),
    ],
)
def test_how_long_a_house_may_wait(key: str, most: int) -> None:
    for wrong in (-1, most + 1):
        (mistake,) = refused("sa-gaming", ("seats = 7", f"seats = 7\n{key} = {wrong}"))
        assert mistake.endswith(f"{key}: must be a whole number from 0 to {most}, not {wrong}")
    check_house(house_text("sa-gaming").replace("seats = 7", f"seats = 7\n{key} = {most}"))


def test_a_count_that_the_burn_alone_may_reach_is_refused() -> None:
    (mistake,) = refused("deluxe", (CUT, '[cut]\nby = "count"\nafter = 11\n[dealer]'))

    assert "cut.after: 11 cards may be burned before the first round" in mistake


def test_a_house_on_record_is_still_read() -> None:
    text = house_text("deluxe").replace(*NO_HOLE_CARD)
    assert parse_house(text).dealer.hole_card is False
    assert contradictions(parse_house(text))[0].key == ("dealer", "peek_under")


# Lines ------------------------------------------------------------------------------------------------

ODD = '''
# a comment = 1
top = 1  # and = another
"quoted key" = """
not = a key
[nor.a.table]
"""
'literal.key'.sub = \'\'\'it's
x = 1\'\'\'
"esc\\u0061pe" = "a \\" quote # no comment"
[table]
list = [ 1, # one = 1
  "two",
  [3,
   {four = 4, "five" = [
     6]}],
]
empty = []
when = 1979-05-27 07:32:00
[table.deep."er"]
dotted . key = {a.b = 1, c = {}}
[[many]]
x = 1
[[many]]
x = 2
[many.sub]
y = "four quotes: """""
'''.replace('"four quotes: """""', '"""four quotes: """"')


def test_keys_are_found_whatever_toml_allows() -> None:
    for text in (ODD, ODD.replace("\n", "\r\n")):
        found = key_lines(text)
        assert set(found) == set(_paths(tomllib.loads(text)))
        lines = text.splitlines()
        at = {path: lines[line - 1] for path, line in found.items()}
        assert at[("literal.key", "sub")].startswith("'literal.key'")
        assert at[("escape",)].startswith('"esc')
        assert at[("table", "list", 1)] == '  "two",'
        assert at[("table", "list", 2, 1, "five", 0)].strip() == "6]}],"
        assert at[("table", "deep", "er", "dotted", "key", "a", "b")].startswith("dotted . key")
        assert [found["many", 0, "x"], found["many", 1, "x"]] == [23, 25]
        assert at[("many", 1, "sub", "y")].startswith("y = ")


def test_text_that_breaks_off_gives_what_was_there() -> None:
    assert key_lines("a = 1\nb = [1,") == {("a",): 1, ("b",): 2, ("b", 0): 2}
    assert key_lines("a = 1\n= 2\nc = 3") == {("a",): 1}
    assert key_lines("[a\nb = 1") == {("a",): 1}
    assert ("a",) in key_lines("a = " + "[" * 5000)


def _paths(table: dict[str, Any] | list[Any], above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for step, value in table.items() if isinstance(table, dict) else enumerate(table):
        yield (*above, step)
        if isinstance(value, dict | list):
            yield from _paths(value, (*above, step))


BITS = [
    *("", "=", "[", "]", "{", "}", '"', "'", "\n", "#", ",", ".", "1", "true", '"ace"', "[dealer]\n", "\\"),
    *('"accept"', "at = { play = 1 }, ", 'house = "move", ', "unread_card", "[irregularities.lid_opened]\n"),
]


@given(
    st.sampled_from(house_names()),
    st.lists(st.tuples(st.integers(0, 2400), st.sampled_from(BITS)), max_size=4),
    st.integers(0, 40),
)
@settings(deadline=None, max_examples=400, derandomize=True)
def test_no_file_is_ever_anything_but_read_or_refused(
    house: str, additions: list[tuple[int, str]], cut: int
) -> None:
    text = house_text(house)
    for place, addition in additions:
        text = text[:place] + addition + text[place + cut :]
    with suppress(HouseRulesInvalid):
        check_house(text, "mine")
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = key_lines(text)
    assert set(found) == set(_paths(said))
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())
