"""The settlement case by case: follows, rounding, the natural that takes one stake, voids, refusals."""

import copy
import json
from typing import Any

import pytest

from edge.envelope import FIRST_PREVHASH, published
from edge.events import RoundResult, Spot
from edge.house_rules import HouseRules, house_text, parse_house
from edge.settlement import (
    BehindBet,
    Insurance,
    PairBet,
    Raises,
    RaisesDiffer,
    ResultUnreadable,
    Rounding,
    SeatBet,
    Settlement,
    SettlementRefused,
    Stake,
    StakesInvalid,
    raises_of,
    read_result,
    refund,
    settle,
)
from tests.edge.settlement.naive import points

DELUXE = parse_house(house_text("deluxe"))
FLOOR = parse_house(house_text("ho-tram-strip"))
KOREAN = parse_house(house_text("korean-floor"))
ORIGINAL = parse_house(house_text("sa-gaming").replace('natural_takes = "all"', 'natural_takes = "original"'))
ODDS = {
    "blackjack": [3, 2],
    "win": [1, 1],
    "even_money": [1, 1],
    "push": [0, 1],
    "lose": [-1, 1],
    "surrender": [-1, 2],
    "void": [0, 1],
}


HOW = {"blackjack": "natural", "even_money": "even_money", "surrender": "surrender", "void": "void"}
CARDS = {"natural": ("As", "Kd"), "even_money": ("As", "Kd"), "double": ("8s", "3d", "7c")}


def hand(
    outcome: str, *cards: str, number: int = 1, how: str | None = "", units: int = 1, **more: Any
) -> dict[str, Any]:
    """A hand that can be, unless ``more`` says otherwise; of 18 if nothing is said."""
    ended = HOW.get(outcome, "stand") if how == "" else how
    shown = list(cards or CARDS.get(ended or "", ("Th", "8s")))
    low = sum(points([card]) if card[0] != "A" else 1 for card in shown)
    return {
        "hand": number,
        "cards": shown,
        "total": points(shown),
        "soft": points(shown) != low,
        "how": ended,
        "outcome": outcome,
        "odds": ODDS[outcome],
        "units": units,
        "pair": None,
        **more,
    }


def seat(number: int, *hands: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"seat": number, "pair": None, "insurance": None, "hands": list(hands), **more}


def result(*seats: dict[str, Any], natural: bool = False, **dealer: Any) -> dict[str, Any]:
    cards = ["Kd", "As"] if natural else ["Kd", "7c"]
    total = 21 if natural else 17
    shown = {"cards": cards, "total": total, "natural": natural, "bust": False, "unseen": 0}
    return {"dealer": {**shown, **dealer}, "seats": list(seats)}


def paid(settled: Settlement) -> dict[str, tuple[int, int]]:
    return {payout.bet: (payout.staked, payout.returned) for payout in settled.payouts}


SPLIT = result(
    seat(1, hand("win", units=2, how="double"), hand("lose", number=2, units=2, how="double")),
)
"""Both hands of a split doubled, the first won and the second lost."""


@pytest.mark.rule("DLX-24", "DLX-25", "DLX-26", "SAG-11")
@pytest.mark.parametrize(
    ("follows_split", "follows_double", "staked", "returned"),
    [
        (False, (), 100, 200),
        (False, (1,), 200, 400),
        (True, (), 200, 200),
        (True, (1,), 300, 400),
        (True, (2,), 300, 200),
        (True, (1, 2), 400, 400),
    ],
)
def test_a_behind_bet_follows_what_it_followed(
    follows_split: bool,  # noqa: FBT001 - a case's column
    follows_double: tuple[int, ...],
    staked: int,
    returned: int,
) -> None:
    bet = BehindBet(bet="b", seat=1, amount=100, follows_split=follows_split, follows_double=follows_double)
    assert paid(settle(SPLIT, [bet], house=DELUXE)) == {"b": (staked, returned)}
    assert paid(settle(SPLIT, [SeatBet(bet="s", seat=1, amount=100)], house=DELUXE)) == {"s": (400, 400)}


