from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.journal import Journal, open_journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = open_journal(path, table="bj-07")
    assert opened.quarantined is None
    yield opened.journal
    opened.journal.close()
