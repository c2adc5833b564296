"""What the tests of ``systemd/`` need: root, and Debian's packages systemd and udev."""

import os
import shutil
from pathlib import Path
from typing import Final

import pytest

TOOLS: Final = (
    "systemd-analyze",
    "systemd-sysusers",
    "systemd-tmpfiles",
    "udevadm",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [
        tool for tool in TOOLS if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None
    ]
    here = Path(__file__).parent
    for item in items:
        if not item.path.is_relative_to(here) or item.get_closest_marker("systemd") is None:
            continue
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"{', '.join(missing)}: install systemd and udev"))
        elif os.geteuid() != 0:
            item.add_marker(
                pytest.mark.skip(reason="systemd's tools are tried in a mount namespace: wants root")
            )
