"""Every input in every phase, from 60 random plays a house of 2,500 inputs: nothing raises. Two minutes.

The plays of the state diagram (scripts/table_play.py) with other seeds: whatever is heard, in whatever order,
is ruled.
"""

import sys
import time
from typing import Final

import pytest

from edge.ruling import TRANSITIONS
from scripts.table_play import recorded

FIRST: Final = 1_000
PART: Final = 10


@pytest.mark.parametrize("part", range(6))
def test_whatever_is_heard_is_ruled(part: int) -> None:
    began = time.monotonic()
    record = recorded(range(FIRST + part * PART, FIRST + (part + 1) * PART))
    met = sum(len(after) for after in record.led_to.values())
    assert {now for now, _ in TRANSITIONS} <= {now for now, _ in record.led_to}
    sys.stdout.write(
        f"\nseeds from {FIRST + part * PART}: {met} ways from phase to phase, "
        f"{time.monotonic() - began:.0f} s\n"
    )
