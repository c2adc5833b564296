"""The sheet of a house: what a dealer may do when, in a pit manager's words, from its parameters alone.

Every key of a house file changes a line here (a test varies each), so that whoever signs the sheet has
signed the file. The ids behind the sentences stand in docs/rules.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from edge.cli.irregular_sheet import irregular_lines
from edge.house_rules import CutByCard, CutByCount, FirstCardBurn, FixedBurn, HouseRules, NoBurn, NoCut

NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
RANK: Final = "Rank, not value: king with queen is no pair."


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it, one sentence or two a line."""

    heading: str
    lines: tuple[str, ...]


def title(rules: HouseRules) -> str:
    """One line that tells the house from others."""
    dealer = rules.dealer
    if not dealer.hole_card:
        card = "no hole card"
    elif dealer.peek_under:
        card = f"hole card, peek under {_listed(dealer.peek_under, 'and')}"
    else:
        card = "hole card, no peek"
    burn = {"first_card": "burn by the first card", "fixed": "fixed burn", "none": "no burn"}[rules.burn.by]
    pair = {"none": "no pair bet", "pair": "pair bet", "four": "pair bet of four kinds"}[rules.pair_bet.kinds]
    even = ", even money" if rules.even_money else ""
    return f"{_count(rules.decks, 'deck')}, {_count(rules.seats, 'seat')}, {burn}, {card}{even}, {pair}"


def sheet(rules: HouseRules) -> tuple[Section, ...]:
    """The whole sheet, in the order of a round."""
    return tuple(
        Section(heading=heading, lines=tuple(lines))
        for heading, lines in (
            ("The shoe", _shoe(rules)),
            ("The deal", _deal(rules)),
            ("You show an ace", _ace(rules)),
            ("You show a ten, jack, queen or king", _ten(rules)),
            ("You show two to nine", ["You cannot have a natural: every natural has won before the turns."]),
            ("The turns", _turns(rules)),
            ("Nobody decides, or the money is missing", _automatic(rules)),
            ("Your hand", _own_hand(rules)),
            ("Payment", _payment(rules)),
            ("Pair bets", _pair_bets(rules)),
            ("When play goes wrong", irregular_lines(rules)),
        )
    )


def _shoe(rules: HouseRules) -> Iterator[str]:
    yield f"{_count(rules.decks, 'deck')} without jokers: {rules.cards} cards."
    match rules.burn:
        case FirstCardBurn(ace=ace, ten_valued=ten, first_card_counts=counts):
            yield (
                "Draw the first card of a new shoe and show it. Burn as many cards as it says, face down: "
                f"ace {_number(ace)}, two to nine their number, ten to king {_number(ten)}"
                f"{', itself counted' if counts else ''}."
            )
            yield "No round begins before the burn is complete."
        case FixedBurn(cards=cards):
            yield f"Burn {_number(cards)} from a new shoe, face down and unseen, before its first round."
        case NoBurn():
            yield "Nothing is burned: the first card of a new shoe is dealt."
    if rules.continuous_shuffler:
        yield "The cards of a round go back into the shuffler after it."
    if rules.lock_policy:
        yield "A shoe that takes orders is locked while no card is due."
    yield from _end_of_the_shoe(rules)


def _end_of_the_shoe(rules: HouseRules) -> Iterator[str]:
    match rules.cut:
        case CutByCard(
            indicators=indicators,
            from_the_bottom=bottom,
            not_before=early,
            overdue_after=overdue,
            between_rounds=between,
        ):
            if bottom is not None:
                yield f"Cut a card in with {_count(bottom, 'card')} behind it."
                yield f"It is missed once {_count(overdue, 'card')} more are out than lay before it."
            if indicators > 1:
                yield "A second cut card lies behind it; the first that comes out tells."
            then = "the next one is" if between == "next_is_last" else "the shoe is over"
            yield "The cut card comes out in a round: that round is the shoe's last."
            yield f"The cut card comes out between two rounds: {then}."
            before = f", or before {_count(early, 'card')} are out" if early else ""
            yield f"Before the shoe's first round{before}, or once too often: stop, the floor decides."
        case CutByCount(after=after):
            yield f"No card is cut in: the round in which {_count(after, 'card')} are out is the shoe's last."
        case NoCut():
            yield "No card is cut in; the shoe ends when a supervisor says so."


def _deal(rules: HouseRules) -> Iterator[str]:
    dealer = rules.dealer
    yield f"Of {_count(rules.seats, 'seat')}, those with a confirmed bet get cards; seat 1 is first base."
    down_first = dealer.hole_card and dealer.first_card == "down"
    yield f"First pass: one card up to each seat, ascending, then one to yourself, {_side(down=down_first)}."
    if dealer.hole_card:
        yield f"Second pass: one card up to each seat, then one to yourself, {_side(down=not down_first)}."
        yield "Nobody learns the card that lies face down before it is turned."
    else:
        yield "Second pass: one card up to each seat, none to yourself."


def _ace(rules: HouseRules) -> Iterator[str]:
    yield (
        "Offer insurance to every seat, those with a natural included: at most half the bet. Nothing moves "
        "until the last call is over."
    )
    if rules.even_money:
        yield "Offer even money to every natural: whoever takes it has 1:1, whatever you make."
    else:
        yield "There is no even money: a natural may be insured like any hand."
    yield _natural_found(rules, "ace")


def _ten(rules: HouseRules) -> Iterator[str]:
    yield "No insurance."
    yield _natural_found(rules, "ten")


