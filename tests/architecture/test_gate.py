"""The gate itself: what a run says about tests that it left out, tried on runs of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

SKIPS = "import pytest\n\ndef test_it():\n    pytest.skip('not today')\n"
SKIPS_WHOLE = "import pytest\npytest.skip('not this file', allow_module_level=True)\n"
WANTS_BROKER = "import pytest\n\n@pytest.mark.mosquitto\ndef test_it():\n    pass\n"
FAILS_AS_EXPECTED = "import pytest\n\n@pytest.mark.xfail\ndef test_it():\n    assert False\n"


def run(tmp_path: Path, source: str, *arguments: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    """A run of one test file under the project's conftest, on a machine without mosquitto."""
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(source)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    mosquitto: needs the broker\n")
    environment = {**os.environ, "CI": ci, "PATH": str(tmp_path), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("source", [SKIPS, SKIPS_WHOLE, WANTS_BROKER])
def test_a_skip_is_a_failure_in_ci_only(tmp_path: Path, source: str) -> None:
    assert run(tmp_path, source).returncode in {0, 5}
    in_ci = run(tmp_path, source, ci="true")
    assert in_ci.returncode not in {0, 5}
    assert "CI allows no skipped test" in in_ci.stdout


def test_an_expected_failure_is_no_skip(tmp_path: Path) -> None:
    assert run(tmp_path, FAILS_AS_EXPECTED, ci="true").returncode == 0


def test_the_last_line_says_what_did_not_run(tmp_path: Path) -> None:
    last = run(tmp_path, WANTS_BROKER).stdout.splitlines()[-1]
    assert last == "Not run, because mosquitto is not installed: 1 test in test_one.py."


@pytest.mark.parametrize("source", [SKIPS, WANTS_BROKER])
def test_workers_leave_nothing_out_unsaid(tmp_path: Path, source: str) -> None:
    """The run of scripts/test has workers: what they skip is a failure in CI, and is said elsewhere."""
    workers = ("--numprocesses", "1", "--dist", "loadfile")
    assert run(tmp_path, source, *workers, ci="true").returncode not in {0, 5}
    last = run(tmp_path, source, *workers).stdout.splitlines()[-1]
    assert source is SKIPS or last == "Not run, because mosquitto is not installed: 1 test in test_one.py."


def test_what_nobody_asked_for_was_not_left_out(tmp_path: Path) -> None:
    assert "Not run" not in run(tmp_path, WANTS_BROKER, "-k", "nothing").stdout
