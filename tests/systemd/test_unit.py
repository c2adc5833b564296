"""The unit and the files beside it, by systemd's own reading of them, in a root made for it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from edge.control import PIT_GROUP
from tests.architecture.source import ROOT

SYSTEMD: Final = ROOT / "systemd"
UNIT: Final = SYSTEMD / "table-edge@.service"
UNITS_OF_THE_SYSTEM: Final = Path("/lib/systemd/system")
PROGRAM: Final = "opt/table-edge/venv/bin/table-edge"
EXPOSURE: Final = 2.0
EVERY_TOOL_S: Final = 60

pytestmark = pytest.mark.systemd


def said(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=EVERY_TOOL_S,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0"},
    )


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A root with the system's targets, the program and everything of ours where it is installed."""
    units = tmp_path / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for each in (*UNITS_OF_THE_SYSTEM.glob("*.target"), *UNITS_OF_THE_SYSTEM.glob("*.slice")):
        if each.exists():  # not a link to what is masked away
            shutil.copy(each, units)
    program = tmp_path / PROGRAM
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for source, place in {
        UNIT: "etc/systemd/system",
        SYSTEMD / "sysusers.d/table-edge.conf": "etc/sysusers.d",
        SYSTEMD / "tmpfiles.d/table-edge.conf": "etc/tmpfiles.d",
    }.items():
        (tmp_path / place).mkdir(parents=True)
        shutil.copy(source, tmp_path / place)
    return tmp_path


def test_systemd_has_nothing_to_say_of_the_unit(scratch: Path) -> None:
    verified = said("systemd-analyze", "verify", f"--root={scratch}", "table-edge@t7.service")
    assert verified.stderr == ""  # it exits 0 on keys that it does not know
    assert verified.stdout == ""
    assert verified.returncode == 0


@pytest.mark.parametrize(
    ("line", "spoiled", "complaint"),
    [
        ("RestartSec=2", "RestartSecs=2", "Unknown key"),
        ("Type=notify", "Type=notified", "Failed to parse"),
        ("/bin/table-edge run", "/bin/table-edges run", "is not executable"),
    ],
)
def test_it_would_have_something_to_say(scratch: Path, line: str, spoiled: str, complaint: str) -> None:
    unit = scratch / "etc/systemd/system" / UNIT.name
    text = unit.read_text()
    assert line in text
    unit.write_text(text.replace(line, spoiled))
    assert complaint in said("systemd-analyze", "verify", f"--root={scratch}", "table-edge@t7.service").stderr


def test_the_exposure_is_small(capsys: pytest.CaptureFixture[str]) -> None:
    threshold = str(round(EXPOSURE * 10))
    judged = said(
        "systemd-analyze", "security", "--offline=true", f"--threshold={threshold}", "--no-pager", str(UNIT)
    )
    assert judged.returncode == 0, judged.stdout + judged.stderr
    figure = re.search(r"Overall exposure level for \S+: ([\d.]+)", judged.stdout)
    assert figure is not None, judged.stdout
    with capsys.disabled():  # a figure to be seen in every run
        sys.stdout.write(f"\nsystemd-analyze security: exposure {figure[1]}, at most {EXPOSURE}\n")
    assert float(figure[1]) <= EXPOSURE


def test_an_unsandboxed_unit_would_not_pass(tmp_path: Path) -> None:
    bare = tmp_path / "bare@.service"
    bare.write_text("[Service]\nExecStart=/bin/true\n")
    assert said("systemd-analyze", "security", "--offline=true", "--threshold=20", str(bare)).returncode != 0


def test_the_user_is_made_once(scratch: Path) -> None:
    (scratch / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (scratch / "etc/group").write_text("root:x:0:\n")
    for _ in range(2):
        made = said("systemd-sysusers", f"--root={scratch}", "table-edge.conf")
        assert made.returncode == 0, made.stderr
    passwd = (scratch / "etc/passwd").read_text().splitlines()
    (user,) = (line for line in passwd if line.startswith("table-edge:"))
    assert user.endswith(":/var/lib/table-edge:/usr/sbin/nologin")
    groups = (scratch / "etc/group").read_text().splitlines()
    assert sum(line.startswith("table-edge:") for line in groups) == 1
    (pit,) = (line for line in groups if line.startswith(f"{PIT_GROUP}:"))
    assert pit.endswith(":table-edge")  # so that it can give the supervisors its socket


def test_the_configurations_are_closed_to_others(scratch: Path) -> None:
    (scratch / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (scratch / "etc/group").write_text("root:x:0:\ntable-edge:x:4242:\n")
    made = said("systemd-tmpfiles", "--create", f"--root={scratch}", "table-edge.conf")
    assert made.stderr == ""
    assert made.returncode == 0
    status = (scratch / "etc/table-edge").stat()
    assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o750, 0, 4242)


def test_every_line_has_its_reason() -> None:
    reasons = (SYSTEMD / "README.md").read_text()
    keys = {line.partition("=")[0] for line in UNIT.read_text().splitlines() if re.match(r"[A-Z]\w+=", line)}
    unexplained = sorted(
        key for key in keys - {"Description"} if not re.search(rf"`[^`]*\b{key}\b[^`]*`", reasons)
    )
    assert unexplained == []


def test_the_document_installs_every_file() -> None:
    operations = (ROOT / "docs" / "operations.md").read_text()
    files = [
        path.relative_to(ROOT) for path in SYSTEMD.rglob("*") if path.is_file() and path.name != "README.md"
    ]
    assert len(files) == 6
    assert [path for path in files if str(path) not in operations] == []
