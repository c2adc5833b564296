"""Reconciling: the rest of a closed shoe is scanned out, and every card of its decks accounted for.

What came out in play is known to the journal, face-down cards included; the rest is scanned now. Missing and
extra cards are named one by one. A card that nobody could read may be one of the missing: how many there are
is told.
"""

from edge.events import ShoeReconciled
from edge.inputs import CardDrawn
from edge.irregular import Kind
from edge.notes import CardScanned, ScanBegun
from edge.requests import ReconcileShoe, Refusal, Scan
from edge.ruling.hold import raise_irregularity
from edge.ruling.ruling import Ruling
from edge.ruling.shuffles import compared
from edge.ruling.state import Scan as ScanSoFar
from edge.ruling.state import Shoe, TableState


def verify_reconcile(state: TableState, request: ReconcileShoe) -> Refusal | None:
    """Why the scan-out cannot start, or finish, or None."""
    if request.step is Scan.FINISH:
        if state.scan is None:
            return Refusal(code="not_reconciling", message="No scan-out is under way: start one first.")
        return None
    if state.shoe is not None:
        return Refusal(
            code="shoe_in",
            message=f"Shoe {state.shoe.number} is in play: it must close before it is scanned out.",
        )
    closed = state.past.closed_shoe
    if closed is None or closed.number == state.past.reconciled:
        return Refusal(
            code="nothing_to_reconcile", message="No shoe has been closed since the last scan-out."
        )
    if state.scan is not None:
        return Refusal(
            code="reconciling", message="The scan-out is under way: draw the rest, then finish it."
        )
    return None


def reconcile(ruling: Ruling, request: ReconcileShoe) -> None:
    """Start the scan-out, or finish it."""
    if request.step is Scan.START:
        ruling.rule(ScanBegun())
    else:
        _finish(ruling)


def scanned_card(ruling: Ruling, drawn: CardDrawn) -> None:
    """A card of the rest."""
    ruling.rule(CardScanned(card=None if drawn.foreign else drawn.card))


def _finish(ruling: Ruling) -> None:
    shoe, scan = ruling.state.past.closed_shoe, ruling.state.scan
    if shoe is None or scan is None:
        return
    counts, unread = _accounted(shoe, scan)
    missing, extra = compared(counts, shoe.rules.decks)
    ruling.rule(
        ShoeReconciled(
            shoe=shoe.number,
            number=shoe.number,
            scanned=sum(scan.counts),
            unread=unread,
            missing=missing,
            extra=extra,
        )
    )
    if missing or extra:
        raise_irregularity(ruling, Kind.COUNT_MISMATCH, device=shoe.device)


def _accounted(shoe: Shoe, scan: ScanSoFar) -> tuple[tuple[int, ...], int]:
    """Copies that were seen, lay face down, or were scanned; and cards that nobody could read."""
    counts = [seen + rest for seen, rest in zip(shoe.seen, scan.counts, strict=True)]
    unread = scan.unread
    for kept in shoe.concealed:
        if kept.card is None:
            unread += 1
        else:
            counts[kept.card.turned().index] += 1
    return tuple(counts), unread