@pytest.mark.rule("BJ-8", "DLX-22")
@pytest.mark.parametrize("house", [DELUXE, FLOOR, KOREAN, ORIGINAL], ids=lambda house: house.name)
@pytest.mark.parametrize(
    ("outcome", "returned"),
    [
        ("blackjack", 250),
        ("win", 200),
        ("even_money", 200),
        ("push", 100),
        ("void", 100),
        ("surrender", 50),
        ("lose", 0),
    ],
)
def test_every_outcome_pays_its_odds(house: HouseRules, outcome: str, returned: int) -> None:
    stakes: list[Stake] = [SeatBet(bet="s", seat=1, amount=100), BehindBet(bet="b", seat=1, amount=10)]
    given = result(seat(1, hand(outcome)))
    if outcome == "even_money" and not house.even_money:
        with pytest.raises(ResultUnreadable, match="Hand 1 of seat 1 took even money, which house"):
            settle(given, stakes, house=house)
        return
    settled = settle(given, stakes, house=house)
    assert paid(settled) == {"s": (100, returned), "b": (10, returned // 10)}
    assert (settled.staked, settled.returned, settled.house) == (
        110,
        returned * 11 // 10,
        110 - returned * 11 // 10,
    )
    assert settled.payout("s").net == returned - 100 == settled.payout("s").lines[0].net
    with pytest.raises(KeyError, match="nobody"):
        settled.payout("nobody")


@pytest.mark.parametrize(
    ("outcome", "amount", "rounding", "returned"),
    [
        ("blackjack", 1, Rounding.DOWN, 2),
        ("blackjack", 1, Rounding.UP, 3),
        ("blackjack", 1, Rounding.EVEN, 2),
        ("blackjack", 3, Rounding.EVEN, 8),
        ("blackjack", 4, Rounding.UP, 10),
        ("surrender", 1, Rounding.DOWN, 0),
        ("surrender", 1, Rounding.UP, 1),
        ("surrender", 1, Rounding.EVEN, 0),
        ("surrender", 3, Rounding.EVEN, 2),
        ("surrender", 10**30 + 1, Rounding.DOWN, 5 * 10**29),
    ],
)
def test_a_half_unit_goes_where_it_is_said(
    outcome: str, amount: int, rounding: Rounding, returned: int
) -> None:
    bet = SeatBet(bet="s", seat=1, amount=amount)
    settled = settle(result(seat(1, hand(outcome))), [bet], house=DELUXE, rounding=rounding)
    assert settled.returned == returned
    assert ("rounded" in settled.payouts[0].lines[0].reason) is (amount % 2 == 1)


@pytest.mark.rule("DLX-23")
@pytest.mark.parametrize(
    ("kind", "odds", "reason"),
    [
        ("mixed", 5, "The first two cards make a mixed pair: pays 5:1."),
        ("coloured", 10, "The first two cards make a coloured pair: pays 10:1."),
        ("perfect", 30, "The first two cards make a perfect pair: pays 30:1."),
        ("suited_triple", 50, "The first two cards make a suited triple: pays 50:1."),
        ("pair", 11, "The first two cards make a pair: pays 11:1."),
        (None, -1, "The first two cards make no pair: the pair bet loses."),
    ],
)
def test_a_pair_bet_pays_its_kind_whatever_the_hand_does(kind: str | None, odds: int, reason: str) -> None:
    found = None if kind is None else {"kind": kind, "odds": [odds, 1]}
    settled = settle(
        result(seat(2, hand("lose"), pair=found)), [PairBet(bet="p", seat=2, amount=3)], house=DELUXE
    )
    assert paid(settled) == {"p": (3, 3 + 3 * odds)}
    assert settled.payouts[0].lines[0].reason == reason


@pytest.mark.rule("HTS-5")
def test_a_pair_bet_placed_anew_lies_on_its_split_hand() -> None:
    pair = {"kind": "pair", "odds": [11, 1]}
    both = seat(1, hand("win"), hand("lose", number=2, pair=pair), pair=pair)
    stakes = [
        PairBet(bet="first", seat=1, amount=1),
        PairBet(bet="one", seat=1, amount=10, hand=1),
        PairBet(bet="two", seat=1, amount=100, hand=2),
    ]
    settled = settle(result(both), stakes, house=FLOOR)
    assert paid(settled) == {"first": (1, 12), "one": (10, 0), "two": (100, 1200)}
    assert [payout.lines[0].reason for payout in settled.payouts][1:] == [
        "Hand 1 begins with no pair: the pair bet loses.",
        "Hand 2 begins with a pair: pays 11:1.",
    ]


@pytest.mark.rule("BJ-8", "DLX-19", "DLX-24")
@pytest.mark.parametrize(("said", "times"), [("won", 3), ("lost", 0)])
def test_insurance_is_settled_apart_from_the_bet_it_is_on(said: str, times: int) -> None:
    stakes: list[Stake] = [
        Insurance(bet="bi", on="b", amount=2),
        BehindBet(bet="b", seat=1, amount=5),
        SeatBet(bet="s", seat=1, amount=41),
        Insurance(bet="si", on="s", amount=20),
    ]
    settled = settle(
        result(seat(1, hand("push"), insurance=said), natural=said == "won"), stakes, house=DELUXE
    )
    assert paid(settled) == {"bi": (2, 2 * times), "b": (5, 5), "s": (41, 41), "si": (20, 20 * times)}


@pytest.mark.rule("KRF-9")
def test_payouts_come_in_the_order_of_the_result() -> None:
    stakes = [SeatBet(bet=f"s{number}", seat=number, amount=1) for number in (2, 1, 3)]
    stakes_behind = BehindBet(bet="b1", seat=1, amount=1)
    settled = settle(
        result(*(seat(number, hand("win")) for number in (3, 2, 1))), [*stakes, stakes_behind], house=KOREAN
    )
    assert list(paid(settled)) == ["s3", "s2", "s1", "b1"]


# Where a natural takes the original stake only -------------------------------------------------------


def bust(number: int = 1, **more: Any) -> dict[str, Any]:
    return hand("lose", "9s", "6d", "Kc", number=number, how="bust", **more)


@pytest.mark.rule("SAG-3")
def test_the_second_unit_of_a_double_comes_back() -> None:
    lost = result(seat(1, hand("lose", how="double")), natural=True)
    stakes: list[Stake] = [
        SeatBet(bet="s", seat=1, amount=100),
        BehindBet(bet="b", seat=1, amount=10),
        BehindBet(bet="f", seat=1, amount=10, follows_double=(1,)),
    ]
    settled = settle(lost, stakes, house=ORIGINAL)
    assert paid(settled) == {"s": (200, 100), "b": (10, 0), "f": (20, 10)}
    reasons = [payout.lines[0].reason for payout in settled.payouts]
    assert ["original stake" in reason for reason in reasons] == [True, False, True]
    assert reasons[1] == "Hand 1: double not followed, 18 against a natural loses."


@pytest.mark.rule("SAG-3")
def test_the_second_hand_of_a_split_comes_back_even_bust_and_doubled() -> None:
    second = bust(2, units=2) | {"outcome": "push", "odds": [0, 1]}
    settled = settle(
        result(seat(1, hand("lose", "8s", "Tc"), second), natural=True),
        [SeatBet(bet="s", seat=1, amount=100)],
        house=ORIGINAL,
    )
    assert paid(settled) == {"s": (300, 200)}
    assert settled.payouts[0].lines[1].reason == (
        "Hand 2: doubled, a bust against a natural pushes, the stake goes back. "
        "The dealer's natural takes the original stake only."
    )


@pytest.mark.parametrize("doubled", [True, False])
def test_whether_a_bust_was_a_double_must_be_told(doubled: bool) -> None:  # noqa: FBT001 - both cases
    lost = result(seat(1, bust()), natural=True)
    stakes = [SeatBet(bet="s", seat=1, amount=100)]
    with pytest.raises(RaisesDiffer, match="does not say whether it had been doubled"):
        settle(lost, stakes, house=ORIGINAL)
    told = Raises(seats=(1,), doubled=(Spot(seat=1, hand=1),) if doubled else ())
    assert settle(lost, stakes, house=ORIGINAL, raises=told).returned == (100 if doubled else 0)


def test_more_or_fewer_cards_than_a_double_has_need_no_telling() -> None:
    four = bust() | {"cards": ["2s", "3d", "Kc", "Jc"]}
    stakes = [SeatBet(bet="s", seat=1, amount=100)]
    assert paid(settle(result(seat(1, four), natural=True), stakes, house=ORIGINAL)) == {"s": (100, 0)}
    peeked = hand("lose", how=None)
    assert paid(settle(result(seat(1, peeked), natural=True), stakes, house=ORIGINAL)) == {"s": (100, 0)}


def test_a_result_of_such_a_house_is_not_settled_by_another() -> None:
    lost = result(seat(1, hand("lose", how="double")), natural=True)
    with pytest.raises(RaisesDiffer, match="which house deluxe does not do"):
        settle(lost, [], house=DELUXE)


# Events beside the result -----------------------------------------------------------------------------


def test_events_that_agree_change_nothing() -> None:
    events: list[tuple[str, dict[str, Any]]] = [
        ("round.opened", {"seats": [7]}),
        ("turn.acted", {"seat": 7, "hand": 1, "action": "double"}),
        ("round.voided", {"reason": "r"}),
        ("round.opened", {"seats": [1]}),
        ("turn.acted", {"seat": 1, "hand": 1, "action": "split"}),
        ("hand.split", {"seat": 1, "hands": []}),
        ("turn.acted", {"seat": 1, "hand": 1, "action": "double"}),
        ("turn.acted", {"seat": 1, "hand": 2, "action": "double"}),
    ]
    raises = raises_of(events)
    assert raises == Raises(seats=(1,), split=(1,), doubled=(Spot(seat=1, hand=1), Spot(seat=1, hand=2)))
    stakes = [SeatBet(bet="s", seat=1, amount=100)]
    assert settle(SPLIT, stakes, house=DELUXE, raises=raises) == settle(SPLIT, stakes, house=DELUXE)


@pytest.mark.parametrize(
    ("raises", "said"),
    [
        (
            Raises(seats=(1,), split=(1,)),
            "By the events hand 1 of seat 1 was not doubled, by the result it was",
        ),
        (
            Raises(seats=(1,), doubled=(Spot(seat=1, hand=1), Spot(seat=1, hand=2))),
            "By the events seats none were split, by the result seats 1",
        ),
        (
            Raises(seats=(1, 2), split=(1,), doubled=(Spot(seat=1, hand=1), Spot(seat=1, hand=2))),
            "By the events seats 1, 2 were dealt in, by the result seats 1",
        ),
    ],
)
def test_events_that_disagree_settle_nothing(raises: Raises, said: str) -> None:
    with pytest.raises(RaisesDiffer, match=said):
        settle(SPLIT, [], house=DELUXE, raises=raises)


# A round without a result -----------------------------------------------------------------------------


@pytest.mark.rule("DLX-32")
def test_a_voided_round_gives_everything_back() -> None:
    raises = Raises(seats=(1, 2), split=(1,), doubled=(Spot(seat=1, hand=2), Spot(seat=2, hand=1)))
    stakes: list[Stake] = [
        SeatBet(bet="s2", seat=2, amount=7),
        SeatBet(bet="s1", seat=1, amount=5),
        BehindBet(bet="b", seat=1, amount=3, follows_split=True, follows_double=(2,)),
        PairBet(bet="p", seat=1, amount=2),
        PairBet(bet="p2", seat=1, amount=1, hand=2),
        Insurance(bet="i", on="s2", amount=3),
    ]
    settled = refund(stakes, house=FLOOR, raises=raises)
    assert paid(settled) == {
        "s1": (15, 15), "b": (9, 9), "p": (2, 2), "p2": (1, 1), "s2": (14, 14), "i": (3, 3),
    }  # fmt: skip
    assert settled.house == 0
    reasons = {line.reason for payout in settled.payouts for line in payout.lines}
    assert reasons == {"The round was voided: the whole stake goes back."}


def test_a_voided_round_refuses_the_same_stakes() -> None:
    with pytest.raises(StakesInvalid, match="dealt in: none"):
        refund([SeatBet(bet="s", seat=1, amount=5)], house=DELUXE, raises=raises_of([]))


def test_a_pair_bet_on_a_void_box_goes_back() -> None:
    void = result(seat(1, hand("void", how="void")))
    assert paid(settle(void, [PairBet(bet="p", seat=1, amount=5)], house=DELUXE)) == {"p": (5, 5)}


# Refusals ---------------------------------------------------------------------------------------------

PLAIN = result(seat(1, hand("win")), seat(3, hand("lose"), insurance="lost"))


@pytest.mark.parametrize(
    ("stakes", "said"),
    [
        (
            [SeatBet(bet="s", seat=2, amount=5)],
            "Bet 's' is on seat 2, which was not dealt in; dealt in: 1, 3.",
        ),
        ([SeatBet(bet="s", seat=True, amount=5)], "Bet 's' is on seat True"),
        ([SeatBet(bet="s", seat=1, amount=0)], "Bet 's' is of 0. A bet is at least 1 minor unit"),
        ([SeatBet(bet="s", seat=1, amount=-5)], "Bet 's' is of -5."),
        ([SeatBet(bet="s", seat=1, amount=5.0)], "Bet 's' is of 5.0. Amounts are whole numbers"),  # type: ignore[arg-type]
        ([SeatBet(bet="s", seat=1, amount=True)], "Bet 's' is of True."),
        ([SeatBet(bet="s", seat=1, amount="5")], "Bet 's' is of '5'."),  # type: ignore[arg-type]
        ([SeatBet(bet="", seat=1, amount=5)], "A bet has the name ''. Give each a name"),
        ([SeatBet(bet=7, seat=1, amount=5)], "A bet has the name 7."),  # type: ignore[arg-type]
        (["s"], "A str is no stake. Give SeatBet"),
        (
            [SeatBet(bet="s", seat=1, amount=5), PairBet(bet="s", seat=3, amount=5)],
            "Two bets are called 's'.",
        ),
        (
            [SeatBet(bet="s", seat=1, amount=5), SeatBet(bet="t", seat=1, amount=5)],
            "Seat 1 has two seat bets.",
        ),
        ([BehindBet(bet="b", seat=9, amount=5)], "Bet 'b' is on seat 9"),
        (
            [BehindBet(bet="b", seat=1, amount=5, follows_split=True)],
            "Behind bet 'b' follows a split, and seat 1 did not split.",
        ),
        (
            [BehindBet(bet="b", seat=1, amount=5, follows_double=(1,))],
            "Behind bet 'b' follows a double on hand 1 of seat 1, which was not doubled.",
        ),
        (
            [BehindBet(bet="b", seat=1, amount=5, follows_double=(2,))],
            "follows a double on hand 2, on which it has no stake. It lies on hand 1.",
        ),
        (
            [BehindBet(bet="b", seat=1, amount=5, follows_split="yes")],  # type: ignore[arg-type]
            "does not say what it follows",
        ),
        (
            [BehindBet(bet="b", seat=1, amount=5, follows_double=1)],  # type: ignore[arg-type]
            "does not say what it follows",
        ),
        ([PairBet(bet="p", seat=2, amount=5)], "Bet 'p' is on seat 2"),
        ([PairBet(bet="p", seat=1, amount=5, hand=1)], "Pair bet 'p' is on hand 1 of seat 1, where none can"),
        ([Insurance(bet="i", on="s", amount=5)], "Insurance 'i' is on 's', no seat bet or behind bet here."),
        (
            [PairBet(bet="p", seat=3, amount=10), Insurance(bet="i", on="p", amount=5)],
            "Insurance 'i' is on 'p', no seat bet",
        ),
        (
            [SeatBet(bet="s", seat=3, amount=5), Insurance(bet="i", on="s", amount=3)],
            "Bet 's' of 5 is insured for 3, more than half. At most 2 can be taken",
        ),
        (
            [
                SeatBet(bet="s", seat=3, amount=5),
                Insurance(bet="i", on="s", amount=1),
                Insurance(bet="j", on="s", amount=2),
            ],
            "Bet 's' of 5 is insured for 3",
        ),
        (
            [SeatBet(bet="s", seat=1, amount=5), Insurance(bet="i", on="s", amount=2)],
            "Insurance 'i' is on seat 1, which is not among the insured of this round. insurance.close must",
        ),
    ],
)
def test_stakes_that_cannot_be_are_refused_with_a_sentence(stakes: list[Any], said: str) -> None:
    with pytest.raises(StakesInvalid) as refused:
        settle(PLAIN, stakes, house=DELUXE)
    assert said in str(refused.value)
    assert refused.value.hint


def test_pair_bets_only_where_the_house_has_them() -> None:
    with pytest.raises(StakesInvalid, match="is a pair bet, and house korean-floor has none"):
        settle(PLAIN, [PairBet(bet="p", seat=1, amount=5)], house=KOREAN)
    for where in (0, 3):
        with pytest.raises(StakesInvalid, match=f"on hand {where} of seat 1"):
            settle(SPLIT, [PairBet(bet="p", seat=1, amount=5, hand=where)], house=FLOOR)
    with pytest.raises(StakesInvalid, match="on hand 1 of seat 1"):
        settle(SPLIT, [PairBet(bet="p", seat=1, amount=5, hand=1)], house=DELUXE)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seats": []}, "no seat"),
        ({"seats": PLAIN["seats"] * 2}, "one seat twice"),
        ({"seats": None}, "wrong at seats"),
        ({"seats": [seat(1)]}, "has hands"),
        ({"seats": [seat(1, hand("win"), hand("win"))]}, "has hands"),
        ({"seats": [seat(1, hand("win", number=2))]}, "has hands"),
        ({"seats": [seat(1, hand("win", units=3))]}, "Hand 1 of seat 1 has 3 units"),
        ({"seats": [seat(1, hand("win") | {"odds": [1, 0]})]}, "has odds 1:0, and win pays 1:1"),
        ({"seats": [seat(1, hand("win") | {"odds": [-3, 2]})]}, "has odds -3:2"),
        (
            {"seats": [seat(1, hand("win"), pair={"kind": "pair", "odds": [-2, 1]})]},
            "pair of seat 1 has odds -2:1",
        ),
        ({"seats": [seat(1, hand("win") | {"odds": [1.5, 1]})]}, "wrong at seats"),
        ({"seats": [seat(1, hand("win") | {"units": True})]}, "wrong at seats"),
        ({"seats": [seat(1, hand("win") | {"outcome": "luck"})]}, "wrong at seats"),
    ],
)
def test_a_result_that_no_table_publishes_is_refused(change: dict[str, Any], said: str) -> None:
    for form in (dict, json.dumps, lambda each: json.dumps(each).encode()):
        with pytest.raises(ResultUnreadable, match=said):
            settle(form(PLAIN | copy.deepcopy(change)), [], house=DELUXE)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b"{}", "[" * 100_000, '{"specversion": 1}', "1"])
