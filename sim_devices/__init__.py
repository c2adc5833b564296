"""The far end of the cable: simulated devices behind real pseudo-terminals."""

from sim_devices.decks import CUT, CutCard, ShoeContents, ShoeItem, shuffled
from sim_devices.errors import BadSequence, CableState, ShoeRunDry, SimulationError
from sim_devices.pty_port import PtyPort
from sim_devices.shoe import ShoeSettings, SimulatedShoe
from sim_devices.usb_backend import SimulatedBus
from sim_devices.usb_port import UsbClass, UsbIdentity, UsbPort

__all__ = [
    "CUT",
    "BadSequence",
    "CableState",
    "CutCard",
    "PtyPort",
    "ShoeContents",
    "ShoeItem",
    "ShoeRunDry",
    "ShoeSettings",
    "SimulatedBus",
    "SimulatedShoe",
    "SimulationError",
    "UsbClass",
    "UsbIdentity",
    "UsbPort",
    "shuffled",
]
