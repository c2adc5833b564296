"""The udev rules, by udev's own reading: ``udevadm test`` on an adapter that is nowhere but in a sysfs."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.source import ROOT
from tests.systemd import fake_usb

RULES: Final = ROOT / "systemd" / "udev"
ROLES: Final = RULES / "70-table-edge-roles.rules"
GID: Final = 4242
LIKE_BRLTTY: Final = (
    'SUBSYSTEM=="usb", KERNEL!="*:*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", TAG+="systemd", '
    'ENV{SYSTEMD_WANTS}+="brltty-device@.service"\n'
)
SCENE: Final = """
set -e
mount --make-rprivate /
for place in /run /etc/udev/rules.d /dev /sys; do mount -t tmpfs tmpfs "$place"; done
mkdir -p /run/udev /dev/bus/usb/001
cp "$1"/rules/* /etc/udev/rules.d/
cp /etc/group /run/group && echo 'table-edge:x:'"$8"':' >>/run/group && mount --bind /run/group /etc/group
mknod -m 0666 /dev/null c 1 3
mknod /dev/ttyUSB0 c 188 0
mknod /dev/bus/usb/001/004 c 189 3
"$2" "$3" /sys
export SYSTEMD_DEVICE_VERIFY_SYSFS=0 SYSTEMD_COLORS=0 LC_ALL=C.UTF-8
for device in "$4" "$5"; do
    echo "=== $device"
    udevadm test "/sys/$device" 2>>"$1/said"
done
echo "=== nodes"
stat --format='%n %a %g' /dev/ttyUSB0 /dev/bus/usb/001/004
find /dev/table-edge -type l 2>/dev/null || true
echo "=== sysfs"
cat "/sys/$6" "/sys/$7"
"""

pytestmark = pytest.mark.systemd


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What udev made of the adapter."""

    usb: dict[str, str]
    tty: dict[str, str]
    nodes: list[str]
    sysfs: list[str]
    said: str


def plugged(tmp_path: Path, role: str) -> Seen:
    """Plug the adapter in, where the roles file has one more line."""
    (tmp_path / "rules").mkdir()
    for each in RULES.glob("*.rules"):
        shutil.copy(each, tmp_path / "rules")
    text = ROLES.read_text().replace('LABEL="table_edge_roles_end"', f'{role}\nLABEL="table_edge_roles_end"')
    (tmp_path / "rules" / ROLES.name).write_text(text)
    (tmp_path / "rules" / "90-like-brltty.rules").write_text(LIKE_BRLTTY)
    told = subprocess.run(
        [
            *("unshare", "--mount", "bash", "-c", SCENE, "scene", str(tmp_path)),
            *(sys.executable, str(Path(fake_usb.__file__))),
            *(fake_usb.DEVICE, fake_usb.TTY, fake_usb.POWER, fake_usb.LATENCY, str(GID)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    sections = [part.splitlines() for part in told.stdout.split("=== ")[1:]]
    usb, tty, nodes, sysfs = sections
    return Seen(
        usb=_properties(usb),
        tty=_properties(tty),
        nodes=nodes[1:],
        sysfs=sysfs[1:],
        said=(tmp_path / "said").read_text(),
    )


def _properties(lines: list[str]) -> dict[str, str]:
    return dict(line.split("=", 1) for line in lines if "=" in line)


def examples() -> list[str]:
    """The lines that a technician fills in."""
    return [line[1:] for line in ROLES.read_text().splitlines() if line.startswith("#SUBSYSTEM")]


USB_EXAMPLES: Final = [
    example.replace("FT7X0042", "TE-0042") for example in examples() if '"ttyS0"' not in example
]


@pytest.mark.parametrize("role", USB_EXAMPLES)
def test_a_device_with_a_role_has_its_name_and_its_peace(tmp_path: Path, role: str) -> None:
    seen = plugged(tmp_path, role)
    assert seen.tty["TABLE_EDGE_ROLE"] == "t7-shoe"
    assert "/dev/table-edge/t7-shoe" in seen.tty["DEVLINKS"].split()
    assert seen.nodes == [
        f"/dev/ttyUSB0 660 {GID}",
        f"/dev/bus/usb/001/004 660 {GID}",
        "/dev/table-edge/t7-shoe",
    ]
    for properties in (seen.usb, seen.tty):
        assert properties["ID_MM_DEVICE_IGNORE"] == "1"
        assert properties["ID_MM_PORT_IGNORE"] == "1"
    assert "BRLTTY_BRAILLE_DRIVER" not in seen.usb
    assert "SYSTEMD_WANTS" not in seen.usb
    assert seen.sysfs == ["on", "1"]


@pytest.mark.parametrize(
    "role",
    [
        "",
        'SUBSYSTEMS=="usb", ATTRS{serial}=="TE-0043", ENV{TABLE_EDGE_ROLE}="t7-shoe"',
        'SUBSYSTEMS=="usb", KERNELS=="1-1.3", ENV{TABLE_EDGE_ROLE}="t7-shoe"',
        'ATTRS{serial}=="TE-0042", ENV{ID_USB_INTERFACE_NUM}=="01", ENV{TABLE_EDGE_ROLE}="t7-shoe"',
    ],
)
def test_any_other_device_is_left_alone(tmp_path: Path, role: str) -> None:
    seen = plugged(tmp_path, role)
    assert "TABLE_EDGE_ROLE" not in seen.tty
    assert "table-edge" not in seen.tty.get("DEVLINKS", "")
    assert not any("table-edge" in node for node in seen.nodes)
    assert "ID_MM_DEVICE_IGNORE" not in seen.usb
    assert seen.usb["SYSTEMD_WANTS"] == "brltty-device@.service"
    assert seen.sysfs == ["--", "-"]


def test_a_port_of_the_computer_itself_may_have_a_role(tmp_path: Path) -> None:
    (example,) = (line for line in examples() if '"ttyS0"' in line)
    seen = plugged(tmp_path, example.replace("ttyS0", "ttyUSB0"))
    assert "/dev/table-edge/t7-shoe" in seen.tty["DEVLINKS"].split()
    assert "TABLE_EDGE_ROLE" not in seen.usb


def test_udev_complains_of_no_line_of_ours(tmp_path: Path) -> None:
    said = plugged(tmp_path, USB_EXAMPLES[0]).said
    ours = [line for line in said.splitlines() if "table-edge" in line and "rules.d" in line]
    told = [line for line in ours if not any(word in line for word in ("Reading rules", " GROUP ", " MODE "))]
    assert [line for line in told if " LINK " not in line and " ATTR " not in line] == []


def test_udev_would_complain(tmp_path: Path) -> None:
    assert "Invalid" in plugged(tmp_path, 'SUBSYSTEM=="tty", NONSENSE=="1"').said


def test_udevadm_verifies_them_where_it_can() -> None:
    """``udevadm verify`` came with systemd 254: before that there is ``udevadm test``, above."""
    if (
        "verify"
        not in subprocess.run(["udevadm", "--help"], capture_output=True, text=True, check=True).stdout
    ):
        return
    rules = [str(each) for each in sorted(RULES.glob("*.rules"))]
    verified = subprocess.run(
        ["udevadm", "verify", "--resolve-names=never", *rules], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
