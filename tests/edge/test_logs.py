"""A log that cannot be written costs lines, never the table."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import resource, structlog
from edge.logs import set_up_logs
set_up_logs("info")
log = structlog.get_logger("t")
log.info("first", number=1)
endless = resource.RLIM_INFINITY
resource.setrlimit(resource.RLIMIT_FSIZE, (MOST or endless, endless))
for number in range(200):
    log.warning("storage.failed", number=number)
resource.setrlimit(resource.RLIMIT_FSIZE, (endless, endless))
log.info("last", number=2)
print("alive")
"""


def _ran(tmp_path: Path, limit: int) -> tuple[str, list[str], int]:
    log = tmp_path / "log"
    with log.open("wb") as file:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("MOST", str(limit))],
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
            check=False,
        )
    return ran.stdout, log.read_text().splitlines(), ran.returncode


def test_lines_that_a_full_disk_refuses_are_lost_and_nothing_else(tmp_path: Path) -> None:
    said, lines, code = _ran(tmp_path, 4096)

    assert (said, code) == ("alive\n", 0)
    assert json.loads(lines[0])["event"] == "first"
    assert len(lines) < 200
    assert lines[-1].endswith("}")
    assert '"event": "last"' in lines[-1]


def test_on_a_sound_disk_every_line_is_there(tmp_path: Path) -> None:
    _, lines, _ = _ran(tmp_path, 0)

    assert [json.loads(each)["event"] for each in lines] == ["first", *["storage.failed"] * 200, "last"]


def test_a_closed_standard_error_ends_nothing() -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, PROGRAM.replace("MOST", "0")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.returncode) == ("alive\n", 0)
