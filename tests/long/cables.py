"""A thousand reconnections over each transport, and a round's cable cut at every byte: nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from tests.drivers.test_cut_cables import OCTETS, every_offset
from tests.drivers.test_reconnections import run


@pytest.mark.parametrize("transport", ["serial", "usb"])
def test_a_thousand_reconnections_leave_nothing_behind(tmp_path: Path, transport: str) -> None:
    run(tmp_path, transport, times=1000, seed=2)


def test_a_round_goes_on_wherever_its_cable_is_cut(tmp_path: Path) -> None:
    asyncio.run(every_offset(tmp_path, range(1, OCTETS)))
