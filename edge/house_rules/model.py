"""What a house may choose: one model over one TOML file (docs/rules.md).

Every reading that the rule documents leave open is a parameter here, so that a casino writes its own
house without code. Unknown keys and wrong types are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from edge.house_rules.policies import Policy, policy_of
from edge.irregular import Kind

UpCard: TypeAlias = Literal["ace", "ten"]
"""A dealer's up card that rules speak of: an ace, or any ten-valued card."""


class _Table(BaseModel):
    """A TOML table: frozen, and closed against keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class FirstCardBurn(_Table):
    """The first card is shown and says how many are burned face down (DLX-4)."""

    by: Literal["first_card"]
    ace: Annotated[int, Field(ge=0, le=11)] = 1
    """Cards burned for an ace."""
    ten_valued: Annotated[int, Field(ge=0, le=20)] = 10
    """Cards burned for ten, jack, queen, king."""
    first_card_counts: bool = False
    """True: the first card is one of the cards it has burned, so that one less follows it."""


class FixedBurn(_Table):
    """A fixed number of cards is burned face down, unseen (KRF-2)."""

    by: Literal["fixed"]
    cards: Annotated[int, Field(ge=1, le=52)]


class NoBurn(_Table):
    """Nothing is burned (SAG-16)."""

    by: Literal["none"]


Burn: TypeAlias = Annotated[FirstCardBurn | FixedBurn | NoBurn, Field(discriminator="by")]


class CutByCard(_Table):
    """A cut card lies in the shoe; when it comes out, the end is near (DLX-3, KRF-10)."""

    by: Literal["card"]
    indicators: Annotated[int, Field(ge=1, le=2)] = 1
    """Cut cards in the shoe: the first that comes out tells; a second lies behind it (KRF-1)."""
    from_the_bottom: Annotated[int, Field(ge=0, le=416)] | None = None
    """Cards that lie behind the one that tells, as the dealer places it (KRF-1)."""
    not_before: Annotated[int, Field(ge=0, le=624)] = 0
    """Cards that must be out before it; earlier is irregular."""
    overdue_after: Annotated[int, Field(ge=0, le=416)] = 20
    """Cards that may come beyond its place, where that is known, before it is missing."""
    between_rounds: Literal["next_is_last", "closes"] = "next_is_last"
    """Drawn between two rounds, the next round is the last, or there is no next (DLX-3)."""


class CutByCount(_Table):
    """No card is cut in: the round in which this many cards are out is the shoe's last."""

    by: Literal["count"]
    after: Annotated[int, Field(ge=1, le=624)]


class NoCut(_Table):
    """Nothing ends the shoe but a supervisor: a continuous shuffler takes its cards back (HTS)."""

    by: Literal["none"]


Cut: TypeAlias = Annotated[CutByCard | CutByCount | NoCut, Field(discriminator="by")]


class Dealer(_Table):
    """The dealer's own cards."""

    hole_card: bool
    """True: a second card is dealt face down before the seats act (DLX-6, KRF-3)."""
    first_card: Literal["up", "down"] = "up"
    """``down``: the second card is the up card (KRF-3)."""
    peek_under: tuple[UpCard, ...] = ()
    """Up cards under which the hole card is checked before play (DLX-8, KRF-4)."""
    hole_card_turned: Literal["always", "if_needed"] = "always"
    """``if_needed``: a hole card on which no result depends goes to the discards unseen (KRF-8)."""
    natural_takes: Literal["all", "original"] = "all"
    """What a natural found after play takes of doubled and split stakes (SAG-3)."""
    natural_under_ten_pushes_21: bool = False
    """A natural under a ten-valued up card pushes with every hand of 21 (KRF-5)."""


class Split(_Table):
    """Splitting a pair."""

    by: Literal["value", "rank"]
    """``value``: king with ten may be split (DLX-14)."""
    second_cards: Literal["both_first", "hand_by_hand"] = "both_first"
    """When the two hands get their second cards (DLX-18; hand by hand: KRF)."""
    aces: Literal["one_card", "free"] = "one_card"
    """What split aces may do (DLX-16)."""


class PairBet(_Table):
    """The pair side bet."""

    kinds: Literal["none", "pair", "four"]
    """``pair``: two of a rank at 11:1 (SAG-10); ``four``: mixed, coloured, perfect, triple (DLX-23)."""
    on_split_hands: bool = False
    """It may be placed anew on split hands (HTS-5)."""


class HouseRules(_Table):
    """One house."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    decks: Annotated[int, Field(ge=1, le=12)]
    seats: Annotated[int, Field(ge=1, le=12)] = 7
    burn: Burn
    cut: Cut = CutByCard(by="card")
    continuous_shuffler: bool = False
    """The cards of a round go back into the shoe after it: what is counted is the cards that are out."""
    dealer: Dealer
    even_money: bool = False
    """A natural under an ace may be paid 1:1 at once (HTS-3, KRF-4)."""
    surrender_not_under: tuple[UpCard, ...] = ()
    """Up cards under which surrender is not offered (DLX-11)."""
    double_after_split: bool
    split: Split
    pair_bet: PairBet
    results: Literal["ascending", "descending"] = "ascending"
    """Payment order of ``round.result``; descending: from third base (KRF-9)."""
    automatic_hits_to: Annotated[int, Field(ge=4, le=20)] = 11
    """Automatic play hits on this total and less, else stands (DLX-20, DLX-17)."""
    lock_policy: bool = False
    """The shoe is locked while no card is due or the table is held, where it takes orders."""
    draw_is_hit: bool = False
    """A draw while a decision is open counts as the hit of the hand it is open for (dealer's keys)."""
    early_draw_ms: Annotated[int, Field(ge=0, le=60_000)] | None = None
    """How long a card may wait for a command that is on its way; absent: 2000 at a table, 0 in a script."""
    device_lost_ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    """How long a numbered shoe may be gone in a round; absent: 10 000 at a table, 0 in a script."""
    host_lost_ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    """How long the game server may be gone; absent: 10 000 at a table, 0 in a script."""
    min_draw_ms: Annotated[int, Field(ge=0, le=5_000)] | None = None
    """Two draws closer than this by the shoe's own clock are one too many; absent or 0: not judged."""
    irregularities: Mapping[Kind, Policy] = Field(default_factory=dict)
    """What this house does about each kind; a kind that is not named is asked about."""

    @property
    def cards(self) -> int:
        """Cards in a shoe of this house."""
        return self.decks * CARDS_IN_A_DECK

    def policy(self, kind: Kind) -> Policy:
        """What this house does about a kind of irregularity."""
        return policy_of(self.irregularities, kind)


CARDS_IN_A_DECK: Final = 52
