"""Folds of what happens beside the table: the edge, its house and its devices; and of the hold."""

from edge.events import (
    DeviceFault,
    DeviceFaultCleared,
    DeviceOffline,
    DeviceOnline,
    EdgeStarted,
    IrregularityRaised,
    IrregularityResolved,
    TableReleased,
)
from edge.notes import DeviceHeard, RulesAdopted, SetupTaken
from edge.ruling.changing import changed
from edge.ruling.fold_common import Changes
from edge.ruling.state import Device, OpenIrregularity, TableState


def _with_device(state: TableState, device: Device) -> Changes:
    others = [other for other in state.devices if other.id != device.id]
    return Changes(devices=tuple(sorted([*others, device], key=lambda each: each.id)))


def edge_started(state: TableState, _event: EdgeStarted) -> Changes:
    waiting = tuple(changed(device, online=False, reason="not_yet_opened") for device in state.devices)
    return Changes(devices=waiting)


def rules_adopted(_state: TableState, note: RulesAdopted) -> Changes:
    return Changes(house=note.text)


def setup_taken(_state: TableState, note: SetupTaken) -> Changes:
    return Changes(operators=note.operators, shoe_devices=note.shoes)


def device_online(state: TableState, event: DeviceOnline) -> Changes:
    known = state.device(event.device)
    return _with_device(
        state,
        changed(known, kind=event.kind, serial=event.serial, firmware=event.firmware, online=True, reason=""),
    )


def device_offline(state: TableState, event: DeviceOffline) -> Changes:
    return _with_device(state, changed(state.device(event.device), online=False, reason=event.reason))


def device_fault(state: TableState, event: DeviceFault) -> Changes:
    known = state.device(event.device)
    return _with_device(state, changed(known, faults=tuple(sorted({*known.faults, event.code}))))


def device_fault_cleared(state: TableState, event: DeviceFaultCleared) -> Changes:
    known = state.device(event.device)
    return _with_device(
        state, changed(known, faults=tuple(code for code in known.faults if code != event.code))
    )


def device_heard(state: TableState, note: DeviceHeard) -> Changes:
    for place, device in enumerate(state.devices):
        if device.id == note.device:
            heard = changed(device, position=note.position)
            return Changes(devices=(*state.devices[:place], heard, *state.devices[place + 1 :]))
    return _with_device(state, Device(id=note.device, position=note.position))


def irregularity_raised(state: TableState, event: IrregularityRaised) -> Changes:
    opened = OpenIrregularity(id=event.id, kind=event.kind, draw=event.draw, device=event.device)
    return Changes(irregularities=(*state.irregularities, opened), irregularities_raised=event.id)


def irregularity_resolved(state: TableState, event: IrregularityResolved) -> Changes:
    still_open = tuple(each for each in state.irregularities if each.id != event.id)
    return Changes(irregularities=still_open)


def table_released(state: TableState, _event: TableReleased) -> Changes:
    return Changes() if state.shoe is not None else Changes(parked=())
