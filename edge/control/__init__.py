"""The control socket: the supervisor's desk and a look at the table, on this computer and without a broker.

:class:`Control` is the daemon's end, :func:`ask` and :func:`look` are the other. What is said on it:
:mod:`edge.control.protocol`.
"""

from edge.control.client import ask, look
from edge.control.commands import SIGNATURE, SUPERVISED, required, says, verb
from edge.control.patience import Patience
from edge.control.protocol import ASK_AGAIN, Question
from edge.control.service import CONTROL, PIT_GROUP, Control
from edge.control.views import (
    BrokerLook,
    CommandLook,
    DeviceLook,
    IrregularityLook,
    JournalLook,
    LinkLook,
    PitView,
    ReportLook,
    ResolutionLook,
    Sources,
    StatusView,
    journal_look,
)
from edge.control.when import happened

__all__ = [
    "ASK_AGAIN",
    "CONTROL",
    "PIT_GROUP",
    "SIGNATURE",
    "SUPERVISED",
    "BrokerLook",
    "CommandLook",
    "Control",
    "DeviceLook",
    "IrregularityLook",
    "JournalLook",
    "LinkLook",
    "Patience",
    "PitView",
    "Question",
    "ReportLook",
    "ResolutionLook",
    "Sources",
    "StatusView",
    "ask",
    "happened",
    "journal_look",
    "look",
    "required",
    "says",
    "verb",
]
