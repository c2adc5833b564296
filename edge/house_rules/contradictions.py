"""Choices that cannot be played together: each key is right by itself, and the house is none.

Two sorts. What has no meaning beside another choice (a peek without a hole card, a way with an irregularity
that is not among the allowed ones) is a mistake of whoever wrote the file, who expects something that will
never happen. What pays players more than they stake in the long run is no house.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from edge.house_rules.irregular_ways import contradicting_ways
from edge.house_rules.model import CutByCard, CutByCount, FirstCardBurn, FixedBurn, HouseRules, NoBurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A choice that another one excludes."""

    key: tuple[str, ...]
    """The key to change, or to begin with."""
    why: str
    """What it contradicts and what is allowed instead, without a full stop."""


def contradictions(rules: HouseRules) -> tuple[Contradiction, ...]:
    """Everything in these rules that cannot be played; empty: it is a house."""
    return tuple(
        Contradiction(key=tuple(key.split(".")), why=why) for check in CHECKS for key, why in check(rules)
    )


def _without_a_hole_card(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """A card that is not dealt cannot be checked, turned late, or come first (SAG-2, HTS-1)."""
    dealer = rules.dealer
    if dealer.hole_card:
        return
    if dealer.peek_under:
        yield "dealer.peek_under", "there is no hole card to check (dealer.hole_card = false): leave it out"
    if dealer.hole_card_turned != "always":
        yield (
            "dealer.hole_card_turned",
            "there is no hole card that could stay unseen (dealer.hole_card = false): leave it out",
        )
    if dealer.first_card == "down":
        yield (
            "dealer.first_card",
            'without a hole card the dealer\'s first card is the up card: "up", or dealer.hole_card = true',
        )


def _known_before_play(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """What is said of naturals found after play, where the peek finds them before (DLX-8)."""
    dealer = rules.dealer
    peeks = set(dealer.peek_under) if dealer.hole_card else set()
    if dealer.natural_takes == "original" and peeks == {"ace", "ten"}:
        yield (
            "dealer.natural_takes",
            'the dealer peeks under ace and ten, so that no natural is found after play: "all"',
        )
    if dealer.natural_under_ten_pushes_21 and "ten" in peeks:
        yield (
            "dealer.natural_under_ten_pushes_21",
            'a peek under a ten finds it before any hand is played to 21: false, or peek under "ace" only',
        )


def _side_bets(rules: HouseRules) -> Iterator[tuple[str, str]]:
    if rules.pair_bet.on_split_hands and rules.pair_bet.kinds == "none":
        yield (
            "pair_bet.on_split_hands",
            'this house has no pair bet to place anew (pair_bet.kinds = "none"): false, or another kind',
        )


def _twice(rules: HouseRules) -> Iterator[tuple[str, str]]:
    for key, listed in (
        ("dealer.peek_under", rules.dealer.peek_under),
        ("surrender_not_under", rules.surrender_not_under),
    ):
        twice = [word for word, count in Counter(listed).items() if count > 1]
        if twice:
            yield key, f'"{twice[0]}" stands there twice: once is enough'


def _most_burned(rules: HouseRules) -> int:
    """The most cards that leave a shoe before its first round."""
    match rules.burn:
        case FirstCardBurn(ace=ace, ten_valued=ten, first_card_counts=counts):
            return max(ace, ten, 9) + (0 if counts else 1)
        case FixedBurn(cards=cards):
            return cards
        case NoBurn():
            return 0


def _cards(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """The burn must leave the first deal its cards."""
    burned = _most_burned(rules)
    first_deal = 2 * (rules.seats + 1)
    if rules.cards - burned < first_deal:
        why = f"of {rules.cards} cards {burned} may be burned, and a first deal to {rules.seats} seats takes"
        yield "burn", f"{why} {first_deal}: burn fewer, or play more decks"


def _cut(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """What tells the last round must come out while there are cards (DLX-3, KRF-1)."""
    match rules.cut:
        case CutByCount(after=after) if after >= rules.cards:
            yield "cut.after", f"the shoe has {rules.cards} cards: less than that"
        case CutByCount(after=after) if after <= _most_burned(rules):
            yield (
                "cut.after",
                f"{_most_burned(rules)} cards may be burned before the first round: more than that",
            )
        case CutByCard(from_the_bottom=bottom) if bottom is not None and bottom >= rules.cards:
            yield "cut.from_the_bottom", f"the shoe has {rules.cards} cards: less than that"
        case CutByCard() if "overdue_after" in rules.cut.model_fields_set and _never_overdue(rules.cut):
            yield (
                "cut.overdue_after",
                "it is counted from cut.from_the_bottom, and less than that: give both, or leave it out",
            )
        case CutByCard(not_before=cards) if cards >= rules.cards:
            yield "cut.not_before", f"the shoe has {rules.cards} cards: less than that"
        case CutByCard(not_before=cards, from_the_bottom=int(bottom)) if cards > rules.cards - bottom:
            comes = rules.cards - bottom
            yield (
                "cut.not_before",
                f"with {bottom} cards behind it the cut card comes after {comes}: at most that",
            )
        case _:
            return


def _never_overdue(cut: CutByCard) -> bool:
    """Nobody would ever miss it: where it lies is not said, or the shoe is empty before."""
    return cut.from_the_bottom is None or cut.overdue_after >= cut.from_the_bottom


def _continuous(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """A shuffler that takes its cards back has no first card, no last round, no bottom (HTS)."""
    if not rules.continuous_shuffler:
        return
    if rules.burn.by != "none":
        yield "burn.by", 'a continuous shuffler burns nothing (continuous_shuffler = true): "none"'
    if rules.cut.by != "none":
        yield "cut.by", 'a continuous shuffler has no last round (continuous_shuffler = true): "none"'


def _return(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """More than 100 %: the free play of split aces where the rules give as much as korean-floor's (KRF-5).

    Those return 99.840 % with double after split and one card to split aces; free play of split aces is
    worth about another 0.17 (ho-tram-strip: 99.713 with it, 99.539 without).
    """
    generous = rules.dealer.natural_under_ten_pushes_21 and "ten" not in rules.surrender_not_under
    if generous and rules.double_after_split and rules.split.aces == "free":
        why = (
            "double_after_split, surrender under a ten and natural_under_ten_pushes_21 return more than 100 %"
        )
        yield "split.aces", f'with {why}: "one_card", or double_after_split = false'


CHECKS: Final = (
    _without_a_hole_card,
    _known_before_play,
    _side_bets,
    _twice,
    _cards,
    _cut,
    _continuous,
    _return,
    contradicting_ways,
)
"""In the order in which they are told."""
