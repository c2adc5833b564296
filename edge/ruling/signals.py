"""What a shoe notices beside cards: irregular while that shoe is in play, else only recorded."""

from typing import Final

from drivers import Signal
from edge.events import Kind
from edge.house_rules import CutByCard
from edge.inputs import CutCardDrawn, DeviceEventsMissed, ShoeSignalled
from edge.notes import ShoeRanEmpty
from edge.ruling.hold import raise_irregularity
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import cut_card

IRREGULAR: Final = {
    Signal.PUSHED_BACK: Kind.PUSHED_BACK,
    Signal.OVERDRAW: Kind.DOUBLE_DRAW,
    Signal.LID_OPENED: Kind.LID_OPENED,
    Signal.MOVED: Kind.SHOE_MOVED,
}
"""Signals that hold a table whose shoe sends them."""


def signalled(ruling: Ruling, heard: ShoeSignalled) -> None:
    """A signal of the shoe in play; an empty shoe matters once a card is due."""
    if not _in_play(ruling, heard.device):
        return
    kind = IRREGULAR.get(heard.signal)
    if kind is not None:
        raise_irregularity(ruling, kind, device=heard.device)
    elif heard.signal is Signal.EMPTY:
        ruling.rule(ShoeRanEmpty())


def events_missed(ruling: Ruling, heard: DeviceEventsMissed) -> None:
    """A gap in the numbering of the shoe in play: cards may have passed unseen."""
    if _in_play(ruling, heard.device):
        raise_irregularity(ruling, Kind.SCAN_GAP, device=heard.device)


def cut_card_drawn(ruling: Ruling, heard: CutCardDrawn) -> None:
    """A cut card where one may come: after the shoe's first round has begun, as often as cut in (DLX-3)."""
    shoe = ruling.state.shoe
    if shoe is None or shoe.device != heard.device or not isinstance(shoe.rules.cut, CutByCard):
        raise_irregularity(ruling, Kind.UNEXPECTED_DRAW, device=heard.device)
    elif shoe.rounds == 0 or shoe.drawn < shoe.rules.cut.not_before:
        raise_irregularity(ruling, Kind.CUT_CARD_EARLY, device=heard.device)
    elif shoe.cut_cards >= shoe.rules.cut.indicators:
        raise_irregularity(ruling, Kind.CUT_CARD_TWICE, device=heard.device)
    else:
        cut_card(ruling)


def _in_play(ruling: Ruling, device: str) -> bool:
    shoe = ruling.state.shoe
    return shoe is not None and shoe.device == device
