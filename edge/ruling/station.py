"""What is heard beside the table: the edge itself, its house and its devices."""

from edge.events import (
    DeviceFault,
    DeviceFaultCleared,
    DeviceOffline,
    DeviceOnline,
    EdgeStarted,
    EdgeStopped,
    Interrupted,
)
from edge.house_rules import house_digest, parse_house
from edge.inputs import (
    DeviceCameOnline,
    DeviceFaultGone,
    DeviceFaultSeen,
    DeviceWentOffline,
    HouseRulesAdopted,
    PatienceSet,
)
from edge.inputs import EdgeStarted as EdgeCameUp
from edge.inputs import EdgeStopped as EdgeWentDown
from edge.irregular import Kind
from edge.notes import RulesAdopted, SetupTaken
from edge.ruling.hold import raise_irregularity
from edge.ruling.locking import order_forgotten
from edge.ruling.ruling import Ruling
from edge.ruling.shuffles import shuffler_away
from edge.ruling.signals import shoe_away, shoe_back
from edge.ruling.state import TableState
from edge.ruling.waiting import Phase, phase


def edge_came_up(ruling: Ruling, heard: EdgeCameUp) -> None:
    """Tell what version came up, on what journal and house, in the middle of what."""
    state = ruling.state
    house = state.setup.house
    ruling.rule(
        SetupTaken(operators=heard.operators, shoes=heard.shoes, patience=heard.patience),
        EdgeStarted(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            version=heard.version,
            config_hash=heard.config_hash,
            house=parse_house(house).name if house is not None else None,
            house_rules_hash=house_digest(house) if house is not None else None,
            journal=state.journal,
            recovered=_interrupted(state),
        ),
    )
    order_forgotten(ruling)
    open_already = any(each.kind is Kind.POWER_LOST for each in state.irregularities)
    if state.round is not None and not open_already:
        raise_irregularity(ruling, Kind.POWER_LOST)


def _interrupted(state: TableState) -> Interrupted | None:
    now = phase(state)
    if state.shoe is None or now is Phase.NO_SHOE:
        return None
    return Interrupted(
        shoe=state.shoe.number, round=state.round.number if state.round else None, phase=now.value
    )


def patience_set(ruling: Ruling, heard: PatienceSet) -> None:
    """Wait so long from here on."""
    setup = ruling.state.setup
    ruling.rule(SetupTaken(operators=setup.operators, shoes=setup.shoe_devices, patience=heard.patience))


def edge_went_down(ruling: Ruling, heard: EdgeWentDown) -> None:
    """Tell that the daemon goes down in good order."""
    ruling.rule(EdgeStopped(shoe=ruling.shoe_number, round=ruling.round_number, reason=heard.reason))


def rules_adopted(ruling: Ruling, heard: HouseRulesAdopted) -> None:
    """Take the house of the next shoe."""
    ruling.rule(RulesAdopted(text=heard.text))


def device_online(ruling: Ruling, heard: DeviceCameOnline) -> None:
    """A device answers."""
    ruling.rule(
        DeviceOnline(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            device=heard.device,
            role=heard.kind,
            kind=heard.kind,
            serial=heard.serial,
            firmware=heard.firmware,
            skipped=heard.skipped or None,
            numbered=None if heard.numbered else False,
        )
    )
    shoe_back(ruling, heard.device)


def device_offline(ruling: Ruling, heard: DeviceWentOffline) -> None:
    """A device is gone; what that means for a round is its own question."""
    ruling.rule(
        DeviceOffline(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            device=heard.device,
            reason=heard.absence.value,
            detail=heard.detail,
        )
    )
    shoe_away(ruling, heard.device)
    shuffler_away(ruling, heard.device)


def device_fault(ruling: Ruling, heard: DeviceFaultSeen) -> None:
    """A device raised a fault of its own."""
    ruling.rule(
        DeviceFault(
            shoe=ruling.shoe_number,
            round=ruling.round_number,
            device=heard.device,
            code=heard.code,
            detail=f"{heard.device} reports its fault {heard.code}: see the maker's manual.",
        )
    )


def device_fault_gone(ruling: Ruling, heard: DeviceFaultGone) -> None:
    """A device cleared a fault of its own."""
    ruling.rule(
        DeviceFaultCleared(
            shoe=ruling.shoe_number, round=ruling.round_number, device=heard.device, code=heard.code
        )
    )
