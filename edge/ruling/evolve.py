"""Folding: what each event and note makes of the state. The only writer of :class:`TableState`.

``evolve(state, ruled)`` is total over events and notes: FOLDS has a row for each, which a test
compares with the two vocabularies. It decides nothing; that is :mod:`edge.ruling.decide`'s.
"""

from collections.abc import Callable
from typing import Any, Final

from edge.events import (
    EVENTS,
    CardBurned,
    CardDealt,
    CardRevealed,
    CutCardOut,
    DealerFinished,
    DealerPeeked,
    DecisionDropped,
    DeviceFault,
    DeviceFaultCleared,
    DeviceOffline,
    DeviceOnline,
    EdgeStarted,
    EdgeStopped,
    HandFinished,
    HandSplit,
    InsuranceClosed,
    InsuranceOffered,
    IrregularityRaised,
    IrregularityResolved,
    RoundClosed,
    RoundOpened,
    RoundResult,
    RoundVoided,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReady,
    TableHeld,
    TableReleased,
    TurnActed,
    TurnOffered,
)
from edge.notes import (
    CardConcealed,
    DecisionHeld,
    DeviceHeard,
    DrawParked,
    DrawUnparked,
    RequestAnswered,
    Ruled,
    RulesAdopted,
    SeatTimedOut,
    SetupTaken,
    ShoeRanEmpty,
    ShoeTaken,
)
from edge.ruling import fold_round, fold_shoe, fold_station
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
    EdgeStarted: fold_station.edge_started,
    EdgeStopped: _same,
    DeviceOnline: fold_station.device_online,
    DeviceOffline: fold_station.device_offline,
    DeviceFault: fold_station.device_fault,
    DeviceFaultCleared: fold_station.device_fault_cleared,
    ShoeInstalled: fold_shoe.shoe_installed,
    ShoeOpened: fold_shoe.shoe_opened,
    CardBurned: fold_shoe.card_burned,
    ShoeReady: fold_shoe.shoe_ready,
    CutCardOut: fold_shoe.cut_card_out,
    ShoeClosed: fold_shoe.shoe_closed,
    RoundOpened: fold_round.round_opened,
    CardDealt: fold_round.card_dealt,
    InsuranceOffered: fold_round.insurance_offered,
    InsuranceClosed: fold_round.insurance_closed,
    DealerPeeked: fold_round.dealer_peeked,
    TurnOffered: fold_round.turn_offered,
    TurnActed: fold_round.turn_acted,
    DecisionDropped: fold_round.decision_dropped,
    HandSplit: fold_round.hand_split,
    HandFinished: fold_round.hand_finished,
    CardRevealed: fold_round.card_revealed,
    DealerFinished: fold_round.dealer_finished,
    RoundResult: _same,
    RoundClosed: fold_round.round_closed,
    RoundVoided: fold_round.round_voided,
    IrregularityRaised: fold_station.irregularity_raised,
    IrregularityResolved: fold_station.irregularity_resolved,
    TableHeld: _same,
    TableReleased: fold_station.table_released,
    RulesAdopted: fold_station.rules_adopted,
    SetupTaken: fold_station.setup_taken,
    DeviceHeard: fold_station.device_heard,
    CardConcealed: fold_shoe.card_concealed,
    DrawParked: fold_shoe.draw_parked,
    DrawUnparked: fold_shoe.draw_unparked,
    ShoeTaken: fold_shoe.shoe_taken,
    ShoeRanEmpty: fold_shoe.shoe_ran_empty,
    DecisionHeld: fold_round.decision_held,
    SeatTimedOut: fold_round.seat_timed_out,
    RequestAnswered: _same,
}
"""How each event and note is folded; that each fold takes what its row names, a test checks."""

PUBLISHED: Final = frozenset(EVENTS)
OFF_TABLE: Final = frozenset(kind for kind in EVENTS if kind.type.startswith(BESIDE_THE_TABLE))
