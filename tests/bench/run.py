"""``scripts/bench``: measures, prints, and with ``--update`` writes docs/performance.md."""

import argparse
import sys
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.bench.big_journal import shelf
from tests.bench.figures import Machine
from tests.bench.page import shown, written
from tests.bench.parts import PARTS, QUICK, WHOLE, measured

PAGE: Final = Path(__file__).parents[2] / "docs" / "performance.md"


def main() -> int:
    """Measure. Exit 0 if every target was met."""
    options = _options()
    if options.update and len(options.only) < len(PARTS):
        sys.stderr.write("--update writes the whole page: leave out --only.\n")
        return 2
    kept = shelf() / ("quick" if options.quick else "whole")
    machine = Machine.here(Path.cwd())
    console = Console(width=None if sys.stdout.isatty() else 160)
    with Console(stderr=True).status("measuring") as status:
        parts = measured(
            options.only,
            QUICK if options.quick else WHOLE,
            kept,
            lambda said: status.update(f"measuring: {said}"),
        )
    shown(machine, parts, console)
    if options.update:
        PAGE.write_text(written(machine, parts), encoding="utf-8")
    return int(any(row.met is False for part in parts for row in part.rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write docs/performance.md anew")
    parser.add_argument("--quick", action="store_true", help="three minutes, not ten; no large journals")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="some parts only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
