"""What a shoe notices beside cards: irregular while that shoe is in play, else only recorded."""

from typing import Final

from drivers import Signal
from edge.house_rules import CutByCard
from edge.inputs import CutCardDrawn, DeadlineName, DeviceEventsMissed, DeviceSpokeUnknown, ShoeSignalled
from edge.irregular import Kind, Resolution
from edge.notes import ShoeRanEmpty
from edge.ruling.deadlines import drop_deadline, set_deadline
from edge.ruling.hold import raise_irregularity, release
from edge.ruling.resolved import rule_resolved
from edge.ruling.ruling import Ruling
from edge.ruling.shoe import cut_card
from edge.ruling.shuffles import shuffler_signalled

IRREGULAR: Final = {
    Signal.PUSHED_BACK: Kind.PUSHED_BACK,
    Signal.OVERDRAW: Kind.DOUBLE_DRAW,
    Signal.LID_OPENED: Kind.LID_OPENED,
    Signal.MOVED: Kind.SHOE_MOVED,
}
"""Signals that hold a table whose shoe sends them."""


OF_A_CARD: Final = frozenset({0x01, 0x02, 0x03, 0x0C})
"""Codes of events that say a card left the shoe (docs/wire.md section 1)."""


def signalled(ruling: Ruling, heard: ShoeSignalled) -> None:
    """A signal of the shoe in play; an empty shoe matters once a card is due."""
    shuffler_signalled(ruling, heard)
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
        drop_deadline(ruling, DeadlineName.DEVICE_LOST)
        raise_irregularity(ruling, Kind.SCAN_GAP, device=heard.device)


def spoke_unknown(ruling: Ruling, heard: DeviceSpokeUnknown) -> None:
    """An event of the future says nothing; one of a card that cannot be read hides that card."""
    if heard.code in OF_A_CARD and _in_play(ruling, heard.device):
        raise_irregularity(ruling, Kind.SCAN_GAP, device=heard.device)


def shoe_away(ruling: Ruling, device: str) -> None:
    """The shoe is gone in a round: a numbered one hands over what it saw, if it is back in time."""
    if not _in_play(ruling, device) or not _midway(ruling):
        return
    if not ruling.state.device(device).numbered:
        raise_irregularity(ruling, Kind.SCAN_GAP, device=device)
        return
    waits = ruling.shoe.rules.device_lost_ms
    after_ms = ruling.state.setup.patience.device_lost_ms if waits is None else waits
    if after_ms:
        set_deadline(ruling, DeadlineName.DEVICE_LOST, after_ms)
    else:
        shoe_lost(ruling)


def shoe_lost(ruling: Ruling) -> None:
    """It did not come back in time."""
    shoe = ruling.state.shoe
    if shoe is None or not _midway(ruling) or ruling.state.device(shoe.device).online:
        return
    if not any(each.kind is Kind.DEVICE_LOST for each in ruling.state.irregularities):
        raise_irregularity(ruling, Kind.DEVICE_LOST, device=shoe.device)


def shoe_back(ruling: Ruling, device: str) -> None:
    """It is back, and its numbering goes on without a hole: nothing was lost.

    A shoe that numbers nothing cannot say so: what it did unheard is a gap until the pit has looked.
    """
    if not _in_play(ruling, device):
        return
    if not ruling.state.device(device).numbered:
        looked_at = {Kind.SCAN_GAP, Kind.POWER_LOST}
        if _midway(ruling) and not any(each.kind in looked_at for each in ruling.state.irregularities):
            raise_irregularity(ruling, Kind.SCAN_GAP, device=device)
        return
    drop_deadline(ruling, DeadlineName.DEVICE_LOST)
    for opened in ruling.state.irregularities:
        if opened.kind is Kind.DEVICE_LOST and opened.device == device:
            rule_resolved(ruling, opened, Resolution.RESUMED)
            release(ruling, Resolution.RESUMED)


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


def _midway(ruling: Ruling) -> bool:
    return ruling.state.round is not None
