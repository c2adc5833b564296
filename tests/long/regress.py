"""Every capture of tests/regress through a pty into the real daemon, as its .chk has it."""

from pathlib import Path

import pytest

from tests.regress.pairs import captures
from tests.regress.test_pairs import daemons_hear


@pytest.mark.parametrize("log", captures(), ids=lambda log: log.stem)
def test_the_daemon_hears_a_capture_as_its_chk_has_it(log: Path, tmp_path: Path) -> None:
    daemons_hear([log], tmp_path)