def test_what_is_no_result_is_refused(text: bytes | str) -> None:
    with pytest.raises(ResultUnreadable) as refused:
        settle(text, [], house=DELUXE)
    assert isinstance(refused.value, SettlementRefused)
    assert refused.value.hint == "Give the round.result as it was published, or its data."


def test_what_json_cannot_carry_is_refused() -> None:
    with pytest.raises(ResultUnreadable, match="cannot be read"):
        read_result({"dealer": object()})


def test_a_result_is_taken_as_noun_as_data_and_as_published() -> None:
    noun = read_result(PLAIN | {"shoe": 1, "round": 1})
    envelope = published(noun, table="t", journal="j", sequence=1, wall_ms=0, prevhash=FIRST_PREVHASH)
    assert isinstance(noun, RoundResult)
    forms = [noun, PLAIN | {"shoe": 1, "round": 1}, envelope, envelope.decode(), json.loads(envelope)]
    assert [read_result(form) for form in forms] == [noun] * 5
    other = envelope.replace(b"round.result", b"round.closed")
    with pytest.raises(ResultUnreadable, match=r"This is a round\.closed"):
        read_result(other)


DEALER = {"cards": ["Kd", "7c"], "total": 17, "natural": False, "bust": False, "unseen": 0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *(
            (
                result(seat(5, hand(outcome, odds=[7, 1]))),
                f"Hand 1 of seat 5 has odds 7:1, and {outcome} pays {won}:{per}.",
            )
            for outcome, (won, per) in ODDS.items()
        ),
        *(
            (
                result(seat(5, hand("win"), pair={"kind": kind, "odds": [odds + 1, 1]})),
                f"The pair of seat 5 has odds {odds + 1}:1, and {kind} pays {odds}:1.",
            )
            for kind, odds in (
                ("pair", 11),
                ("mixed", 5),
                ("coloured", 10),
                ("perfect", 30),
                ("suited_triple", 50),
            )
        ),
        (
            result(
                seat(5, hand("win"), hand("win", number=2, pair={"kind": "pair", "odds": [12, 1]})),
            ),
            "The pair on hand 2 of seat 5 has odds 12:1, and pair pays 11:1.",
        ),
        (result(seat(5, hand("win", odds=[2, 2]))), "Hand 1 of seat 5 has odds 2:2, and win pays 1:1."),
        *(
            (
                result(seat(5, hand("lose", how=how, units=2))),
                f"Hand 1 of seat 5 has 2 units and ended by {how or 'null'}, which no doubled hand does.",
            )
            for how in ("stand", "twenty_one", "split_ace", "natural", "surrender", "even_money", None)
        ),
        (
            result(seat(5, hand("win"), hand("blackjack", number=2))),
            "Hand 2 of seat 5 is a natural, and the seat has two hands.",
        ),
        (
            result(seat(5, hand("blackjack", "7s", "7c", "7d", how="twenty_one"))),
            "Hand 1 of seat 5 is a natural by the result, and not by the cards 7s 7c 7d.",
        ),
        (
            result(seat(5, hand("push", "Ts", "9c", how="natural"))),
            "Hand 1 of seat 5 is a natural by the result, and not by the cards Ts 9c.",
        ),
        (
            result(seat(5, hand("win", total=19))),
            "Hand 1 of seat 5 is of total 19 by the result, and 18 by the cards Th 8s.",
        ),
        (
            result(seat(5, hand("win", soft=True))),
            "Hand 1 of seat 5 is of soft true by the result, and false by the cards Th 8s.",
        ),
        (result(seat(5, hand("lose", how="bust"))), "Hand 1 of seat 5 ended by bust with a total of 18."),
        (
            result(seat(5, hand("win", "Ts", "6d", "Kc"))),
            "Hand 1 of seat 5 ended by stand with a total of 26.",
        ),
        (
            result(seat(5, hand("win")), total=18),
            "The dealer's total is 18 by the result, and 17 by the cards Kd 7c.",
        ),
        (
            result(seat(5, hand("lose")), bust=True),
            "The dealer's bust is true by the result, and false by the cards Kd 7c.",
        ),
        (
            result(seat(5, hand("win")), cards=["Kd", "6c", "8s"], total=24),
            "The dealer's bust is false by the result, and true by the cards Kd 6c 8s.",
        ),
        (
            result(seat(5, hand("lose"))) | {"dealer": DEALER | {"natural": True}},
            "The dealer's natural is true by the result, and false by the cards Kd 7c.",
        ),
        (
            result(seat(5, hand("lose")), cards=["Kd", "As"], total=21),
            "The dealer's natural is false by the result, and true by the cards Kd As.",
        ),
        (
            result(seat(5, hand("lose"), insurance="lost"), natural=True),
            "The insurance of seat 5 is lost, and the dealer has a natural.",
        ),
        (
            result(seat(5, hand("lose"), insurance="won")),
            "The insurance of seat 5 is won, and the dealer has no natural.",
        ),
        (
            result(seat(5, hand("even_money"))),
            "Hand 1 of seat 5 took even money, which house deluxe does not have.",
        ),
        (result(seat(8, hand("win"))), "The result has a seat 8, and house deluxe has seats 1 to 7."),
        (result(seat(0, hand("win"))), "The result has a seat 0, and house deluxe has seats 1 to 7."),
    ],
)
def test_a_result_that_cannot_be_pays_nothing(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ResultUnreadable) as refused:
        settle(given, [], house=DELUXE)
    assert refused.value.sentence == said
    assert refused.value.hint