def _natural_found(rules: HouseRules, up_card: str) -> str:
    """When the table learns whether the dealer has a natural under this card."""
    if not rules.dealer.hole_card:
        return "Your second card is drawn after the last seat: until then nobody knows of a natural."
    if up_card not in rules.dealer.peek_under:
        return "Do not check the hole card before the end of play: naturals wait."
    return (
        "Then check the hole card. A natural: turn it, the round is over, no further card. None: play goes "
        "on, and every natural has won."
    )


def _turns(rules: HouseRules) -> Iterator[str]:
    yield "Seats in ascending order, hand 1 before hand 2. A natural has no turn; 21 stands by itself."
    yield "Hit: as often as wanted, until 21, stand or bust. Over 21 loses at once."
    after = "on a split hand, too" if rules.double_after_split else "not on a split hand"
    aces = ", but not on split aces" if rules.double_after_split and rules.split.aces == "one_card" else ""
    yield f"Double: on the first two cards, {after}{aces}. Exactly one card more, and the hand is over."
    pair = (
        "of equal value (king with ten counts)"
        if rules.split.by == "value"
        else "of equal rank (no king with ten)"
    )
    yield f"Split: the first two cards, {pair}, once a seat. A split hand makes no natural."
    if rules.split.second_cards == "both_first":
        yield "Both split hands get their second card at once, hand 1 first; then they are played."
    else:
        yield "Hand 1 gets its second card and is played out; only then hand 2 gets its own."
    if rules.split.aces == "one_card":
        yield "Split aces: exactly one card each."
    else:
        yield "Split aces are played like any split hand."
    where = f"not while you show {_listed(rules.surrender_not_under, 'or', article=True)}"
    yield (
        "Surrender: on the first two cards, before anything else was done, not after a split; "
        f"{where if rules.surrender_not_under else 'whatever you show'}."
    )


def _automatic(rules: HouseRules) -> Iterator[str]:
    limit = rules.automatic_hits_to
    yield (
        f"No decision in time, or the player gone: hit on {limit} and less, else stand, to the end of the "
        "round. An ace counts 11 unless that busts."
    )
    yield f"A double without the funds is a hit. A split without them: hit on {limit} and less, else stand."


def _own_hand(rules: HouseRules) -> Iterator[str]:
    dealer = rules.dealer
    if dealer.hole_card and dealer.hole_card_turned == "always":
        yield "All seats done: turn the hole card."
    elif dealer.hole_card:
        yield (
            "All seats done: turn the hole card if a hand still depends on it. If none does, it goes to the "
            "discards unseen."
        )
    else:
        yield (
            "All seats done: draw your second card, face up, if a hand depends on your total, or if an "
            "insured seat or a natural depends on whether you have one."
        )
    yield (
        "Draw on 16 and less, stand on 17 and more, soft 17 included. Draw nothing once no hand depends on "
        "your total: every hand bust, surrendered, or decided by a natural."
    )
    late = not dealer.hole_card or set(dealer.peek_under) != {"ace", "ten"}
    if not late:
        yield "A natural of yours is always found before play."
        return
    if dealer.natural_takes == "all":
        yield "A natural found after play takes the whole stake, doubled and split stakes included."
    else:
        yield (
            "A natural found after play takes a seat's original bet only: what a double or a split added "
            "goes back."
        )
    if dealer.natural_under_ten_pushes_21:
        yield "Found under a ten it pushes with every hand of 21, however it was made."


def _payment(rules: HouseRules) -> Iterator[str]:
    order = (
        "from seat 1 upwards"
        if rules.results == "ascending"
        else "from third base counter-clockwise to first base"
    )
    yield f"Results and payment go {order}."
    yield (
        "A win pays 1:1, a natural 3:2. A natural beats every other 21; natural against natural pushes. "
        "Equal totals push. Surrender loses half."
    )
    even = " Even money pays 1:1." if rules.even_money else ""
    yield f"Insurance pays 2:1 on a natural of yours, else it is lost, whatever the hand does.{even}"


def _pair_bets(rules: HouseRules) -> Iterator[str]:
    match rules.pair_bet.kinds:
        case "none":
            yield "None."
            return
        case "pair":
            yield f"On a seat's first two cards: two of a rank pay 11:1. {RANK}"
        case "four":
            yield (
                "On a seat's first two cards, the highest that fits: mixed 5:1 (same rank, other colour), "
                "coloured 10:1 (same rank and colour), perfect 30:1 (same rank and suit), suited triple 50:1 "
                f"(your up card the same, too). {RANK}"
            )
    if rules.pair_bet.on_split_hands:
        yield "They may be placed anew on the two hands of a split, on the first two cards of each."
    else:
        yield "A split changes nothing about them, and none can be placed anew."


# Words -----------------------------------------------------------------------------------------------


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _number(cards: int) -> str:
    """A small number of cards, in words."""
    word = NUMBERS[cards] if cards < len(NUMBERS) else str(cards)
    return f"{word} card" if cards == 1 else f"{word} cards"


def _listed(up_cards: Iterable[str], junction: str, *, article: bool = False) -> str:
    named = {"ace": "an ace", "ten": "a ten-valued card"} if article else {"ace": "ace", "ten": "ten"}
    return f" {junction} ".join(named[each] for each in sorted(up_cards))


def _side(*, down: bool) -> str:
    return "face down" if down else "face up"
