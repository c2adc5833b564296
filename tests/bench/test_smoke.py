"""Every part of scripts/bench still runs, at sizes that measure nothing. What it finds is not judged here."""

from pathlib import Path

import pytest
from rich.console import Console

from edge.journal import verify
from edge.ruling import RULING_VERSION, decide, evolve, new_table
from tests.bench import big_journal, pyserial_paho
from tests.bench.figures import Machine, Quantiles
from tests.bench.page import shown, written
from tests.bench.parts import PARTS, TINY, measured


@pytest.mark.mosquitto
@pytest.mark.parametrize("name", PARTS)
def test_a_part_runs_and_is_shown(name: str, tmp_path: Path) -> None:
    (part,) = measured([name], TINY, tmp_path, lambda _: None)
    assert part.rows
    page = written(Machine.here(tmp_path), [part])
    assert all(row.measured in page for row in part.rows)
    console = Console(width=200, record=True, quiet=True)
    shown(Machine.here(tmp_path), [part], console)


def test_a_made_journal_is_sound(tmp_path: Path) -> None:
    sizes = [300, 700]
    for path, size in zip(big_journal.journals(sizes, kept=tmp_path / "kept"), sizes, strict=True):
        verdict = verify(path, new_table=new_table, decide=decide, evolve=evolve, ruling=RULING_VERSION)
        assert verdict.findings == ()
        assert verdict.records == size


def test_a_made_journal_is_kept(tmp_path: Path) -> None:
    (first,) = big_journal.journals([300], kept=tmp_path / "kept")
    made = first.stat().st_mtime_ns
    (again,) = big_journal.journals([300], kept=tmp_path / "kept")
    assert again.stat().st_mtime_ns == made


def test_quantiles_are_the_nearest_ranks() -> None:
    found = Quantiles.of([each * 1_000_000 for each in range(1, 101)])
    assert (found.p50, found.p99, found.p999) == (50.0, 99.0, 100.0)


def test_the_script_people_write_is_thirty_lines() -> None:
    text = Path(pyserial_paho.__file__).read_text("utf-8")
    code = [line for line in text.splitlines() if line.strip() and line != f'"""{pyserial_paho.__doc__}"""']
    assert len(code) <= 30
