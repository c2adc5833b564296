"""Huge pages change where memory lies, and nothing in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from edge import huge_pages
from edge.huge_pages import use_huge_pages

PROGRAM = """
import hashlib, re
from pathlib import Path
from edge.huge_pages import use_huge_pages
kept = [str(number) * 5 for number in range(400_000)]
before = hashlib.sha256("".join(kept).encode()).hexdigest()
taken = use_huge_pages()
assert hashlib.sha256("".join(kept).encode()).hexdigest() == before
said = Path("/proc/self/smaps_rollup").read_text()
print(taken, re.search(r"AnonHugePages: +([0-9]+)", said)[1])
"""


def test_memory_lies_on_huge_pages_where_the_kernel_has_them_and_keeps_its_contents() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    taken, kilobytes = (int(each) for each in ran.stdout.split())
    assert kilobytes * 1024 >= taken * huge_pages.HUGE


def test_without_proc_everything_is_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(huge_pages, "MAPS", tmp_path / "none")
    assert use_huge_pages() == 0


def test_only_memory_without_a_file_behind_it_is_meant() -> None:
    own = "55d8387ab000-55d83893a000 rw-p 00000000 00:00 0                          [heap]\n"
    nameless = "7ffad6084000-7ffad61b7000 rw-p 00000000 00:00 0 \n"
    others = (
        "7ffad61c4000-7ffad61c7000 rw-p 00000000 fe:00 29755                      /usr/lib/libc.so.6\n"
        "7ffad61c7000-7ffad61cc000 r-xp 00003000 fe:00 29755                      /usr/lib/libc.so.6\n"
        "7ffad7c84000-7ffad81b7000 rw-s 00000000 00:01 2049                       /dev/shm/a (deleted)\n"
        "7ffe0c1e5000-7ffe0c206000 rw-p 00000000 00:00 0                          [stack]\n"
    )
    assert len(huge_pages.OWN.findall(own + nameless + others)) == 2
