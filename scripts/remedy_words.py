"""What the pages of irregular play say of each kind and each resolution. Literal; a test holds it to both.

Who sees a kind is what the ruling raises it from; what a resolution does is what :mod:`edge.ruling.repairs`
does. Both are in a pit manager's words.
"""

from dataclasses import dataclass
from typing import Final

from edge.irregular import Kind, Resolution, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What a resolution does to the cards, and what the pit has to say for it beside its name."""

    does: str
    say: str = ""
    """Empty: nothing."""


SEEN_BY: Final[dict[Kind, str]] = {
    Kind.UNEXPECTED_DRAW: "the shoe; the pit, of a card drawn for the dealer by mistake",
    Kind.UNREAD_CARD: "the shoe",
    Kind.FOREIGN_CARD: "the shoe's authenticity check, the count of copies; the pit",
    Kind.REPEATED_CARD: "the shoe, where cards can be told apart; the pit",
    Kind.MISREAD_CARD: "the pit",
    Kind.DOUBLE_DRAW: "the shoe: it says so, or two draws came too close together",
    Kind.PUSHED_BACK: "the shoe; the pit",
    Kind.EXPOSED_IN_SHOE: "the pit; a shoe that notices",
    Kind.WRONG_PLACE: "the pit",
    Kind.BOX_WITHOUT_BET: "the pit",
    Kind.BOX_SKIPPED: "the pit",
    Kind.BOX_ONE_CARD: "the pit",
    Kind.DEALER_SKIPPED: "the pit",
    Kind.HOLE_CARD_SHOWN: "the pit",
    Kind.DAMAGED_CARD: "the pit; the shuffler",
    Kind.WRONG_BURN: "the shoe, of a card too many; the pit",
    Kind.CUT_CARD_TWICE: "the shoe",
    Kind.CUT_CARD_EARLY: "the shoe",
    Kind.CUT_CARD_MISSING: "the count of cards",
    Kind.SHOE_EMPTY: "the shoe, the count of cards",
    Kind.COUNT_MISMATCH: "the shuffler's count, the scan-out",
    Kind.SCAN_GAP: "the cable: messages of the shoe are missing",
    Kind.DEVICE_LOST: "the cable: the shoe did not come back in time",
    Kind.LID_OPENED: "the shoe; the pit",
    Kind.SHOE_MOVED: "the shoe; the pit",
    Kind.SHUFFLE_FAILED: "the shuffler",
    Kind.UNSHUFFLED: "the order of the cards; the pit",
    Kind.HOST_LOST: "the network: the game server or the broker is not heard",
    Kind.POWER_LOST: "the table's computer, when it is back",
}

STAGES: Final[dict[Stage, str]] = {
    Stage.NO_SHOE: "no shoe is in",
    Stage.OPENING: "the shoe is opened and burned",
    Stage.BETWEEN: "between two rounds",
    Stage.NEW_GAME: "a round is open, and no card of it dealt",
    Stage.FIRST_CARDS: "the first cards are dealt, or it is about one of them",
    Stage.SECOND_CARDS: "the second cards are dealt, or it is about one of them",
    Stage.PLAY: "the deal is complete",
    Stage.DEALER_COVERED: "drawn for the dealer by mistake, and nobody has seen it",
    Stage.DEALER_EXPOSED: "drawn for the dealer by mistake, and everybody has seen it",
}

_CARD: Final = "the card, if it is not the one reported"
_ANY: Final[dict[Resolution, Remedy]] = {
    Resolution.ACCEPT: Remedy(does="it stays as it is, and play goes on"),
    Resolution.USE_AS_NEXT: Remedy(
        does="the card is set aside and fills the next draw that is due, before any new card", say=_CARD
    ),
    Resolution.DISCARD: Remedy(
        does="the card goes out of play and stays counted; if it lay on the table, the cards of the first "
        "deal after it move up",
        say=_CARD,
    ),
    Resolution.RETRACT: Remedy(
        does="the card is back in the shoe: it is not counted, and the next draw is a new one", say=_CARD
    ),
    Resolution.MOVE: Remedy(
        does="the card goes to another hand; both totals are worked out anew", say="where to"
    ),
    Resolution.REBUILD: Remedy(
        does="the first cards are laid in their right order; only before the first decision of the round",
        say="the place of each card that the table has elsewhere; nothing, if they lie as the table has them",
    ),
    Resolution.DEAL_MISSING: Remedy(
        does="the box gets its card next, and cards that came after it move to where they belong; only "
        "before the first decision of the round",
        say="the box",
    ),
    Resolution.VOID_HAND: Remedy(
        does="the box is out of the round and its bet goes back; its cards stay counted, and cards that came "
        "after it move to where they belong; only before the first decision of the round",
        say="the box",
    ),
    Resolution.ENTER: Remedy(does="the card is named by hand, and dealt, or turned, as such", say="the card"),
    Resolution.PEEK: Remedy(
        does="of an unread hole card only that becomes known: does it make a natural", say="yes or no"
    ),
    Resolution.CORRECT: Remedy(
        does="the card becomes what it really is; totals are worked out anew", say="the card"
    ),
    Resolution.CONFIRM: Remedy(
        does="play goes on with the cards as they lie on the table; those that passed unseen are dealt where "
        "they were due",
        say="the cards of each place, where they differ from what the table has; nothing, if they do not",
    ),
    Resolution.VOID_ROUND: Remedy(does="the round is cancelled, every bet goes back; the cards stay counted"),
    Resolution.RETIRE_SHOE: Remedy(does="the shoe is out of play; a round in progress is voided with it"),
    Resolution.CLEAR: Remedy(does="the latch is open: a new shoe, or a new round, may begin"),
    Resolution.REREAD: Remedy(does="the shoe has read the card again: it is dealt"),
    Resolution.RESUMED: Remedy(does="what was lost is back, and nothing is missing"),
}

_OUT: Final = Remedy(does="the card goes out of play and stays counted")
_OF_THE_KIND: Final[dict[tuple[Kind, Resolution], Remedy]] = {
    (Kind.UNREAD_CARD, Resolution.DISCARD): _OUT,
    (Kind.DOUBLE_DRAW, Resolution.DISCARD): _OUT,
    (Kind.WRONG_BURN, Resolution.DISCARD): _OUT,
    (Kind.UNREAD_CARD, Resolution.ACCEPT): Remedy(
        does="a card that is to lie face down lies there unread, without a seal; if its face matters later, "
        "the pit is asked then"
    ),
    (Kind.DOUBLE_DRAW, Resolution.ACCEPT): Remedy(does="only one card came: play goes on"),
    (Kind.PUSHED_BACK, Resolution.ACCEPT): Remedy(
        does="nothing went back that had been counted: play goes on"
    ),
    (Kind.PUSHED_BACK, Resolution.RETRACT): Remedy(
        does="the card is back in the shoe: it is not counted, and the next draw is a new one", say="the card"
    ),
    (Kind.EXPOSED_IN_SHOE, Resolution.USE_AS_NEXT): Remedy(
        does="the card is dealt where the next card is due"
    ),
    (Kind.EXPOSED_IN_SHOE, Resolution.DISCARD): Remedy(
        does="the card goes out of play, or, if it is still in the shoe, will as soon as it is drawn"
    ),
    (Kind.WRONG_PLACE, Resolution.USE_AS_NEXT): Remedy(
        does="the card is taken up and fills the next draw that is due; the hand it came from lacks a card"
    ),
    (Kind.WRONG_PLACE, Resolution.ACCEPT): Remedy(does="the cards lie as the table has them: play goes on"),
    (Kind.DEALER_SKIPPED, Resolution.DEAL_MISSING): Remedy(
        does="the dealer's first card is drawn next, and cards that came after it move to where they belong; "
        "after the first decision only where it was left for after the seats, and one of them asks for it"
    ),
    (Kind.DEALER_SKIPPED, Resolution.ACCEPT): Remedy(
        does="the dealer's first card is drawn after the seats: there is no insurance and no surrender; only "
        "before the first decision of the round"
    ),
    (Kind.WRONG_BURN, Resolution.ACCEPT): Remedy(
        does="a card too many is burned as well; else it stays as it is"
    ),
    (Kind.CUT_CARD_EARLY, Resolution.ACCEPT): Remedy(does="it counts as the cut card: the last round is set"),
    (Kind.CUT_CARD_EARLY, Resolution.RETRACT): Remedy(does="it goes back into the shoe, and will come again"),
    (Kind.CUT_CARD_TWICE, Resolution.ACCEPT): Remedy(
        does="it is put aside: the last round stays as it was set"
    ),
    (Kind.CUT_CARD_TWICE, Resolution.RETRACT): Remedy(does="it goes back into the shoe"),
    (Kind.CUT_CARD_MISSING, Resolution.ACCEPT): Remedy(does="a warning: play goes on"),
    (Kind.DAMAGED_CARD, Resolution.CLEAR): Remedy(
        does="in a round with a continuous shuffler: the card has been replaced, and the next round may open"
    ),
    (Kind.HOST_LOST, Resolution.ACCEPT): Remedy(
        does="play goes on without the server, until it has been back and is lost again"
    ),
}


BY_ITSELF_AS_WELL: Final = {
    Kind.UNREAD_CARD: "If the shoe reads it again, and nothing else is open, that settles it (`reread`).",
    Kind.DEVICE_LOST: "When the shoe is back and has handed over everything, play goes on (`resumed`).",
    Kind.HOST_LOST: "Held only once a decision is due. When the server is back, play goes on (`resumed`).",
}
"""What ends it without anybody, where the house does not retire the shoe for it."""


def remedy(kind: Kind, resolution: Resolution) -> Remedy:
    """What this resolution does about this kind."""
    return _OF_THE_KIND.get((kind, resolution), _ANY[resolution])


OF_ITS_OWN: Final = frozenset(_OF_THE_KIND)
"""The pairs that have words of their own; each must fit (a test)."""
