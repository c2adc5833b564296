"""Folds of what happens beside the table: edge, house, devices, server, and what is waited for."""

from edge.events import (
    DeviceFault,
    DeviceFaultCleared,
    DeviceOffline,
    DeviceOnline,
    EdgeStarted,
)
from edge.notes import (
    DeadlineDropped,
    DeadlineSet,
    DeviceHeard,
    HostHeard,
    KeyTaken,
    OrderGiven,
    OrderLost,
    OrderSettled,
    RulesAdopted,
    SetupTaken,
)
from edge.ruling.changing import changed
from edge.ruling.fold_common import Changes
from edge.ruling.state import Deadline, Device, Host, Keyed, Ordered, TableState


def _with_device(state: TableState, device: Device) -> Changes:
    others = [other for other in state.devices if other.id != device.id]
    return Changes(devices=tuple(sorted([*others, device], key=lambda each: each.id)))


def edge_started(state: TableState, _event: EdgeStarted) -> Changes:
    waiting = tuple(changed(device, online=False, reason="not_yet_opened") for device in state.devices)
    return Changes(devices=waiting)


def rules_adopted(state: TableState, note: RulesAdopted) -> Changes:
    return Changes(setup=changed(state.setup, house=note.text))


def setup_taken(state: TableState, note: SetupTaken) -> Changes:
    taken = changed(state.setup, operators=note.operators, shoe_devices=note.shoes, patience=note.patience)
    return Changes(setup=taken)


def device_online(state: TableState, event: DeviceOnline) -> Changes:
    known = state.device(event.device)
    return _with_device(
        state,
        changed(
            known,
            kind=event.kind,
            serial=event.serial,
            firmware=event.firmware,
            online=True,
            numbered=event.numbered is not False,
            reason="",
        ),
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


def host_heard(_state: TableState, note: HostHeard) -> Changes:
    return Changes(host=Host(online=note.online, overdue=note.overdue))


def deadline_set(state: TableState, note: DeadlineSet) -> Changes:
    deadline = Deadline(name=note.name, number=note.number, after_ms=note.after_ms)
    past = changed(state.past, deadlines_set=note.number)
    return Changes(deadlines=(*state.deadlines, deadline), past=past)


def deadline_dropped(state: TableState, note: DeadlineDropped) -> Changes:
    return Changes(deadlines=tuple(each for each in state.deadlines if each.name is not note.name))


def order_given(state: TableState, note: OrderGiven) -> Changes:
    order = Ordered(device=note.device, number=note.number, order=note.order)
    return Changes(order=order, past=changed(state.past, orders_given=note.number))


def order_settled(state: TableState, note: OrderSettled) -> Changes:
    return Changes(order=None if state.order is None else changed(state.order, outcome=note.outcome))


def order_lost(_state: TableState, _note: OrderLost) -> Changes:
    return Changes(order=None)


def key_taken(_state: TableState, note: KeyTaken) -> Changes:
    return Changes(
        keyed=Keyed(seats=note.seats, even_money=note.even_money, next_is_even_money=note.next_is_even_money)
    )
