"""Folding: what each event and note makes of the state. The only writer of :class:`TableState`.

``evolve(state, ruled)`` is total over events and notes: FOLDS has a row for each, which a test
compares with the two vocabularies. It decides nothing; that is :mod:`edge.ruling.decide`'s.
"""

from collections.abc import Callable
from typing import Any, Final

from edge import events, notes
from edge.events import EVENTS
from edge.notes import Ruled
from edge.ruling import fold_hold, fold_round, fold_shoe, fold_station
from edge.ruling.changing import changed
from edge.ruling.fold_common import Changes
from edge.ruling.state import TableState

BESIDE_THE_TABLE: Final = ("edge.", "device.", "shuffle.")
"""Types that may follow the sequence a request was made on (docs/contract.md, ``if_sequence``)."""


def evolve(state: TableState, ruled: Ruled) -> TableState:
    """The state after one event or note."""
    kind = type(ruled)
    changes = FOLDS[kind](state, ruled)
    if kind not in PUBLISHED:
        return changed(state, **changes)
    sequence = state.sequence + 1
    table_sequence = state.table_sequence if kind in OFF_TABLE else sequence
    return changed(state, **changes, sequence=sequence, table_sequence=table_sequence)


def _same(_state: TableState, _ruled: Ruled) -> Changes:
    return Changes()


FOLDS: Final[dict[type[Ruled], Callable[[TableState, Any], Changes]]] = {
    events.EdgeStarted: fold_station.edge_started,
    events.EdgeStopped: _same,
    events.DeviceOnline: fold_station.device_online,
    events.DeviceOffline: fold_station.device_offline,
    events.DeviceFault: fold_station.device_fault,
    events.DeviceFaultCleared: fold_station.device_fault_cleared,
    events.ShuffleStarted: fold_shoe.shuffle_started,
    events.ShuffleFinished: fold_shoe.shuffle_finished,
    events.ShuffleFailed: fold_shoe.shuffle_failed,
    events.ShoeInstalled: fold_shoe.shoe_installed,
    events.ShoeOpened: fold_shoe.shoe_opened,
    events.CardBurned: fold_shoe.card_burned,
    events.ShoeReady: fold_shoe.shoe_ready,
    events.CutCardOut: fold_shoe.cut_card_out,
    events.ShoeClosed: fold_shoe.shoe_closed,
    events.ShoeReconciled: fold_shoe.shoe_reconciled,
    events.RoundOpened: fold_round.round_opened,
    events.CardDealt: fold_round.card_dealt,
    events.InsuranceOffered: fold_round.insurance_offered,
    events.InsuranceClosed: fold_round.insurance_closed,
    events.DealerPeeked: fold_round.dealer_peeked,
    events.TurnOffered: fold_round.turn_offered,
    events.TurnActed: fold_round.turn_acted,
    events.DecisionDropped: fold_round.decision_dropped,
    events.HandSplit: fold_round.hand_split,
    events.HandFinished: fold_round.hand_finished,
    events.CardRevealed: fold_round.card_revealed,
    events.DealerFinished: fold_round.dealer_finished,
    events.RoundResult: _same,
    events.RoundClosed: fold_round.round_closed,
    events.RoundVoided: fold_round.round_voided,
    events.RoundDisputed: _same,
    events.IrregularityRaised: fold_hold.irregularity_raised,
    events.IrregularityResolved: fold_hold.irregularity_resolved,
    events.TableHeld: fold_hold.table_held,
    events.TableReleased: fold_hold.table_released,
    events.CardParked: fold_hold.card_parked,
    events.CardMoved: fold_hold.card_moved,
    events.CardDiscarded: fold_hold.card_discarded,
    events.CardRetracted: fold_hold.card_retracted,
    events.CardCorrected: fold_hold.card_corrected,
    events.HandVoided: fold_hold.hand_voided,
    notes.RulesAdopted: fold_station.rules_adopted,
    notes.SetupTaken: fold_station.setup_taken,
    notes.DeviceHeard: fold_station.device_heard,
    notes.CardConcealed: fold_hold.card_concealed,
    notes.CardEntered: fold_hold.card_entered,
    notes.DrawUnparked: fold_hold.draw_unparked,
    notes.DrawWaits: fold_hold.draw_waits,
    notes.DeadlineSet: fold_station.deadline_set,
    notes.DeadlineDropped: fold_station.deadline_dropped,
    notes.HostHeard: fold_station.host_heard,
    notes.CardSeen: fold_shoe.card_seen,
    notes.NextDrawDiscarded: fold_shoe.next_draw_discarded,
    notes.LaidOut: fold_hold.laid_out,
    notes.OrderGiven: fold_station.order_given,
    notes.OrderSettled: fold_station.order_settled,
    notes.OrderLost: fold_station.order_lost,
    notes.ScanBegun: fold_shoe.scan_begun,
    notes.CardScanned: fold_shoe.card_scanned,
    notes.KeyTaken: fold_station.key_taken,
    notes.ShoeTaken: fold_shoe.shoe_taken,
    notes.ShoeRanEmpty: fold_shoe.shoe_ran_empty,
    notes.DecisionHeld: fold_round.decision_held,
    notes.SeatTimedOut: fold_round.seat_timed_out,
    notes.RequestAnswered: _same,
}
"""How each event and note is folded; that each fold takes what its row names, a test checks."""

PUBLISHED: Final = frozenset(EVENTS)
OFF_TABLE: Final = frozenset(kind for kind in EVENTS if kind.type.startswith(BESIDE_THE_TABLE))
