"""Folds of what happens beside the table: the edge, its house and its devices; and of the hold."""

from dataclasses import replace

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
from edge.ruling.state import Device, OpenIrregularity, TableState


def _with_device(state: TableState, device: Device) -> TableState:
    others = [other for other in state.devices if other.id != device.id]
    return replace(state, devices=tuple(sorted([*others, device], key=lambda each: each.id)))


def edge_started(state: TableState, _event: EdgeStarted) -> TableState:
    waiting = tuple(replace(device, online=False, reason="not_yet_opened") for device in state.devices)
    return replace(state, devices=waiting)


def rules_adopted(state: TableState, note: RulesAdopted) -> TableState:
    return replace(state, house=note.text)


def setup_taken(state: TableState, note: SetupTaken) -> TableState:
    return replace(state, operators=note.operators, shoe_devices=note.shoes)


def device_online(state: TableState, event: DeviceOnline) -> TableState:
    known = state.device(event.device)
    return _with_device(
        state,
        replace(known, kind=event.kind, serial=event.serial, firmware=event.firmware, online=True, reason=""),
    )


def device_offline(state: TableState, event: DeviceOffline) -> TableState:
    return _with_device(state, replace(state.device(event.device), online=False, reason=event.reason))


def device_fault(state: TableState, event: DeviceFault) -> TableState:
    known = state.device(event.device)
    return _with_device(state, replace(known, faults=tuple(sorted({*known.faults, event.code}))))


def device_fault_cleared(state: TableState, event: DeviceFaultCleared) -> TableState:
    known = state.device(event.device)
    return _with_device(
        state, replace(known, faults=tuple(code for code in known.faults if code != event.code))
    )


def device_heard(state: TableState, note: DeviceHeard) -> TableState:
    for place, device in enumerate(state.devices):
        if device.id == note.device:
            heard = replace(device, position=note.position)
            return replace(state, devices=(*state.devices[:place], heard, *state.devices[place + 1 :]))
    return _with_device(state, Device(id=note.device, position=note.position))


def irregularity_raised(state: TableState, event: IrregularityRaised) -> TableState:
    opened = OpenIrregularity(id=event.id, kind=event.kind, draw=event.draw, device=event.device)
    return replace(state, irregularities=(*state.irregularities, opened), irregularities_raised=event.id)


def irregularity_resolved(state: TableState, event: IrregularityResolved) -> TableState:
    still_open = tuple(each for each in state.irregularities if each.id != event.id)
    return replace(state, irregularities=still_open)


def table_released(state: TableState, _event: TableReleased) -> TableState:
    return state if state.shoe is not None else replace(state, parked=())
