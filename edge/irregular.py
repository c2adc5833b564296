"""What may be irregular, when, and what may be done: words that rules, events and requests share.

The kinds and what each house does stand in docs/irregularities.md.
"""

from enum import Enum
from typing import Final, Literal, TypeAlias


class Kind(Enum):
    """What is irregular (docs/irregularities.md)."""

    UNEXPECTED_DRAW = "unexpected_draw"
    UNREAD_CARD = "unread_card"
    FOREIGN_CARD = "foreign_card"
    REPEATED_CARD = "repeated_card"
    MISREAD_CARD = "misread_card"
    DOUBLE_DRAW = "double_draw"
    PUSHED_BACK = "pushed_back"
    EXPOSED_IN_SHOE = "exposed_in_shoe"
    WRONG_PLACE = "wrong_place"
    BOX_WITHOUT_BET = "box_without_bet"
    BOX_SKIPPED = "box_skipped"
    BOX_ONE_CARD = "box_one_card"
    DEALER_SKIPPED = "dealer_skipped"
    HOLE_CARD_SHOWN = "hole_card_shown"
    DAMAGED_CARD = "damaged_card"
    WRONG_BURN = "wrong_burn"
    CUT_CARD_TWICE = "cut_card_twice"
    CUT_CARD_EARLY = "cut_card_early"
    CUT_CARD_MISSING = "cut_card_missing"
    SHOE_EMPTY = "shoe_empty"
    COUNT_MISMATCH = "count_mismatch"
    SCAN_GAP = "scan_gap"
    DEVICE_LOST = "device_lost"
    LID_OPENED = "lid_opened"
    SHOE_MOVED = "shoe_moved"
    SHUFFLE_FAILED = "shuffle_failed"
    UNSHUFFLED = "unshuffled"
    HOST_LOST = "host_lost"
    POWER_LOST = "power_lost"


class Stage(Enum):
    """Where a shoe and its round stand, as far as a house distinguishes it."""

    NO_SHOE = "no_shoe"
    OPENING = "opening"
    """The shoe is in and its burn not complete."""
    BETWEEN = "between"
    """Ready, and no round open: the next card would be the first of a new game."""
    NEW_GAME = "new_game"
    """A round is open and no card of it dealt."""
    FIRST_CARDS = "first_cards"
    """The first card of each hand; for a report that names a card: that card is one of them."""
    SECOND_CARDS = "second_cards"
    PLAY = "play"
    """The first deal is complete."""
    DEALER_COVERED = "dealer_covered"
    """A card drawn for the dealer by mistake, not exposed (HTS-I2)."""
    DEALER_EXPOSED = "dealer_exposed"
    """A card drawn for the dealer by mistake, and exposed (HTS-I2)."""


class Resolution(Enum):
    """How an irregularity is resolved."""

    ACCEPT = "accept"
    """It stays as it is, and play goes on."""
    USE_AS_NEXT = "use_as_next"
    """The card fills the next draw that is due, before any new card (HTS-I1)."""
    DISCARD = "discard"
    MOVE = "move"
    """One card goes to another place."""
    REBUILD = "rebuild"
    """The first cards are laid in their right order (HTS-I5)."""
    DEAL_MISSING = "deal_missing"
    """The card that a place lacks is dealt next (HTS-I7, HTS-I9)."""
    VOID_HAND = "void_hand"
    """The bet of a seat is void (HTS-I8, HTS-I9)."""
    ENTER = "enter"
    """An unread card is named by hand."""
    CORRECT = "correct"
    """A misread card is named by hand."""
    RETRACT = "retract"
    """The card went back into the shoe: uncounted, the next draw is new."""
    CONFIRM = "confirm"
    """The pit says which cards lie on the table."""
    PEEK = "peek"
    """The pit says whether an unread hole card makes a natural, and nothing else of it."""
    VOID_ROUND = "void_round"
    RETIRE_SHOE = "retire_shoe"
    """The shoe is taken out of play, a round in progress is voided: void and reshuffle (SAG-14)."""
    CLEAR = "clear"
    """A latch is cleared, by name."""
    REREAD = "reread"
    """By itself: the device read the card again."""
    RESUMED = "resumed"
    """By itself: what was lost is back, and nothing is missing."""


HouseWay: TypeAlias = Resolution | Literal["ask"]
"""What a house does by itself; ``ask``: a supervisor decides."""

BY_ITSELF: Final = frozenset({Resolution.REREAD, Resolution.RESUMED})
"""Resolutions that nobody may ask for."""

