"""Drivers: messages to reports; they own ports, patience and reconnection."""

from drivers.reports import (
    Absence,
    CardPassed,
    CutCardPassed,
    DeviceConnected,
    DeviceDisconnected,
    DeviceSignalled,
    EventsMissed,
    FaultGone,
    FaultSeen,
    ForeignCardPassed,
    KeyPressed,
    NumberedReport,
    Position,
    Report,
    Signal,
    UnknownReported,
)

__all__ = [
    "Absence",
    "CardPassed",
    "CutCardPassed",
    "DeviceConnected",
    "DeviceDisconnected",
    "DeviceSignalled",
    "EventsMissed",
    "FaultGone",
    "FaultSeen",
    "ForeignCardPassed",
    "KeyPressed",
    "NumberedReport",
    "Position",
    "Report",
    "Signal",
    "UnknownReported",
]
