"""Every capture of tests/regress over every wire, 100 seeds each: nothing invented, no loss unsaid."""

from pathlib import Path

import pytest

from tests.regress.test_wires import NUMBERED, UNNUMBERED, numbered, unnumbered
from tests.regress.wires import WIRES

SEEDS = range(100)


@pytest.mark.parametrize("log", [*NUMBERED, *UNNUMBERED], ids=lambda log: log.stem)
def test_a_capture_over_every_wire(log: Path) -> None:
    for wire in WIRES:
        if log in NUMBERED:
            numbered(log, wire, SEEDS)
        else:
            unnumbered(log, wire, SEEDS)
