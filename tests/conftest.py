"""What every test run here has: the broker's absence is said aloud, and in CI nothing may be skipped.

Tests marked ``mosquitto`` need the real broker's program on the path. Where it is missing they are
skipped, and the very last line of the run names their files. With ``CI`` set, a skip is a failure:
a gate that leaves things out is no gate.
"""

import os
import shutil
import sys
from collections.abc import Generator

import pytest

IN_CI = os.environ.get("CI", "").lower() not in {"", "0", "false", "no"}

NO_BROKER = "mosquitto is not installed (Debian package mosquitto)"

_left_out: list[str] = []


@pytest.hookimpl(trylast=True)  # after -k and -m have had their say
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("mosquitto") is not None:
        return
    for item in items:
        if item.get_closest_marker("mosquitto") is not None:
            item.add_marker(pytest.mark.skip(reason=NO_BROKER))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Heard in the process that tells the run, whichever worker ran the test."""
    if report.skipped and isinstance(report.longrepr, tuple) and NO_BROKER in report.longrepr[2]:
        _left_out.append(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure is also reported as "skipped"; it ran.
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if IN_CI and report.skipped:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"CI allows no skipped test; this one was: {reason}"


def pytest_unconfigure() -> None:
    if not _left_out:
        return
    files = sorted({nodeid.partition("::")[0] for nodeid in _left_out})
    count = "1 test" if len(_left_out) == 1 else f"{len(_left_out)} tests"
    sys.stdout.write(f"Not run, because mosquitto is not installed: {count} in {', '.join(files)}.\n")
    sys.stdout.flush()