def test_a_natural_is_even_money_only_as_one_hand_of_two_cards() -> None:
    with pytest.raises(ResultUnreadable, match="is a natural by the result, and not by the cards Th 8s"):
        settle(result(seat(1, hand("even_money", "Th", "8s"))), [], house=KOREAN)


@pytest.mark.parametrize(("how", "units"), [("double", 2), ("bust", 2), ("void", 2), ("stand", 1)])
def test_a_hand_that_may_be_doubled_is_settled(how: str, units: int) -> None:
    cards = ("9s", "6d", "Kc") if how == "bust" else ()
    given = result(seat(1, hand("void" if how == "void" else "lose", *cards, how=how, units=units)))
    assert settle(given, [SeatBet(bet="s", seat=1, amount=5)], house=DELUXE).staked == 5 * units


@pytest.mark.parametrize("rounding", ["up", None, 1, Rounding])
def test_a_rounding_of_a_wrong_type_is_refused_at_once(rounding: Any) -> None:
    with pytest.raises(SettlementRefused, match=r"no Rounding\. Give Rounding\.DOWN"):
        settle(b"never read", [], house=DELUXE, rounding=rounding)


@pytest.mark.parametrize("house", ["deluxe", None, {"name": "deluxe"}])
def test_what_is_no_house_is_refused_at_once(house: Any) -> None:
    with pytest.raises(SettlementRefused, match=r"The house is a .*, no HouseRules\."):
        settle(b"never read", [], house=house)
    with pytest.raises(SettlementRefused, match=r"The house is a .*, no HouseRules\."):
        refund([], house=house, raises=raises_of([]))


@pytest.mark.parametrize("stakes", [SeatBet(bet="s", seat=1, amount=5), None, 5, "s", b"s", {}, iter([])])
def test_stakes_that_are_no_sequence_are_refused_at_once(stakes: Any) -> None:
    with pytest.raises(StakesInvalid, match=r"The stakes are a .*, no sequence\."):
        settle(b"never read", stakes, house=DELUXE)
    with pytest.raises(StakesInvalid, match=r"The stakes are a .*, no sequence\."):
        refund(stakes, house=DELUXE, raises=raises_of([]))
