"""The ruling: pure. What the table makes of what it hears.

``decide(state, input) -> Ruling`` and ``evolve(state, ruled) -> TableState``: no I/O, no clock, no
chance, no logging. Ruling a record again gives the same events, byte for byte.
"""

from edge.ruling.decide import RULING_VERSION, TRANSITIONS, decide
from edge.ruling.evolve import evolve
from edge.ruling.remedies import policy_for
from edge.ruling.requests import verify
from edge.ruling.ruling import Ruling
from edge.ruling.state import Deadline, OpenIrregularity, Ordered, TableState, new_table
from edge.ruling.waiting import Phase, due, lies_face_down, phase

__all__ = [
    "RULING_VERSION",
    "TRANSITIONS",
    "Deadline",
    "OpenIrregularity",
    "Ordered",
    "Phase",
    "Ruling",
    "TableState",
    "decide",
    "due",
    "evolve",
    "lies_face_down",
    "new_table",
    "phase",
    "policy_for",
    "verify",
]
