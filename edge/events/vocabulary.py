"""Every event there is, in the contract's order."""

from typing import Final, TypeAlias, get_args

from edge.events.hold import (
    CardCorrected,
    CardDiscarded,
    CardMoved,
    CardParked,
    CardRetracted,
    HandVoided,
    IrregularityRaised,
    IrregularityResolved,
    TableHeld,
    TableReleased,
)
from edge.events.play import (
    CardDealt,
    CardRevealed,
    DealerPeeked,
    DecisionDropped,
    HandFinished,
    HandSplit,
    InsuranceClosed,
    InsuranceOffered,
    RoundOpened,
    TurnActed,
    TurnOffered,
)
from edge.events.result import (
    DealerFinished,
    RoundClosed,
    RoundDisputed,
    RoundResult,
    RoundVoided,
)
from edge.events.shoe import (
    CardBurned,
    CutCardOut,
    ShoeClosed,
    ShoeInstalled,
    ShoeOpened,
    ShoeReady,
    ShoeReconciled,
)
from edge.events.station import (
    DeviceFault,
    DeviceFaultCleared,
    DeviceOffline,
    DeviceOnline,
    EdgeStarted,
    EdgeStopped,
    ShuffleFailed,
    ShuffleFinished,
    ShuffleStarted,
)

Event: TypeAlias = (
    EdgeStarted
    | EdgeStopped
    | DeviceOnline
    | DeviceOffline
    | DeviceFault
    | DeviceFaultCleared
    | ShuffleStarted
    | ShuffleFinished
    | ShuffleFailed
    | ShoeInstalled
    | ShoeOpened
    | CardBurned
    | ShoeReady
    | CutCardOut
    | ShoeClosed
    | ShoeReconciled
    | RoundOpened
    | CardDealt
    | InsuranceOffered
    | InsuranceClosed
    | DealerPeeked
    | TurnOffered
    | TurnActed
    | DecisionDropped
    | HandSplit
    | HandFinished
    | CardRevealed
    | DealerFinished
    | RoundResult
    | RoundClosed
    | RoundVoided
    | RoundDisputed
    | IrregularityRaised
    | IrregularityResolved
    | TableHeld
    | TableReleased
    | CardParked
    | CardMoved
    | CardDiscarded
    | CardRetracted
    | CardCorrected
    | HandVoided
)

EVENTS: Final[tuple[type[Event], ...]] = get_args(Event)
"""Every event type, in the contract's order."""
