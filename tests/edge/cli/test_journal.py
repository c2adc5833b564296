from pathlib import Path

import pytest
from typer.testing import CliRunner

import edge.cli.journal
import edge.journal.store
from edge.cli.journal import journal_commands
from edge.journal import open_journal
from tests.edge.journal.play import Player

CONFIG = """
table = "bj-07"
house = "deluxe"
retention_days = 7
journal = "{journal}"
[mqtt]
host = "127.0.0.1"
"""


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a table with 130 records, all acknowledged, snapshots after 50 and 100, and very short days."""
    monkeypatch.setattr(edge.journal.store, "EVERY", 50)
    monkeypatch.setattr(edge.cli.journal, "DAY_MS", 1_000)
    journal = Player(open_journal(tmp_path / "journal.db", table="bj-07").journal).play(130).journal
    journal.move_cursor("acknowledged", journal.last_sequence)
    journal.close()
    path = tmp_path / "bj-07.toml"
    path.write_text(CONFIG.format(journal=journal.path), encoding="utf-8")
    return path


def said(*arguments: str) -> str:
    result = CliRunner().invoke(journal_commands, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_journal_is_pruned_by_hand_and_its_looks_say_so(configuration: Path) -> None:
    told = said("prune", "-c", str(configuration))
    assert told.startswith("100 records pruned. Gone are the records up to 100 and the events up to ")
    assert said("prune", "-c", str(configuration)).startswith(
        "0 records pruned. Gone are the records up to 100"
    )
    shown = said("show", "-c", str(configuration), "--count", "1")
    assert "The records up to 100 and the events up to" in shown
    assert "     101  " in shown
    assert "pruned" not in said("show", "-c", str(configuration), "--from", "101")
    assert "30 records" in said("verify", "-c", str(configuration))
    assert "after record 100, up to which it was pruned" in said("verify", "-c", str(configuration))


def test_what_was_not_acknowledged_is_not_pruned_by_hand(configuration: Path) -> None:
    text = configuration.read_text("utf-8") + "server_acknowledges = false\n"
    configuration.write_text(text, encoding="utf-8")
    assert said("prune", "-c", str(configuration)).startswith("0 records pruned. ")