FITTING: Final[dict[Kind, tuple[Resolution, ...]]] = {
    Kind.UNEXPECTED_DRAW: (Resolution.USE_AS_NEXT, Resolution.DISCARD, Resolution.RETRACT),
    Kind.UNREAD_CARD: (
        Resolution.ENTER,
        Resolution.ACCEPT,
        Resolution.PEEK,
        Resolution.DISCARD,
        Resolution.RETRACT,
    ),
    Kind.FOREIGN_CARD: (),
    Kind.REPEATED_CARD: (),
    Kind.MISREAD_CARD: (Resolution.CORRECT, Resolution.ACCEPT),
    Kind.DOUBLE_DRAW: (Resolution.USE_AS_NEXT, Resolution.DISCARD, Resolution.RETRACT, Resolution.ACCEPT),
    Kind.PUSHED_BACK: (Resolution.ACCEPT, Resolution.RETRACT),
    Kind.EXPOSED_IN_SHOE: (Resolution.USE_AS_NEXT, Resolution.DISCARD),
    Kind.WRONG_PLACE: (
        Resolution.MOVE,
        Resolution.REBUILD,
        Resolution.USE_AS_NEXT,
        Resolution.DISCARD,
        Resolution.ACCEPT,
    ),
    Kind.BOX_WITHOUT_BET: (
        Resolution.REBUILD,
        Resolution.DISCARD,
        Resolution.USE_AS_NEXT,
        Resolution.ACCEPT,
    ),
    Kind.BOX_SKIPPED: (
        Resolution.REBUILD,
        Resolution.VOID_HAND,
        Resolution.DEAL_MISSING,
        Resolution.ACCEPT,
    ),
    Kind.BOX_ONE_CARD: (Resolution.VOID_HAND, Resolution.DEAL_MISSING, Resolution.ACCEPT),
    Kind.DEALER_SKIPPED: (Resolution.REBUILD, Resolution.DEAL_MISSING, Resolution.ACCEPT),
    Kind.HOLE_CARD_SHOWN: (Resolution.ACCEPT,),
    Kind.DAMAGED_CARD: (Resolution.ACCEPT, Resolution.CLEAR),
    Kind.WRONG_BURN: (Resolution.ACCEPT, Resolution.USE_AS_NEXT, Resolution.DISCARD, Resolution.RETRACT),
    Kind.CUT_CARD_TWICE: (Resolution.ACCEPT, Resolution.RETRACT),
    Kind.CUT_CARD_EARLY: (Resolution.ACCEPT, Resolution.RETRACT),
    Kind.CUT_CARD_MISSING: (Resolution.ACCEPT,),
    Kind.SHOE_EMPTY: (),
    Kind.COUNT_MISMATCH: (Resolution.CLEAR,),
    Kind.SCAN_GAP: (Resolution.CONFIRM,),
    Kind.DEVICE_LOST: (Resolution.CONFIRM,),
    Kind.LID_OPENED: (Resolution.ACCEPT,),
    Kind.SHOE_MOVED: (Resolution.ACCEPT,),
    Kind.SHUFFLE_FAILED: (Resolution.CLEAR,),
    Kind.UNSHUFFLED: (Resolution.ACCEPT,),
    Kind.HOST_LOST: (Resolution.ACCEPT,),
    Kind.POWER_LOST: (Resolution.CONFIRM,),
}
"""What fits a kind, beside voiding the round and retiring the shoe, which fit every kind that holds the
table."""

LATCHES: Final = frozenset({Kind.COUNT_MISMATCH, Kind.SHUFFLE_FAILED})
"""Kinds that hold nothing in progress and let no shoe be installed until a supervisor clears them."""

REPORTABLE: Final = (
    Kind.MISREAD_CARD,
    Kind.EXPOSED_IN_SHOE,
    Kind.WRONG_PLACE,
    Kind.BOX_WITHOUT_BET,
    Kind.BOX_SKIPPED,
    Kind.BOX_ONE_CARD,
    Kind.DEALER_SKIPPED,
    Kind.HOLE_CARD_SHOWN,
    Kind.DAMAGED_CARD,
    Kind.FOREIGN_CARD,
    Kind.REPEATED_CARD,
    Kind.UNEXPECTED_DRAW,
    Kind.PUSHED_BACK,
    Kind.WRONG_BURN,
    Kind.SHOE_MOVED,
    Kind.LID_OPENED,
    Kind.UNSHUFFLED,
)
"""What the pit may report; the rest a device, a link or a count tells."""

SEEN: Final[dict[Kind, str]] = {
    Kind.UNEXPECTED_DRAW: "A card was drawn when none was due here.",
    Kind.UNREAD_CARD: "A card could not be read.",
    Kind.FOREIGN_CARD: "A card that cannot belong to this shoe.",
    Kind.REPEATED_CARD: "A card that had been read was read a second time.",
    Kind.MISREAD_CARD: "The card on the table is another than the one that was read.",
    Kind.DOUBLE_DRAW: "Two cards were drawn at once.",
    Kind.PUSHED_BACK: "A card was pushed back into the shoe.",
    Kind.EXPOSED_IN_SHOE: "A card lies exposed in the shoe.",
    Kind.WRONG_PLACE: "A card went to another place than its own.",
    Kind.BOX_WITHOUT_BET: "A box without a bet got a card.",
    Kind.BOX_SKIPPED: "A box with a bet was left out.",
    Kind.BOX_ONE_CARD: "A box with a bet has one card only.",
    Kind.DEALER_SKIPPED: "The dealer has no first card.",
    Kind.HOLE_CARD_SHOWN: "The hole card was shown before its time.",
    Kind.DAMAGED_CARD: "A card is damaged.",
    Kind.WRONG_BURN: "Another number of cards was burned than was due.",
    Kind.CUT_CARD_TWICE: "A cut card came out more often than the shoe has cut cards.",
    Kind.CUT_CARD_EARLY: "The cut card came out before the first round, or before the house expects it.",
    Kind.CUT_CARD_MISSING: "The cut card should have come out by now.",
    Kind.SHOE_EMPTY: "The shoe is empty and a card is due.",
    Kind.COUNT_MISMATCH: "The cards that were counted are not those of the decks.",
    Kind.SCAN_GAP: "The link lost what the shoe did for a while: cards may have passed unseen.",
    Kind.DEVICE_LOST: "The shoe is gone in the middle of a round.",
    Kind.LID_OPENED: "The shoe's lid was opened with a shoe in play.",
    Kind.SHOE_MOVED: "The shoe was moved with a shoe in play.",
    Kind.SHUFFLE_FAILED: "The shuffler did not finish its shuffle in good order.",
    Kind.UNSHUFFLED: "The cards come in an order that no shuffle leaves.",
    Kind.HOST_LOST: "The game server is gone in the middle of a round.",
    Kind.POWER_LOST: "The table's computer was restarted in the middle of a round.",
}
"""One sentence for each kind; a pit manager reads it."""
